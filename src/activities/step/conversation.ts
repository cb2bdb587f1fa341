/** Converts between a transcript and model messages: reads messages from blocks, and writes results as messages. */
import type { ModelMessage } from '../../model/provider';
import type { CallOutcome, TurnContext } from '../../shared/io/activities';
import type { JsonObject } from '../../shared/json/json';
import type { Store } from '../../store/store';
import { type Draft, walk } from '../../store/core/transcript';
import type { AnsweringTurn } from '../../record/blocks';
import { decisionBlocks, resultsBlock } from '../../record/write-block';
import { readResult, UnexpectedPart } from '../../record/parts';
import { filesIn } from '../../tools/results/result-files';
import { errorText, resultText } from '../../tools/results/result-text';
import type { Envelope } from '../../shared/wire/errors';
import type { StoredBlock } from '../../store/core/seal';
import { samePerson } from '../../shared/approval/approval';
import { readBlock, type ReadBlock, type ReadDecision } from '../../record/read-block';
import { closeQuestion } from '../people/questions';
import { optional } from '../../shared/json/optional';
import { shownFiles } from '../../files/conversation-files';

/** All messages of a transcript's blocks. The messages that the model gets: compaction.ts. */
export function messagesOf(blocks: StoredBlock[]): ModelMessage[] {
  return blocks.filter(({ block }) => block.kind === 'message').flatMap((storedBlock) => messageOf(storedBlock) ?? []);
}

/** The message of a message block; null for one without content. @throws UnexpectedPart */
export function messageOf(storedBlock: StoredBlock): ModelMessage | null {
  const read = readBlock(storedBlock);
  if (read?.kind !== 'message' || (read.role !== 'user' && read.role !== 'assistant')) throw new UnexpectedPart('message');
  const { role, content, origin, raw } = read;
  if (content.length === 0) return null;
  const from = origin === null ? {} : { origin: { provider: origin.provider, ...optional({ raw }) } };
  return { role, content: [...content], ...from };
}

/** Adds decisions that no call wrote itself, then one message with the results in the order of the calls. */
export async function addOutcomes(
  store: Store,
  draft: Draft,
  turn: TurnContext,
  at: string,
  outcomes: CallOutcome[],
): Promise<void> {
  await closeWithoutEffect(store, outcomes);
  for (const { decision, approvals = [], call_id: id, version = '', revision = 1, ...outcome } of outcomes) {
    const decisions = [...approvals, ...(decision ? [decision] : [])];
    const call = { ...outcome, id, version, revision, class: outcome.class ?? 'destructive' };
    for (const block of decisionBlocks(turn, call, decisions)) draft.add(block, at);
  }
  if (outcomes.length === 0) return;
  const content = await Promise.all(outcomes.map((outcome) => toolResult(store, turn, outcome)));
  draft.add(resultsBlock(content, subTurnsOf(outcomes)), at);
}

/** Closes the questions of destructive calls without effect: the turn has their outcomes, so no approval may run them any more. */
async function closeWithoutEffect(store: Store, outcomes: CallOutcome[]): Promise<void> {
  const without = outcomes.filter(({ class: c = 'destructive', effect }) => c === 'destructive' && !isEffect(effect));
  await Promise.all(without.flatMap(({ digest }) => (digest === null ? [] : [closeQuestion(store, digest)])));
}

function isEffect(effect: CallOutcome['effect']): boolean {
  return effect === 'applied' || effect === 'in_doubt';
}

/** The heads of the child turns that answered calls: the block proves their chains. */
function subTurnsOf(outcomes: CallOutcome[]): AnsweringTurn[] {
  return outcomes.flatMap(({ call_id, sub_turn }) => (sub_turn ? [{ call_id, ...sub_turn }] : []));
}

async function toolResult(store: Store, turn: TurnContext, outcome: CallOutcome): Promise<JsonObject> {
  const isError = outcome.state !== 'succeeded';
  return {
    type: 'tool_result',
    tool_use_id: outcome.tool_use_id,
    content: await outcomeContent(store, turn, outcome),
    ...(isError ? { is_error: true } : {}),
  };
}

/** The text of the result, and after it the files that the tool shows to the model. */
async function outcomeContent(store: Store, turn: TurnContext, outcome: CallOutcome): Promise<JsonObject[]> {
  if (outcome.result_ref === null) return [{ type: 'text', text: errorText(outcome.error!, outcome.note) }];
  const result = readResult(await store.getPart(outcome.result_ref));
  const text = resultText(outcome.result_ref, result, outcome.note);
  return [{ type: 'text', text }, ...(await filesOf(store, turn, outcome, result.envelope))];
}

function filesOf(
  store: Store,
  { requester, turn_id }: TurnContext,
  { call_id }: CallOutcome,
  envelope: Envelope,
): Promise<JsonObject[]> {
  return shownFiles(store, { requester, turn_id, call_id }, envelope.success ? filesIn(envelope.data) : []);
}

/** One message with the hash of its block; a summary has the hash of the last block that it covers. */
export interface Entry {
  hash: string;
  message: ModelMessage;
  /** It is the first of its turn. */
  begins?: true;
}

// People who wrote something in the conversation that a turn continues: they asked for an earlier turn, sent a message to one, or
// decided on a call with a note that the model reads. Text for a sub-agent counts, since it came back in its answer.

/** Maximum number of names, the newest: they are sent with every call. */
const MOST_PEOPLE = 20;

/** All of them except the requester of the turn that begins; each person once. */
export async function earlierSpeakers(store: Store, head: string | null, requester: string): Promise<string[]> {
  const people: string[] = [];
  for (const name of (await namesUpTo(store, head)).reverse())
    if (name !== '' && ![requester, ...people].some((one) => samePerson(one, name))) people.push(name);
  return people.slice(0, MOST_PEOPLE);
}

async function namesUpTo(store: Store, head: string | null): Promise<string[]> {
  const names: string[] = [];
  for (const storedBlock of await walk(store, head)) {
    const block = readBlock(storedBlock);
    if (block === null) continue;
    names.push(...namesIn(block));
    for (const below of headsBelow(block)) names.push(...(await namesUpTo(store, below)));
  }
  return names;
}

function namesIn(block: ReadBlock): string[] {
  switch (block.kind) {
    case 'start':
      return [block.requester ?? ''];
    case 'message':
      return block.steer === null ? [] : [block.steer.by];
    case 'decision':
      return isSaidToModel(block) ? [block.by ?? ''] : [];
    case 'settlement':
      return hasWords(block) ? [block.by ?? ''] : [];
    default:
      return [];
  }
}

/** An edit, an answer, or the note of a denial. */
function isSaidToModel(block: Pick<ReadDecision, 'decision' | 'note'>): boolean {
  const { decision } = block;
  return decision === 'edit' || decision === 'answer' || (decision !== 'approve' && hasWords(block));
}

function hasWords({ note }: { note: string | null }): boolean {
  return note !== null && note.trim() !== '';
}

/** The transcript heads of the child turns whose answers are in this block. */
function headsBelow(block: ReadBlock): string[] {
  return block.kind === 'message' ? block.sub_turns.flatMap(({ head }) => head ?? []) : [];
}
