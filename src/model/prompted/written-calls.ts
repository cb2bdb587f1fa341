/**
 * Reads tool calls that a model writes into its text. The prompt asks for one spelling (prompted.ts); many models use the one that
 * they were trained on, so the common ones are read too: JSON objects, the tags of Hermes and Qwen, of Llama, Mistral and DeepSeek,
 * and ReAct's lines. An object counts only at the beginning of a line, so that an object quoted inside a sentence is no call;
 * nothing inside the model's thinking counts. Text that begins like a call but cannot be read becomes a call too: admission reports
 * what is wrong with it, and the loop continues, instead of taking an intended call for prose.
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import type { ModelTool } from '../provider';
import { callsOf, toWrittenCall, orUnreadable, stripFence, unreadableCall, type WrittenCall } from './call-objects';

export type { WrittenCall } from './call-objects';

/** A model's thinking is between tags. Tags in backticks are quoted, and do not count. */

const NAMES = 'think(?:ing)?|thought|reasoning';
const quotable = (tag: string) => `(?<!\`)(?:${tag})|(?:${tag})(?!\`)`;

export const THOUGHT_BEGINS = new RegExp(quotable(`<(?:${NAMES})\\s{0,8}>|\\[THINK\\]`), 'i');
export const THOUGHT_ENDS = new RegExp(quotable(`<\\/(?:${NAMES})\\s{0,8}>|\\[\\/THINK\\]`), 'i');

/** The end tag of the thought with which an answer begins, if the model's template has written the tag that begins it. */
export function firstEnd(answer: string): { from: number; to: number } | null {
  const end = THOUGHT_ENDS.exec(answer);
  const begin = THOUGHT_BEGINS.exec(answer);
  if (end === null || (begin !== null && begin.index < end.index)) return null;
  return { from: end.index, to: end.index + end[0].length };
}

/** Admission accepts fewer from one answer. */
const MOST_CALLS = 100;

interface CallMatch {
  calls: WrittenCall[];
  /** Where to continue. */
  end: number;
  /** The answer ends before the calls do. */
  isOpen?: boolean;
}

interface Spelling {
  begins: RegExp;
  /** @param at index after what `begins` has found */
  read(answer: string, at: number, match: RegExpExecArray, tools: readonly ModelTool[]): CallMatch;
}

