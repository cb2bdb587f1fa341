/**
 * Workflow of a turn: from one user message to the final answer. It loops over steps; each one takes the head of the transcript
 * and returns the next head. All state is in `TurnData`; all I/O is in activities.
 */
import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
  defineQuery,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TakeStepOutput, TurnContext, TurnInput } from '../../shared/io/activities';
import type { Steer } from '../../shared/approval/decision';
import type { ParentTurn, SubTurnStart } from '../../shared/turn/sub-turn';
import { callbackQuestion } from '../../shared/wire/callback';
import { addUsage, type TurnView } from '../../shared/turn/turn-view';
import { compact, takeStep } from '../activities';
import { limitReason, hasOnlyRefusals, bindToStore, newTurn, type TurnData } from './state';
import { STATUS_QUERY, TURN_DONE_SIGNAL } from '../contract';
import { sendCallback } from '../entities/callback';
import { answerCards } from '../approvals/card-pages';
import { handleDecisions } from '../approvals/decisions';
import { dispatch } from '../call/dispatch';
import { dispatchContext } from '../call/dispatch-context';
import type { Dispatch, QuestionNotice } from '../call/dispatch-types';
import { conclude, endingOf, type Ending, Interruption, resultEnding, triesResult } from './ending';
import { addMakers, Steering } from './steering';
import { cutAnswer, recordFallback } from './state-limits';
import { showState, turnView } from './publish-turn-state';
import { ParentReporter } from '../sub-agents/report-to-parent';
import {
  continueBetweenSteps,
  isFull,
  resumable,
  resume,
  restoreState,
  runUntilFull,
  type StartNextRun,
} from './continue-as-new';
import { now } from '../sandbox/time';
import { beginOfRun, reportSpan } from '../sandbox/trace';
import { optional } from '../../shared/json/optional';

const NO_ROOM =
  "model.too_large: the conversation is longer than the model's context window, and nothing more of it can be left out. Start a new session, or let tools return less.";

export async function turn(input: TurnInput): Promise<TurnView> {
  const data = restoreState(input.resume) ?? newTurn(input, now());
  const about = turnContext(input, data);
  const dispatchParts = dispatchContext(about, data, {
    resumes: input.resume !== undefined,
    onQuestion: (question) => void tellOfQuestion(about, input.callback_ref, question, view),
  });
  const context = { ...dispatchParts, ...beginOf(input) };
  const { questions } = context;
  const steering = new Steering(
    about,
    data,
    context.inFlight,
    () => data.policy?.steer_supersedes && questions.withdraw('steered'),
  );
  const interruption = new Interruption(data, questions);
  const view = (): TurnView => turnView(input, data, context);
  setHandler(defineQuery<TurnView>(STATUS_QUERY), view, { description: 'The state of this turn.' });
  answerCards(data, questions);
  handleDecisions(context, { steering, interruption });
  const reporter = new ParentReporter(context.turn, data, questions);

  const another: StartNextRun = (apart) => continueAsNew<TurnWorkflow>({ ...input, message: '', resume: resumable(data, apart) });
  const ending = await runUntilFull(context, () => runSteps(input, context, { steering, interruption, another }), another).catch(
    (error: unknown) => endingOf(error, data),
  );
  steering.end();
  const last = async () => {
    await Promise.all([reporter.waitForReport(), tellOfEnd(about, input.callback_ref, view())]);
    await tellSession(input);
  };
  return conclude(context, ending, view, { last });
}

interface Loop {
  steering: Steering;
  interruption: Interruption;
  /** Continues in another run. */
  another: StartNextRun;
}

async function runSteps(input: TurnInput, context: Dispatch, { steering, interruption, another }: Loop): Promise<Ending> {
  const { data, questions, turn, inFlight } = context;
  if (input.resume !== undefined) {
    const wasOpen = data.open !== undefined;
    await resume(context, input.resume);
    if (wasOpen) reportStep(data.step, beginOfRun());
    const result = wasOpen && triesResult(data) ? await resultEnding(data, steering) : null;
    if (result) return result;
  }
  let full = false;
  for (;;) {
    const ending = interruption.ending();
    if (ending) return ending;
    const limit = limitReason(data);
    if (limit !== null) return { state: 'limit', reason: limit, hasEndBlock: false };
    if (isFull()) await continueBetweenSteps(context, steering, another);
    const room = data.context_full && !data.paused;
    const hasRoom = room ? await inFlight.during(() => interruption.during(() => compactConversation(turn, data))) : null;
    if (data.interrupted) continue;
    if (full && hasRoom === false) return { state: 'failed', reason: NO_ROOM, hasEndBlock: false };
    const steers = data.paused ? [] : steering.pickUp();
    const start = Date.now();
    let step: TakeStepOutput | null = null;
    try {
      step = await inFlight.during(() => interruption.during(() => nextStep(input, turn, data, steers)));
    } finally {
      if (step === null && steers.length > 0 && patched('steers-of-lost-steps')) steering.putBack(steers);
    }
    if (step === null) continue;
    if (step.next !== 'calls') reportStep(data.step, start);
    showState(data, questions);
    full = step.next === 'full';
    switch (step.next) {
      case 'calls': {
        try {
          await dispatch(context, step.calls);
        } finally {
          reportStep(data.step, start);
        }
        const result = triesResult(data) ? await resultEnding(data, steering) : null;
        if (result) return result;
        break;
      }
      case 'continue':
      case 'full':
        break;
      case 'end':
        if (await steering.waits()) {
          data.head = step.answer_head ?? step.head;
          data.text = cutAnswer(data.text, false);
          break;
        }
        return { state: hasOnlyRefusals(data) ? 'refused' : 'completed', reason: null, hasEndBlock: true };
      case 'cut':
        return {
          state: 'limit',
          reason: `The answer was cut at the agent's maxTokens for one step; raise it.`,
          hasEndBlock: false,
        };
      case 'refusal':
        return {
          state: 'failed',
          reason: 'MODEL_REFUSAL: the model declined to answer. Rephrase the message, or hand the task to a person.',
          hasEndBlock: false,
        };
    }
  }
}

