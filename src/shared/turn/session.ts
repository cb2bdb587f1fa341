/**
 * The arguments of the session workflow and of its updates, and the checks that read them from untrusted JSON. Wire format:
 * snake_case.
 */
import { isJsonObject, type Json, jsonBytes } from '../json/json';
import { isHash } from '../json/sha256';
import { messageFault, type Message } from './message';

export { MAX_MESSAGE } from './message';
/** The same in bytes of JSON: a waiting message has to fit into the session's state, in any script. */
const MESSAGE_BYTES = 310_000;
export const MAX_TITLE = 200;
const MAX_ID = 200;
const MAX_NAME = 200;
const MAX_ATTESTATION = 8192;

/** Argument of the session workflow. */
export interface SessionInput {
  session_id: string;
  /** Null: the agent of the turn that it was forked from. */
  agent: string | null;
  requester: string;
  title: string | null;
  fork?: ForkFrom;
  /** Set by continue-as-new only. */
  resume?: Json;
}

export interface ForkFrom {
  /** 64 hex: the last block that the new session takes over. */
  block: string;
  /** Whose turn the block must be of; null: the caller has been checked already. */
  of: string | null;
}

/** Update `send`. */
export interface SendBody {
  /** Names the message: the same id again gives the same turn. */
  message_id: string;
  /** A text of 1 to 100,000 characters, or parts. */
  message: Message;
  requester: string;
  /** Must be the session's agent; absent: not checked. */
  agent?: string;
  /** Goes before the waiting messages. Allowed only after a turn that did not come to its end. */
  resume?: true;
  /** The message, signed for this session; absent: it is unsigned. */
  attestation?: string;
  /** Part of the store with the callback address for the turn's questions and its end (notify/webhook.ts). */
  callback_ref?: string;
}

export interface SendAnswer {
  turn_id: string;
  /** Turns that end before this one begins. */
  ahead: number;
  /** The message had been sent before. */
  again: boolean;
}

export type OpenedAnswer = { opened: true } | { opened: false; reason: string; near: string | null };

export type { SessionView } from '../../shapes/session';

export type ReadSend = { ok: true; body: SendBody } | { ok: false; reason: string };

const SEND_FIELDS = ['message_id', 'message', 'requester', 'agent', 'resume', 'attestation', 'callback_ref'];

export function readSend(value: Json | undefined): ReadSend {
  if (!isJsonObject(value ?? null))
    return bad('it must be one JSON object {"message_id": "…", "message": "…", "requester": "…"}');
  const body = value as Record<string, Json>;
  const strange = Object.keys(body).find((key) => !SEND_FIELDS.includes(key));
  if (strange !== undefined)
    return bad(`it has a field ${JSON.stringify(strange.slice(0, 60))}; allowed are ${SEND_FIELDS.join(', ')}`);
  const { message_id, message, requester, agent, resume, attestation, callback_ref } = body;
  if (!isText(message_id, MAX_ID)) return bad(`"message_id" must be 1 to ${MAX_ID} characters`);
  const fault = messageFault(message);
  if (fault !== null) return bad(`"message" ${fault}`);
  const bytes = jsonBytes(message ?? null);
  if (bytes > MESSAGE_BYTES) return bad(`"message" has ${bytes} bytes as JSON; ${MESSAGE_BYTES} are allowed`);
  if (!isText(requester, MAX_NAME)) return bad(`"requester" must be 1 to ${MAX_NAME} characters`);
  if (agent !== undefined && !isText(agent, MAX_NAME)) return bad('"agent" must name the agent of the session');
  if (resume !== undefined && resume !== true) return bad('"resume" must be true, or absent');
  if (attestation !== undefined && !isText(attestation, MAX_ATTESTATION)) return bad('"attestation" must be a signed start');
  if (callback_ref !== undefined && !isHash(callback_ref)) return bad('"callback_ref" must name a part of the store: 64 hex');
  return { ok: true, body: body as unknown as SendBody };
}

/** @returns the title, or why it is invalid */
export function readTitle(value: Json | undefined): { ok: true; title: string } | { ok: false; reason: string } {
  const title = isJsonObject(value ?? null) ? (value as Record<string, Json>).title : undefined;
  return isText(title, MAX_TITLE) ? { ok: true, title: title as string } : bad(`"title" must be 1 to ${MAX_TITLE} characters`);
}

function isText(value: Json | undefined, longest: number): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longest && value.isWellFormed();
}

function bad(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
