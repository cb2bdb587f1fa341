/**
 * Continue-as-new of turns and direct calls. A run takes a limited number of events and signals. Before it is full, the turn
 * continues in another run with its calls, decisions and step number, but only while all of it waits for people, or between
 * steps.
 */
import { ApplicationFailure, CancellationScope, patched, workflowInfo } from '@temporalio/workflow';
import type { TurnContext } from '../../shared/io/activities';
import type { Decision } from '../../shared/approval/approval';
import { type Json, type JsonObject, jsonBytes, isPacked, packJson, unpackJson, type PackedJson } from '../../shared/json/json';
import { keepSaid, readCard, readSaid } from '../activities';
import { condition } from '../sandbox/condition';
import { runOpenStep } from '../call/dispatch';
import type { Dispatch } from '../call/dispatch-types';
import type { OpenStep, Progress, TurnData } from './state';
import { isBounded } from './state-limits';
import type { Question } from '../approvals/question';
import {
  placesOf,
  putBack,
  setAside,
  type Places,
  callsOf,
  fitCalls,
  fitSubs,
  SAID_ALONG,
  withInputs,
  withoutCard,
} from './state-limits';
import type { Steering } from './steering';
import { withoutCards } from '../sub-agents/sub-turns';
import { optional } from '../../shared/json/optional';

