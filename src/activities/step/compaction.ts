/**
 * The conversation as the model is given it, where it had to be made smaller: a summary block says up to which block
 * old results are left out, and up to which block a summary stands for all. Everything before stays in the chain.
 * Pure: the same chain gives the same messages, so that a retried step repeats its request, and the prompt cache holds.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { ModelMessage } from '../../model/provider';
import { readBlock, type ReadSummary, lastOf, type ReadAdmission } from '../../record/read-block';
import type { JsonObject } from '../../shared/json/json';
import { estimateTokens } from '../../tools/define/model-text';
import type { StoredBlock } from '../../store/core/seal';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { messageOf, type Entry } from './conversation';
import { replaceDeclinedTurn } from './declined-turn';

/** Shorter results are no gain: the note is about as long. */
const LONG_RESULT = 600;
/** A text from which something is left out for a summary, characters: at first, and at the least. */
const LONGEST_TEXT = 131_072;
const SHORTEST_TEXT = 256;
/** The newest messages with results stay whole. */
const KEPT_RESULTS = 3;

export function compactedMessages(blocks: StoredBlock[]): ModelMessage[] {
  return entriesOf(blocks).map(({ message }) => message);
}

export function entriesOf(blocks: StoredBlock[]): Entry[] {
  let entries: Entry[] = [];
  let begins = false;
  let began: string | null = null;
  for (const stored of blocks) {
    if (stored.block.kind === 'start') begins = true;
    if (stored.block.kind === 'message') {
      const message = messageOf(stored);
      if (message !== null) entries.push({ hash: stored.hash, message, ...(begins ? { begins } : {}) });
      if (begins) began = stored.hash;
      begins = false;
      continue;
    }
    const read = readBlock(stored);
    if (read?.kind === 'admission' && read.stop_reason === 'refusal') entries = replaceDeclinedTurn(entries, began);
    if (read?.kind === 'summary') entries = applySummary(entries, read);
  }
  return entries;
}

/** A summary that names no block of the conversation changes nothing. */
function applySummary(entries: Entry[], { cleared_to, summarized_to, text }: ReadSummary): Entry[] {
  const cleared = entries.findIndex(({ hash }) => hash === cleared_to);
  const seen = entries.map((entry, index) => (index <= cleared ? withoutResults(entry) : entry));
  const last = entries.findIndex(({ hash }) => hash === summarized_to);
  if (last < 0 || text === null) return seen;
  return [{ hash: entries[last]!.hash, message: summaryMessage(text) }, ...seen.slice(last + 1)];
}

export function summaryMessage(text: string): ModelMessage {
  const lead = 'The conversation so far, summarized to make room; its record is complete:';
  return { role: 'user', content: [{ type: 'text', text: `[${lead}]\n\n${text}` }] };
}

/** The same, long results replaced by a note. */
export function withoutResults(entry: Entry): Entry {
  const { hash, message } = entry;
  return { ...entry, message: { ...message, content: message.content.map((block) => clearResult(block, hash)) } };
}

/** The same, so that the request for their summary fits beside what else it has: long texts lose their middle. */
export function shortenEntries(entries: Entry[], { window }: Room): Entry[] {
  let seen = entries;
  for (let most = LONGEST_TEXT; sum(seen) > ENOUGH * window && most > SHORTEST_TEXT; most /= 2)
    seen = entries.map((entry) => withShortTexts(entry, most));
  return seen;
}

function withShortTexts(entry: Entry, most: number): Entry {
  const content = entry.message.content.map((block) =>
    block.type === 'text' ? { ...block, text: shortText(String(block.text), most, entry.hash) } : block,
  );
  return { ...entry, message: { ...entry.message, content } };
}

function shortText(text: string, most: number, hash: string): string {
  const half = Math.floor(most / 2);
  if (text.length <= most) return text;
  const note = `[${text.length - 2 * half} characters were left out here to make room. They are kept in block ${hash}.]`;
  return `${text.slice(0, half)}\n${note}\n${text.slice(-half)}`.toWellFormed();
}

function clearResult(block: JsonObject, hash: string): JsonObject {
  if (block.type !== 'tool_result' || JSON.stringify(block.content ?? null).length < LONG_RESULT) return block;
  const text = `[This result was left out to make room. It is kept in block ${hash}. If you need it, make the call again.]`;
  return { ...block, content: [{ type: 'text', text }] };
}

export interface Room {
  /** The model's context window, tokens. */
  window: number;
  /** What the conversation took of it, as the last answer's usage had it. */
  used: number;
}

/** What is to be taken out. `upTo`: index of the last entry that it is about. */
export type Plan = { how: 'clear'; upTo: number } | { how: 'summarize'; upTo: number } | { how: 'nothing' };

/** Clearing must bring the conversation down to this part of the window, or it is summarized. */
const ENOUGH = 0.6;
/** What stays whole beside a summary, of the window. */
const TAIL = 0.2;

