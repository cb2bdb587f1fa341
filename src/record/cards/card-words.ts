/**
 * Reads from a transcript in whose words a call came about: the message that began the turn, messages to the running turn, and for
 * a sub-agent the task that the agent above gave. Also whether the model had read outsiders' text before.
 */
import type { CardWords } from '../../cards/card';
import { fileNote, isFilePart } from '../../shared/turn/message';
import type { BlockKind } from '../../shared/turn/transcript';
import { textOrNull } from '../fields';
import { isOf, OfAnotherTurn, type Owner } from '../owner';
import { readBlock, type ReadMessage, type ReadStart } from '../read-block';
import type { CardSource } from './stored-card';

/** What was said before a call was proposed. */
export interface Conversation {
  /** Messages of people and of agents above, the first first. */
  words: CardWords[];
  /** Whether outsiders' text had been read when the call was proposed. Null: the transcript does not say. */
  untrusted: boolean | null;
  /** The starts of the turn, and of the turns above it. */
  starts: ReadStart[];
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
 * @throws StoreError; OfAnotherTurn
 */
export async function wordsOf(source: CardSource, head: string | null, owner: Owner): Promise<CardWords[]> {
  return (await conversationBefore(source, head, { ...owner, call_id: '' })).words;
}

/**
 * The messages of `wordsOf`, and whether outsiders' text was among what the model had read.
 * @param of the turn whose head it is, and the call in it
 * @throws StoreError; OfAnotherTurn
 */
export async function conversationBefore(
  source: CardSource,
  head: string | null,
  of: Owner & { call_id: string },
): Promise<Conversation> {
  const turns: TurnMessages[] = [];
  let owner: Owner = of;
  let room = MOST_BLOCKS;
  for (let next = head; next !== null && turns.length < MOST_LEVELS && room > 0;) {
    const turn = await messagesBefore(source, next, room, turns.length === 0 ? of.call_id : '');
    if (turn === null) break;
    if (!isOf(owner, turn.start)) throw new OfAnotherTurn(`Block ${next}`);
    room -= turn.blocks;
    turns.push(turn);
    const { parent } = turn.start;
    next = parent?.head || null;
    if (parent !== null) owner = { turn_id: parent.turn_id, requester: of.requester };
  }
  const words = turns.map((turn, index) => wordsIn(turn, turns[index + 1]?.start.agent ?? null)).reverse();
  const all = words.flat();
  const most = all.length <= MOST_WORDS ? all : [all[0]!, ...all.slice(1 - MOST_WORDS)];
  return { words: most, untrusted: turns[0]?.untrusted ?? null, starts: turns.map(({ start }) => start) };
}

interface TurnMessages {
  start: ReadStart;
  /** The message that began the turn; null for a direct call. */
  first: ReadMessage | null;
  steering: ReadMessage[];
  /** Of the call that was asked about; null: the transcript does not have it. */
  untrusted: boolean | null;
  /** How many blocks were read. */
  blocks: number;
}

const KINDS: ReadonlySet<BlockKind> = new Set(['start', 'message', 'admission']);

/** Reads the transcript back from a block to the start of its turn. Null: that could not be read, or is too far back. */
async function messagesBefore(source: CardSource, head: string, most: number, callId: string): Promise<TurnMessages | null> {
  const steering: ReadMessage[] = [];
  let untrusted: boolean | null = null;
  let after: ReadMessage | null = null;
  let blocks = 0;
  for (let next: string | null = head; next !== null && blocks < most; blocks += 1) {
    const { block, bodies }: Awaited<ReturnType<CardSource['getBlock']>> = await source.getBlock(next);
    const read = KINDS.has(block.kind) ? readBlock({ block, bodies }) : null;
    if (read?.kind === 'start') return { start: read, first: after, steering: steering.reverse(), untrusted, blocks };
    if (read?.kind === 'admission') untrusted ??= read.calls.find(({ call_id }) => call_id === callId)?.untrusted ?? null;
    after = read?.kind === 'message' && read.role === 'user' && read.steer === null ? read : null;
    if (read?.kind === 'message' && read.steer !== null) steering.push(read);
    next = block.parent;
  }
  return null;
}

/** @param agentAbove the agent whose call began the turn; null: unknown, or there is none */
function wordsIn({ start, first, steering }: TurnMessages, agentAbove: string | null): CardWords[] {
  const beginning: Pick<CardWords, 'from' | 'by'> =
    start.parent === null
      ? { from: 'requester', by: start.requester ?? '' }
      : { from: 'agent', by: agentAbove ?? start.parent.turn_id };
  return [
    ...(first === null ? [] : [{ ...beginning, ...textIn(first) }]),
    ...steering.map((message) => ({ from: 'steering' as const, by: message.steer!.by, ...textIn(message) })),
  ];
}

function textIn({ content }: ReadMessage): Pick<CardWords, 'text' | 'cut' | 'missing' | 'files'> {
  const files = content.filter(isFilePart);
  const text = content.flatMap((block) => (isFilePart(block) ? fileNote(block) : (textOrNull(block.text) ?? []))).join('\n');
  const missing = text.length - MOST_TEXT;
  return {
    text: text.slice(0, MOST_TEXT).toWellFormed(),
    cut: missing > 0,
    ...(missing > 0 ? { missing } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}
