/**
 * Ranks tools by a search query, with BM25 over their names, purposes, groups and fields. The index leaves out what a tool is
 * *not* for, since that text names the subjects of other tools. Pure: a retry on another worker gets the same result.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import type { ToolClass } from '../../shared/turn/tool-class';
import { visible } from '../../shared/text/visible';
import { inputSchema } from '../schema/schema';
import type { Tool } from '../define/tool';

// Few agents have so many tools that they need a search.
// oxlint-disable-next-line typescript/no-require-imports -- loaded on use, without a promise
const miniSearch = () => require('minisearch') as typeof import('minisearch').default;

/** What is known about a tool that is not loaded. */
export interface ToolEntry {
  name: string;
  /** One line, at most 160 characters, without invisible characters. */
  about: string;
  group: string;
  class: ToolClass;
}

/** Returns the names of tools that fit the query, best first; empty when none fits. */
export type Ranker = (query: string, tools: readonly ToolEntry[]) => string[];

const LINE = 160;
/** Limits for the part of a query that is searched for: a user's message may be of any length. */
const QUERY_CHARACTERS = 2000;
const QUERY_WORDS = 60;

export function entryOf(tool: Tool): ToolEntry {
  const text = typeof tool.description === 'string' ? tool.description : tool.description.does;
  const line = visible(text.slice(0, 4 * LINE).toWellFormed())
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  const about = sentence.length <= LINE ? sentence : `${sentence.slice(0, LINE - 1).toWellFormed()}…`;
  return { name: tool.name, about, group: tool.group ?? DEFAULT_GROUP, class: tool.class };
}

/** The built-in ranker, with an index of these tools. */
export function bm25(tools: readonly Tool[]): (query: string) => string[] {
  const index = new (miniSearch())<IndexEntry>({
    idField: 'name',
    fields: ['words', 'group', 'purpose', 'fields'],
    tokenize: words,
    processTerm: indexed,
  });
  index.addAll(tools.map(indexedTool));
  return (query) =>
    index
      .search(queryWords(query).join(' '), {
        boost: { words: 3, group: 1.5, purpose: 2, fields: 0.5 },
        prefix: (term) => term.length > 3,
        fuzzy: (term) => (term.length > 5 ? 0.2 : false),
        weights: { fuzzy: 0.3, prefix: 0.6 },
      })
      .map(({ id, score }) => ({ name: String(id), score }))
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name);
}

/** At most 60 different words. */
function queryWords(query: string): string[] {
  return [...new Set(words(query.slice(0, QUERY_CHARACTERS)))].slice(0, QUERY_WORDS);
}

interface IndexEntry {
  name: string;
  words: string;
  group: string;
  purpose: string;
  fields: string;
}

function indexedTool(tool: Tool): IndexEntry {
  const { description } = tool;
  const purpose =
    typeof description === 'string'
      ? description
      : [description.does, description.useWhen, description.returns].filter((part) => part !== undefined).join('\n');
  return { name: tool.name, words: tool.name, group: tool.group ?? '', purpose, fields: fieldWords(tool) };
}

function fieldWords(tool: Tool): string {
  const { properties } = inputSchema(tool.input as JsonObject);
  if (!isJsonObject(properties)) return '';
  return Object.entries(properties)
    .map(([name, field]) => `${name} ${isJsonObject(field) && typeof field.description === 'string' ? field.description : ''}`)
    .join('\n');
}

/** The known names most similar to an unknown name, nearest first. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const index = new (miniSearch())<{ name: string }>({ idField: 'name', fields: ['name'], tokenize: words });
  index.addAll(names.map((name) => ({ name })));
  return index
    .search(name.slice(0, 100), { prefix: (term) => term.length > 2, fuzzy: 0.34 })
    .slice(0, NEAREST)
    .map(({ id }) => String(id));
}

const NEAREST = 5;

/** The group of tools that declare none. */
export const DEFAULT_GROUP = 'other';

/** Splits text of any script into words for full-text search; the same on every worker. */

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
export const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** Made at its first use: it takes 10 ms. */
let segmenter: Intl.Segmenter | undefined;

/** The words of a text, unchanged; `camelCase` and `snake_case` are split. */
export function words(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((run) => {
    if (UNSPACED.test(run)) {
      segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
      return [...segmenter.segment(run)].filter((part) => part.isWordLike).map((part) => part.segment);
    }
    return run.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  });
}

/** English stop words. */
const EMPTY = new Set(
  (
    'a about all also an and any are as at be been but by can could did do does for from get give had has have her him his how i if in into is it its ' +
    'let me my need no not of on one or our out over please shall she should so some tell than that the their them then there these they this to ' +
    'up us use used using want was we were what when where which who why will with would you your'
  ).split(' '),
);

/** A word as the index stores it: lower case, without an English plural ending; null for a stop word. */
export function indexed(word: string): string | null {
  const lower = word.normalize('NFKC').toLowerCase().slice(0, 64);
  if (EMPTY.has(lower)) return null;
  if (lower.length > 4 && lower.endsWith('ies')) return `${lower.slice(0, -3)}y`;
  return lower.length > 3 && lower.endsWith('s') && !lower.endsWith('ss') ? lower.slice(0, -1) : lower;
}
