/**
 * Reads the transcript of one turn for people: its blocks from its start on, by pages. A page is bounded in blocks and characters,
 * and belongs to one head, so that the pages fit together while the turn goes on.
 */
import type { TranscriptEntry } from '../shapes/transcript';
import { cutJson, type CutRoom } from './cut-json';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { Block } from '../shared/turn/transcript';
import { isFilePart } from '../shared/turn/message';
import { list, text, textOrNull } from './fields';
import { isOf, type Owner } from './owner';
import { filesInContent } from './stored-file';
import { readBlock, type ReadBlock, type ReadMessage, type ReadOf, type ReadSubject } from './read-block';

export interface TranscriptBlock {
  hash: string;
  block: Block;
  bodies: readonly Json[];
}

/** The part of a store that is used. */
export interface TranscriptSource {
  getBlock(hash: string): Promise<TranscriptBlock>;
}

/** More blocks of one turn are not read. */
const MOST_BLOCKS = 5000;
/** Characters of one page, of one message, and of one text; entries of one list in an input. */
const PAGE_ROOM = 500_000;
const MESSAGE_ROOM = 100_000;
const TEXT_ROOM = 20_000;
const MOST_ENTRIES = 100;

export interface TranscriptPart {
  entries: TranscriptEntry[];
  /** Number of the block after the last one; null: there is none. */
  next: number | null;
}

/**
 * The blocks of the turn, from its start to a head.
 * @returns null: the head is of another turn
 * @throws StoreError for a block that is missing or damaged
 */
export async function turnBlocks(source: TranscriptSource, turn: Owner, head: string): Promise<TranscriptBlock[] | null> {
  const blocks: TranscriptBlock[] = [];
  for (let next: string | null = head; next !== null && blocks.length < MOST_BLOCKS;) {
    const one: TranscriptBlock = await source.getBlock(next);
    blocks.push(one);
    if (one.block.kind === 'start') {
      const start = readBlock(one);
      return start?.kind === 'start' && isOf(turn, start) ? blocks.reverse() : null;
    }
    next = one.block.parent;
  }
  return null;
}

/** @param blocks of the whole turn: what a message says of a call needs the blocks around it */
export function transcriptPart(blocks: readonly TranscriptBlock[], from: number, most: number): TranscriptPart {
  const context = contextOf(blocks);
  const entries: TranscriptEntry[] = [];
  let room = PAGE_ROOM;
  for (const [index, one] of blocks.entries()) {
    if (index < from) continue;
    if (entries.length === most || room <= 0) return { entries, next: index };
    const entry = entryOf(one, context);
    room -= JSON.stringify(entry).length;
    entries.push(entry);
  }
  return { entries, next: null };
}

interface Context {
  start: ReadOf<'start'> | null;
  /** The message that began the turn. */
  first: TranscriptBlock | undefined;
  /** The model's id of a call → `<step>.<index>`. */
  calls: Map<string, string>;
}

function contextOf(blocks: readonly TranscriptBlock[]): Context {
  const read = blocks[0] === undefined ? null : readBlock(blocks[0]);
  const admissions = blocks.filter(({ block }) => block.kind === 'admission').flatMap(({ bodies }) => bodies.slice(1));
  const calls = admissions.filter(isJsonObject).map(({ tool_use_id, call_id }) => [text(tool_use_id), text(call_id)] as const);
  return {
    start: read?.kind === 'start' ? read : null,
    first: blocks.find(({ block }) => block.kind === 'message'),
    calls: new Map(calls),
  };
}

function entryOf(one: TranscriptBlock, context: Context): TranscriptEntry {
  const of = { block: one.hash, at: one.block.at };
  const read = readBlock(one);
  if (read === null || read.kind === 'enrolment' || read.kind === 'deputy' || read.kind === 'stop')
    return { ...of, kind: 'unreadable' };
  if (read.kind === 'message') return { ...of, ...messageEntry(read, one === context.first, context) };
  return { ...of, ...plainEntry(read) };
}

