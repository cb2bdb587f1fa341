/**
 * Builds the messages that the model gets, with compaction applied, and plans compaction. A summary block names the block up to which
 * old results are left out, and the block up to which a summary replaces all messages. Everything stays in the chain.
 * Pure: the same chain gives the same messages, so that a retried step repeats its request, and the prompt cache applies.
 * Also finds out whether the vendor says that the context window is full.
 */
import { ApplicationFailure } from '@temporalio/activity';
import { lengthFigures, type LengthFigures } from '../../model/context/too-long';
import type { ModelMessage } from '../../model/provider';
import { readBlock, type ReadSummary, lastOf, type ReadAdmission } from '../../record/read-block';
import { filesInContent } from '../../record/stored-file';
import type { Json, JsonObject } from '../../shared/json/json';
import { estimateTokens } from '../../tools/define/model-text';
import type { StoredBlock } from '../../store/core/seal';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { messageOf, type Entry } from './conversation';

/** Characters of JSON. Shorter results stay: the note is about as long. */
const LONG_RESULT = 600;
/** Limit of texts in the request for a summary, characters: at first, and the lower bound when it is halved. */
const LONGEST_TEXT = 131_072;
const SHORTEST_TEXT = 256;
/** Number of the newest messages with results, which stay whole. */
const KEPT_RESULTS = 3;

export function messagesForModel(blocks: StoredBlock[]): ModelMessage[] {
  return entriesOf(blocks).map(({ message }) => message);
}

export function entriesOf(blocks: StoredBlock[]): Entry[] {
  let entries: Entry[] = [];
  let begins = false;
  let began: string | null = null;
  for (const storedBlock of blocks) {
    if (storedBlock.block.kind === 'start') begins = true;
    if (storedBlock.block.kind === 'message') {
      const message = messageOf(storedBlock);
      if (message !== null) entries.push({ hash: storedBlock.hash, message, ...(begins ? { begins } : {}) });
      if (begins) began = storedBlock.hash;
      begins = false;
      continue;
    }
    const read = readBlock(storedBlock);
    if (read?.kind === 'admission' && read.stop_reason === 'refusal') entries = replaceDeclinedTurn(entries, began);
    if (read?.kind === 'summary') entries = applySummary(entries, read);
  }
  return entries;
}

/** A summary that names no block of the conversation changes nothing. */
function applySummary(entries: Entry[], { cleared_to, summarized_to, text }: ReadSummary): Entry[] {
  const clearIndex = entries.findIndex(({ hash }) => hash === cleared_to);
  const view = entries.map((entry, index) => (index <= clearIndex ? withoutResults(entry) : entry));
  const last = entries.findIndex(({ hash }) => hash === summarized_to);
  if (last < 0 || text === null) return view;
  return [{ hash: entries[last]!.hash, message: summaryMessage(text) }, ...view.slice(last + 1)];
}

export function summaryMessage(text: string): ModelMessage {
  const lead = 'The conversation so far, summarized to make room; its record is complete:';
  return { role: 'user', content: [{ type: 'text', text: `[${lead}]\n\n${text}` }] };
}

/** The entry, with long results replaced by a note. */
export function withoutResults(entry: Entry): Entry {
  const { hash, message } = entry;
  return { ...entry, message: { ...message, content: message.content.map((block) => clearResult(block, hash)) } };
}

/** Cuts the middle out of long texts, so that the request for a summary fits into the window with its other parts. */
export function shortenEntries(entries: Entry[], { window }: WindowUsage): Entry[] {
  let view = entries;
  for (let most = LONGEST_TEXT; sum(view) > ENOUGH * window && most > SHORTEST_TEXT; most /= 2)
    view = entries.map((entry) => withShortTexts(entry, most));
  return view;
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
  if (block.type !== 'tool_result') return block;
  const isShort = JSON.stringify(block.content ?? null).length < LONG_RESULT;
  if (isShort && filesInContent([block]).length === 0) return block;
  const text = `[This result was left out to make room. It is kept in block ${hash}. If you need it, make the call again.]`;
  return { ...block, content: [{ type: 'text', text }] };
}

export interface WindowUsage {
  /** The model's context window, tokens. */
  window: number;
  /** Tokens that the conversation took, by the usage of the last answer. */
  used: number;
}

