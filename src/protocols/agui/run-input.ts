/**
 * Reads the input of an AG-UI run. Of the conversation in it only the newest message of the user is taken, because the session has
 * the conversation: what a client sends as earlier messages is not trusted. Tools, context and state of the client are not used;
 * the run says so.
 */
import { z } from 'zod';
import { readPosition, type Position } from '../../client/events/position';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { MAX_MESSAGE } from '../../shared/turn/session';
import { Refusal } from '../../gateway/http/errors';
import { sdk, type Message, type ResumeEntry } from './sdk';

const MAX_ID = 255;
const MOST_MESSAGES = 5000;
const MOST_ANSWERS = 64;

// Ranges: other programs that read the OpenAPI document know no classes of Unicode.
const id = z
  .string()
  .min(1)
  .max(MAX_ID)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/);

/** The part that the gateway itself needs. The protocol's own schema checks the rest. */
export const runBody = z.looseObject({
  threadId: id.describe('The conversation: a session of yours, or any name, under which the first run opens one.'),
  runId: id.describe('Names the run: the same run again starts nothing, and is told again from its beginning.'),
  messages: z
    .array(z.unknown())
    .max(MOST_MESSAGES)
    .describe('The newest message of the user is taken; the session has the others.'),
  resume: z
    .array(z.unknown())
    .max(MOST_ANSWERS)
    .optional()
    .describe('Answers to the interrupts of the run before. Then no message is taken.'),
});

export interface RunInput {
  threadId: string;
  runId: string;
  /** Empty: the run does not answer interrupts. */
  resume: ResumeEntry[];
  /** The newest message of the user, if nothing follows it. Null: the client's conversation ends otherwise. */
  message: string | null;
  /** The same, also if the answer, or a part of it, follows already: for a run that is repeated. */
  lastMessage: string | null;
  /** What the run asks for: the same run asks for the same again. */
  request: Json;
  /** What the client has. It is only ever sent back to the client itself. */
  messages: Message[];
  /** Where the client's last run ended, as that run has said. */
  seen: { turnId: string; position: Position } | null;
  /** What the client sent and nobody reads. */
  unused: { tools: number; context: number; state: boolean };
}

/** @throws Refusal 400 for an input that the protocol does not know; PackageMissing */
export function readRun(body: Json): RunInput {
  const read = sdk.schemas().RunAgentInputSchema.safeParse(body);
  if (!read.success) throw badInput(read.error.issues);
  const { threadId, runId, messages, resume = [], tools, context, state } = read.data;
  if (!threadId.isWellFormed() || !runId.isWellFormed())
    throw bad('bad_request', 'threadId and runId must be Unicode: half a surrogate pair is none.');
  const last = messages.findLast(({ role }) => role === 'user');
  const lastMessage = last?.role === 'user' ? textOf(last.content) : null;
  const answered = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const message = answered.some(({ role }) => role === 'assistant' || role === 'tool') ? null : lastMessage;
  const unused = { tools: tools.length, context: context.length, state: isForeign(state) };
  const request: JsonObject =
    resume.length > 0 && isJsonObject(body) ? { resume: body.resume ?? null } : { message: lastMessage };
  return { threadId, runId, resume, request, message, lastMessage, messages, seen: seenIn(state), unused };
}

/** @throws Refusal 400 for content that is not text */
function textOf(content: string | readonly { type: string; text?: string }[]): string {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const other = parts.find(({ type }) => type !== 'text');
  if (other) throw bad('not_text', `The message has a part of type ${JSON.stringify(other.type)}; only text is taken.`);
  const text = parts.map((part) => part.text ?? '').join('\n');
  if (text.length > MAX_MESSAGE) throw bad('too_long', `The message has ${text.length} characters; ${MAX_MESSAGE} are allowed.`);
  return text;
}

/** The state of our last snapshot, which clients send back. A wrong one has no effect but on what is told again. */
function seenIn(state: Json | undefined): RunInput['seen'] {
  if (state === undefined || !isJsonObject(state)) return null;
  const { turn = null, position } = state;
  const turnId = isJsonObject(turn) ? turn.turn_id : undefined;
  const at = typeof position === 'string' ? readPosition(position) : null;
  return typeof turnId === 'string' && at !== null ? { turnId, position: at } : null;
}

function isForeign(state: Json | undefined): boolean {
  if (state === undefined || state === null) return false;
  return !isJsonObject(state) || Object.keys(state).some((name) => name !== 'turn' && name !== 'position');
}

function badInput(issues: readonly { path: PropertyKey[]; message: string }[]): Refusal {
  const details = issues.slice(0, 20).map(({ path, message }) => ({
    path: path.map(String).join('/').slice(0, 200),
    message: message.slice(0, 300),
  }));
  const [first] = details;
  return bad('bad_request', `This is no input of an AG-UI run: ${first?.path} ${first?.message}.`, details);
}

function bad(reason: string, message: string, details?: { path: string; message: string }[]): Refusal {
  return new Refusal({ code: 'INVALID_PARAMS', reason, message, ...(details ? { details } : {}) });
}
