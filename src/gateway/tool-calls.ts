/**
 * Starts a direct call, and puts the files of its result into the answer. Temporal starts it once under a key, for as long as it
 * retains the call. For a tool that may be destructive the store keeps the key for good, so that a later use of the key does not
 * repeat the call.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { CallHandle, DirectCall } from '../client/turns/direct-call';
import { TurnNotFound } from '../client/errors';
import { directCallId, oneTimeKey, turnIdFromKey } from '../shared/ids';
import type { Envelope } from '../shared/wire/errors';
import { checkPresignature, storedFile } from '../store/core/identity';
import { StoreError, type Store } from '../store/store';
import { filesIn, INLINE_FILE_BYTES, withContents, type FileResult } from '../tools/results/result-files';
import { Refusal } from './http/errors';
import { operationId } from './http/idempotency';
import type { Call } from './schemas/tools';
import { knownVersions } from './tool-catalogue';
import type { GatewayParts } from './route';
import { optional } from '../shared/json/optional';

/** Every namespace retains ended workflows at least this long, so Temporal still has each younger call. */
const RETAINED_AT_LEAST_MS = 24 * 3_600_000;

/** @throws Refusal 409 for a key whose call Temporal has forgotten; errors of `HoldfastClient.call` */
export async function startCall(
  parts: GatewayParts,
  { principal, operation, body }: Pick<FastifyRequest<Call>, 'principal' | 'operation' | 'body'>,
  tool: string,
): Promise<CallHandle> {
  if (operation === null) await knownVersions(parts, tool);
  else await refuseExpiredKey(parts, tool, principal.name, operation.key);
  const key = operation?.key ?? oneTimeKey(randomBytes(16).toString('hex'));
  return (await parts.client()).call(callOf(tool, body, principal.name, key));
}

/**
 * @throws Refusal 409 for a key whose call Temporal has forgotten, if the tool may be destructive; 404 for a tool that cannot
 *   exist
 */
export async function refuseExpiredKey(parts: GatewayParts, tool: string, principal: string, key: string): Promise<void> {
  const { store, client } = parts;
  const versions = await knownVersions(parts, tool);
  // A tool that is not known here may be of any class.
  if (versions?.every((entry) => entry.class !== 'destructive') ?? false) return;
  const callId = directCallId(turnIdFromKey(principal, key));
  const first = await store.registers.update<{ at: number; now: number }>(
    `kept/call/${operationId(principal, key)}`,
    (current, now) =>
      current === null
        ? { value: { at: now }, answer: { at: now, now } }
        : { answer: { at: (current as { at: number }).at, now } },
  );
  if (first.now - first.at < RETAINED_AT_LEAST_MS) return;
  try {
    await (await client()).find(callId);
  } catch (error) {
    if (!(error instanceof TurnNotFound)) throw error;
    throw new Refusal({
      code: 'INVALID_PARAMS',
      reason: 'key_forgotten',
      message: `Call ${callId} was made with this Idempotency-Key on ${new Date(first.at).toISOString()}. Temporal no longer retains it, and it is not made again.`,
      hint: '`holdfast trail --turn` shows the outcome of that call. Use a new key for another call.',
      status: 409,
    });
  }
}

export function callOf(tool: string, { input, agent, options = {} }: Call['Body'], requester: string, id: string): DirectCall {
  const { enable_cache: enableCache, enable_streaming: enableStreaming, enable_retry: enableRetry, debug } = options;
  const entries = Object.entries({ enableCache, enableStreaming, enableRetry, debug }).filter(([, value]) => value !== undefined);
  return { tool, input, requester, id, options: Object.fromEntries(entries), ...optional({ agent }) };
}

// The answer contains the files of a direct call's result, below 1 MB each, as base64. History has less room, and holds their
// addresses. A file is read only if its address has our signature: a tool can return anything that looks like a file.

/** Limit for all files of one answer, bytes: the client fetches the others. */
const MOST_BYTES = 8_000_000;

export async function withFileContents(store: Store, envelope: Envelope): Promise<Envelope> {
  if (!envelope.success) return envelope;
  const contents = new Map<string, string>();
  let bytes = 0;
  for (const file of filesIn(envelope.data)) {
    const content = contents.has(file.ref) ? null : await contentOf(store, file, MOST_BYTES - bytes);
    if (content === null) continue;
    bytes += content.byteLength;
    contents.set(file.ref, Buffer.from(content).toString('base64'));
  }
  return contents.size === 0 ? envelope : { ...envelope, data: withContents(envelope.data, contents) };
}

/** Null: not our file, too large, or gone. A client that opens its address learns which. */
async function contentOf(store: Store, file: FileResult, room: number): Promise<Uint8Array | null> {
  if (!('url' in file) || !URL.canParse(file.url)) return null;
  const { searchParams } = new URL(file.url);
  const link = { ref: file.ref, expires: searchParams.get('expires') ?? '', signature: searchParams.get('signature') ?? '' };
  if (checkPresignature(store.derivedKey('presign'), link, Date.now()) !== 'good') return null;
  try {
    const storedPart = storedFile(await store.getPart(file.ref));
    if (storedPart === null || !(storedPart.size < INLINE_FILE_BYTES) || storedPart.size > room) return null;
    return await store.getBytes(storedPart.sha256);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  }
}
