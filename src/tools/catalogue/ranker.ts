/**
 * Which tools fit some words: BM25 over what a tool is for. What it is *not* for is left out, since that
 * names the subjects of other tools. Pure: the same on every worker, so that a retry chooses the same.
 */
import MiniSearch from 'minisearch';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import type { ToolClass } from '../../shared/turn/tool-class';
import { visible } from '../../shared/text/visible';
import { inputSchema } from '../schema/schema';
import type { Tool } from '../define/tool';

/** What is known about a tool before it is seen. */
export interface ToolEntry {
  name: string;
  /** One line, at most 160 characters; nothing invisible in it. */
  about: string;
  group: string;
  class: ToolClass;
}

/** Names of tools that fit the words, best first; none when nothing fits. */
export type Ranker = (query: string, tools: readonly ToolEntry[]) => string[];

const LINE = 160;
/** Words of a query that are looked at: a message may be as long as it likes. */
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

/** The ranker that ships, over these tools. */
export function bm25(tools: readonly Tool[]): (query: string) => string[] {
  const index = new MiniSearch<IndexEntry>({
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

/** Names that look like a name which is none, nearest first. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const index = new MiniSearch<{ name: string }>({ idField: 'name', fields: ['name'], tokenize: words });
  index.addAll(names.map((known) => ({ name: known })));
  return index
    .search(name.slice(0, 100), { prefix: (term) => term.length > 2, fuzzy: 0.34 })
    .slice(0, NEAREST)
    .map(({ id }) => String(id));
}

const NEAREST = 5;

/** Tools without a group. */
export const DEFAULT_GROUP = 'other';

/** Text into words for full-text search, of any script; the same on every worker. */

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
export const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Words of a text, as they stand; `camelCase` and `snake_case` count as several. */
export function words(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((run) => {
    if (UNSPACED.test(run)) return [...segmenter.segment(run)].filter((part) => part.isWordLike).map((part) => part.segment);
    return run.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  });
}

/** Words that say nothing about a subject. */
const EMPTY = new Set(
  (
    'a about all also an and any are as at be been but by can could did do does for from get give had has have her him his how i if in into is it its ' +
    'let me my need no not of on one or our out over please shall she should so some tell than that the their them then there these they this to ' +
    'up us use used using want was we were what when where which who why will with would you your'
  ).split(' '),
);

/** A word as an index keeps it: lower case, without a plural's ending; null for one that says nothing. */
export function indexed(word: string): string | null {
  const lower = word.normalize('NFKC').toLowerCase().slice(0, 64);
  if (EMPTY.has(lower)) return null;
  if (lower.length > 4 && lower.endsWith('ies')) return `${lower.slice(0, -3)}y`;
  return lower.length > 3 && lower.endsWith('s') && !lower.endsWith('ss') ? lower.slice(0, -1) : lower;
}
