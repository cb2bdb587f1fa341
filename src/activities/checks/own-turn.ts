/**
 * An activity works for one turn only: that of the workflow which has scheduled it, over the store that the turn began with. Temporal
 * says whose activity it is; its arguments, which somebody else may have written, do not count. A worker over another store would find neither
 * the turn's transcript nor what it has done, so it leaves the work to a worker that is set up right.
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
import { startFault } from './start';

type Of = Pick<TurnContext, 'turn_id' | 'workflow_id' | 'first_execution_run_id'>;

/** @throws ApplicationFailure `holdfast.other_workflow` for an activity of another workflow than the turn's */
export async function checkOwnTurn({ turns }: Pick<Dependencies, 'turns'>, turn: Of): Promise<void> {
  const { workflowId, runId } = ownWorkflow();
  if (workflowId !== turn.workflow_id) throw otherWorkflow(turn, workflowId);
  if (runId === turn.first_execution_run_id || (await turns.runs(workflowId, turn.first_execution_run_id))) return;
  throw otherWorkflow(turn, workflowId);
}

/** @throws the same, for an activity of a workflow that the turn has not started */
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
    `Nothing was done: workflow ${workflowId} is not of turn ${turn_id}.`,
    'holdfast.other_workflow',
  );
}

export const OTHER_STORE = 'holdfast.other_store';

/** @throws ApplicationFailure `holdfast.other_store`, which may be tried again */
export function checkStore(
  { identity }: Pick<Store, 'identity'>,
  { turn_id, store_id }: Pick<TurnContext, 'turn_id' | 'store_id'>,
): void {
  if (store_id !== undefined && store_id !== identity.id) throw otherStore(turn_id, store_id, identity.id);
}

/**
 * The same where a turn begins: one that was reset to its beginning belongs to the store over which it has run before.
 * @throws ApplicationFailure `holdfast.other_store`, which may be tried again
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
    `Turn ${turnId} is bound to store ${theirs}, and this worker runs over store ${own}: it does nothing of that turn. Give all workers of a task queue the same HOLDFAST_STORE.`,
    OTHER_STORE,
  );
}

// A turn in which decisions are signed has a signed start: who asked for it decides who may not approve.

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
      : await startFault(deps, { ...start, attestation });
  if (reason === null) return;
  throw ApplicationFailure.nonRetryable(
    `Decisions on this agent's calls are signed, so the start of a turn must be too, and this one does not hold: ${reason}. Start it with a key (HOLDFAST_SIGNING_KEY), or through the gateway.`,
    UNATTESTED_START,
  );
}

/** Whether any of its calls takes signed decisions only. */
export function wantsSignatures({ agent, approval }: PreparedAgent): boolean {
  const single = Object.keys(agent.approvals?.tools ?? {});
  return ['', ...single].some((tool) => approval(tool).channel === 'attested');
}

// A sub-agent's turn has no signature of its own: whoever asked for the turn above has signed that one. So where decisions are
// signed, the way up is walked: in the store, which only workers write to, each turn above holds the call that the one below it
// answers, and the first has a signed start, by the same requester; and Temporal says that each was started by the turn above it,
// and the store that it was opened for just this call, agent and message (close-sub-turn.ts).

const MOST_ABOVE = 12;

/** @throws ApplicationFailure `holdfast.parent_ended`: a turn whose parent was ended from outside takes no step any more */
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

/** Why the requester is not proved to have asked for this turn, or null. */
export async function subTurnStartFault(
  deps: Pick<Dependencies, 'store' | 'trust' | 'turns'>,
  turn: TurnContext & { parent: ParentTurn },
  messageHash: string,
): Promise<string | null> {
  const { store, turns } = deps;
  let below: Below = { ...turn, message_hash: messageHash };
  for (let { parent } = turn, above = 1; above <= MOST_ABOVE; above++) {
    const blocks = await transcriptOf(store, parent.head);
    const began = blocks?.findLast(({ block }) => block.kind === 'start'); // of a session's transcript, the last turn's
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
      return `turn ${parent.turn_id} has not opened it so for call ${parent.call_id}: of agent ${agent}, with this message, these modes and this depth`;
    if (start.parent === null) return signatureFault(deps, start, began.block.at);
    below = { ...contextOf(start), message_hash: start.message_hash ?? '' };
    ({ parent } = start);
  }
  return `it stands below more than ${MOST_ABOVE} turns`;
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

/** A turn may take longer than its signature is good for: what counts is when it began. */
async function signatureFault(deps: Parameters<typeof startFault>[0], start: ReadStart, at: string): Promise<string | null> {
  const { attestation, signed_for } = start;
  if (attestation === null) return 'the turn above was not signed';
  // A direct call need not name its agent.
  const asked = signed_for ?? { agent: start.agent ?? '', message_hash: start.message_hash ?? '' };
  return startFault(deps, { turn: contextOf(start), ...asked, attestation, at });
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
