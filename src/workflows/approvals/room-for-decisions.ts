/**
 * Room for what people say on calls that have not run. It stays until their step has ended: then the next step takes it to the
 * store as one argument, of which Temporal takes 2 MB. For each question that waits there is room for whoever has yet to answer
 * it, with the longest name and the longest signature: it can be decided, whatever else is said. A question that has no such
 * room is not asked.
 */
import type { CallArguments } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import { jsonBytes } from '../../shared/json/json';
import type { Question } from './question';
import type { OpenStep, Progress, TurnData } from '../turn/state';

/** What somebody says on a call. */
export interface Words {
  by: string;
  note: string | null;
  identity: string;
  attestation?: string | null;
}

export const NO_ROOM = 'this turn holds as much as a turn can of what people have said';

/** Reason of a call that nobody is asked about. */
export const NOT_ASKED = 'too_many_questions';

export function notAsked(quorum: number): CallError {
  const people = quorum === 1 ? 'a person who approves it' : `${quorum} people who approve it`;
  return callError(
    'INVALID_PARAMS',
    NOT_ASKED,
    `This call needs ${people}, beside more decisions that are outstanding than the turn has room for. It was not run.`,
    { hint: 'Ask for fewer calls in one answer, and for this one again once the others are decided.' },
  );
}

/** Bytes of JSON: without signatures, as it is shown, and with them. */
interface Bytes {
  texts: number;
  all: number;
}

const ROOM: Bytes = { texts: 400_000, all: 1_300_000 };
/** Of somebody who has yet to answer, without a note. */
const PLACE: Bytes = { texts: 1_700, all: 5_800 };
/** A decision without its texts. */
const BARE = 450;
/** For a call in doubt, of which there is one at a time: so many say something before ten say the same. */
const SETTLING = 19;

/**
 * Whether all of it can be kept beside what is reserved.
 * @param answers places that it takes of those reserved for it; less than none: it needs so many more
 */
export function hasRoom(data: TurnData, words: Words[], answers: number): boolean {
  return fits([...saidSoFar(data.outcomes, data.open), ...words], makersOf(data.open), placesOf(data.open) - answers);
}

/** Whether a call can be asked about: its question takes the place of whatever there is of the call. */
export function hasRoomToAsk(data: TurnData, { id, earlier = [], makers = [] }: CallArguments, quorum: number): boolean {
  const { [id]: _, ...progress } = data.open?.progress ?? {};
  const others = data.open && { ...data.open, progress };
  const said = [...saidSoFar(data.outcomes, others), ...earlier];
  return fits(said, [...makersOf(others), ...makers], placesOf(others) + quorum);
}

/** How many have yet to answer; of a call in doubt one, since it has places of its own. */
export function placesFor(question: Question): number {
  return question.kind === 'doubt' ? 1 : Math.max(0, question.policy.quorum - question.approvals.length);
}

function fits(said: Words[], makers: string[], places: number): boolean {
  const names = jsonBytes([...new Set(makers)]);
  const used = said.map(bytesOf).reduce(plus, { texts: names, all: names });
  return used.texts + places * PLACE.texts <= ROOM.texts && used.all + places * PLACE.all <= ROOM.all;
}

function bytesOf({ by, note, identity, attestation }: Words): Bytes {
  const texts = BARE + jsonBytes([by, note, identity]);
  return { texts, all: texts + (attestation?.length ?? 0) };
}

function plus(one: Bytes, other: Bytes): Bytes {
  return { texts: one.texts + other.texts, all: one.all + other.all };
}

function placesOf(open: OpenStep | undefined): number {
  const kept = openProgress(open);
  const asked = kept.flatMap((one) => (one.at === 'question' ? [placesFor(one.question)] : []));
  const settled = kept.flatMap((one) => (one.at === 'doubt' ? one.question.settlements : []));
  return asked.reduce((sum, places) => sum + places, Math.max(0, SETTLING - settled.length));
}

function saidSoFar(outcomes: TurnData['outcomes'], open: OpenStep | undefined): Words[] {
  const ended = [...outcomes, ...Object.values(open?.outcomes ?? {})];
  return [
    ...ended.flatMap(({ decision, approvals = [], earlier = [] }) => [...(decision ? [decision] : []), ...approvals, ...earlier]),
    ...openProgress(open).flatMap((kept) => [
      ...(kept.args.earlier ?? []),
      ...(kept.at === 'question' ? kept.question.approvals : kept.approvals),
      ...(kept.at === 'doubt' ? kept.question.settlements : []),
    ]),
  ];
}

function makersOf(open: OpenStep | undefined): string[] {
  return openProgress(open).flatMap(({ args: { makers = [] } }) => makers);
}

/** Of a call that has ended the outcome tells. */
function openProgress(open: OpenStep | undefined): Progress[] {
  return Object.entries(open?.progress ?? {}).flatMap(([id, kept]) => (open!.outcomes[id] === undefined ? [kept] : []));
}