type WithoutBlock<E> = E extends TranscriptEntry ? Omit<E, 'block' | 'at'> : never;

function plainEntry(
  read: Exclude<ReadBlock, { kind: 'message' | 'enrolment' | 'deputy' | 'stop' }>,
): WithoutBlock<TranscriptEntry> {
  switch (read.kind) {
    case 'start': {
      const { requester, agent, session_id, parent } = read;
      return { kind: 'start', requester, agent, session_id, parent_turn_id: parent?.turn_id ?? null };
    }
    case 'admission': {
      const calls = read.calls.map(({ call_id: call, ...facts }) => ({ call, ...facts }));
      const { model, origin, passed } = read;
      return { kind: 'admission', model, asked: origin?.model ?? null, provider: origin?.provider ?? null, passed, calls };
    }
    case 'decision':
      return { kind: 'decision', ...callOf(read), decision: read.decision, by: read.by, note: read.note };
    case 'dispatch':
      return { kind: 'dispatch', ...callOf(read) };
    case 'effect':
      return { kind: 'effect', ...callOf(read), effect: read.effect };
    case 'settlement':
      return { kind: 'settlement', ...callOf(read), outcome: read.outcome, by: read.by, note: read.note };
    case 'summary':
      return { kind: 'summary', text: read.text === null ? null : read.text.slice(0, TEXT_ROOM).toWellFormed() };
    case 'end':
      return { kind: 'end', state: read.state, reason: read.reason };
  }
}

function callOf({ subject, digest }: { subject: ReadSubject | null; digest: string | null }) {
  return { call: subject?.call_id ?? null, tool: subject?.tool ?? null, digest };
}

function messageEntry(message: ReadMessage, isFirst: boolean, { start, calls }: Context): WithoutBlock<TranscriptEntry> {
  const { content } = message;
  const results = ofType(content, 'tool_result');
  const uses = ofType(content, 'tool_use');
  const room: CutRoom = { left: MESSAGE_ROOM, text: TEXT_ROOM, entries: MOST_ENTRIES, cut: false };
  const texts = ofType(content, 'text').map((part) => text(part.text));
  return {
    kind: 'message',
    ...senderOf(message, isFirst && results.length === 0, start),
    text: cutJson(texts.join('\n'), room),
    calls: uses.map(({ id, name, input }) => ({
      call: calls.get(text(id)) ?? null,
      tool: text(name),
      input: cutJson(input ?? null, room),
    })),
    results: results.map((result) => ({
      call: calls.get(text(result.tool_use_id)) ?? null,
      text: cutJson(resultText(result), room),
      is_error: result.is_error === true,
    })),
    files: message.role === 'user' ? filesInContent(content).slice(0, MOST_ENTRIES) : [],
    other: [...new Set(content.filter((part) => !isFilePart(part)).map(({ type }) => text(type)))].filter(
      (type) => !TEXT_AND_CALLS.includes(type),
    ),
    cut: room.cut,
  };
}

const TEXT_AND_CALLS = ['text', 'tool_use', 'tool_result'];

function senderOf({ role, steer }: ReadMessage, isFirst: boolean, start: Context['start']) {
  if (role === 'assistant') return { from: 'model', by: start?.agent ?? null } as const;
  if (steer !== null) return { from: 'steering', by: steer.by } as const;
  if (!isFirst) return { from: 'tools', by: null } as const;
  return start?.parent
    ? ({ from: 'parent', by: start.parent.turn_id } as const)
    : ({ from: 'requester', by: start?.requester ?? null } as const);
}

function ofType(content: readonly JsonObject[], type: string): JsonObject[] {
  return content.filter((part) => part.type === type);
}

function resultText({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  return list(content)
    .flatMap((part) => (isJsonObject(part) ? (textOrNull(part.text) ?? []) : []))
    .join('\n');
}
