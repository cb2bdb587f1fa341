/**
 * A run takes only so many events and signals. Before it is full the turn goes on in another one: with its calls,
 * decisions and step number, and only while all of it waits for people.
 */
import { ApplicationFailure, CancellationScope, condition, patched, workflowInfo } from '@temporalio/workflow';
import type { TurnContext } from '../../shared/io/activities';
import type { Decision } from '../../shared/approval/approval';
import { type Json, type JsonObject, jsonBytes, isPacked, packJson, unpackJson, type PackedJson } from '../../shared/json/json';
import { keepSaid, readCard, readSaid } from '../activities';
import { goOn } from '../call/dispatch';
import type { Dispatch } from '../call/dispatch-types';
import type { OpenStep, Progress, TurnData } from './state';
import { isBounded } from '../sandbox/is-bounded';
import type { ApprovalQuestion } from '../approvals/question';
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

/** Temporal takes 10,000 signals a run, and says by itself when a history has grown long. */
export function isFull(): boolean {
  return workflowInfo().continueAsNewSuggested;
}

/** What of people's words the store has. */
interface Apart {
  said_ref: string;
  /** Where in it each of them is. */
  places: Places;
}

/** Begins the next run. @param apart null: all that people have said goes along */
export type Another = (apart: Apart | null) => Promise<never>;

/** Runs the body; `another` begins the next run when this one is full while it waits. */
export function unlessFull<T>(context: Dispatch, body: () => Promise<T>, another: Another): Promise<T> {
  const { inFlight, questions, data, arrivals } = context;
  const waits = () => isFull() && data.open !== undefined && inFlight.none && questions.still && arrivals.none;
  const full = async () => {
    // More may be said while the store takes what there is.
    for (let apart: Apart | null = null; ; apart = await keepApart(context)) {
      await condition(waits);
      if (isShort(data, apart)) return another(apart);
    }
  };
  // A cancelled turn may have to wait for an effect still: this watch goes on beside it.
  return Promise.race([body(), CancellationScope.nonCancellable(full)]);
}

/** The same between two steps, where nobody is asked anything, once all that has come has been looked at. */
export async function goOnBetween(context: Dispatch, steering: Steering, another: Another): Promise<void> {
  const apart = isShort(context.data, null) ? null : await context.inFlight.during(() => keepApart(context));
  await condition(() => steering.still && context.arrivals.none);
  await another(apart);
}

async function keepApart({ turn, data }: Dispatch): Promise<Apart> {
  const { said } = setAside(callsOf(data));
  const { said_ref } = await keepSaid({ turn, said: packJson(said) });
  return { said_ref, places: placesOf(said) };
}

/** Whether what people have said, and the store has not, can go along. */
function isShort(data: TurnData, apart: Apart | null): boolean {
  fitCalls(data);
  const { said } = setAside(without(data, apart));
  return jsonBytes(packJson(said)) <= SAID_ALONG || !isBounded() || !patched('said-by-reference');
}

function without(data: TurnData, apart: Apart | null): JsonObject {
  return apart === null ? callsOf(data) : (setAside(callsOf(data), apart.places).rest as JsonObject);
}

/** Without the cards, which are in the store. */
export function resumable(data: TurnData, apart: Apart | null): Json {
  const subs = data.subs ? withoutCards(data.subs) : undefined;
  if (!isBounded())
    return { ...data, ...(subs ? { subs } : {}), ...(data.open ? { open: unshown(data.open) } : {}) } as unknown as Json;
  fitCalls(data);
  const travels = packJson({ ...data, ...(subs ? { subs: fitSubs(subs) } : {}), ...without(data, apart) });
  return (apart === null ? travels : { ...travels, said_ref: apart.said_ref }) as unknown as Json;
}

/** As older builds passed it on. */
function unshown(open: OpenStep): OpenStep {
  const progress = Object.entries(open.progress).map(([id, kept]) => [id, withoutCard(kept)] as const);
  return { ...open, progress: Object.fromEntries(progress) };
}

/** Null: there was no run before. */
export function restoreState(resume: Json | undefined): TurnData | null {
  if (resume === undefined) return null;
  return isPacked(resume) ? stateIn(resume, null) : withItsInputs(resume as unknown as TurnData);
}

/** @param said what the store has of it; null: it has not been read yet */
function stateIn(resume: PackedJson, said: Json[] | null): TurnData {
  const data = unpackJson(resume) as JsonObject;
  if (resume.said_ref === undefined) return withItsInputs(data as unknown as TurnData);
  const { calls, outcomes, open } = data;
  const of = putBack({ calls: calls!, outcomes: outcomes!, ...(open === undefined ? {} : { open }) }, said) as JsonObject;
  const whole = withItsInputs({ ...data, ...of } as unknown as TurnData);
  // Of decisions that are not shown no note is either.
  for (const { approval } of whole.calls) if (approval.decisions.length === 0) approval.note = null;
  return whole;
}

function withItsInputs(data: TurnData): TurnData {
  return data.open ? { ...data, open: withInputs(data.open) } : data;
}

/**
 * Takes up the step that another run has left open, if there is one. A turn that is cancelled meanwhile has to know what it
 * has to bring to an end.
 */
export async function resume(context: Dispatch, kept: Json): Promise<void> {
  const { turn, data, inFlight, arrivals } = context;
  const takeOver = async () => {
    if (isApart(kept)) await readBack(context, kept);
    for (const progress of Object.values(data.open?.progress ?? {})) await carryOver(turn, progress);
  };
  await inFlight.during(() => CancellationScope.nonCancellable(takeOver)).finally(() => arrivals.takenUp());
  if (data.open) await goOn(context, data.open);
}

type ReadLater = PackedJson & { said_ref: string };

/** What people have said did not go along. */
function isApart(resume: Json): resume is Json & ReadLater {
  return isPacked(resume) && resume.said_ref !== undefined;
}

/** Gives it back. Until then nobody is asked anything. */
async function readBack({ turn, data }: Dispatch, resume: ReadLater): Promise<void> {
  const { said_ref } = resume;
  const { said } = await readSaid({ turn, said_ref });
  const { calls, outcomes, open, earlier_calls } = stateIn(resume, unpackJson(said) as Json[]);
  Object.assign(data, { calls, outcomes, ...(open ? { open } : {}), ...(earlier_calls ? { earlier_calls } : {}) });
}

/** A decision counts in the run that asked: this run takes over the question, its card, and what was said on it. */
async function carryOver(turn: TurnContext, kept: Progress): Promise<void> {
  if (kept.at === 'question') {
    const { question } = kept;
    const { card, run_id, digest } = await readCard({ turn, card_ref: question.card_ref });
    // What the run before has handed on may be made up: nobody decides on one call by the card of another.
    if (digest !== undefined && digest !== question.digest) throw otherCard(question);
    Object.assign(question, { card, run_id, approvals: carryApprovals(question.approvals, run_id) });
  } else if (kept.at === 'ready' && kept.approvals[0]?.card_ref) {
    const { run_id } = await readCard({ turn, card_ref: kept.approvals[0].card_ref });
    kept.approvals = carryApprovals(kept.approvals, run_id);
  }
}

function otherCard({ call_id, digest }: ApprovalQuestion): ApplicationFailure {
  const message = `The card that is to be shown for call ${call_id} is that of another call than ${digest}.`;
  return ApplicationFailure.nonRetryable(message, 'holdfast.other_card');
}

function carryApprovals(approvals: Decision[], run_id: string): Decision[] {
  return approvals.map((given) => ({ ...given, run_id, given_in: given.given_in ?? given.run_id }));
}
