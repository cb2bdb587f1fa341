/**
 * Checks that an activity belongs to the turn of the workflow which scheduled it, and that the worker uses the store with which the
 * turn began. The workflow comes from Temporal, since the arguments of an activity may be forged. A worker with another store lacks
 * the turn's transcript and effects, so it leaves the work to a worker with the right store. Also checks the start of a turn.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { TurnContext } from '../../shared/io/activities';
import { type Store, StoreError } from '../../store/store';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { samePerson } from '../../shared/approval/approval';
import { blocksOf, readBlock, type ReadAdmittedCall, type ReadStart } from '../../record/read-block';
import type { ParentTurn } from '../../shared/turn/sub-turn';
import { walk } from '../../store/core/transcript';
import type { StoredBlock } from '../../store/core/seal';
import type { Dependencies, SignedStart } from '../ports';
import { isNotedSubTurn } from '../sub-agents/close-sub-turn';
import { signedStartFault } from './start';

type Of = Pick<TurnContext, 'turn_id' | 'workflow_id' | 'first_execution_run_id'>;

/** @throws ApplicationFailure `holdfast.other_workflow` for an activity of another workflow than the turn's */
export async function checkOwnTurn({ turns }: Pick<Dependencies, 'turns'>, turn: Of): Promise<void> {
  const { workflowId, runId } = ownWorkflow();
  if (workflowId !== turn.workflow_id) throw otherWorkflow(turn, workflowId);
  if (runId === turn.first_execution_run_id || (await turns.runs(workflowId, turn.first_execution_run_id))) return;
  throw otherWorkflow(turn, workflowId);
}

/** @throws ApplicationFailure `holdfast.other_workflow` for an activity of a workflow that the turn did not start */
export async function checkTurnsOwn({ turns }: Pick<Dependencies, 'turns'>, turn: Of): Promise<void> {
  const { workflowId, runId } = ownWorkflow();
  const by = await turns.startedBy(workflowId, runId);
  if (by?.workflow_id === turn.workflow_id && by.first_execution_run_id === turn.first_execution_run_id) return;
  throw otherWorkflow(turn, workflowId);
}

function ownWorkflow(): { workflowId: string; runId: string } {
  return Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
}

function otherWorkflow({ turn_id }: Of, workflowId: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `The activity was rejected: workflow ${workflowId} is not of turn ${turn_id}.`,
    'holdfast.other_workflow',
  );
}

export const OTHER_STORE = 'holdfast.other_store';

/** @throws ApplicationFailure `holdfast.other_store`, which is retryable */
export function checkStore(
  { identity }: Pick<Store, 'identity'>,
  { turn_id, store_id }: Pick<TurnContext, 'turn_id' | 'store_id'>,
): void {
  if (!hasStoreOf({ identity }, { store_id })) throw otherStore(turn_id, store_id!, identity.id);
}

export function hasStoreOf({ identity }: Pick<Store, 'identity'>, { store_id }: Pick<TurnContext, 'store_id'>): boolean {
  return store_id === undefined || store_id === identity.id;
}

/**
 * The store id for a turn that begins. A turn that was reset to its beginning stays with the store of its earlier run.
 * @throws ApplicationFailure `holdfast.other_store`, which is retryable
 */
export async function beginOver(
  { store, turns }: Pick<Dependencies, 'store' | 'turns'>,
  { turn_id, workflow_id, first_execution_run_id }: TurnContext,
): Promise<string> {
  const { id } = store.identity;
  if (Context.current().info.workflowExecution?.runId === first_execution_run_id) return id;
  const before = await turns.storeOf(workflow_id, first_execution_run_id);
  if (before !== null && before !== id) throw otherStore(turn_id, before, id);
  return id;
}

function otherStore(turnId: string, theirs: string, own: string): ApplicationFailure {
  return ApplicationFailure.retryable(
    `Turn ${turnId} is bound to store ${theirs}, but this worker uses store ${own}, so it runs nothing of that turn. Give all workers of a task queue the same HOLDFAST_STORE.`,
    OTHER_STORE,
  );
}

// In a deploy without worker versioning, workers of two releases poll one task queue. So what one of them has begun may come to one that
// does not have its agent.

const LEFT_TO_OTHERS_MS = 5 * 60_000;

/**
 * For an activity whose agent this worker does not have, and another one had.
 * @throws ApplicationFailure `holdfast.unknown_agent`, which is retryable, for five minutes
 */
export function leaveToOthers({ agent }: Pick<TurnContext, 'agent'>): void {
  if (Date.now() >= Context.current().info.scheduledTimestampMs + LEFT_TO_OTHERS_MS) return;
  const message = `This worker has no agent ${JSON.stringify(agent)}. For five minutes another worker of the task queue may take this.`;
  throw ApplicationFailure.retryable(message, 'holdfast.unknown_agent');
}

// If decisions are signed, the start of the turn is signed too: it names the requester, which decides who may not approve.

export const UNATTESTED_START = 'holdfast.start_not_attested';

