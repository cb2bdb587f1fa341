/** Finds out how the turns of sessions end, from Temporal and the turn itself: a signal from somebody else does not count. */
import {
  isGrpcDeadlineError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TurnEnds } from '../activities/ports';
import type { LookAtTurnInput, LookAtTurnOutput, TurnOfSession } from '../shared/io/activities';
import { sessionTurnId, sessionWorkflowId, workflowId } from '../shared/ids';
import { cutBytes } from '../shared/text/utf8';
import { KEYWORD_BYTES } from '../shared/search-attributes';
import { isEnd } from '../shared/turn/turn-states';
import type { TurnView } from '../shared/turn/turn-view';
import { visibilityText } from '../shared/text/visible';
import { MEMO_OF_SESSION, STATUS_QUERY, TURN_FAILURE, TURN_WORKFLOW } from '../workflows/contract';

/** ms. */
const ANSWERS_WITHIN = 10_000;

export function temporalTurnEnds(client: Client): TurnEnds {
  return {
    look: (input) => look(client, input),
    hasTurns: (id) => client.withDeadline(Date.now() + ANSWERS_WITHIN, () => hasTurns(client, id)),
  };
}

async function look(client: Client, { turn_id, session_id, within_ms, of }: LookAtTurnInput): Promise<LookAtTurnOutput> {
  const handle = client.workflow.getHandle(workflowId(turn_id));
  const within = <T>(ms: number, work: () => Promise<T>) => client.withDeadline(Date.now() + ms, work);
  const query = () => within(ANSWERS_WITHIN, () => handle.query<TurnView>(STATUS_QUERY));
  try {
    const there = await within(ANSWERS_WITHIN, () => handle.describe());
    if (of && session_id !== null && !isOf(there, session_id, of)) return { state: 'lost', reason: otherTurnReason(turn_id) };
    const { name } = there.status;
    if (name === 'RUNNING' && within_ms === 0) return { state: 'running' };
    const view = await within(ANSWERS_WITHIN + within_ms, () => handle.result() as Promise<TurnView>).catch(
      async (error: unknown) => {
        if (isGrpcDeadlineError(error)) return null;
        if (!(error instanceof WorkflowFailedError)) throw error;
        const { cause } = error;
        if (cause instanceof ApplicationFailure && cause.type === TURN_FAILURE && cause.details?.[0])
          return cause.details[0] as TurnView;
        // A reset terminates a run, and begins another one.
        const { status } = await within(ANSWERS_WITHIN, () => handle.describe());
        return status.name === 'RUNNING' ? null : query();
      },
    );
    if (view === null) return { state: 'running' };
    const ended_at = view.ended_at ?? (await within(ANSWERS_WITHIN, () => handle.describe())).closeTime?.toISOString();
    return endOf({ ...view, ended_at: ended_at ?? null }, session_id);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { state: 'lost', reason: 'Temporal knows no such turn any more.' };
    throw error;
  }
}

const otherTurnReason = (turn_id: string) =>
  `Another turn with the id ${turn_id} existed before, and it is not for this message: the message was not run; send it again.`;

/** Temporal itself knows which workflow started the turn; the memo has the run of the session and the message. */
function isOf({ parentExecution, memo }: WorkflowExecutionDescription, session_id: string, of: TurnOfSession): boolean {
  const { session_run, message_hash } = (memo?.[MEMO_OF_SESSION] ?? {}) as Partial<TurnOfSession>;
  const parent = parentExecution?.workflowId === sessionWorkflowId(session_id);
  return parent && session_run === of.session_run && message_hash === of.message_hash;
}

async function hasTurns(client: Client, sessionId: string): Promise<boolean> {
  const first = client.workflow.getHandle(workflowId(sessionTurnId(sessionId, 1))).describe();
  const workflowExists = await first
    .then(() => true)
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    });
  if (workflowExists) return true;
  const query = `WorkflowType = '${TURN_WORKFLOW}' AND HoldfastSession = ${visibilityText(cutBytes(sessionId, KEYWORD_BYTES))}`;
  for await (const { workflowId: listed } of client.workflow.list({ query }))
    if (/^[0-9]+$/.test(listed.slice(workflowId(`${sessionId}.`).length)) && listed.startsWith(workflowId(`${sessionId}.`)))
      return true;
  return false;
}

function endOf(view: TurnView, session_id: string | null): LookAtTurnOutput {
  const { state, reason, head, usage, context_full, ended_at, session_id: whose } = view;
  if (whose !== session_id)
    return { state: 'lost', reason: 'Another turn with this id existed before, and it does not belong to this session.' };
  const outside = 'The workflow was ended from outside, through Temporal.';
  return {
    state: isEnd(state) ? state : 'failed',
    reason: isEnd(state) ? reason : outside,
    head,
    usage,
    context_full: context_full === true,
    ...(ended_at === null ? {} : { ended_at }),
  };
}
