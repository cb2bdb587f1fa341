/** What it takes to approve a call, and what a person said about it. Plain data: it travels through history. */
import type { JsonObject } from '../json/json';
import { UNSEEN } from '../text/visible';

/** Who may decide, and how many of them. */
export interface ApprovalPolicy {
  /** `attested`: only decisions that a trusted key has signed count. `any`: whoever can reach the turn decides, under any name. */
  channel: 'any' | 'attested';
  /** People who must approve; each counts once. */
  quorum: number;
  /** An approver holds one of these; empty: anybody. Known only of attested decisions. */
  roles: string[];
  /** Whoever asked for the call, or had a hand in it, does not approve it. */
  four_eyes: boolean;
  /** How long before the expiry whoever must decide is reminded, ms each. */
  remind_ms: number[];
  /** People are told when a question opens, and reminded. */
  notify: boolean;
}

/** What a call is held to that was admitted before policies were. */
export const PLAIN_POLICY: ApprovalPolicy = {
  channel: 'any',
  quorum: 1,
  roles: [],
  four_eyes: false,
  remind_ms: [],
  notify: false,
};

/**
 * What was asked under one policy and counts under another: both channels, both quorums, four eyes if either wants them.
 * Of roles the present ones, where there are any: who has one of each need not exist.
 */
export function stricter(before: ApprovalPolicy, present: ApprovalPolicy): ApprovalPolicy {
  return {
    ...present,
    channel: before.channel === 'attested' ? 'attested' : present.channel,
    quorum: Math.max(before.quorum, present.quorum),
    roles: present.roles.length > 0 ? present.roles : before.roles,
    four_eyes: before.four_eyes || present.four_eyes,
  };
}

/** Where a decision came from. */
export interface DecisionSource {
  channel: 'signal' | 'update' | 'timer';
  /** What the sender's client claims to be, as Temporal recorded it. */
  identity: string;
  /** ISO 8601: how long its sender waited for the answer (waits.ts). Absent: it was no update, or one without such a time. */
  until?: string;
}

/** One person's decision on one exact call, bound to one run. */
export interface Decision extends DecisionSource {
  decision: 'approve' | 'deny' | 'expired';
  digest: string;
  /** The run that asked. */
  run_id: string;
  /** The principal if it is attested, else what the sender calls himself. Empty: nobody decided in time. */
  by: string;
  note: string | null;
  /** ISO 8601, workflow time: when it was accepted; of one without `until`, when it counted. */
  at: string;
  expires_at: string;
  card_ref: string | null;
  /** The signed decision, as it came; absent: a bare one. */
  attestation?: string;
  /** The run in which it was given, where a later one carries it on. */
  given_in?: string;
}

/** What a person says became of a call in doubt. */
export interface Settlement {
  outcome: 'applied' | 'not_applied';
  by: string;
  note: string | null;
  identity: string;
  /** ISO 8601, workflow time. */
  at?: string;
  attestation?: string;
}

/** Type of the failure that says why settlements do not hold: people are asked again, under the policy in its details. */
export const SETTLEMENT_REFUSAL = 'holdfast.settlement_refused';

/** Why a call that was about to run goes back to a person: shown on the next card, and part of the next digest. */
export interface HoldReason {
  kind: 'preview_drifted' | 'target_changed' | 'same_intent' | 'budget' | 'reset' | 'policy_changed';
  /** What exactly whoever approves puts up with: a budget's name, the other call's digest, the present policy's hash. */
  id: string;
  /** For the card; at most 4,000 characters. Of a reset admission writes it. */
  text: string;
}

/** An approver's other input for a waiting call. It approves nothing: a superseding call waits. */
export interface Edit {
  input: JsonObject;
  by: string;
  note: string | null;
  identity: string;
  attestation?: string;
}

/** What of an edit goes into the transcript. */
export interface EditRecord extends Omit<Edit, 'input'> {
  decision: 'edit';
  /** Of the call that it supersedes. */
  digest: string;
  run_id: string;
  /** ISO 8601, workflow time. */
  at: string;
}

/** What was said on a revision that another one has superseded. */
export type Earlier = (Decision | EditRecord) & { revision: number };

/** An open question, as far as it matters to whether a decision on it counts. */
export interface OpenQuestion {
  digest: string;
  policy: ApprovalPolicy;
  /** Who asked for the call, and who had a hand in it. */
  makers: readonly string[];
  /** ISO 8601; null: never. */
  expires_at: string | null;
  /** Who has said the same already. */
  said: readonly { by: string }[];
}

/** Why a decision on an open question does not count, or null. */
export function decisionFault(
  { digest, policy, makers, expires_at, said }: OpenQuestion,
  { kind, by, attested }: { kind: 'approve' | 'deny' | 'settle'; by: string; attested: boolean },
  nowMs: number,
): string | null {
  if (policy.channel === 'attested' && !attested)
    return `call ${digest} takes signed decisions only; \`holdfast sign\` makes one`;
  if (expires_at !== null && nowMs > Date.parse(expires_at)) return `call ${digest} expired at ${expires_at}`;
  if (kind === 'deny') return null;
  if (policy.four_eyes && makers.some((maker) => samePerson(maker, by)))
    return `${by} asked for call ${digest} or had a hand in it; somebody else has to decide`;
  return said.some((earlier) => samePerson(earlier.by, by)) ? `${by} has decided on call ${digest} already` : null;
}

/** The same person, however the name is written. */
export function samePerson(a: string, b: string): boolean {
  return plainName(a) === plainName(b);
}

/** A person's name as it is compared: normalized again where something unseen stood between a letter and its accent. Letters of another script that look alike stay different: names come from a list that somebody keeps. */
export function plainName(name: string): string {
  return name.normalize('NFKC').replace(UNSEEN, '').normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}
