/**
 * Checks that a signed start belongs to this turn. Anyone who reads history can copy it, and it does not cover the conversation
 * before the message. So it may start one turn only, and a message to a session only a turn that the session itself started.
 */
import { hashJson } from '../../shared/json/digests';
import { sessionWorkflowId } from '../../shared/ids';
import type { Json } from '../../shared/json/json';
import type { RunCallInput, TurnContext } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import { blocksOf, type ReadStart } from '../../record/read-block';
import type { Store } from '../../store/store';
import { walk } from '../../store/core/transcript';
import type { StoredBlock } from '../../store/core/seal';
import type { Dependencies, SignedStart } from '../ports';

/** The fault, or null. */
export async function signedStartFault(
  { trust, store, turns }: Pick<Dependencies, 'trust' | 'store' | 'turns'>,
  start: SignedStart,
): Promise<string | null> {
  const { session_id, workflow_id, first_execution_run_id: run } = start.turn;
  const fault = await trust.checkStart({ ...start, turn: { ...start.turn, session_id: null } });
  if (fault !== null) {
    if (session_id === null) return fault;
    // A message to a session is signed for the session, before its turn has an id.
    const sessionFault = await trust.checkStart(start);
    if (sessionFault !== null) return sessionFault;
    if ((await turns.startedBy(workflow_id, run))?.workflow_id !== sessionWorkflowId(session_id))
      return `it was signed for session ${session_id}, which has not started this turn`;
  }
  const first = await store.registers.update<Json>(`start/${hashJson(start.attestation)}`, (value) =>
    value === null ? { value: run, answer: run } : { answer: value },
  );
  return first === run ? null : 'it has begun another turn already';
}

// The transcript has the start of each turn, which was checked when it was written. An attacker who starts an activity, or a
// workflow as if an earlier run existed, has no such start. One who leaves out the store, so that digests name no agent, still
// cannot choose the agent.

type Turn = RunCallInput['turn'];

/** The turn's own start block; a session's transcript has those of earlier turns too. Null: there is none. */
export function startOf(
  blocks: StoredBlock[],
  { turn_id, first_execution_run_id }: Pick<TurnContext, 'turn_id' | 'first_execution_run_id'>,
): ReadStart | null {
  const isOwn = (start: ReadStart) => start.turn_id === turn_id && start.first_execution_run_id === first_execution_run_id;
  return blocksOf('start', blocks).findLast(isOwn) ?? null;
}

/** Null: the turn began as it says. */
export async function otherStart(store: Store, { turn, head }: Pick<RunCallInput, 'turn' | 'head'>): Promise<CallError | null> {
  const why = startFaultIn(await walk(store, head), turn);
  return why === null ? null : callError('PERMISSION_DENIED', 'digest_mismatch', `The call was not run: ${why}.`);
}

/** Why the start in these blocks is not that of this turn, or null. */
export function startFaultIn(blocks: StoredBlock[], turn: Turn): string | null {
  const start = startOf(blocks, turn);
  const { turn_id, agent, requester, store_id } = turn;
  if (start === null) return `the transcript has no start of turn ${turn_id}`;
  if (start.agent !== agent) return `turn ${turn_id} is of agent ${JSON.stringify(start.agent)}, not of ${agent}`;
  if (start.requester !== requester)
    return `turn ${turn_id} was asked for by ${JSON.stringify(start.requester)}, not by ${requester}`;
  if (start.store_id === (store_id ?? null)) return null;
  return `turn ${turn_id} began with digests of version ${start.store_id === null ? 1 : 2}`;
}

// The id of a direct call comes from its key. Temporal rejects a second workflow of that id only while it retains the first one,
// and if the caller does not ask for reuse. For calls that may be destructive the store keeps the id for good, so that a later
// start under it does not repeat the call.

interface First {
  /** The first execution run id of the first call that was admitted under the id; a reset keeps it. */
  run: string;
  /** ms since 1970 */
  at: number;
}

/** Null: this is the call of the id; the store remembers it from now on. */
export async function directCallKeyFault(
  { registers }: Pick<Store, 'registers'>,
  { turn_id, first_execution_run_id: run }: Pick<TurnContext, 'turn_id' | 'first_execution_run_id'>,
): Promise<CallError | null> {
  const first = await registers.update<First>(`kept/direct/${turn_id}`, (entry, at) =>
    entry === null ? { value: { run, at }, answer: { run, at } } : { answer: entry as unknown as First },
  );
  if (first.run === run) return null;
  const before = new Date(first.at).toISOString();
  const message = `The id ${turn_id} was used for a call on ${before}, in an earlier workflow execution. A call that may be destructive runs only once under an id.`;
  const hint = '`holdfast trail --turn` shows the outcome of that call. Use a new key for another call.';
  return callError('INVALID_PARAMS', 'key_forgotten', message, { hint });
}
