/**
 * A turn: one user message to its final answer. The only loop there is: head in, steps, head out.
 * Everything that has to be remembered is in `TurnData`; everything that acts is an activity.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  defineQuery,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TakeStepOutput, TurnContext, TurnInput } from '../shared/activity-io';
import type { TurnState, TurnView } from '../shared/turn-view';
import { endTurn, takeStep } from './activities';
import { limitReached } from './budget';
import { STATUS_QUERY, TURN_FAILED } from './contract';
import { handleDecisions } from './decisions';
import { Desk } from './desk';
import { dispatch } from './dispatch';
import { allRefused, newTurn, type TurnData } from './state';
import { showState, turnView } from './turn-face';
import { now } from './now';

export async function turn(input: TurnInput): Promise<TurnView> {
  const data = (input.resume as TurnData | undefined) ?? newTurn(input, now());
  const desk: Desk = new Desk(() => showState(data, desk));
  const context = turnContext(input);
  const view = () => turnView(input, data, desk);
  setHandler(defineQuery<TurnView>(STATUS_QUERY), view, { description: 'The state of this turn.' });
  handleDecisions(data, desk);

  const ending = await runSteps(input, context, data, desk).catch((error: unknown) => endingOf(error, data));
  if (!ending.written) await CancellationScope.nonCancellable(() => close(context, data, ending));
  data.ended_at = now();
  data.reason = ending.reason;
  showState(data, desk, ending.state);
  if (ending.state === 'failed') {
    throw ApplicationFailure.create({
      message: ending.reason ?? 'failed',
      type: TURN_FAILED,
      nonRetryable: true,
      details: [view()],
    });
  }
  if (ending.thrown) throw ending.thrown;
  return view();
}

interface Ending {
  state: Exclude<TurnState, 'running' | 'awaiting_approval' | 'in_doubt'>;
  reason: string | null;
  /** The last step has written the end into the transcript. */
  written: boolean;
  /** A cancellation, rethrown so that Temporal too says `Canceled`. */
  thrown?: unknown;
}

async function runSteps(input: TurnInput, turn: TurnContext, data: TurnData, desk: Desk): Promise<Ending> {
  for (;;) {
    const limit = limitReached(data);
    if (limit !== null) return { state: 'limit', reason: limit, written: false };
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<TurnWorkflow>({ ...input, message: '', resume: data as never });
    }
    const step = await nextStep(input, turn, data);
    showState(data, desk);
    switch (step.next) {
      case 'calls':
        await dispatch({ turn, data, desk }, step.calls);
        break;
      case 'continue':
        break;
      case 'end':
        return { state: allRefused(data) ? 'refused' : 'completed', reason: null, written: true };
      case 'cut':
        return { state: 'limit', reason: `The answer was cut at the agent's maxTokens for one step; raise it.`, written: false };
      case 'refusal':
        return {
          state: 'failed',
          reason: 'MODEL_REFUSAL: the model declined to answer. Rephrase the message, or hand the task to a person.',
          written: false,
        };
    }
  }
}

async function nextStep(input: TurnInput, turn: TurnContext, data: TurnData): Promise<TakeStepOutput> {
  const number = data.step + 1;
  const step = await takeStep({
    turn,
    step: number,
    at: now(),
    head: data.head,
    message: number === 1 ? input.message : null,
    outcomes: data.outcomes,
    all_refused: allRefused(data),
  });
  data.step = number;
  data.head = step.head;
  data.outcomes = [];
  data.policy ??= step.policy;
  data.worked_ms += step.took_ms;
  if (step.text !== '') data.text = step.text;
  data.usage.input_tokens += step.usage.input_tokens;
  data.usage.output_tokens += step.usage.output_tokens;
  data.usage.cache_read_tokens += step.usage.cache_read_tokens;
  data.usage.cost_usd += step.usage.cost_usd;
  return step;
}

function endingOf(error: unknown, data: TurnData): Ending {
  if (isCancellation(error)) return { state: 'cancelled', reason: whatWasDone(data), written: false, thrown: error };
  if (error instanceof ActivityFailure) {
    return { state: 'failed', reason: error.cause?.message ?? error.message, written: false };
  }
  throw error; // continue-as-new, or a fault of the engine: the workflow task fails and is tried again
}

function whatWasDone(data: TurnData): string {
  const effects = data.calls.filter((call) => call.effect === 'applied' || call.effect === 'in_doubt');
  if (effects.length === 0) return 'Cancelled. No destructive call had been applied.';
  return `Cancelled. Already done: ${effects.map((call) => `${call.tool} (call ${call.id}, ${call.effect})`).join('; ')}.`;
}

/** Writes the end into the transcript. A store that fails does not keep the turn from ending. */
async function close(turn: TurnContext, data: TurnData, ending: Ending): Promise<void> {
  const { head, outcomes } = data;
  try {
    const ended = await endTurn({ turn, at: now(), head, outcomes, state: ending.state, reason: ending.reason });
    data.head = ended.head;
    data.outcomes = [];
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    ending.reason = `${ending.reason ?? ''} The transcript could not be closed: ${error.cause?.message ?? error.message}`.trim();
  }
}

function turnContext(input: TurnInput): TurnContext {
  const info = workflowInfo();
  return {
    turn_id: input.turn_id,
    workflow_id: info.workflowId,
    first_execution_run_id: info.firstExecutionRunId,
    agent: input.agent,
    requester: input.requester,
    session_id: input.session_id,
    trace_id: input.trace_id,
  };
}

type TurnWorkflow = typeof turn;