/** Temporal allows 10,000 signals per run, and suggests continue-as-new when a history is long. */
export function isFull(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** The part of people's words that the store keeps. */
interface StoredWords {
  said_ref: string;
  /** The position of each piece in it. */
  places: Places;
}

/** Begins the next run. @param apart null: the argument carries everything that people said */
export type StartNextRun = (apart: StoredWords | null) => Promise<never>;

/** Runs the body. If this run is full while everything waits for people, `another` begins the next run. */
export function runUntilFull<T>(context: Dispatch, body: () => Promise<T>, another: StartNextRun): Promise<T> {
  const { inFlight, questions, data, arrivals } = context;
  const turnScope = CancellationScope.current();
  const waits = () => isFull() && data.open !== undefined && inFlight.none && questions.still && arrivals.none;
  const full = async () => {
    // People may say more while the store writes.
    for (let apart: StoredWords | null = null; ; apart = await storeWords(context)) {
      await condition(waits);
      // The next run knows nothing of a cancellation of this one: there it is an interruption.
      if (turnScope.consideredCancelled && patched('cancelled-turn-continues')) data.interrupted ??= { by: 'a cancellation' };
      if (wordsFitArgument(data, apart)) return another(apart);
    }
  };
  // A cancelled turn may still wait for an effect: the cancellation does not stop this watch.
  return Promise.race([body(), CancellationScope.nonCancellable(full)]);
}

/** The same between two steps, when no question is open, and every arrival so far has been checked. */
export async function continueBetweenSteps(context: Dispatch, steering: Steering, another: StartNextRun): Promise<void> {
  const apart = wordsFitArgument(context.data, null) ? null : await context.inFlight.during(() => storeWords(context));
  await condition(() => steering.still && context.arrivals.none);
  await another(apart);
}

async function storeWords({ turn, data }: Dispatch): Promise<StoredWords> {
  const { pieces } = setAside(callsOf(data));
  const { said_ref } = await keepSaid({ turn, said: packJson(pieces) });
  return { said_ref, places: placesOf(pieces) };
}

/** Whether the words of people that the store does not keep fit into the argument of the next run. */
function wordsFitArgument(data: TurnData, apart: StoredWords | null): boolean {
  fitCalls(data);
  const { pieces } = setAside(without(data, apart));
  return jsonBytes(packJson(pieces)) <= SAID_ALONG || !isBounded() || !patched('said-by-reference');
}

function without(data: TurnData, apart: StoredWords | null): JsonObject {
  return apart === null ? callsOf(data) : (setAside(callsOf(data), apart.places).rest as JsonObject);
}

/** The state for the next run; the store has the cards. */
export function resumable(data: TurnData, apart: StoredWords | null): Json {
  const subs = data.subs ? withoutCards(data.subs) : undefined;
  if (!isBounded())
    return {
      ...data,
      ...(subs ? { subs } : {}),
      ...(data.open ? { open: openStepWithoutCards(data.open) } : {}),
    } as unknown as Json;
  fitCalls(data);
  const travels = packJson({ ...data, ...(subs ? { subs: fitSubs(subs) } : {}), ...without(data, apart) });
  return (apart === null ? travels : { ...travels, said_ref: apart.said_ref }) as unknown as Json;
}

/** In the form of older builds. */
function openStepWithoutCards(open: OpenStep): OpenStep {
  const progress = Object.entries(open.progress).map(([id, entry]) => [id, withoutCard(entry)] as const);
  return { ...open, progress: Object.fromEntries(progress) };
}

/** Null: there was no earlier run. */
export function restoreState(resume: Json | undefined): TurnData | null {
  if (resume === undefined) return null;
  return isPacked(resume) ? stateIn(resume, null) : withItsInputs(resume as unknown as TurnData);
}

/** @param words people's words from the store; null: not read yet */
function stateIn(resume: PackedJson, words: Json[] | null): TurnData {
  const data = unpackJson(resume) as JsonObject;
  if (resume.said_ref === undefined) return withItsInputs(data as unknown as TurnData);
  const { calls, outcomes, open } = data;
  const of = putBack({ calls: calls!, outcomes: outcomes!, ...optional({ open }) }, words) as JsonObject;
  const whole = withItsInputs({ ...data, ...of } as unknown as TurnData);
  // A call whose decisions are not shown shows no note either.
  for (const { approval } of whole.calls) if (approval.decisions.length === 0) approval.note = null;
  return whole;
}

function withItsInputs(data: TurnData): TurnData {
  return data.open ? { ...data, open: withInputs(data.open) } : data;
}

/**
 * Continues the step that another run has left open, if there is one. A cancellation does not stop the reading: the turn must
 * know which calls it has to finish.
 */
export async function resume(context: Dispatch, state: Json): Promise<void> {
  const { turn, data, inFlight, arrivals } = context;
  const takeOver = async () => {
    if (hasStoredWords(state)) await readBack(context, state);
    for (const progress of Object.values(data.open?.progress ?? {})) await carryOver(turn, progress);
  };
  await inFlight.during(() => CancellationScope.nonCancellable(takeOver)).finally(() => arrivals.takenUp());
  if (data.open) await runOpenStep(context, data.open);
}

type ReadLater = PackedJson & { said_ref: string };

/** The words of people are in the store, not in the argument. */
function hasStoredWords(resume: Json): resume is Json & ReadLater {
  return isPacked(resume) && resume.said_ref !== undefined;
}

/** Reads the words of people back. Before that no question is asked. */
async function readBack({ turn, data }: Dispatch, resume: ReadLater): Promise<void> {
  const { said_ref } = resume;
  const { said: words } = await readSaid({ turn, said_ref });
  const { calls, outcomes, open, earlier_calls } = stateIn(resume, unpackJson(words) as Json[]);
  Object.assign(data, { calls, outcomes, ...(open ? { open } : {}), ...(earlier_calls ? { earlier_calls } : {}) });
}

/** A decision counts only in the run that asked: this run takes over the question, its card and its decisions. */
async function carryOver(turn: TurnContext, progress: Progress): Promise<void> {
  if (progress.at === 'question') {
    const { question } = progress;
    const { card, run_id, digest } = await readCard({ turn, card_ref: question.card_ref });
    // The argument of a run may be forged: nobody may decide about one call with the card of another.
    if (digest !== undefined && digest !== question.digest) throw otherCard(question);
    Object.assign(question, { card, run_id });
    if (question.kind === 'approval') question.approvals = carryApprovals(question.approvals, run_id);
  } else if ((progress.at === 'ready' || progress.at === 'sleep') && progress.approvals[0]?.card_ref) {
    const { run_id } = await readCard({ turn, card_ref: progress.approvals[0].card_ref });
    progress.approvals = carryApprovals(progress.approvals, run_id);
  }
}

function otherCard({ call_id, digest }: Question): ApplicationFailure {
  const message = `The card that is to be shown for call ${call_id} is that of another call than ${digest}.`;
  return ApplicationFailure.nonRetryable(message, 'holdfast.other_card');
}

function carryApprovals(approvals: Decision[], run_id: string): Decision[] {
  return approvals.map((decision) => ({ ...decision, run_id, given_in: decision.given_in ?? decision.run_id }));
}