/** Each `begins` matches within a bounded distance, and each `read` scans once: the time is proportional to the text. */
const SPELLINGS: readonly Spelling[] = [
  { begins: THOUGHT_BEGINS, read: (answer, at) => ({ calls: [], end: upTo(answer, at, THOUGHT_ENDS).end }) },
  {
    begins:
      /^[ \t]{0,8}(?=(?:\[\s{0,40})?\{\s{0,40}["'](?:tool|tool_name|arguments|name|parameters|function|function_call|type|tool_calls?|action|id|index)["']\s{0,8}:)/m,
    read: (answer, at, _match, tools) => {
      const end = endOfObject(answer, at);
      return { calls: callsOf(answer.slice(at, end), tools), end };
    },
  },
  { begins: /(?<!`)<(tool_call|function_call)>/, read: (answer, at, [, tag], tools) => readTag(answer, at, `</${tag}>`, tools) },
  {
    begins: /(?<!`)<(?:function=|invoke name=)"?([\w.:-]{1,200})"?\s{0,8}>/,
    read: (answer, at, [opening, name], tools) => {
      const { body, ...place } = upTo(answer, at, opening.startsWith('<invoke') ? '</invoke>' : '</function>');
      return { calls: [parameters(name!, body, tools)], ...place };
    },
  },
  { begins: /\[TOOL_CALLS\]\s{0,8}/, read: (answer, at, _match, tools) => mistral(answer, at, tools) },
  {
    begins: /<[|｜]tool[_▁]call[_▁]begin[|｜]>/,
    read: (answer, at) => {
      const { body, ...place } = upTo(answer, at, /<[|｜]tool[_▁]call[_▁]end[|｜]>/);
      const [head = '', ...rest] = body.split(/<[|｜]tool[_▁]sep[|｜]>/);
      const text = rest.join('');
      const type = ['', 'function'].includes(head.trim()) ? /^\s*([^\n`{]{1,200})/.exec(text)?.[1] : undefined;
      const input = stripFence(type === undefined ? text : text.slice(text.indexOf(type) + type.length));
      return { calls: [toWrittenCall((type ?? head).trim(), input)], ...place };
    },
  },
  {
    begins: /<\|python_tag\|>\s{0,8}/,
    read: (answer, at, _match, tools) => {
      const end = answer[at] === '{' ? endOfObject(answer, at) : lineEnd(answer, at);
      return { calls: orUnreadable(callsOf(answer.slice(at, end), tools), answer.slice(at, end)), end };
    },
  },
  {
    begins: /^[ \t]{0,8}\*{0,2}Action:\*{0,2}[ \t]{0,8}([^\n]{1,200})\n[ \t]{0,8}\*{0,2}Action Input:\*{0,2}[ \t]{0,8}\n?/m,
    read: (answer, at, [, name]) => {
      const start = at + /^\s{0,40}(?:```\w{0,10}\s{0,8})?/.exec(answer.slice(at, at + 100))![0].length;
      const end = answer[start] === '{' ? endOfObject(answer, start) : lineEnd(answer, at);
      const tool = name!.trim().replace(/^[`"*]+|[`"*]+$/g, '');
      const input = stripFence(answer.slice(at, end));
      const isOpen = input === '' && end === answer.length;
      return { calls: [toWrittenCall(tool, input)], end: endAfterInventedObservation(answer, end), isOpen };
    },
  },
  {
    // An action without its input on a line of its own: the model gets an error.
    begins: /^[ \t]{0,8}\*{0,2}Action:\*{0,2}[ \t]{0,8}[`"*]{0,3}([\w.:-]{1,128})[`"*]{0,3}[ \t]{0,8}(?=[[(]|$)/m,
    read: (answer, at, [line, name], tools) => {
      if (!tools.some((tool) => tool.name === name)) return { calls: [], end: at };
      const end = lineEnd(answer, at);
      return {
        calls: [{ tool: name!, input: {}, json: line + answer.slice(at, end) }],
        end: endAfterInventedObservation(answer, end),
      };
    },
  },
];

/**
 * An answer's text as prose and calls, in order.
 * @param tools show which arguments are texts, if a spelling does not
 * @param isCut the answer was cut off: a call without an end is not whole, and admission cannot read it
 */
export function piecesOf(answer: string, tools: readonly ModelTool[], isCut = false): (string | WrittenCall)[] {
  const pieces: (string | WrittenCall)[] = [];
  let position = 0;
  let count = 0;
  for (const { calls: all, start, end, isOpen } of scanCalls(answer, tools, indexAfterThinking(answer, tools))) {
    if (all.length === 0) continue;
    const calls = isOpen && isCut ? all.map(({ tool }) => ({ tool, input: {}, json: answer.slice(start, end) })) : all;
    pieces.push(
      ...prose(answer.slice(position, start), { after: count > 0, before: true }),
      ...calls.slice(0, MOST_CALLS - count),
    );
    count += calls.length;
    position = end;
    if (count >= MOST_CALLS) break;
  }
  if (count === 0) return [answer];
  return [...pieces, ...prose(answer.slice(position), { after: true, before: false })];
}

/** Calls and thoughts, in order; a thought has no calls. */
function* scanCalls(answer: string, tools: readonly ModelTool[], from = 0): Generator<CallMatch & { start: number }> {
  const next = new Map<Spelling, RegExpExecArray | null>();
  for (let at = from; ;) {
    const first = firstOf(answer, at, next);
    if (first === null) return;
    const [spelling, match] = first;
    const { end, ...others } = spelling.read(answer, match.index + match[0].length, match, tools);
    at = Math.max(end, match.index + 1);
    yield { ...others, start: match.index, end: at };
  }
}

/** Index after the thought with which an answer begins. A tag in an argument of a call ends no thought. */
function indexAfterThinking(answer: string, tools: readonly ModelTool[]): number {
  const tag = firstEnd(answer);
  if (tag === null) return 0;
  for (const { calls, start, end } of scanCalls(answer, tools)) {
    if (start >= tag.from) break;
    if (end > tag.from) return calls.length > 0 && calls.every(isReadable) ? 0 : tag.to;
  }
  return tag.to;
}

function isReadable({ json }: WrittenCall): boolean {
  try {
    parseJson(json);
    return true;
  } catch {
    return false;
  }
}

/** The spelling that begins next. Each one is searched again only after its last match. */
function firstOf(answer: string, at: number, next: Map<Spelling, RegExpExecArray | null>): [Spelling, RegExpExecArray] | null {
  let best: [Spelling, RegExpExecArray] | null = null;
  for (const spelling of SPELLINGS) {
    const cachedMatch = next.get(spelling);
    if (cachedMatch === undefined || (cachedMatch !== null && cachedMatch.index < at)) {
      const search = new RegExp(spelling.begins.source, `g${spelling.begins.flags}`);
      search.lastIndex = at;
      next.set(spelling, search.exec(answer));
    }
    const match = next.get(spelling);
    if (match && (best === null || match.index < best[1].index)) best = [spelling, match];
  }
  return best;
}

/** Index after the object or list that begins at `start`; the end of the text if it is not closed. */
function endOfObject(answer: string, start: number): number {
  const [opens, closes] = answer[start] === '[' ? ['[', ']'] : ['{', '}'];
  let depth = 0;
  let inString = false;
  for (let at = start; at < answer.length; at++) {
    const char = answer[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === opens) depth += 1;
    else if (char === closes && --depth <= 0) return at + 1;
  }
  return answer.length;
}

function lineEnd(answer: string, at: number): number {
  const end = answer.indexOf('\n', at);
  return end < 0 ? answer.length : end;
}

/** An observation that the model writes itself is invented, and so is what follows it. */
function endAfterInventedObservation(answer: string, end: number): number {
  return answer.indexOf('\nObservation:', end - 1) < 0 ? end : answer.length;
}

function upTo(answer: string, at: number, closing: string | RegExp): { body: string; end: number; isOpen?: boolean } {
  if (typeof closing === 'string') {
    const index = answer.indexOf(closing, at);
    return index < 0
      ? { body: answer.slice(at), end: answer.length, isOpen: true }
      : { body: answer.slice(at, index), end: index + closing.length };
  }
  const search = new RegExp(closing.source, `g${closing.flags}`);
  search.lastIndex = at;
  const match = search.exec(answer);
  return match
    ? { body: answer.slice(at, match.index), end: match.index + match[0].length }
    : { body: answer.slice(at), end: answer.length, isOpen: true };
}

function readTag(answer: string, at: number, closing: string, tools: readonly ModelTool[]): CallMatch {
  const { body, end, isOpen = false } = upTo(answer, at, closing);
  const xml = /^\s*<(?:function=|invoke name=)"?([\w.:-]{1,200})"?\s*>/.exec(body.slice(0, 300));
  if (xml) {
    const inner = body.slice(xml[0].length).trimEnd();
    const [ending] = /<\/(?:function|invoke)>$/.exec(inner.slice(-20)) ?? [''];
    const call = parameters(xml[1]!, inner.slice(0, inner.length - ending.length), tools);
    return { calls: [call], end, isOpen: isOpen && ending === '' };
  }
  const text = stripFence(body);
  return { calls: orUnreadable(callsOf(text, tools), text), end, isOpen };
}

/** `[{…}, …]`, or names with their arguments: `name[ARGS]{…}` and `name{…}`, one after the other. */
function mistral(answer: string, at: number, tools: readonly ModelTool[]): CallMatch {
  if (answer[at] === '[' || answer[at] === '{') {
    const end = endOfObject(answer, at);
    return { calls: orUnreadable(callsOf(answer.slice(at, end), tools), answer.slice(at, end)), end };
  }
  const [beginning, name] =
    /^([\w.-]{1,200})(?:\[CALL_ID\][\w-]{1,100})?\s{0,8}(?:\[ARGS\])?\s{0,8}/.exec(answer.slice(at, at + 400)) ?? [];
  if (beginning === undefined || answer[at + beginning.length] !== '{') {
    const end = lineEnd(answer, at);
    return { calls: [unreadableCall(answer.slice(at, end))], end };
  }
  const end = endOfObject(answer, at + beginning.length);
  return { calls: [toWrittenCall(name!, answer.slice(at + beginning.length, end))], end };
}

const PARAMETER = /<parameter(?:=| name=)"?([^">\n]{1,200})"?>([^]*?)(<\/parameter>|$)/g;

/** `<parameter=key>value</parameter>`, or an object between the tags. A parameter without an end may not be whole. */
function parameters(name: string, body: string, tools: readonly ModelTool[]): WrittenCall {
  if (!/<parameter/.test(body)) return toWrittenCall(name, stripFence(body));
  const properties = tools.find((tool) => tool.name === name)?.input_schema.properties ?? null;
  const input: [string, Json][] = [];
  const others = body.replace(PARAMETER, (element, key: string, value: string, ending: string) => {
    const schema = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const type = isJsonObject(schema ?? null) ? (schema as JsonObject).type : undefined;
    input.push([key, valueOf(value.replace(/^\n|\n$/g, ''), type)]);
    return ending === '' ? element : '';
  });
  if (others.includes('<parameter')) return { tool: name, input: {}, json: body };
  const object = Object.fromEntries(input);
  return { tool: name, input: object, json: JSON.stringify(object) };
}

function valueOf(text: string, type: Json | undefined): Json {
  if (type === 'string') return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Text beside a call, without the fence or the marks around the call. */
function prose(between: string, call: { after: boolean; before: boolean }): string[] {
  let words = between.replace(/<[|｜]tool[_▁]calls[_▁](?:begin|end)[|｜]>|<\/?function_calls>/g, '').trim();
  if (call.after && words.startsWith('```')) words = words.slice(3).trimStart();
  if (call.before) words = words.replace(/```\w{0,10}$/, '').trimEnd();
  return words === '' ? [] : [words];
}
