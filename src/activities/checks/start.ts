/**
 * Whether a signed start is of this very turn. Everyone who reads history can copy it, and it does not cover the conversation
 * before the message: so it begins one turn only, and a message to a session begins only a turn that the session itself has started.
 */
import { hashJson } from '../../shared/json/digests';
import { sessionWorkflowId } from '../../shared/ids';
import type { Json } from '../../shared/json/json';
import type { RunCallInput, TurnContext } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import type { Store } from '../../store/store';
import { walk } from '../../store/core/transcript';
import type { StoredBlock } from '../../store/core/seal';
import type { Dependencies, SignedStart } from '../ports';
import { startOf } from '../step/mcp-tools';

/** Why not, or null. */
export async function startFault(
  { trust, store, turns }: Pick<Dependencies, 'trust' | 'store' | 'turns'>,
  start: SignedStart,
): Promise<string | null> {
  const { session_id, workflow_id, first_execution_run_id: run } = start.turn;
  const fault = await trust.checkStart({ ...start, turn: { ...start.turn, session_id: null } });
  if (fault !== null) {
    if (session_id === null) return fault;
    // A message to a session is signed before its turn has an id, for the session.
    const said = await trust.checkStart(start);
    if (said !== null) return said;
    if ((await turns.startedBy(workflow_id, run))?.workflow_id !== sessionWorkflowId(session_id))
      return `it was said to session ${session_id}, which has not started this turn`;
  }
  const first = await store.registers.update<Json>(`start/${hashJson(start.attestation)}`, (value) =>
    value === null ? { value: run, answer: run } : { answer: value },
  );
  return first === run ? null : 'it has begun another turn already';
}

// A turn began as what it says it is: its start stands in its transcript, and was looked at when it was written. Whoever starts
// a workflow in the middle, as if another run of it had gone before, or an activity, has none; and who leaves out the store, so
// that digests name no agent, does not choose the agent.

type Turn = RunCallInput['turn'];

/** Null: it did. */
export async function otherStart(store: Store, { turn, head }: Pick<RunCallInput, 'turn' | 'head'>): Promise<CallError | null> {
  const why = startFaultIn(await walk(store, head), turn);
  return why === null ? null : callError('PERMISSION_DENIED', 'digest_mismatch', `The call was not run: ${why}.`);
}

/** Why the start that stands in these blocks is not this turn's, or null. */
export function startFaultIn(blocks: StoredBlock[], turn: Turn): string | null {
  const start = startOf(blocks, turn);
  const { turn_id, agent, requester, store_id } = turn;
  if (start === null) return `no start of turn ${turn_id} stands in its transcript`;
  if (start.agent !== agent) return `turn ${turn_id} is of agent ${JSON.stringify(start.agent)}, not of ${agent}`;
  if (start.requester !== requester)
    return `turn ${turn_id} was asked for by ${JSON.stringify(start.requester)}, not by ${requester}`;
  if (start.store_id === (store_id ?? null)) return null;
  return `turn ${turn_id} began with digests of version ${start.store_id === null ? 1 : 2}`;
}

// A direct call has its id from the key that it was asked for under, and Temporal starts one under it for as long as it retains
// it, and no longer, or unless somebody asks it for another under the same id. Of what may be destructive the store remembers the
// id for good: whoever starts a call under it later, by whatever way, does not have it made again.

interface First {
  /** Of the call that was admitted under the id first; a reset of it has the same. */
  run: string;
  /** ms since 1970 */
  at: number;
}

/** Null: this is the call that the id stands for, and from now on it is. */
export async function directCallKeyFault(
  { registers }: Pick<Store, 'registers'>,
  { turn_id, first_execution_run_id: run }: Pick<TurnContext, 'turn_id' | 'first_execution_run_id'>,
): Promise<CallError | null> {
  const first = await registers.update<First>(`kept/direct/${turn_id}`, (known, at) =>
    known === null ? { value: { run, at }, answer: { run, at } } : { answer: known as unknown as First },
  );
  if (first.run === run) return null;
  const before = new Date(first.at).toISOString();
  const message = `${turn_id} was asked for on ${before}, in an execution that Temporal has since let another follow: what may be destructive is made once under an id.`;
  const hint = 'The trail says what became of it (`holdfast trail --turn`). Another call needs another key.';
  return callError('INVALID_PARAMS', 'key_forgotten', message, { hint });
}