function reportStep(step: number, start: number, failure?: string): void {
  reportSpan({ kind: 'step', id: String(step), subject: '', start, attributes: {}, ...optional({ failure }) });
}

async function nextStep(input: TurnInput, turn: TurnContext, data: TurnData, steers: Steer[]): Promise<TakeStepOutput> {
  const number = data.step + 1;
  const start = Date.now();
  let step: TakeStepOutput;
  try {
    step = await takeStep({
      turn,
      step: number,
      at: now(),
      head: data.head,
      message: number === 1 ? input.message : null,
      ...(number === 1 && input.attestation !== undefined ? { attestation: input.attestation } : {}),
      outcomes: data.outcomes,
      ...(steers.length > 0 ? { steers } : {}),
      all_refused: hasOnlyRefusals(data),
    });
  } catch (error) {
    reportStep(number, start, isCancellation(error) ? 'cancelled' : 'failed');
    throw error;
  }
  bindToStore(turn, data, step.store_id);
  addMakers(data, turn, step.said_before ?? []);
  data.step = number;
  data.head = step.head;
  data.outcomes = [];
  data.paused = step.next === 'continue';
  setContextFull(data, step.context_full === true);
  data.policy ??= step.policy;
  data.worked_ms += step.took_ms;
  if (step.text !== '') data.text = cutAnswer(step.text, !['calls', 'continue', 'full'].includes(step.next));
  addUsage(data.usage, step.usage);
  recordFallback(data, number, step);
  return step;
}

/**
 * Compacts the conversation between two steps. If that fails the turn goes on, and the next model request reports the problem.
 * @returns whether there is more room now
 */
async function compactConversation(turn: TurnContext, data: TurnData): Promise<boolean> {
  let did = false;
  if (data.head !== null) {
    try {
      const compaction = await compact({ turn, at: now(), head: data.head, outcomes: data.outcomes });
      data.head = compaction.head;
      data.outcomes = [];
      data.worked_ms += compaction.took_ms;
      addUsage(data.usage, compaction.usage);
      did = compaction.did !== 'nothing';
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    }
  }
  setContextFull(data, false);
  return did;
}

function setContextFull(data: TurnData, full: boolean): void {
  if (full) data.context_full = true;
  else delete data.context_full;
}

function beginOf({ session_workflow_id, message, attestation }: TurnInput): Pick<Dispatch, 'begin'> {
  if (session_workflow_id === undefined) return {};
  return { begin: { message, ...optional({ attestation }) } };
}

/** Tells the session that started the turn of its end, whichever it is. */
async function tellSession({ turn_id, session_workflow_id: id }: TurnInput): Promise<void> {
  if (id === undefined) return;
  const tell = () => getExternalWorkflowHandle(id).signal(TURN_DONE_SIGNAL, { turn_id });
  await CancellationScope.nonCancellable(tell).catch(() => undefined); // the session may be gone
}

function turnContext(input: TurnInput, { store_id }: TurnData): TurnContext {
  const info = workflowInfo();
  return {
    turn_id: input.turn_id,
    workflow_id: info.workflowId,
    first_execution_run_id: info.firstExecutionRunId,
    agent: input.agent,
    requester: input.requester,
    session_id: input.session_id,
    trace_id: input.trace_id,
    ...optional({ store_id }),
    ...(input.parent ? { parent: parentOf(input.parent) } : {}),
  };
}

/** The part that every activity gets. */
function parentOf({ limits: _, makers: __, ...parent }: SubTurnStart): ParentTurn {
  return parent;
}

/** Of what the callback address of a turn is told when a question opens. */
const CALLBACKS = { approval: 'approval.requested', doubt: 'effect.in_doubt', question: 'question.asked' } as const;

async function tellOfQuestion(
  turn: TurnContext,
  callback: string | undefined,
  question: QuestionNotice,
  view: () => TurnView,
): Promise<void> {
  if (callback === undefined) return;
  const { kind, run_id, digest } = question;
  const current = view();
  await sendCallback(turn, callback, CALLBACKS[kind], { run_id, digest }, current, callbackQuestion(current, question));
}

async function tellOfEnd(turn: TurnContext, callback: string | undefined, view: TurnView): Promise<void> {
  if (callback !== undefined) await sendCallback(turn, callback, 'turn.ended', { run_id: view.run_id, digest: null }, view, null);
}

type TurnWorkflow = typeof turn;
