/** The data of an approval: what people decided on a call, and whether that counts. Plain data: it travels through history. */
import type { Json, JsonObject } from '../json/json';
import { SCHEDULE_PREFIX } from '../schedule';
import { TRIGGER_PREFIX } from '../ids';
import { withoutUnseen } from '../text/visible';
import type { ApprovalPolicy } from './policy';

export { PLAIN_POLICY, stricter, type ApprovalPolicy } from './policy';

/** Where a decision came from. */
export interface DecisionSource {
  channel: 'signal' | 'update' | 'timer';
  /** What the sender's client claims to be, as Temporal recorded it. */
  identity: string;
  /** ISO 8601: until when the sender waited for the answer (waits.ts). Absent: not an update, or an update without this time. */
  until?: string;
}

/** One person's decision on one exact call, or answer to one exact question, bound to one run. */
export interface Decision extends DecisionSource {
  decision: 'approve' | 'deny' | 'answer' | 'expired';
  digest: string;
  /** The run that asked. */
  run_id: string;
  /** The principal if the decision is attested, else the name that the sender gave. Empty: nobody decided in time. */
  by: string;
  /** Of an approval: whom a deputy decided for. Absent: nobody else. */
  on_behalf_of?: string;
  note: string | null;
  /** ISO 8601, workflow time: when the decision was accepted; without `until`, when it counted. */
  at: string;
  expires_at: string;
  card_ref: string | null;
  /** The signed decision as received; absent: it is unsigned. */
  attestation?: string;
  /** The run in which the decision was given, if a later run carries it over. */
  given_in?: string;
  /** The answer to a question; absent: it is no answer. */
  value?: Json;
}

/** How a call in doubt ended, by a person's statement. */
export interface Settlement {
  outcome: 'applied' | 'not_applied';
  by: string;
  note: string | null;
  identity: string;
  /** ISO 8601, workflow time. */
  at?: string;
  attestation?: string;
}

/** Type of the failure for settlements that do not count. People are asked again, under the policy in the failure's details. */
export const SETTLEMENT_REFUSAL = 'holdfast.settlement_refused';

export const HOLD_KINDS = [
  'preview_drifted',
  'target_changed',
  'same_intent',
  'budget',
  'reset',
  'policy_changed',
  'approval_withdrawn',
] as const;

/** Why a call that was about to run goes back to a person. The next card shows it, and the next digest includes it. */
export interface HoldReason {
  kind: (typeof HOLD_KINDS)[number];
  /** What the approver accepts, such as the name of a budget, the digest of the other call, or the hash of the present policy. */
  id: string;
  /** For the card; at most 4,000 characters. For a reset, admission writes the text. */
  text: string;
}

/** An approver's replacement input for a waiting call. It approves nothing: the superseding call waits for approval. */
export interface Edit {
  input: JsonObject;
  by: string;
  note: string | null;
  identity: string;
  attestation?: string;
}

/** The part of an edit that goes into the transcript. */
export interface EditRecord extends Omit<Edit, 'input'> {
  decision: 'edit';
  /** Digest of the call that the edit supersedes. */
  digest: string;
  run_id: string;
  /** ISO 8601, workflow time. */
  at: string;
}

/** A decision or an edit on a revision that a later revision has superseded. */
export type Earlier = (Decision | EditRecord) & { revision: number };

/** The facts of an open question that determine whether a decision on it counts. */
export interface OpenQuestion {
  digest: string;
  policy: ApprovalPolicy;
  /** The requester, and people who changed or steered the call. */
  makers: readonly string[];
  /** ISO 8601; null: never. */
  expires_at: string | null;
  /** People who have already decided the same. */
  said: readonly Vote[];
}

/** Whose decision it is. A deputy and the person whom the deputy decides for count as one. */
export interface Vote {
  by: string;
  /** Absent: the person decides for nobody else. */
  on_behalf_of?: string;
}

/** The people behind a decision: its author, and whom the author decides for. */
export function peopleOf({ by, on_behalf_of }: Vote): string[] {
  return on_behalf_of === undefined ? [by] : [by, on_behalf_of];
}

/** Whether the decision is this person's, or was given in the person's stead. */
export function isBehind(vote: Vote, person: string): boolean {
  return peopleOf(vote).some((one) => samePerson(one, person));
}

/** Whether a person stands behind both decisions: then they are one vote. */
export function sharePerson(one: Vote, other: Vote): boolean {
  return peopleOf(one).some((a) => peopleOf(other).some((b) => samePerson(a, b)));
}

/** As people read it. */
export function nameOfVote({ by, on_behalf_of }: Vote): string {
  return on_behalf_of === undefined ? by : `${by} for ${on_behalf_of}`;
}

/** Why a decision on an open question does not count, or null. */
export function decisionFault(
  { digest, policy, makers, expires_at, said }: OpenQuestion,
  { kind, attested, ...vote }: Vote & { kind: 'approve' | 'deny' | 'settle' | 'answer'; attested: boolean },
  nowMs: number,
): string | null {
  if (policy.channel === 'attested' && !attested)
    return `call ${digest} takes signed decisions only; \`holdfast sign\` makes one`;
  if (expires_at !== null && nowMs > Date.parse(expires_at)) return `call ${digest} expired at ${expires_at}`;
  if (kind === 'deny') return null;
  const people = peopleOf(vote);
  const starter = people.map(starterOf).find((one) => one !== null);
  if (starter !== undefined) return `${starter.name} is a ${starter.kind}, and only people decide`;
  const maker = people.find((person) => makers.some((one) => samePerson(one, person)));
  if (policy.four_eyes && maker !== undefined)
    return `${maker} asked for call ${digest}, changed it or steered the turn; somebody else has to decide`;
  const earlier = said.find((one) => sharePerson(one, vote));
  if (earlier === undefined) return null;
  const both = people.find((person) => peopleOf(earlier).some((one) => samePerson(one, person)))!;
  return `${both} has decided on call ${digest} already`;
}

/** What a name stands for that is a requester, but no person: `schedule/NAME` or `trigger/PATH`, however written. Null: it is neither. */
export function starterOf(name: string): { name: string; kind: 'schedule' | 'trigger' } | null {
  const plain = plainName(name);
  if (plain.startsWith(SCHEDULE_PREFIX)) return { name, kind: 'schedule' };
  return plain.startsWith(TRIGGER_PREFIX) ? { name, kind: 'trigger' } : null;
}

/** Whether two names mean the same person, however written. */
export function samePerson(a: string, b: string): boolean {
  return plainName(a) === plainName(b);
}

/**
 * A person's name in the form that is compared. It is normalized again after invisible characters are removed, since one may
 * separate a letter from its accent. Letters of another script that look alike stay different: names come from a list that the
 * operator keeps.
 */
export function plainName(name: string): string {
  return withoutUnseen(name.normalize('NFKC')).normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}