/** What to remove. `upTo`: index of the last entry that is affected. */
export type Plan = { how: 'clear'; upTo: number } | { how: 'summarize'; upTo: number } | { how: 'nothing' };

/** Clearing must bring the conversation down to this part of the window, or it is summarized. */
const ENOUGH = 0.6;
/** The part of the window that stays whole after a summary. */
const TAIL = 0.2;

/** Clears results first: no text of the user or the model is lost by that. */
export function planOf(entries: Entry[], { window, used }: WindowUsage): Plan {
  const upTo = lastToClear(entries);
  const saving =
    upTo < 0 ? 0 : sum(entries) - sum(entries.map((entry, index) => (index <= upTo ? withoutResults(entry) : entry)));
  if (saving > 0 && used - saving <= ENOUGH * window) return { how: 'clear', upTo };
  const cut = cutAt(entries, TAIL * window);
  // A single entry may be a summary already, which would be summarized again and again.
  if (cut >= 2 || sum(entries.slice(0, cut)) > TAIL * window) return { how: 'summarize', upTo: cut - 1 };
  return saving > 0 ? { how: 'clear', upTo } : { how: 'nothing' };
}

/** Whether a conversation of so many tokens, more than the window has, becomes shorter by compaction. */
export function canMakeRoom(blocks: StoredBlock[], { agent }: PreparedAgent, tokens: number): boolean {
  const entries = entriesOf(blocks);
  const used = Math.max(tokens, sum(entries));
  return planOf(entries, { window: agent.contextWindow, used }).how !== 'nothing';
}

function lastToClear(entries: Entry[]): number {
  const withResults = entries.flatMap(({ message }, index) => (hasResults(message) ? [index] : []));
  return withResults.at(-KEPT_RESULTS - 1) ?? -1;
}

/**
 * The index where the kept part begins: as early as the tail allows, otherwise as late as possible. It is never between a call
 * and its result, and results that the model has not read are always kept.
 */
function cutAt(entries: Entry[], tail: number): number {
  const latest = entries.at(-1)?.message.role === 'user' ? firstUnread(entries) : entries.length;
  const places = Array.from({ length: latest + 1 }, (_, index) => index).filter((index) => mayCut(entries, index));
  return places.find((index) => index > 0 && sum(entries.slice(index)) <= tail) ?? places.at(-1) ?? 0;
}

/** The first entry to keep for the model: its own last message, or the beginning of a turn that it has not answered. */
function firstUnread(entries: Entry[]): number {
  const lastAnswer = entries.findLastIndex(({ message }) => message.role === 'assistant');
  const unread = Math.max(
    lastAnswer,
    entries.findLastIndex(({ begins }) => begins),
  );
  return unread < 0 ? entries.length - 1 : unread;
}

/** Whether a conversation may be cut before this entry. */
export function mayCut(entries: readonly Pick<Entry, 'message'>[], index: number): boolean {
  const before = entries[index - 1]?.message;
  const after = entries[index]?.message;
  return (before === undefined || toolCallsOf(before).length === 0) && (after === undefined || !hasResults(after));
}

export function toolCallsOf({ role, content }: ModelMessage): JsonObject[] {
  return role === 'assistant' ? content.filter((block) => block.type === 'tool_use') : [];
}

function hasResults({ content }: ModelMessage): boolean {
  return content.some((block) => block.type === 'tool_result');
}

function sum(entries: Entry[]): number {
  return conversationTokens(entries.map(({ message }) => message));
}

const TOKENS_OF_IMAGE = 1600;
/** A page of a PDF, which vendors read as text and as an image. */
const TOKENS_OF_PAGE = 3000;
const BYTES_OF_PAGE = 50_000;

/** An estimate: how large the pages of a PDF are is not known. */
function fileTokens(content: readonly JsonObject[]): number {
  return filesInContent(content).reduce((total, { type, media_type, size }) => {
    if (type === 'image') return total + TOKENS_OF_IMAGE;
    return total + (media_type === 'text/plain' ? size / 4 : Math.ceil(size / BYTES_OF_PAGE) * TOKENS_OF_PAGE);
  }, 0);
}

