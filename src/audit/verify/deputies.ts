/** Who stands behind recorded approvals, and what a deputyship must say for the call that it let run (B9). */
import { deputyshipOf } from '../../attestation/deputy-decision';
import { text } from '../../record/fields';
import { sharePerson, type Vote } from '../../shared/approval/approval';
import type { Json, JsonObject } from '../../shared/json/json';

export function voteOf({ by, on_behalf_of }: JsonObject): Vote {
  return { by: text(by), ...(typeof on_behalf_of === 'string' ? { on_behalf_of } : {}) };
}

/** How many votes these are: a deputy and the person whom the deputy decides for have one. */
export function countVotes(votes: readonly Vote[]): number {
  const counted: Vote[] = [];
  for (const one of votes) if (!counted.some((earlier) => sharePerson(earlier, one))) counted.push(one);
  return counted.length;
}

/** Why a deputyship does not reach this call; null: it does, or the approval brings none along. The signatures are checked elsewhere. */
export function deputyshipFault(
  attestation: Json | undefined,
  policy: JsonObject,
  { tool, agent }: { tool: Json | undefined; agent: Json | undefined },
): string | null {
  const signed = typeof attestation === 'string' ? deputyshipOf(attestation) : null;
  if (signed === null) return null;
  const { v, tools, agents } = signed.deputyship;
  if (policy.channel === 'attested' && v === 'holdfast.deputy-record/1')
    return 'a gateway alone says that there is a deputy, and this call takes signed decisions only';
  return isAmong(tools, tool) && isAmong(agents, agent) ? null : 'the deputyship is for other calls';
}

/** Also what was left out of the record. */
function isAmong(names: readonly string[] | undefined, name: Json | undefined): boolean {
  return names === undefined || typeof name !== 'string' || names.includes(name);
}
