/** What an approval requires, in words: of a call that was checked, and of each entry of a list of approval rules. */
import type { AgentView } from '../../../../../src/shapes/agent-view';
import type { ApprovalRequirement } from '../../../../../src/shapes/policy-entry';
import { duration } from '../../lib/format';
import { Code, Words } from '../../parts/text';

type Entries = AgentView['tools'][number]['approval_entries'];

/** @param applies the number of the entry that applies to a call that was checked, from 1 */
export function ApprovalEntries({ entries, applies }: { entries: Entries; applies?: number | null }) {
  return (
    <ol class="entries">
      {entries.map(({ when, needs }, index) => (
        <li aria-current={index + 1 === applies ? 'true' : undefined}>
          {index + 1 === applies && <strong>This one applies. </strong>}
          {when === null ? 'Every other call' : <Code of={when} />}:{' '}
          <Words of={needs === null ? 'it runs without being asked about' : requirement(needs)} />
        </li>
      ))}
    </ol>
  );
}

/** As `2 people with the role treasurer must approve; after 1 h also director`. */
export function requirement({ quorum, roles, four_eyes, channel, escalate = [] }: ApprovalRequirement): string {
  const people = quorum === 1 ? 'one person' : `${quorum} people`;
  const who = roles.length === 0 ? people : `${people} with the role ${roles.join(' or ')}`;
  return [
    `${who} must approve`,
    ...escalate.map((later) => `after ${duration(later.after_ms)} ${later.roles.join(' or ')} may too`),
    ...(four_eyes ? ['nobody who had a hand in it'] : []),
    ...(channel === 'attested' ? ['only signed decisions count'] : []),
  ].join('; ');
}
