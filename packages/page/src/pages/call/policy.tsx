/** Who must decide on a call, by when, and which of the agent's rules says so. */
import type { Card, CardState } from '../../../../../src/shapes/card';
import { expiryOf, when } from '../../lib/format';
import { isInDoubt } from '../../lib/kind';
import { Facts } from '../../parts/facts';
import { Code, Words } from '../../parts/text';
import { now } from '../../state/clock';

type CardPolicy = CardState['policy'];

export function Policy({ card }: { card: Card }) {
  const { policy, expires_at } = card;
  if (policy === undefined) return null;
  const { entry, escalations = [] } = policy;
  return (
    <section>
      <h2>What it needs</h2>
      {entry && <Entry entry={entry} />}
      <Facts
        rows={[
          [isInDoubt(card) ? 'People who must say so' : 'Approvals needed', String(policy.quorum)],
          ['By', policy.roles.length === 0 ? 'anybody who may decide' : oneOf(policy.roles)],
          ['Four eyes', policy.four_eyes ? 'who asked, changed or steered may not approve' : 'not required'],
          ['What counts', CHANNELS[policy.channel]],
          ['Expires', expiry(expires_at)],
        ]}
      />
      {!isInDoubt(card) && escalations.map((one) => <Later escalation={one} />)}
    </section>
  );
}

type Escalation = NonNullable<CardPolicy['escalations']>[number];

function Later({ escalation: { at, roles } }: { escalation: Escalation }) {
  return (
    <p>
      {Date.parse(at) > now.value ? `From ${when(at)} on` : `Since ${when(at)}`}, people with one of these roles may approve too:{' '}
      <Words of={roles.join(', ')} />
    </p>
  );
}

/** Of a question: nothing is approved, so quorum, roles and four eyes do not apply. */
export function WhoMayAnswer({ card }: { card: Card }) {
  const { to = [], policy, expires_at } = card;
  return (
    <section>
      <h2>Who may answer</h2>
      <Facts
        rows={[
          ['For', to.length === 0 ? 'all who may answer in this turn' : oneOf(to)],
          ...(policy ? ([['What counts', ANSWERS[policy.channel]]] as [string, string][]) : []),
          ['Expires', expiry(expires_at)],
        ]}
      />
    </section>
  );
}

const CHANNELS = { attested: 'signed decisions only', any: 'any decision; names are what people typed (advisory)' };
const ANSWERS = { attested: 'signed answers only', any: 'any answer; names are what people typed (advisory)' };

function oneOf(names: string[]): string {
  return names.length === 1 ? names[0]! : `one of: ${names.join(', ')}`;
}

function expiry(at: string | null): string {
  const left = expiryOf(at, now.value);
  return at === null || left === null ? 'never' : `${when(at)} (${left.over ? 'expired' : `in ${left.text}`})`;
}

function Entry({ entry: { index, when: condition, result } }: { entry: NonNullable<CardPolicy['entry']> }) {
  if (result === 'none')
    return <p>The approval rules of this tool have no entry that fits this call: the agent’s common rule applies.</p>;
  if (result === 'failed')
    return (
      <p>
        Whether entry {index} of the approval rules fits could not be found out (<Code of={condition ?? ''} />
        ). So the strictest of them applies.
      </p>
    );
  return (
    <p>
      Entry {index} of the approval rules applies
      {condition === null ? (
        ': it fits every call that no entry before it fits.'
      ) : (
        <>
          , because this holds: <Code of={condition} />
        </>
      )}
    </p>
  );
}
