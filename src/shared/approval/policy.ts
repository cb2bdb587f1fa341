/**
 * What the approval of a call requires: how many people, with which roles, over which channel, and who may decide as well after a
 * time. Plain data: it travels through history. Whatever combines two policies requires no less than either.
 */

/** Who may decide, and how many of them. */
export interface ApprovalPolicy {
  /**
   * `attested`: only decisions that a trusted key has signed count. `any`: everybody who can reach the turn may decide, under any
   * name.
   */
  channel: 'any' | 'attested';
  /** How many people must approve; each person counts once. */
  quorum: number;
  /** An approver needs one of these roles; empty: anybody may approve. Roles are known only for attested decisions. */
  roles: string[];
  /** The requester, and people who changed or steered the call, may not approve it. */
  four_eyes: boolean;
  /** When approvers are reminded: how long before the expiry, ms each. */
  remind_ms: number[];
  /** Approvers are notified when a question opens; reminders ignore this. */
  notify: boolean;
  /** Who may approve as well, once people have been asked for this long. Absent: nobody. */
  escalate?: EscalationRule[];
  /** The entry of the agent's list that gave this policy. Absent: the agent has no list for the tool. */
  entry?: PolicyEntry;
}

export interface EscalationRule {
  after_ms: number;
  roles: string[];
}

/** An escalation of one question: from when on people with these roles may approve it as well. */
export interface Escalation {
  /** ISO 8601 */
  at: string;
  roles: string[];
}

/** Which entry of a list applies to a call. */
export interface PolicyEntry {
  /** From 1; null: none fits, and the agent's common rule applies. */
  index: number | null;
  /** The condition; null: the entry has none. */
  when: string | null;
  /** `failed`: the condition could not be evaluated, and what the strictest entry requires applies. */
  result: 'matched' | 'failed' | 'none';
}

/** The policy of calls that were admitted before calls had policies. */
export const PLAIN_POLICY: ApprovalPolicy = {
  channel: 'any',
  quorum: 1,
  roles: [],
  four_eyes: false,
  remind_ms: [],
  notify: false,
};

/**
 * The stricter combination of the policy that a question was asked under and the present one: channel, quorum, and four eyes if
 * either wants it. Roles are those that both name. If they name none in common, they are the present ones: an approver who holds
 * a role of both lists may not exist.
 */
export function stricter(before: ApprovalPolicy, present: ApprovalPolicy): ApprovalPolicy {
  const { escalate: _, ...fields } = present;
  return {
    ...fields,
    channel: before.channel === 'attested' ? 'attested' : present.channel,
    quorum: Math.max(before.quorum, present.quorum),
    four_eyes: before.four_eyes || present.four_eyes,
    ...commonRoles(before, present),
  };
}

/** At each time the roles that may approve under both. */
function commonRoles(before: ApprovalPolicy, present: ApprovalPolicy): Pick<ApprovalPolicy, 'roles' | 'escalate'> {
  const bothAt = (ms: number) => intersection(rolesAfter(before, ms), rolesAfter(present, ms));
  const first = bothAt(0);
  // An empty list would let anybody approve.
  const roles = first === null ? [] : first.length > 0 ? first : present.roles;
  if (first === null) return { roles };
  const times = [...new Set([...(before.escalate ?? []), ...(present.escalate ?? [])].map(({ after_ms }) => after_ms))];
  const known = new Set(roles);
  const escalate: EscalationRule[] = [];
  for (const after_ms of times.sort((a, b) => a - b)) {
    const more = (bothAt(after_ms) ?? []).filter((role) => !known.has(role));
    if (more.length > 0) escalate.push({ after_ms, roles: more });
    for (const role of more) known.add(role);
  }
  return { roles, ...(escalate.length > 0 ? { escalate } : {}) };
}

/** The roles that may approve once people have been asked for this long; null: anybody may. */
function rolesAfter({ roles, escalate = [] }: ApprovalPolicy, ms: number): string[] | null {
  if (roles.length === 0) return null;
  return [...new Set([...roles, ...escalate.filter(({ after_ms }) => after_ms <= ms).flatMap((one) => one.roles)])];
}

function intersection(one: string[] | null, other: string[] | null): string[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((role) => other.includes(role));
}

/** When the escalations of a question are due. */
export function escalationsFrom({ escalate = [] }: ApprovalPolicy, askedMs: number): Escalation[] {
  return escalate.map(({ after_ms, roles }) => ({ at: new Date(askedMs + after_ms).toISOString(), roles }));
}

/** The roles that may approve at this time; empty: anybody may. */
export function rolesAt(roles: readonly string[], escalations: readonly Escalation[], ms: number): string[] {
  if (roles.length === 0) return [];
  const due = escalations.filter(({ at }) => Date.parse(at) <= ms).flatMap((one) => one.roles);
  return [...new Set([...roles, ...due])];
}

/**
 * Which of two policies is the stricter: more people, then signed decisions only, then roles, then fewer of them, then four eyes.
 * @returns positive if it is `a`; 0: neither
 */
export function compareStrictness(a: ApprovalPolicy, b: ApprovalPolicy): number {
  const ranks = [a, b].map(({ quorum, channel, roles, four_eyes }) => [
    quorum,
    channel === 'attested' ? 1 : 0,
    roles.length > 0 ? 1 : 0,
    -roles.length,
    four_eyes ? 1 : 0,
  ]);
  const [first, second] = ranks as [number[], number[]];
  const index = first.findIndex((rank, at) => rank !== second[at]);
  return index === -1 ? 0 : first[index]! - second[index]!;
}

export interface Strictest {
  policy: ApprovalPolicy;
  /** False: some of them name roles, and no role is in all of those. */
  isDecidable: boolean;
}

/**
 * What a call requires to which any of some policies may apply: the most people, signed decisions and four eyes if one of them wants
 * these, a role that each of them accepts, and no escalation. Where there is no such role, nobody could be sure to be the right
 * person to ask; the roles are then those of the strictest policy that names any.
 */
export function strictestOf(policies: readonly [ApprovalPolicy, ...ApprovalPolicy[]]): Strictest {
  const ranking = policies.toSorted((a, b) => compareStrictness(b, a));
  const [strictest] = ranking;
  const { escalate: _, ...fields } = strictest!;
  const lists = ranking.map(({ roles }) => roles).filter((roles) => roles.length > 0);
  const [first = [], ...others] = lists;
  const common = first.filter((role) => others.every((roles) => roles.includes(role)));
  const isDecidable = common.length > 0 || lists.length === 0;
  const policy = {
    ...fields,
    channel: policies.some(({ channel }) => channel === 'attested') ? ('attested' as const) : ('any' as const),
    four_eyes: policies.some(({ four_eyes }) => four_eyes),
    roles: isDecidable ? common : first,
  };
  return { policy, isDecidable };
}
