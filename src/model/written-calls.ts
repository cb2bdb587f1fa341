/**
 * Tool calls that a model writes into its text. The spelling is asked for in the prompt (prompted.ts); many models fall back
 * to the one that they were trained on, so the common ones are read too: JSON objects, the tags of Hermes and Qwen, of Llama,
 * Mistral and DeepSeek, and ReAct's lines. An object counts where it begins a line, so that a model which quotes one inside
 * a sentence does not call; nothing counts inside what a model thinks. What begins like a call and cannot be read becomes
 * a call too: admission says what is wrong with it, and the loop goes on, instead of an intended call passing for prose.
 */
import { isJsonObject, type Json, type JsonObject } from '../shared/json';
import { parseJson } from '../shared/parse-json';
import type { ModelTool } from './provider';

export interface WrittenCall {
  tool: string;
  input: JsonObject;
  /** What admission parses. */
  json: string;
}

/** Admission takes fewer from one answer. */
const MOST_CALLS = 100;

interface Found {
  calls: WrittenCall[];
  /** Where to go on. */
  end: number;
}

interface Spelling {
  begins: RegExp;
  /** @param at behind what `begins` has found */
  read(answer: string, at: number, found: RegExpExecArray, tools: readonly ModelTool[]): Found;
}

/** Each begins with what is found within a bounded distance, and reads on once: the time stays in proportion to the text. */
const SPELLINGS: readonly Spelling[] = [
  {
    begins: /^[ \t]{0,8}(?=\{\s{0,40}"(?:tool|arguments|name|parameters|function|type|tool_calls?|action)"\s{0,8}:)/m,
    read: (answer, at) => {
      const end = endOfObject(answer, at);
      return { calls: callsOf(answer.slice(at, end)), end };
    },
  },
  { begins: /(?<!`)<(tool_call|function_call)>/, read: (answer, at, [, tag], tools) => tagged(answer, at, `</${tag}>`, tools) },
  {
    begins: /(?<!`)<(?:function=|invoke name=)"?([\w.:-]{1,200})"?\s{0,8}>/,
    read: (answer, at, [opening, name], tools) => {
      const { body, end } = upTo(answer, at, opening.startsWith('<invoke') ? '</invoke>' : '</function>');
      return { calls: [parameters(name!, body, tools)], end };
    },
  },
  { begins: /\[TOOL_CALLS\]\s{0,8}/, read: (answer, at) => mistral(answer, at) },
  {
    begins: /<[|｜]tool[_▁]call[_▁]begin[|｜]>/,
    read: (answer, at) => {
      const { body, end } = upTo(answer, at, /<[|｜]tool[_▁]call[_▁]end[|｜]>/);
      const [head = '', ...rest] = body.split(/<[|｜]tool[_▁]sep[|｜]>/);
      const written = rest.join('');
      const type = ['', 'function'].includes(head.trim()) ? /^\s*([^\n`{]{1,200})/.exec(written)?.[1] : undefined;
      const input = unfenced(type === undefined ? written : written.slice(written.indexOf(type) + type.length));
      return { calls: [named((type ?? head).trim(), input)], end };
    },
  },
  {
    begins: /<\|python_tag\|>\s{0,8}/,
    read: (answer, at) => {
      const end = answer[at] === '{' ? endOfObject(answer, at) : lineEnd(answer, at);
      return { calls: orUnread(callsOf(answer.slice(at, end)), answer.slice(at, end)), end };
    },
  },
  {
    begins: /^[ \t]{0,8}Action:[ \t]{0,8}([^\n]{1,200})\n[ \t]{0,8}Action Input:[ \t]{0,8}\n?/m,
    read: (answer, at, [, name]) => {
      const start = at + /^\s{0,40}(?:```\w{0,10}\s{0,8})?/.exec(answer.slice(at, at + 100))![0].length;
      const end = answer[start] === '{' ? endOfObject(answer, start) : lineEnd(answer, at);
      // What a model writes as the observation is made up, and so is what follows from it.
      const made = answer.indexOf('\nObservation:', end - 1);
      return {
        calls: [named(name!.trim().replace(/^[`"*]+|[`"*]+$/g, ''), unfenced(answer.slice(at, end)))],
        end: made < 0 ? end : answer.length,
      };
    },
  },
];

/** An answer's text as prose and calls, in order. @param tools tell which arguments are texts, where a spelling does not */
export function piecesOf(answer: string, tools: readonly ModelTool[]): (string | WrittenCall)[] {
  const pieces: (string | WrittenCall)[] = [];
  const thought = thoughts(answer);
  let thinking = 0;
  let done = 0;
  let count = 0;
  const next = new Map<Spelling, RegExpExecArray | null>();
  for (let at = 0; count < MOST_CALLS;) {
    const first = firstOf(answer, at, next);
    if (first === null) break;
    const [spelling, match] = first;
    const start = match.index + match[0].length;
    while (thinking < thought.length && thought[thinking]!.to <= match.index) thinking += 1;
    const span = thought[thinking];
    const inside = span !== undefined && span.from <= match.index ? span : undefined;
    const { calls, end } = inside ? { calls: [], end: inside.to } : spelling.read(answer, start, match, tools);
    at = Math.max(end, match.index + 1);
    if (calls.length === 0) continue;
    pieces.push(
      ...prose(answer.slice(done, match.index), { after: count > 0, before: true }),
      ...calls.slice(0, MOST_CALLS - count),
    );
    count += calls.length;
    done = at;
  }
  if (count === 0) return [answer];
  return [...pieces, ...prose(answer.slice(done), { after: true, before: false })];
}

/** The spelling that begins next. Each is looked for again only behind where it was found. */
function firstOf(answer: string, at: number, next: Map<Spelling, RegExpExecArray | null>): [Spelling, RegExpExecArray] | null {
  let best: [Spelling, RegExpExecArray] | null = null;
  for (const spelling of SPELLINGS) {
    const known = next.get(spelling);
    if (known === undefined || (known !== null && known.index < at)) {
      const search = new RegExp(spelling.begins.source, `g${spelling.begins.flags}`);
      search.lastIndex = at;
      next.set(spelling, search.exec(answer));
    }
    const match = next.get(spelling);
    if (match && (best === null || match.index < best[1].index)) best = [spelling, match];
  }
  return best;
}

/** What the model thinks, in its tags. Where a template has written the first tag, the answer has only the last. */
function thoughts(answer: string): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  let from: number | null = null;
  for (const { 0: tag, index } of answer.matchAll(/<\/?think(?:ing)?>/g)) {
    if (!tag.startsWith('</')) from ??= index;
    else if (from !== null || spans.length === 0) {
      spans.push({ from: from ?? 0, to: index + tag.length });
      from = null;
    }
  }
  return from === null ? spans : [...spans, { from, to: answer.length }];
}

/** Index behind the object or list that begins at `start`; the end of the text when it has none. */
function endOfObject(answer: string, start: number): number {
  const [opens, closes] = answer[start] === '[' ? ['[', ']'] : ['{', '}'];
  let depth = 0;
  let quoted = false;
  for (let at = start; at < answer.length; at++) {
    const char = answer[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === opens) depth += 1;
    else if (char === closes && --depth <= 0) return at + 1;
  }
  return answer.length;
}

function lineEnd(answer: string, at: number): number {
  const end = answer.indexOf('\n', at);
  return end < 0 ? answer.length : end;
}

function upTo(answer: string, at: number, closing: string | RegExp): { body: string; end: number } {
  if (typeof closing === 'string') {
    const found = answer.indexOf(closing, at);
    return found < 0
      ? { body: answer.slice(at), end: answer.length }
      : { body: answer.slice(at, found), end: found + closing.length };
  }
  const search = new RegExp(closing.source, 'g');
  search.lastIndex = at;
  const match = search.exec(answer);
  return match
    ? { body: answer.slice(at, match.index), end: match.index + match[0].length }
    : { body: answer.slice(at), end: answer.length };
}

function tagged(answer: string, at: number, closing: string, tools: readonly ModelTool[]): Found {
  const { body, end } = upTo(answer, at, closing);
  const xml = /^\s*<(?:function=|invoke name=)"?([\w.:-]{1,200})"?\s*>/.exec(body.slice(0, 300));
  if (xml) return { calls: [parameters(xml[1]!, body.slice(xml[0].length), tools)], end };
  const written = unfenced(body);
  return { calls: orUnread(callsOf(written), written), end };
}

/** `[{…}, …]`, or names with their arguments: `name[ARGS]{…}` and `name{…}`, one behind the other. */
function mistral(answer: string, at: number): Found {
  if (answer[at] === '[' || answer[at] === '{') {
    const end = endOfObject(answer, at);
    return { calls: orUnread(callsOf(answer.slice(at, end)), answer.slice(at, end)), end };
  }
  const [beginning, name] =
    /^([\w.-]{1,200})(?:\[CALL_ID\][\w-]{1,100})?\s{0,8}(?:\[ARGS\])?\s{0,8}/.exec(answer.slice(at, at + 400)) ?? [];
  if (beginning === undefined || answer[at + beginning.length] !== '{') {
    const end = lineEnd(answer, at);
    return { calls: [unread(answer.slice(at, end))], end };
  }
  const end = endOfObject(answer, at + beginning.length);
  return { calls: [named(name!, answer.slice(at + beginning.length, end))], end };
}

/** `<parameter=key>value</parameter>`, or an object between the tags. */
function parameters(name: string, body: string, tools: readonly ModelTool[]): WrittenCall {
  if (!/<parameter/.test(body)) return named(name, unfenced(body));
  const properties = tools.find((tool) => tool.name === name)?.input_schema.properties ?? null;
  const input: [string, Json][] = [];
  for (const [, key, value] of body.matchAll(/<parameter(?:=| name=)"?([^">\n]{1,200})"?>([^]*?)(?:<\/parameter>|$)/g)) {
    const schema = isJsonObject(properties) && Object.hasOwn(properties, key!) ? properties[key!] : undefined;
    input.push([
      key!,
      valueOf(value!.replace(/^\n|\n$/g, ''), isJsonObject(schema ?? null) ? (schema as JsonObject).type : undefined),
    ]);
  }
  const object = Object.fromEntries(input);
  return { tool: name, input: object, json: JSON.stringify(object) };
}

function valueOf(written: string, type: Json | undefined): Json {
  if (type === 'string') return written;
  try {
    return parseJson(written);
  } catch {
    return written;
  }
}

function unfenced(text: string): string {
  const body = text.trim().replace(/^```\w{0,10}\s*/, '');
  return body.endsWith('```') ? body.slice(0, -3).trimEnd() : body;
}

function named(tool: string, written: string): WrittenCall {
  const json = written.trim();
  try {
    const input = json === '' ? {} : parseJson(json);
    if (isJsonObject(input)) return { tool, input, json: JSON.stringify(input) };
  } catch {
    // Not JSON: admission says where it breaks.
  }
  return { tool, input: {}, json };
}

function orUnread(calls: WrittenCall[], written: string): WrittenCall[] {
  return calls.length > 0 ? calls : [unread(written)];
}

/** Marked as a call, and not readable as one. */
function unread(written: string): WrittenCall {
  const tool = /"(?:tool|name)"\s{0,8}:\s{0,8}"([^"\\]{1,64})"/.exec(written.slice(0, 2000))?.[1] ?? '';
  return { tool, input: {}, json: written };
}

/** The calls that an object or a list says; none where it is something else. */
function callsOf(written: string): WrittenCall[] {
  try {
    return callsIn(parseJson(written), written);
  } catch {
    const meant =
      /^\s*\{\s*"(?:tool|arguments)"\s*:/.test(written.slice(0, 100)) || /"(?:arguments|parameters)"\s{0,8}:/.test(written);
    return meant ? [unread(written)] : [];
  }
}

const BESIDE = ['type', 'id', 'index'];

/** @param text what stands in the answer; absent: as JSON */
function callsIn(value: Json, text?: string): WrittenCall[] {
  if (Array.isArray(value)) return value.flatMap((one) => callsIn(one));
  if (!isJsonObject(value)) return [];
  const unreadable = () => [unread(text ?? JSON.stringify(value))];
  const inner = value.tool_calls ?? value.tool_call ?? null;
  if (typeof inner === 'object' && inner !== null) return callsIn(inner);
  if (isJsonObject(value.function ?? null)) return callsIn(value.function!);
  const name = ['tool', 'name', 'function', 'action'].find((key) => value[key] !== undefined);
  const input = ['arguments', 'parameters', 'input', 'action_input'].find((key) => value[key] !== undefined);
  // Many things have a name; what has no inputs beside it is none of ours.
  if (name !== 'tool' && input === undefined) return [];
  if (name === undefined) return input === 'arguments' ? unreadable() : [];
  if (typeof value[name] !== 'string') return name === 'tool' || input === 'arguments' ? unreadable() : [];
  // Fields beside them are no call's: admission shall refuse them as fields that no schema has.
  const others = Object.keys(value).filter((key) => key !== name && key !== input && !(name !== 'tool' && BESIDE.includes(key)));
  const given = input === undefined ? {} : value[input]!;
  const tool = value[name];
  if (typeof given === 'string') return [named(tool, given)];
  if (!isJsonObject(given)) return [{ tool, input: {}, json: JSON.stringify(given) }];
  return [{ tool, input: given, json: JSON.stringify(others.length === 0 ? given : value) }];
}

/** Text beside a call, without the fence or the marks that stood around the call. */
function prose(between: string, call: { after: boolean; before: boolean }): string[] {
  let words = between.replace(/<[|｜]tool[_▁]calls[_▁](?:begin|end)[|｜]>|<\/?function_calls>/g, '').trim();
  if (call.after && words.startsWith('```')) words = words.slice(3).trimStart();
  if (call.before) words = words.replace(/```\w{0,10}$/, '').trimEnd();
  return words === '' ? [] : [words];
}