/** @throws ApplicationFailure `holdfast.start_not_attested`: the turn ends with the reason */
export async function checkStart(
  deps: Pick<Dependencies, 'trust' | 'store' | 'turns'>,
  agent: PreparedAgent,
  { attestation, ...start }: Omit<SignedStart, 'attestation'> & { attestation: string | undefined },
): Promise<void> {
  if (!wantsSignatures(agent)) return;
  const { parent } = start.turn;
  const reason = parent
    ? await subTurnStartFault(deps, { ...start.turn, parent }, start.message_hash)
    : attestation === undefined
      ? 'it is not signed'
      : await signedStartFault(deps, { ...start, attestation });
  if (reason === null) return;
  throw ApplicationFailure.nonRetryable(
    `Decisions on this agent's calls must be signed, and so must the start of its turns. The start of this turn was rejected: ${reason}. Start it with a key (HOLDFAST_SIGNING_KEY), or through the gateway.`,
    UNATTESTED_START,
  );
}

/** Whether any call of the agent accepts signed decisions only. */
export function wantsSignatures({ agent, approval }: PreparedAgent): boolean {
  const single = Object.keys(agent.approvals?.tools ?? {});
  return ['', ...single].some((tool) => approval(tool).channel === 'attested');
}

// A sub-agent's turn has no signature of its own: the requester signed the start of the top turn. So if decisions are signed, the
// turns above are checked one by one. In the store, to which only workers write, each of them has the call that the turn below
// answers, and the top one has a signed start by the same requester. Temporal's record must say that each turn was started by the
// one above it, and the store that it was opened for exactly this call, agent and message (close-sub-turn.ts).

const MOST_ABOVE = 12;

/** @throws ApplicationFailure `holdfast.parent_ended` if the parent does not run any more: the turn then takes no further step */
export async function checkParentRuns({ turns }: Dependencies, { parent }: TurnContext): Promise<void> {
  if (!parent || (await turns.runs(parent.workflow_id, parent.first_execution_run_id))) return;
  throw ApplicationFailure.nonRetryable(
    `The turn ${parent.turn_id}, which had asked for this one, does not run any more.`,
    'holdfast.parent_ended',
  );
}

type Below = Pick<TurnContext, 'requester' | 'workflow_id' | 'first_execution_run_id' | 'turn_id' | 'agent'> & {
  message_hash: string;
};

/** Why it is not proved that the requester asked for this turn, or null. */
export async function subTurnStartFault(
  deps: Pick<Dependencies, 'store' | 'trust' | 'turns'>,
  turn: TurnContext & { parent: ParentTurn },
  messageHash: string,
): Promise<string | null> {
  const { store, turns } = deps;
  let below: Below = { ...turn, message_hash: messageHash };
  for (let { parent } = turn, above = 1; above <= MOST_ABOVE; above++) {
    const blocks = await transcriptOf(store, parent.head);
    const began = blocks?.findLast(({ block }) => block.kind === 'start'); // in a session's transcript: that of the last turn
    const start = began ? readBlock(began) : null;
    if (
      !blocks ||
      !began ||
      start?.kind !== 'start' ||
      start.workflow_id !== parent.workflow_id ||
      start.first_execution_run_id !== parent.first_execution_run_id
    )
      return `no transcript of turn ${parent.turn_id} says that it has asked for it`;
    if (!samePerson(start.requester ?? '', below.requester)) return `turn ${parent.turn_id} has another requester`;
    if (!admits(blocks, parent.call_id)) return `turn ${parent.turn_id} has no call ${parent.call_id} of an agent`;
    const by = await turns.startedBy(below.workflow_id, below.first_execution_run_id);
    if (by?.workflow_id !== parent.workflow_id || by.first_execution_run_id !== parent.first_execution_run_id)
      return `turn ${below.turn_id} was not started by turn ${parent.turn_id}`;
    const { workflow_id, agent, message_hash } = below;
    const { digest, within, depth_left } = parent;
    if (!(await isNotedSubTurn(store, parent, workflow_id, { digest, agent, message_hash, within, depth_left })))
      return `turn ${parent.turn_id} has no record that its call ${parent.call_id} opened this turn for agent ${agent} with this message, these modes and this depth`;
    if (start.parent === null) return signatureFault(deps, start, began.block.at);
    below = { ...contextOf(start), message_hash: start.message_hash ?? '' };
    ({ parent } = start);
  }
  return `it has more than ${MOST_ABOVE} turns above it`;
}

async function transcriptOf(store: Dependencies['store'], head: string): Promise<StoredBlock[] | null> {
  try {
    return await walk(store, head);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  }
}

function admits(blocks: StoredBlock[], callId: string): boolean {
  const isIt = (call: ReadAdmittedCall) => call.call_id === callId && call.class === 'agent' && call.verdict !== 'rejected';
  return blocksOf('admission', blocks).some(({ calls }) => calls.some(isIt));
}

/** A turn may run longer than its signature is valid, so the signature is checked for the time when the turn began. */
async function signatureFault(
  deps: Parameters<typeof signedStartFault>[0],
  start: ReadStart,
  at: string,
): Promise<string | null> {
  const { attestation, signed_for } = start;
  if (attestation === null) return 'the turn above was not signed';
  // A direct call need not name its agent.
  const signedFor = signed_for ?? { agent: start.agent ?? '', message_hash: start.message_hash ?? '' };
  return signedStartFault(deps, { turn: contextOf(start), ...signedFor, attestation, at });
}

function contextOf({
  turn_id,
  workflow_id,
  first_execution_run_id,
  agent,
  requester,
  session_id,
  trace_id,
}: ReadStart): TurnContext {
  return {
    turn_id: turn_id ?? '',
    workflow_id: workflow_id ?? '',
    first_execution_run_id: first_execution_run_id ?? '',
    agent: agent ?? '',
    requester: requester ?? '',
    session_id,
    trace_id: trace_id ?? '',
  };
}
