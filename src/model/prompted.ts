/**
 * Tool calls for models without a tool API: the tools are described in the system prompt, and the answer's
 * JSON objects `{"tool": …, "arguments": …}` become the same tool_use blocks that a tool API would give.
 * Everything after that (admission, approval, results) is as for any model.
 *
 * An object counts where it begins a line, so that a model which quotes one inside a sentence does not call.
 * What begins like a call and cannot be read becomes a call too: admission says what is wrong with it, and
 * the loop goes on, instead of an intended call passing for prose.
 */
import { isJsonObject, type JsonObject } from '../shared/json';
import { parseJson } from '../shared/parse-json';
import type {
  ModelCallbacks,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ModelTool,
  RawToolInput,
} from './provider';

/** The same model, told about tools in words. */
export function prompted(model: ModelProvider): ModelProvider {
  return {
    name: model.name,
    async request(request: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse> {
      return withCalls(await model.request(inWords(request), callbacks));
    },
  };
}

/** The request without its tools: described in the system prompt, calls and results as text. */
function inWords(request: ModelRequest): ModelRequest {
  const system = request.tools.length === 0 ? request.system : `${request.system}\n\n${instructions(request.tools)}`.trim();
  return { ...request, system, tools: [], messages: request.messages.map(messageInWords) };
}

function instructions(tools: readonly ModelTool[]): string {
  const described = tools.map(
    ({ name, description, input_schema }) =>
      `## ${name}\n${description}\nArguments (JSON Schema): ${JSON.stringify(input_schema)}`,
  );
  return `# Tools

To call a tool, write one JSON object that begins on a line of its own, with exactly these two fields:

{"tool": "name_of_the_tool", "arguments": {…}}

Write several objects, one below the other, for calls that do not depend on each other. After your last call, stop: the results come in the next message, in the order of the calls, as {"tool_results": […]}. Never write results yourself. Without a call, your answer is final.

${described.join('\n\n')}`;
}

function messageInWords({ role, content }: ModelMessage): ModelMessage {
  const results = content.filter((block) => block.type === 'tool_result');
  const out: JsonObject[] = [];
  if (results.length > 0) out.push(text(JSON.stringify({ tool_results: results.map(resultInWords) })));
  for (const block of content) {
    if (block.type === 'tool_result') continue;
    out.push(block.type === 'tool_use' ? text(JSON.stringify({ tool: block.name, arguments: block.input ?? {} })) : block);
  }
  return { role, content: out };
}

/** JSON inside JSON: whatever a tool returned, no line of it can begin like a call or end the result. */
function resultInWords(result: JsonObject): JsonObject {
  const parts = Array.isArray(result.content) ? result.content.filter(isJsonObject) : [];
  const said = typeof result.content === 'string' ? result.content : parts.map((part) => String(part.text ?? '')).join('\n');
  return { result: said, ...(result.is_error === true ? { is_error: true } : {}) };
}

function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

function withCalls(response: ModelResponse): ModelResponse {
  const inputs = new Map(response.rawToolInputs.map(({ block, json }) => [block, json]));
  const rawToolInputs: RawToolInput[] = [];
  const content: JsonObject[] = [];
  for (const [position, block] of response.content.entries()) {
    const json = inputs.get(position);
    if (json !== undefined) rawToolInputs.push({ block: content.length, json });
    const pieces = block.type === 'text' && typeof block.text === 'string' ? piecesOf(block.text) : null;
    if (pieces === null) content.push(block);
    for (const piece of pieces ?? []) {
      if (typeof piece !== 'string') rawToolInputs.push({ block: content.length, json: piece.json });
      content.push(typeof piece === 'string' ? text(piece) : calling(piece, rawToolInputs.length));
    }
  }
  const asks = content.some((block) => block.type === 'tool_use');
  const stopReason = asks && response.stopReason === 'end_turn' ? 'tool_use' : response.stopReason;
  return { ...response, stopReason, content, rawToolInputs };
}

function calling({ tool, input }: WrittenCall, count: number): JsonObject {
  return { type: 'tool_use', id: `prompted_${count}`, name: tool, input };
}

interface WrittenCall {
  tool: string;
  input: JsonObject;
  /** What admission parses. */
  json: string;
}

/** How a call begins: at the start of a line. Only these places are looked at, so the time stays bounded. */
const BEGINNING = /^[ \t]{0,8}(?=\{\s{0,40}"(?:tool|arguments)"\s{0,8}:)/gm;
/** Admission takes fewer from one answer. */
const MOST_CALLS = 100;

/** An answer's text as prose and calls, in order. */
function piecesOf(answer: string): (string | WrittenCall)[] {
  const pieces: (string | WrittenCall)[] = [];
  let done = 0;
  let calls = 0;
  for (const match of answer.matchAll(BEGINNING)) {
    if (calls >= MOST_CALLS) break;
    const start = match.index + match[0].length;
    if (start < done) continue; // inside the call before
    const end = endOfObject(answer, start);
    pieces.push(...prose(answer.slice(done, start), { after: calls > 0, before: true }), callOf(answer.slice(start, end)));
    done = end;
    calls += 1;
  }
  if (calls === 0) return [answer];
  return [...pieces, ...prose(answer.slice(done), { after: true, before: false })];
}

/** Index after the object's closing brace; the end of the text when there is none. */
function endOfObject(answer: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < answer.length; at++) {
    const char = answer[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && --depth === 0) return at + 1;
  }
  return answer.length;
}

/** @param written from its opening brace on */
function callOf(written: string): WrittenCall {
  try {
    const object = parseJson(written);
    if (isJsonObject(object) && typeof object.tool === 'string') {
      const { tool, arguments: input = {}, ...others } = object;
      // Fields beside the two are no call's: admission shall refuse them as fields that no schema has.
      if (isJsonObject(input)) return { tool, input, json: JSON.stringify(Object.keys(others).length === 0 ? input : object) };
      return { tool, input: {}, json: JSON.stringify(input) };
    }
  } catch {
    // Not JSON: admission says where it breaks.
  }
  return { tool: /"tool"\s{0,8}:\s{0,8}"([^"\\]{1,64})"/.exec(written.slice(0, 2000))?.[1] ?? '', input: {}, json: written };
}

/** Text beside a call, without the fence that stood around the call. */
function prose(between: string, call: { after: boolean; before: boolean }): string[] {
  let words = between.trim();
  if (call.after && words.startsWith('```')) words = words.slice(3).trimStart();
  if (call.before) words = words.replace(/```\w{0,10}$/, '').trimEnd();
  return words === '' ? [] : [words];
}
