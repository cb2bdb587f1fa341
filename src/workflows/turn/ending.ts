/**
 * Ends a turn or a direct call: closes the transcript, shows the last state, and sets Temporal's own status. Interrupts turns,
 * too.
 */
import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { EndTurnOutput } from '../../shared/io/activities';
import type { EndState, TurnView } from '../../shared/turn/turn-view';
import { isJsonObject, type Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { MAX_BY } from '../../shared/approval/decision';
import { MOST_CORRECTIONS } from '../../shared/turn/result';
import { endTurn } from '../activities';
import { TURN_FAILURE } from '../contract';
import type { Dispatch } from '../call/dispatch-types';
import { now } from '../sandbox/time';
import { reportSpan } from '../sandbox/trace';
import type { ApprovalQuestions } from '../approvals/approval-questions';
import { hasOnlyRefusals, type TurnData } from './state';
import type { Steering } from './steering';
import { cutReason } from './state-limits';
import { showState } from './publish-turn-state';

export interface Ending {
  state: EndState;
  reason: string | null;
  /** The last step has written the end into the transcript. */
  hasEndBlock: boolean;
  /** Digest of the call that gave the turn's result. */
  resultOf?: string;
  /** A cancellation, thrown again so that Temporal's status is `Canceled`. */
  cancellation?: unknown;
}

/** The ending that an error of the body means; throws any error that means none. */
export function endingOf(error: unknown, data: TurnData): Ending {
  if (isCancellation(error))
    return { state: 'cancelled', reason: describeEffects(data), hasEndBlock: false, cancellation: error };
  if (error instanceof ActivityFailure) {
    return { state: 'failed', reason: error.cause?.message ?? error.message, hasEndBlock: false };
  }
  if (error instanceof ApplicationFailure) return { state: 'failed', reason: error.message, hasEndBlock: false };
  throw error; // continue-as-new, or a fault of the engine: then the workflow task fails and is retried
}

export interface AtTheEnd {
  /** Gets the result of closing the transcript. If it is given, the result includes the envelope of a direct call. */
  take?: (result: EndTurnOutput) => void;
  /** Runs when the view is final, to tell those who wait for it. Never throws. */
  last?: () => Promise<void>;
}

/** Ends the workflow: returns the view, or throws so that Temporal's status is `Failed` or `Canceled`. */
export async function conclude<V extends TurnView>(
  context: Dispatch,
  ending: Ending,
  view: () => V,
  { take, last }: AtTheEnd = {},
): Promise<V> {
  const { data, questions } = context;
  ending.reason = cutReason(ending.reason);
  if (!ending.hasEndBlock) await CancellationScope.nonCancellable(() => close(context, ending, take));
  data.ended_at = now();
  data.reason = cutReason(ending.reason);
  showState(data, questions, ending.state);
  await last?.();
  reportTurn(context, view());
  if (ending.state === 'failed') {
    throw ApplicationFailure.create({
      message: ending.reason ?? 'failed',
      type: TURN_FAILURE,
      nonRetryable: true,
      details: [view()],
    });
  }
  if (ending.cancellation) throw ending.cancellation;
  return view();
}

function reportTurn({ turn: { parent } }: Dispatch, { agent, state, step, started_at, session_id, usage }: TurnView): void {
  const { input_tokens, output_tokens, cost_usd } = usage;
  const attributes = {
    state,
    steps: step,
    input_tokens,
    output_tokens,
    cost_usd,
    ...optional({ session: session_id ?? undefined }),
  };
  const failure = state === 'failed' || state === 'limit' ? { failure: state } : {};
  reportSpan({
    kind: 'turn',
    id: '',
    subject: agent,
    start: Date.parse(started_at),
    attributes,
    ...optional({ parent }),
    ...failure,
  });
}

function describeEffects(data: TurnData): string {
  const effects = data.calls.filter((call) => call.effect === 'applied' || call.effect === 'in_doubt');
  const own =
    effects.length === 0
      ? 'Cancelled. No destructive call had been applied.'
      : `Cancelled. Already done: ${effects.map((call) => `${call.tool} (call ${call.id}, ${call.effect})`).join('; ')}.`;
  const { count = 0, applied = 0, in_doubt = 0 } = data.earlier_calls ?? {};
  const before = count === 0 ? [] : [`Of the ${count} calls before, ${applied} were applied and ${in_doubt} are in doubt.`];
  const below = (data.subs ?? []).map(
    ({ agent, turn_id, report }) => `Agent ${agent} (turn ${turn_id}): ${report?.reason ?? report?.state}`,
  );
  return [own, ...before, ...below].join(' ');
}

/** Writes the end into the transcript. The turn ends even if the store fails. */
async function close({ turn, data, begin }: Dispatch, ending: Ending, take?: (result: EndTurnOutput) => void): Promise<void> {
  const { head, outcomes } = data;
  const options = {
    ...(take ? { envelope: true } : {}),
    ...(begin && data.step === 0 ? { begin } : {}),
    ...optional({ result_of: ending.resultOf }),
  };
  try {
    const result = await endTurn({ turn, at: now(), head, outcomes, state: ending.state, reason: ending.reason, ...options });
    data.head = result.head;
    data.outcomes = [];
    if (result.result) data.result = result.result;
    take?.(result);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    if (ending.resultOf !== undefined) ending.state = 'failed'; // nobody has the result
    ending.reason = `${ending.reason ?? ''} The transcript could not be closed: ${error.cause?.message ?? error.message}`.trim();
  }
}

// Ends a turn before its next step, so that the conversation can go on: a model request is cancelled, running calls finish,
// waiting calls and calls that have not begun are not run, and each call of the model gets a result.

export class Interruption {
  /** The scope of the model request in progress. */
  private thinking: CancellationScope | null = null;

  constructor(
    private readonly data: TurnData,
    private readonly questions: ApprovalQuestions,
  ) {}

  /** Returns why it is ignored, or null. */
  say(body: Json): string | null {
    const read = readBy(body);
    if (!read.ok) return read.reason;
    if (this.data.ended_at !== null) return 'the turn has ended';
    if (this.data.interrupted) return 'the turn is being interrupted already';
    this.data.interrupted = { by: read.by };
    this.questions.withdraw('stopped');
    this.thinking?.cancel();
    return null;
  }

  /** Runs work that an interruption cancels. Null: it was cancelled. */
  async during<T>(work: () => Promise<T>): Promise<T | null> {
    const scope = (this.thinking = new CancellationScope());
    try {
      return await scope.run(work);
    } catch (error) {
      // A cancellation of the whole turn shows in the scope around this one.
      if (isCancellation(error) && this.data.interrupted && !CancellationScope.current().consideredCancelled) return null;
      throw error;
    } finally {
      this.thinking = null;
    }
  }

  /** The ending of an interrupted turn; null: nobody has interrupted it. */
  ending(): Ending | null {
    const { interrupted } = this.data;
    return interrupted ? { state: 'cancelled', reason: `Interrupted by ${interrupted.by}.`, hasEndBlock: false } : null;
  }
}

export type ReadBy = { ok: true; by: string } | { ok: false; reason: string };

/** Reads `{by}` from untrusted JSON. */
export function readBy(body: Json): ReadBy {
  const by = isJsonObject(body) && Object.keys(body).length === 1 ? body.by : undefined;
  if (typeof by === 'string' && by.trim() !== '' && by.length <= MAX_BY && by.isWellFormed()) return { ok: true, by };
  return { ok: false, reason: `it must be one JSON object {"by": "…"} that names who says it, in 1 to ${MAX_BY} characters` };
}

// The end of a turn with a result: once the model has given one that fits, or when it cannot.

/** One of the calls of the last step was to give the result. */
export function triesResult({ outcomes }: TurnData): boolean {
  return outcomes.some(({ gives_result }) => gives_result);
}

/**
 * What the calls of the last step mean for the turn's result. Null: the turn goes on, since none of them gave a result, or the model
 * reads what was wrong with it, or a person has said more meanwhile.
 */
export async function resultEnding(data: TurnData, steering: Steering): Promise<Ending | null> {
  const outcome = data.outcomes.findLast(({ gives_result }) => gives_result);
  if (!outcome || outcome.state === 'cancelled') return null;
  if (outcome.state !== 'succeeded') {
    data.corrections = (data.corrections ?? 0) + 1;
    return data.corrections > MOST_CORRECTIONS ? invalid(outcome.error?.message ?? outcome.state) : null;
  }
  if (outcome.digest === null || (await steering.waits())) return null;
  const state = hasOnlyRefusals(data) ? 'refused' : 'completed';
  return { state, reason: null, hasEndBlock: false, resultOf: outcome.digest };
}

function invalid(why: string): Ending {
  const reason = `RESULT_INVALID: the model was told ${MOST_CORRECTIONS} times what was wrong with its result, and gave none that fits. Give it an example in the prompt, or ask for less. The last time: ${why}`;
  return { state: 'failed', reason, hasEndBlock: false };
}
