/** How the turns of sessions end, as Temporal has it: what a turn says of itself counts, not what somebody says of it. */
import { isGrpcDeadlineError, WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TurnEnds } from '../activities/turn-ends';
import type { LookAtTurnInput, LookAtTurnOutput } from '../shared/activity-io';
import { workflowId } from '../shared/ids';
import type { TurnView } from '../shared/turn-view';
import { STATUS_QUERY, TURN_FAILED } from '../workflows/contract';

/** ms. */
const ANSWERS_WITHIN = 10_000;

export function temporalTurnEnds(client: Client): TurnEnds {
  return { look: (input) => look(client, input) };
}

async function look(client: Client, { turn_id, session_id, within_ms }: LookAtTurnInput): Promise<LookAtTurnOutput> {
  const handle = client.workflow.getHandle(workflowId(turn_id));
  const within = <T>(ms: number, work: () => Promise<T>) => client.withDeadline(Date.now() + ms, work);
  const queried = () => within(ANSWERS_WITHIN, () => handle.query<TurnView>(STATUS_QUERY));
  try {
    const { name } = (await within(ANSWERS_WITHIN, () => handle.describe())).status;
    if (name === 'RUNNING' && within_ms === 0) return { state: 'running' };
    const view = await within(ANSWERS_WITHIN + within_ms, () => handle.result() as Promise<TurnView>).catch(
      async (error: unknown) => {
        if (isGrpcDeadlineError(error)) return null;
        if (!(error instanceof WorkflowFailedError)) throw error;
        const { cause } = error;
        if (cause instanceof ApplicationFailure && cause.type === TURN_FAILED && cause.details?.[0])
          return cause.details[0] as TurnView;
        return queried();
      },
    );
    return view === null ? { state: 'running' } : endOf(view, session_id);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { state: 'lost', reason: 'Temporal knows no such turn any more.' };
    throw error;
  }
}

function endOf({ state, reason, head, usage, context_full, session_id: whose }: TurnView, session_id: string): LookAtTurnOutput {
  if (whose !== session_id) return { state: 'lost', reason: 'A turn of this id was there before, and is not of this session.' };
  const open = state === 'running' || state === 'awaiting_approval' || state === 'in_doubt';
  const outside = 'The workflow was ended from outside, through Temporal.';
  return {
    state: open ? 'failed' : state,
    reason: open ? outside : reason,
    head,
    usage,
    context_full: context_full === true,
  };
}
