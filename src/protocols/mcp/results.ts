/** Converts the outcome of a call, or the fact that it has none yet, to the result of MCP's `tools/call`. */
import { envelopeOf } from '../../client/turns/direct-call';
import { type Envelope, callError } from '../../shared/wire/errors';
import { isDirectCallId } from '../../shared/ids';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { TurnView } from '../../shared/turn/turn-view';
import { filesIn, withoutBytes, type FileResult } from '../../tools/results/result-files';
import { resultOf, resultToMcp } from '../../tools/convert';
import { compileOutput, type Validator } from '../../tools/schema/schema';
import type { Wrong } from '../../gateway/http/errors';
import { OUTCOME_TOOL } from './offers';
import type { CallToolResult, ContentBlock } from './sdk';

/** The field of a result's `_meta` that tells programs which call or turn it is about. */
export const META = 'holdfast/call';

/** @param output the schema that was listed: data that does not fit it is returned as an error */
export function endedResult(view: TurnView, output?: object): CallToolResult {
  const result = isDirectCallId(view.turn_id) ? callResult(envelopeOf(view), output) : turnResult(view);
  return { ...result, _meta: { [META]: factsOf(view) } };
}

function callResult(envelope: Envelope, output: object | undefined): CallToolResult {
  if (!envelope.success) return { ...resultToMcp(resultOf('', envelope)) };
  const { data } = envelope;
  const content: ContentBlock[] = [
    { type: 'text', text: typeof data === 'string' ? data : JSON.stringify(withoutBytes(data)) },
    ...filesIn(data).map(fileBlock),
  ];
  if (output === undefined) return { content, ...(isJsonObject(data) ? { structuredContent: data } : {}) };
  if (fits(output, data)) return { content, structuredContent: data as JsonObject };
  const text = 'The result is too large to be given whole. What stands for it, with the address of all of it:';
  return { content: [{ type: 'text', text }, ...content], isError: true };
}

/** Small files are included; larger ones are given by their address. */
function fileBlock(file: FileResult): ContentBlock {
  const { filename, content_type: mimeType, size, ref } = file;
  if (!('content_base64' in file)) return { type: 'resource_link', uri: file.url, name: filename, mimeType, size };
  const { content_base64: data } = file;
  if (/^image\//i.test(mimeType)) return { type: 'image', data, mimeType };
  if (/^audio\//i.test(mimeType)) return { type: 'audio', data, mimeType };
  const uri = `holdfast://files/${ref}/${encodeURIComponent(filename)}`;
  const text = /^text\/|^application\/json\b/i.test(mimeType) ? utf8(data) : null;
  return { type: 'resource', resource: { uri, mimeType, ...(text === null ? { blob: data } : { text }) } };
}

/** Null: the bytes are not UTF-8. */
function utf8(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
}

const validators = new WeakMap<object, Validator<Json>>();

function fits(schema: object, data: Json): boolean {
  const validate = validators.get(schema) ?? compileOutput(schema as JsonObject);
  validators.set(schema, validate);
  return isJsonObject(data) && validate(data).valid;
}

function turnResult({ turn_id, state, text, reason, result }: TurnView): CallToolResult {
  const data = result === undefined ? {} : { result };
  const words = result === undefined || text !== '' ? text : JSON.stringify(result);
  if (state === 'completed')
    return { content: [{ type: 'text', text: words }], structuredContent: { turn_id, state, text, ...data } };
  const why = `The turn ended ${state}. ${reason ?? ''}`.trim();
  const textParts = text === '' ? [] : [{ type: 'text' as const, text }];
  return { content: [{ type: 'text', text: why }, ...textParts], isError: true };
}

/** Why the caller gets no outcome yet. */
export type Open = { why: 'approval' | 'question'; detail: string | null } | { why: 'in_doubt' | 'time' | 'unseen' };

/** Marked as an error, because the result that the tool promises is missing. */
export function openResult(id: string, uiUrl: string | null, open: Open): CallToolResult {
  const text = [
    WHY[open.why],
    ...('detail' in open && open.detail !== null ? [open.detail] : []),
    ...(open.why === 'time' ? [] : [uiUrl === null ? 'A person sees it with: holdfast pending' : `A person sees it at ${uiUrl}`]),
    `Do not call the tool again: it would be another call. ${OUTCOME_TOOL} with {"id": ${JSON.stringify(id)}} tells what became of it.`,
  ].join('\n');
  return { content: [{ type: 'text', text }], isError: true, _meta: { [META]: { id, state: STATE[open.why], ui_url: uiUrl } } };
}

const WHY = {
  approval: 'This has not run yet: it waits for a person to approve it.',
  in_doubt: 'Whether this took effect is not known; a person has to find out.',
  question: 'The agent has asked a person a question, and waits for the answer.',
  time: 'This has not ended yet; it goes on.',
  unseen: 'This has begun, and goes on. What became of it cannot be seen right now; the log of the server says why.',
};
const STATE = {
  approval: 'awaiting_approval',
  in_doubt: 'in_doubt',
  question: 'awaiting_answer',
  time: 'running',
  unseen: 'running',
};

function factsOf({ turn_id: id, state, trace_id, ui_url }: TurnView): JsonObject {
  return { id, state, trace_id, ui_url };
}

/** The result of a call that could not be made at all. */
export function wrongResult({ code, reason, message, hint }: Wrong): CallToolResult {
  const error = callError(code, reason, message, hint === undefined ? {} : { hint });
  return { content: [{ type: 'text', text: JSON.stringify({ error }) }], isError: true };
}
