/** Decodes the payload of a signal: an unreadable payload gives a reason, never an exception. And the form of encrypted payloads. */
import type { Json } from '../json/json';
import { parseJson } from '../json/parse-json';
import { visible } from '../text/visible';

/** In the form that Temporal uses. */
interface Payload {
  metadata?: { [key: string]: Uint8Array } | null;
  data?: Uint8Array | null;
}

const MAX_BYTES = 64 * 1024;

export type DecodeResult = { ok: true; value: Json } | { ok: false; reason: string };

export function decodePayload(payload: Payload | undefined): DecodeResult {
  try {
    if (!payload) return bad('it carries no payload');
    const encoding = text(payload.metadata?.encoding);
    const refusal = refusalIn(encoding);
    if (refusal !== null) return bad(refusal);
    if (encoding !== 'json/plain') return bad(`its encoding is ${JSON.stringify(encoding.slice(0, 40))}, not json/plain`);
    const data = payload.data ?? new Uint8Array();
    if (data.length > MAX_BYTES) return bad(`it has ${data.length} bytes; ${MAX_BYTES} are allowed`);
    return { ok: true, value: parseJson(text(data)) };
  } catch (error) {
    return bad(`it is not JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'unreadable'}`);
  }
}

function text(bytes: Uint8Array | null | undefined): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? new Uint8Array());
}

function bad(reason: string): DecodeResult {
  return { ok: false, reason };
}

// How an encrypted payload looks, for code that meets one and has no keys. The codec (encryption/payload-codec.ts) writes and opens
// them. A payload that it must not or cannot open goes on as `refused`: a codec that throws would block the workflow.

/** As Temporal's own samples and tools name it. */
export const ENCRYPTED_ENCODING = 'binary/encrypted';

/** Names in a payload's metadata. */
export const SEALED_BY = {
  /** Id of the key. */
  key: 'holdfast-key',
  /** Shows that the key is one of this ring, so that a made-up id is told from a key that is missing here. */
  ring: 'holdfast-ring',
  /** The workflow that it is for; absent: for any workflow of the namespace. */
  workflow: 'holdfast-workflow',
} as const;

export function isEncrypted(payload: Payload): boolean {
  return encodingOf(payload) === ENCRYPTED_ENCODING;
}

/** It never throws, whatever the bytes are. */
export function encodingOf({ metadata }: Payload): string {
  return new TextDecoder().decode(metadata?.encoding ?? new Uint8Array());
}

const REFUSAL_PREFIX = 'holdfast/refused: ';
const LONGEST_REASON = 300;

/** The encoding of a refused payload. The SDK's converter puts an encoding that it does not know into its error. */
export function refusedEncoding(reason: string): string {
  return `${REFUSAL_PREFIX}${reason.slice(0, LONGEST_REASON)}`;
}

/** Why a payload with this encoding was refused; null: it was not. The text may be of whoever sent the payload. */
export function refusalIn(encoding: string): string | null {
  return encoding.startsWith(REFUSAL_PREFIX)
    ? visible(encoding.slice(REFUSAL_PREFIX.length, REFUSAL_PREFIX.length + LONGEST_REASON))
    : null;
}

/** A client without keys has met something encrypted. */
export class NoCodecKeys extends Error {
  override readonly name = 'NoCodecKeys';
  constructor() {
    super(
      'This is encrypted, and this process has no keys: set HOLDFAST_CODEC_KEYS or HOLDFAST_CODEC_KEYS_COMMAND to the key ring of the workers (docs/encryption.md).',
    );
  }
}
