/** The person's own page: roles, sign-in, passkeys, deputies. */
import { when } from '../../lib/format';
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
      <dl class="facts">
        <div>
          <dt>Roles</dt>
          <dd>
            <Words of={person.roles.join(', ')} />
          </dd>
        </div>
        <div>
          <dt>Signed in by</dt>
          <dd>{WAYS[person.sign_in]}</dd>
        </div>
        {person.expires_at && (
          <div>
            <dt>Until</dt>
            <dd>{when(person.expires_at)}</dd>
          </div>
        )}
      </dl>
      {mayDecide.value && <Passkeys />}
      {mayDecide.value && <Deputies />}
      {isAdmin.value && <WaitingPasskeys />}
    </>
  );
}