/** An estimate. */
export function conversationTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce(
    (total, { content }) => total + estimateTokens(JSON.stringify(content), 'json') + fileTokens(content),
    0,
  );
}

/** The tokens of the context window that one request took: input, cached or not, and output. */
export function totalTokens(usage: JsonObject): number {
  if (typeof usage.context_tokens === 'number') return usage.context_tokens;
  const fields = ['input_tokens', 'cache_read_tokens', 'cache_creation_tokens', 'output_tokens'];
  return fields.reduce((sum, name) => sum + (typeof usage[name] === 'number' ? usage[name] : 0), 0);
}

// A conversation that is longer than the model's context window. The vendor refuses the request, or stops in the middle of an
// answer. In both cases the step is recorded as it was, the conversation is compacted, and the turn continues.

/** The stop reason of a step whose request was refused, so that there is no answer. */
export const PROMPT_TOO_LONG = 'prompt_too_long';
const CUT = 'model_context_window_exceeded';

/** Whether the vendor reported that the context window is full. */
export function saysFull(stopReason: unknown): boolean {
  return stopReason === PROMPT_TOO_LONG || stopReason === CUT;
}

/** @throws any other error, unchanged */
export function asTooLong(error: unknown): LengthFigures {
  if (!(error instanceof ApplicationFailure) || error.type !== 'model.too_large') throw error;
  return lengthFigures(error.message);
}

/** The message to the model after an answer that was cut because the window was full; null: there is no such answer. */
export function repeatAnswerText(blocks: StoredBlock[], last: ModelMessage | undefined): string | null {
  if (last?.role !== 'assistant' || lastOf('admission', blocks)?.stop_reason !== CUT) return null;
  return 'Your answer was cut off, because the context window was full. There is room again: give the whole answer once more.';
}

/** The size of the window and the tokens in use, by the last request. */
export function windowUsage(blocks: StoredBlock[], messages: readonly ModelMessage[], { agent }: PreparedAgent): WindowUsage {
  const admission = lastOf('admission', blocks);
  const tokens = contextTokens(admission);
  if (!saysFull(admission?.stop_reason)) return { window: agent.contextWindow, used: tokens };
  const reportedWindow = admission?.context_window ?? agent.contextWindow;
  const most = Math.max(tokens, conversationTokens(messages));
  // The vendor reported a full window, even if the figures disagree.
  return { window: Math.min(agent.contextWindow, reportedWindow, most), used: most };
}

/** Tokens of the window that the last request and its answer took; 0 before the first. */
function contextTokens(admission: ReadAdmission | null): number {
  return admission?.usage ? totalTokens(admission.usage) : 0;
}

// A turn that the model declined to answer is replaced by a note. The vendor also declines every later request that contains the
// turn, so that the session would never get an answer again. The chain keeps the whole turn.

/** @param began hash of the block of the turn's first message; if a summary replaced it, the turn continues after the summary */
function replaceDeclinedTurn(entries: Entry[], began: string | null): Entry[] {
  const index = entries.findIndex(({ hash }) => hash === began);
  const from = index < 0 ? Math.min(1, entries.length) : index;
  const turnEntries = entries.slice(from);
  const hash = turnEntries.at(-1)?.hash;
  if (hash === undefined) return entries;
  return [
    ...entries.slice(0, from),
    { hash, message: { role: 'user', content: [{ type: 'text', text: noteOf(turnEntries, hash) }] } },
  ];
}

function noteOf(entries: Entry[], hash: string): string {
  const blocks = entries.flatMap(({ message }) => message.content);
  const names = new Map(blocks.flatMap(({ type, id, name }) => (type === 'tool_use' ? [[id, name] as const] : [])));
  const results = blocks.flatMap(({ type, tool_use_id, is_error }) =>
    type === 'tool_result' ? [`${nameOf(names.get(tool_use_id))} (with ${is_error === true ? 'an error' : 'a result'})`] : [],
  );
  const calls = results.length === 0 ? '' : ` Calls that it made: ${results.join(', ')}. They may have taken effect.`;
  return `[The messages of this turn were left out: the model declined to answer them. They are kept up to block ${hash}.${calls}]`;
}

function nameOf(name: Json | undefined): string {
  return JSON.stringify(String(name ?? '').slice(0, 64).toWellFormed()); // oxfmt-ignore
}
