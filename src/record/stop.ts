/**
 * The stop switch, as a register of the store has it: what is frozen, and up to when whose approvals were withdrawn. A worker reads the
 * register right before each destructive effect, so one value holds both. A value that nobody can read freezes everything: a stop that
 * is damaged must not let calls pass.
 */
import { plainName, peopleOf, type Decision } from '../shared/approval/approval';
import { tenantOf } from '../shared/ids';
import { isJsonObject, type Json } from '../shared/json/json';
import { sha256Hex } from '../shared/json/sha256';

export const STOP_REGISTER = 'kept/stop';

export const FREEZE_SCOPES = ['all', 'agent', 'tool', 'tenant'] as const;

/** What is frozen: everything, or the calls of one agent, of one tool, or for one tenant. */
export interface FrozenScope {
  scope: (typeof FREEZE_SCOPES)[number];
  /** Empty for `all`. */
  name: string;
}

export interface Freeze extends FrozenScope {
  /** ISO 8601, by the clock of the store. */
  at: string;
  by: string;
  reason: string;
}

/** Approvals of one person that do not count any more. */
export interface Withdrawal {
  approver: string;
  /** ISO 8601, by the clock of the store: an approval up to then does not count unless its call is dispatched. */
  at: string;
  by: string;
  reason: string;
}

export interface StopState {
  freezes: Freeze[];
  withdrawals: Withdrawal[];
}

const NOTHING: StopState = { freezes: [], withdrawals: [] };

/** What stands in for a register that cannot be read. */
const EVERYTHING: StopState = {
  freezes: [{ scope: 'all', name: '', at: '', by: '', reason: `the register ${STOP_REGISTER} of the store cannot be read` }],
  withdrawals: [],
};

/** A damaged register freezes everything, as one that makes no sense does. @throws what else a store throws */
export async function readStopFrom(registers: { read(name: string): Promise<{ value: Json }> }): Promise<StopState> {
  try {
    return readStop((await registers.read(STOP_REGISTER)).value);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'damaged') throw error;
    return EVERYTHING;
  }
}

/** Whether this state only stands in for one that cannot be read. */
export function isUnreadable(state: StopState): boolean {
  return state === EVERYTHING;
}

export function readStop(value: Json): StopState {
  if (value === null) return NOTHING;
  const { freezes, withdrawals } = isJsonObject(value) ? value : {};
  if (!Array.isArray(freezes) || !Array.isArray(withdrawals)) return EVERYTHING;
  const areTexts = (entry: Json, fields: string[]) =>
    isJsonObject(entry) && fields.every((field) => typeof entry[field] === 'string');
  const isWhole =
    freezes.every((one) => areTexts(one, ['scope', 'name', 'at', 'by', 'reason'])) &&
    withdrawals.every((one) => areTexts(one, ['approver', 'at', 'by', 'reason']));
  return isWhole ? (value as unknown as StopState) : EVERYTHING;
}

/** Names a freeze in an address. */
export function freezeId({ scope, name }: FrozenScope): string {
  return sha256Hex(JSON.stringify([scope, name])).slice(0, 16);
}

/** The first freeze that holds this call; null: none does. */
export function freezeOf(
  { freezes }: StopState,
  { agent, requester, tool }: { agent: string; requester: string; tool: string },
): Freeze | null {
  const tenant = tenantOf(requester);
  const holds = ({ scope, name }: Freeze) =>
    (scope === 'agent' && name === agent) ||
    (scope === 'tool' && name === tool) ||
    (scope === 'tenant' && tenant !== null && plainName(name) === plainName(tenant)) ||
    // A scope that this build does not know may be meant for any call.
    !['agent', 'tool', 'tenant'].includes(scope);
  return freezes.find(holds) ?? null;
}

/** `tool pay is frozen since 2026-11-29T02:00:00.000Z by ana: wrong account` */
export function freezeText({ scope, name, at, by, reason }: Freeze): string {
  const what = scope === 'all' ? 'every destructive call' : `${scope} ${name}`;
  return `${what} is frozen${at === '' ? '' : ` since ${at}`}${by === '' ? '' : ` by ${by}`}: ${reason}`;
}

/**
 * Whose withdrawal this approval falls under; null: it counts.
 * @param verifiedAt when the store says that a worker found the signature valid; absent: the time of the approval counts
 */
export function withdrawalOf(
  { withdrawals }: StopState,
  approval: Pick<Decision, 'by' | 'on_behalf_of' | 'at'>,
  verifiedAt: string = approval.at,
): Withdrawal | null {
  const people = peopleOf(approval).map(plainName);
  // Not `>`: a time that cannot be read is not later.
  const isUpTo = (at: string) => !(Date.parse(verifiedAt) > Date.parse(at));
  return withdrawals.find(({ approver, at }) => people.includes(plainName(approver)) && isUpTo(at)) ?? null;
}
