/**
 * Limits how much people can say about calls that have not run. The turn's state keeps it until the step has ended. Then the next
 * step passes it to the store as one argument, which Temporal limits to 2 MB. Each waiting question reserves room for every
 * missing answer, with the longest name and the longest signature, so that it can always be decided. A question without such room
 * is not asked.
 */
import type { CallArguments } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import { ANSWER_BYTES as LONGEST_ANSWER } from '../../shared/approval/person-question';
import { type Json, jsonBytes } from '../../shared/json/json';
import { saidOf, type Question } from './question';
import type { OpenStep, Progress, TurnData } from '../turn/state';

/** What one person says about a call. */
export interface Statement {
  by: string;
  /** Whom a deputy decides for. */
  on_behalf_of?: string;
  note: string | null;
  identity: string;
  attestation?: string | null;
  /** The answer to a question. */
  value?: Json;
}

export const NO_ROOM = 'this turn holds as much as a turn can of what people have said';

/** Error reason of a call whose question has no room. */
export const NOT_ASKED = 'too_many_questions';

export function notAsked({ kind, policy: { quorum } }: Pick<Question, 'kind' | 'policy'>): CallError {
  const people =
    kind === 'question'
      ? 'a person who answers it'
      : quorum === 1
        ? 'a person who approves it'
        : `${quorum} people who approve it`;
  return callError(
    'INVALID_PARAMS',
    NOT_ASKED,
    `This call needs ${people}, beside more decisions that are outstanding than the turn has room for. It was not run.`,
    { hint: 'Ask for fewer calls in one answer, and for this one again once the others are decided.' },
  );
}

/** Bytes of JSON. `texts`: without signatures, as the view shows it. `all`: with signatures. */
interface Bytes {
  texts: number;
  all: number;
}

const ROOM: Bytes = { texts: 400_000, all: 1_300_000 };
/** Reserved for one missing answer, without a note. */
const ANSWER_BYTES: Bytes = { texts: 1_700, all: 5_800 };
/** Bytes of a decision without its texts. */
const DECISION_BYTES = 450;
/**
 * Answers reserved for a call in doubt, of which there is one at a time: among 19 settlements at least 10 agree (the largest
 * quorum).
 */
const SETTLEMENT_PLACES = 19;
/** An answer may be long: one question reserves the places of so many decisions. */
export const QUESTION_PLACES = 1 + Math.ceil(LONGEST_ANSWER / ANSWER_BYTES.texts);

/**
 * Whether the words fit beside the reserved places.
 * @param answers how many reserved places the words use; negative: how many more places they need
 */
export function hasRoom(data: TurnData, words: Statement[], answers: number): boolean {
  return fits([...saidSoFar(data.outcomes, data.open), ...words], makersOf(data.open), placesOf(data.open) - answers);
}

/** Whether there is room to ask about a call. Its question replaces any other progress of the call. */
export function hasRoomToAsk(data: TurnData, { id, earlier = [], makers = [] }: CallArguments, quorum: number): boolean {
  const { [id]: _, ...progress } = data.open?.progress ?? {};
  const others = data.open && { ...data.open, progress };
  const statements = [...saidSoFar(data.outcomes, others), ...earlier];
  return fits(statements, [...makersOf(others), ...makers], placesOf(others) + quorum);
}

/** How many places are reserved for missing answers. 1 for a call in doubt, which has reserved places of its own. */
export function missingAnswers(question: Question): number {
  if (question.kind === 'question') return QUESTION_PLACES;
  return question.kind === 'doubt' ? 1 : Math.max(0, question.policy.quorum - question.approvals.length);
}

function fits(statements: Statement[], makers: string[], places: number): boolean {
  const names = jsonBytes([...new Set(makers)]);
  const sizes = statements.map(bytesOf).reduce(plus, { texts: names, all: names });
  return sizes.texts + places * ANSWER_BYTES.texts <= ROOM.texts && sizes.all + places * ANSWER_BYTES.all <= ROOM.all;
}

function bytesOf({ by, on_behalf_of, note, identity, attestation, value }: Statement): Bytes {
  const others = [on_behalf_of, value].filter((one) => one !== undefined);
  const texts = DECISION_BYTES + jsonBytes([by, note, identity]) + others.reduce((sum: number, one) => sum + jsonBytes(one), 0);
  return { texts, all: texts + (attestation?.length ?? 0) };
}

function plus(one: Bytes, other: Bytes): Bytes {
  return { texts: one.texts + other.texts, all: one.all + other.all };
}

function placesOf(open: OpenStep | undefined): number {
  const entries = openProgress(open);
  const openPlaces = entries.flatMap((one) => (one.at === 'question' ? [missingAnswers(one.question)] : []));
  const settlements = entries.flatMap((one) => (one.at === 'doubt' ? one.question.settlements : []));
  return openPlaces.reduce((sum, places) => sum + places, Math.max(0, SETTLEMENT_PLACES - settlements.length));
}

function saidSoFar(outcomes: TurnData['outcomes'], open: OpenStep | undefined): Statement[] {
  const allOutcomes = [...outcomes, ...Object.values(open?.outcomes ?? {})];
  return [
    ...allOutcomes.flatMap(({ decision, approvals = [], earlier = [] }) => [
      ...(decision ? [decision] : []),
      ...approvals,
      ...earlier,
    ]),
    ...openProgress(open).flatMap((entry) => [
      ...(entry.args.earlier ?? []),
      ...(entry.at === 'question' ? saidOf(entry.question) : entry.approvals),
      ...(entry.at === 'doubt' ? entry.question.settlements : []),
    ]),
  ];
}

function makersOf(open: OpenStep | undefined): string[] {
  return openProgress(open).flatMap(({ args: { makers = [] } }) => makers);
}

/** Only of calls without an outcome; an outcome has its own. */
function openProgress(open: OpenStep | undefined): Progress[] {
  return Object.entries(open?.progress ?? {}).flatMap(([id, entry]) => (open!.outcomes[id] === undefined ? [entry] : []));
}