/** Results first: nothing that was said is lost by that. */
export function planOf(entries: Entry[], { window, used }: Room): Plan {
  const upTo = lastToClear(entries);
  const freed = upTo < 0 ? 0 : sum(entries) - sum(entries.map((entry, index) => (index <= upTo ? withoutResults(entry) : entry)));
  if (freed > 0 && used - freed <= ENOUGH * window) return { how: 'clear', upTo };
  const cut = cutAt(entries, TAIL * window);
  // One entry alone may be a summary already, which would be summarized for ever.
  if (cut >= 2 || sum(entries.slice(0, cut)) > TAIL * window) return { how: 'summarize', upTo: cut - 1 };
  return freed > 0 ? { how: 'clear', upTo } : { how: 'nothing' };
}

function lastToClear(entries: Entry[]): number {
  const withResults = entries.flatMap(({ message }, index) => (hasResults(message) ? [index] : []));
  return withResults.at(-KEPT_RESULTS - 1) ?? -1;
}

/**
 * Where the part that stays begins: as early as the tail allows, else as late as may be. Never between a call and its
 * result, and never so that results which the model has not read go.
 */
function cutAt(entries: Entry[], tail: number): number {
  const latest = entries.at(-1)?.message.role === 'user' ? firstUnread(entries) : entries.length;
  const places = Array.from({ length: latest + 1 }, (_, index) => index).filter((index) => mayCut(entries, index));
  return places.find((index) => index > 0 && sum(entries.slice(index)) <= tail) ?? places.at(-1) ?? 0;
}

/** From where on the model has not read all: its own last words, or the beginning of a turn in which it has said nothing. */
function firstUnread(entries: Entry[]): number {
  const answered = entries.findLastIndex(({ message }) => message.role === 'assistant');
  const unread = Math.max(
    answered,
    entries.findLastIndex(({ begins }) => begins),
  );
  return unread < 0 ? entries.length - 1 : unread;
}

/** Whether a conversation may be parted before this entry. */
export function mayCut(entries: readonly Pick<Entry, 'message'>[], index: number): boolean {
  const before = entries[index - 1]?.message;
  const after = entries[index]?.message;
  return (before === undefined || openCalls(before).length === 0) && (after === undefined || !hasResults(after));
}

export function openCalls({ role, content }: ModelMessage): JsonObject[] {
  return role === 'assistant' ? content.filter((block) => block.type === 'tool_use') : [];
}

function hasResults({ content }: ModelMessage): boolean {
  return content.some((block) => block.type === 'tool_result');
}

function sum(entries: Entry[]): number {
  return conversationTokens(entries.map(({ message }) => message));
}

/** By estimate. */
export function conversationTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((total, { content }) => total + estimateTokens(JSON.stringify(content), 'json'), 0);
}

/** Of one request, what it took of the context window: what went in, from wherever, and what came out. */
export function totalTokens(usage: JsonObject): number {
  if (typeof usage.context_tokens === 'number') return usage.context_tokens;
  const fields = ['input_tokens', 'cache_read_tokens', 'cache_creation_tokens', 'output_tokens'];
  return fields.reduce((sum, name) => sum + (typeof usage[name] === 'number' ? usage[name] : 0), 0);
}

// A conversation that is longer than the model's context window. The vendor says so before it answers, or stops in the middle of
// an answer; either way the step is written down as what it was, room is made, and the turn goes on.

/** Stands as the stop reason of a step whose request was refused: there is no answer. */
export const TOO_LONG = 'prompt_too_long';
const CUT = 'model_context_window_exceeded';

/** Whether it was the vendor who said that there is no room. */
export function saysFull(stopReason: unknown): boolean {
  return stopReason === TOO_LONG || stopReason === CUT;
}

export interface TooLong {
  /** What was sent, and what the window holds, in tokens; absent where the vendor has not said. */
  sent?: number;
  window?: number;
}

/** @throws whatever else it is */
export function asTooLong(error: unknown): TooLong {
  if (!(error instanceof ApplicationFailure) || error.type !== 'model.too_large') throw error;
  const [, sent, window] = /(\d{1,12}) tokens > (\d{1,12})/.exec(error.message) ?? [];
  return sent === undefined ? {} : { sent: Number(sent), window: Number(window) };
}

/** What the model is told after an answer for which there was no room; null: the last one was whole. */
export function goOnText(blocks: StoredBlock[], last: ModelMessage | undefined): string | null {
  if (last?.role !== 'assistant' || lastOf('admission', blocks)?.stop_reason !== CUT) return null;
  return 'Your answer was cut off, because the context window was full. There is room again: give the whole answer once more.';
}

/** How much room there is, as far as the last request tells. */
export function roomOf(blocks: StoredBlock[], messages: readonly ModelMessage[], { agent }: PreparedAgent): Room {
  const admission = lastOf('admission', blocks);
  const used = contextTokens(admission);
  if (!saysFull(admission?.stop_reason)) return { window: agent.contextWindow, used };
  const told = admission?.context_window ?? agent.contextWindow;
  const most = Math.max(used, conversationTokens(messages));
  // It is full, whatever the figures say.
  return { window: Math.min(agent.contextWindow, told, most), used: most };
}

/** What the last request and its answer took of the window; 0 before the first. */
function contextTokens(admission: ReadAdmission | null): number {
  return admission?.usage ? totalTokens(admission.usage) : 0;
}
