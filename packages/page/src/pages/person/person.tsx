/** The person's own page: roles, sign-in, passkeys, deputies. */
import { when } from '../../lib/format';
import { Facts } from '../../parts/facts';
import { Title } from '../../parts/layout';
import { ErrorNotice } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useAction } from '../../parts/use-load';
import { isAdmin, mayDecide, me, signOut } from '../../state/me';
import { Deputies } from './deputies';
import { Passkeys } from './passkeys';
import { WaitingPasskeys } from './waiting-passkeys';

const WAYS = { oidc: 'your organisation', token: 'a token', bearer: 'a token in each request' };

export function PersonPage() {
  const action = useAction();
  const person = me.value!;
  return (
    <>
      <Title
        title="You"
        actions={
          person.sign_in === 'bearer' ? null : (
            <button type="button" disabled={action.busy} onClick={() => void action.run(signOut)}>
              Sign out
            </button>
          )
        }
      >
        <Words of={person.principal} />
      </Title>
      <ErrorNotice error={action.error} />
      <Facts
        rows={[
          ['Roles', person.roles.join(', ')],
          ['Signed in by', WAYS[person.sign_in]],
          ...(person.expires_at ? [['Until', when(person.expires_at)] as [string, string]] : []),
        ]}
      />
      {mayDecide.value && <Passkeys />}
      {mayDecide.value && <Deputies />}
      {isAdmin.value && <WaitingPasskeys />}
    </>
  );
}
