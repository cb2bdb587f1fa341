/**
 * Tool calls for models without a tool API: describes the tools in the system prompt, and turns the answer's JSON objects `{"tool":
 * …, "arguments": …}` into the tool_use blocks that a tool API would give. Everything after that (admission, approval, results) is
 * as for any model. written-calls.ts reads the calls.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import {
  isTruncated,
  type ModelCallbacks,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
  type RawToolInput,
} from '../provider';
import { optional } from '../../shared/json/optional';
import { piecesOf, type WrittenCall } from './written-calls';

/** The same model, with tools described in its prompt. */
export function withPromptedTools(model: ModelProvider): ModelProvider {
  return {
    name: model.name,
    ...optional({ model: model.model }),
    checkSetup: () => model.checkSetup?.(),
    ...(model.thinkingFault ? { thinkingFault: (thinking, of) => model.thinkingFault!(thinking, of) } : {}),
    ...(model.countTokens ? { countTokens: (request, signal) => model.countTokens!(inWords(request), signal) } : {}),
    async request(request: ModelRequest, callbacks: ModelCallbacks): Promise<ModelResponse> {
      return withCalls(await model.request(inWords(request), callbacks), request.tools);
    },
  };
}

/** The request without its tools: described in the system prompt, calls and results as text. */
function inWords(request: ModelRequest): ModelRequest {
  const system = request.tools.length === 0 ? request.system : `${request.system}\n\n${instructions(request.tools)}`.trim();
  const { resultTool: _, ...rest } = request; // the model calls it as any tool
  return { ...rest, system, tools: [], messages: request.messages.map(messageInWords) };
}

function instructions(tools: readonly ModelTool[]): string {
  const descriptions = tools.map(
    ({ name, description, input_schema }) =>
      `## ${name}\n${description}\nArguments (JSON Schema): ${JSON.stringify(input_schema)}`,
  );
  return `# Tools

To call a tool, write one JSON object that begins on a line of its own, with exactly these two fields:

{"tool": "name_of_the_tool", "arguments": {…}}

Write several objects, one below the other, for calls that do not depend on each other. After your last call, stop: the results come in the next message, in the order of the calls, as {"tool_results": […]}. Never write results yourself. Without a call, your answer is final.

${descriptions.join('\n\n')}`;
}

function messageInWords({ role, content }: ModelMessage): ModelMessage {
  const results = content.filter((block) => block.type === 'tool_result');
  const out: JsonObject[] = [];
  if (results.length > 0) out.push(text(JSON.stringify({ tool_results: results.map(resultInWords) })));
  for (const [index, result] of results.entries()) {
    const files = partsOf(result).filter((part) => wordsOf(part) === null);
    if (files.length > 0) out.push(text(`Files of result ${index + 1}:`), ...files);
  }
  for (const block of content) {
    if (block.type === 'tool_result') continue;
    out.push(block.type === 'tool_use' ? text(JSON.stringify({ tool: block.name, arguments: block.input ?? {} })) : block);
  }
  return { role, content: out };
}

/** JSON inside JSON: whatever a tool returned, no line of it can look like the beginning of a call or end the result. */
function resultInWords(result: JsonObject): JsonObject {
  const words = partsOf(result).flatMap((part) => wordsOf(part) ?? []);
  const text = typeof result.content === 'string' ? result.content : words.join('\n');
  return { result: text, ...(result.is_error === true ? { is_error: true } : {}) };
}

function partsOf({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** Null: the part is a file that has no words. */
function wordsOf({ type, text: words = '', source = null, title }: JsonObject): string | null {
  if (type === 'text') return String(words);
  if (type !== 'document' || !isJsonObject(source) || source.type !== 'text') return null;
  const data = String(source.data ?? '');
  return typeof title === 'string' && title !== '' ? `${title}\n\n${data}` : data;
}

function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

function withCalls(response: ModelResponse, tools: readonly ModelTool[]): ModelResponse {
  const inputs = new Map(response.rawToolInputs.map(({ block, json }) => [block, json]));
  const rawToolInputs: RawToolInput[] = [];
  const content: JsonObject[] = [];
  for (const [position, block] of response.content.entries()) {
    const json = inputs.get(position);
    if (json !== undefined) rawToolInputs.push({ block: content.length, json });
    const isText = block.type === 'text' && typeof block.text === 'string';
    const pieces = isText ? piecesOf(String(block.text), tools, isTruncated(response.stopReason)) : null;
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
