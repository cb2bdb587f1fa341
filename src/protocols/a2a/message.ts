/** Reads a message of an A2A client: a text for the agent, or one decision on a call that waits. Everything in it is untrusted. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { MAX_MESSAGE } from '../../shared/turn/session';
import { badRequest } from './errors';
import { sdk, type Message } from './sdk';

const MAX_ID = 255;
const ID = /^[^\p{Cc}\p{Cs}]+$/u;

export interface ReadMessage {
  messageId: string;
  /** Empty: a new context. */
  contextId: string;
  /** Empty: a new task. */
  taskId: string;
  content: { text: string } | { decision: JsonObject };
}

/** @throws A2AError */
export function readMessage(message: Message | undefined): ReadMessage {
  if (message === undefined) throw badRequest('"message" is missing.');
  const { messageId, contextId, taskId, role, parts } = message;
  for (const [name, id] of Object.entries({ messageId, contextId, taskId }))
    if (id.length > MAX_ID || (id !== '' && !ID.test(id))) throw badRequest(`"${name}" must have at most ${MAX_ID} characters.`);
  if (messageId === '') throw badRequest('"messageId" is missing: it makes that a message that is sent again counts once.');
  if (role !== sdk.types().Role.ROLE_USER) throw badRequest('"role" must be ROLE_USER.');
  return { messageId, contextId, taskId, content: contentOf(parts) };
}

function contentOf(parts: Message['parts']): ReadMessage['content'] {
  const decisions: JsonObject[] = [];
  const texts: string[] = [];
  for (const { content } of parts) {
    if (content?.$case === 'text') texts.push(content.value);
    else if (content?.$case === 'data' && isDecision(content.value)) decisions.push(content.value);
    else throw badRequest(`A part is ${content?.$case ?? 'empty'}: text is taken, and data with a "decision".`);
  }
  if (decisions.length > 1) throw badRequest('One message has one decision: "calls" lists several calls.');
  const [decision] = decisions;
  if (decision !== undefined) return { decision: withNote(decision, texts) };
  const text = texts.join('\n');
  if (text.trim() === '') throw badRequest('The message has no text.');
  if (text.length > MAX_MESSAGE) throw badRequest(`The message has ${text.length} characters; ${MAX_MESSAGE} are allowed.`);
  return { text };
}

function isDecision(value: Json | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value) && 'decision' in value;
}

/** Text beside a decision is its note, if the decision has none. */
function withNote(decision: JsonObject, texts: readonly string[]): JsonObject {
  const note = texts.join('\n');
  return note === '' || 'note' in decision ? decision : { ...decision, note };
}
