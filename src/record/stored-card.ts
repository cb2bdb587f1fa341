/**
 * Reads what a card shows from the store: the call by its digest, the evidence that the digest covers, and the messages of the turn
 * from its transcript. Whatever decides on the call checks the same digest, so the card cannot differ from what runs.
 */
import type { HoldReason } from '../shared/approval/approval';
import type { CardWords } from '../shared/approval/card';
import type { CallRecord } from '../shared/json/digests';
import type { Json, JsonObject } from '../shared/json/json';
import type { BlockKind } from '../shared/turn/transcript';
import { textOrNull } from './fields';
import { readApprovalEvidence } from './parts';
import { readBlock, type ReadMessage, type ReadStart } from './read-block';

/** The part of a store that is used. */
export interface CardSource {
  getCall(digest: string): Promise<{ record: CallRecord; input: JsonObject; target: JsonObject | null }>;
  getPart(hash: string): Promise<Json>;
  getBlock(hash: string): Promise<{ block: { kind: BlockKind; parent: string | null }; bodies: readonly Json[] }>;
}

export interface StoredCard {
  record: CallRecord;
  input: JsonObject;
  target: JsonObject | null;
  preview: Json;
  held: HoldReason[];
  makers: string[];
}

/** @throws StoreError `not_found` or `damaged`; UnexpectedPart */
export async function storedCard(source: CardSource, digest: string): Promise<StoredCard> {
  const { record, input, target } = await source.getCall(digest);
  const { preview, held, makers } =
    record.preview_ref === null
      ? { preview: null, held: [], makers: [] }
      : readApprovalEvidence(await source.getPart(record.preview_ref));
  return { record, input, target, preview, held, makers };
}

/** Characters of one message on a card. */
const MOST_TEXT = 2_000;
/** Messages on a card: the first, and the latest. */
const MOST_WORDS = 12;
/** Blocks that are read back at most, over all turns. */
const MOST_BLOCKS = 5_000;
/** Levels of turns above that are read. */
const MOST_LEVELS = 8;

/**
 * The messages that led to the calls of a turn, the first first: those of the requester and of people who steered it; for a
 * sub-agent's turn those of the turns above too, and the tasks that their agents gave.
 * @param head of the turn
 * @throws StoreError
 */
export async function wordsOf(source: CardSource, head: string | null): Promise<CardWords[]> {
  const turns: TurnMessages[] = [];
  let room = MOST_BLOCKS;
  for (let next = head; next !== null && turns.length < MOST_LEVELS && room > 0;) {
    const turn = await messagesBefore(source, next, room);
    room -= turn.blocks;
    turns.push(turn);
    next = turn.start?.parent?.head || null;
  }
  const words = turns.map((turn, index) => wordsIn(turn, turns[index + 1]?.start?.agent ?? null)).reverse();
  const all = words.flat();
  return all.length <= MOST_WORDS ? all : [all[0]!, ...all.slice(1 - MOST_WORDS)];
}

interface TurnMessages {
  /** Null: it could not be read. */
  start: ReadStart | null;
  /** The message that began the turn; null for a direct call. */
  first: ReadMessage | null;
  steering: ReadMessage[];
  /** How many blocks were read. */
  blocks: number;
}

/** Reads the transcript back from a block to the start of its turn. */
async function messagesBefore(source: CardSource, head: string, most: number): Promise<TurnMessages> {
  const steering: ReadMessage[] = [];
  let after: ReadMessage | null = null;
  let blocks = 0;
  for (let next: string | null = head; next !== null && blocks < most; blocks += 1) {
    const { block, bodies }: Awaited<ReturnType<CardSource['getBlock']>> = await source.getBlock(next);
    const read = block.kind === 'start' || block.kind === 'message' ? readBlock({ block, bodies }) : null;
    if (read?.kind === 'start') return { start: read, first: after, steering: steering.reverse(), blocks };
    after = read?.kind === 'message' && read.role === 'user' && read.steer === null ? read : null;
    if (read?.kind === 'message' && read.steer !== null) steering.push(read);
    next = block.parent;
  }
  return { start: null, first: null, steering: steering.reverse(), blocks };
}

/** @param agentAbove the agent whose call began the turn; null: unknown, or there is none */
function wordsIn({ start, first, steering }: TurnMessages, agentAbove: string | null): CardWords[] {
  const beginning: Pick<CardWords, 'from' | 'by'> =
    start === null || start.parent === null
      ? { from: 'requester', by: start?.requester ?? '' }
      : { from: 'agent', by: agentAbove ?? start.parent.turn_id };
  return [
    ...(first === null ? [] : [{ ...beginning, ...textIn(first) }]),
    ...steering.map((message) => ({ from: 'steering' as const, by: message.steer!.by, ...textIn(message) })),
  ];
}

function textIn({ content }: ReadMessage): Pick<CardWords, 'text' | 'cut'> {
  const text = content.flatMap((block) => textOrNull(block.text) ?? []).join('\n');
  return { text: text.slice(0, MOST_TEXT).toWellFormed(), cut: text.length > MOST_TEXT };
}
