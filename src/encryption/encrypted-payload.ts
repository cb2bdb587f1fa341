/** The form of an encrypted payload: Temporal's Payload, sealed, with the key and the workflow that it is for in its metadata. */
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { visible } from '../shared/text/visible';
import { ENCRYPTED_ENCODING, SEALED_BY } from '../shared/wire/payload';
import { KEY_ID } from './key-ring';
import type { Keys } from './key-source';
import { BadSeal, open, seal } from './seal';

/** What a payload is bound to. */
export interface BoundTo {
  namespace: string;
  /** Null: any workflow of the namespace. */
  workflowId: string | null;
}

export type OpenResult = { payload: Payload } | { refused: string };

/** The sealed payload; the payload itself if the ring writes with no key. */
export async function sealPayload(keys: Keys, { namespace, workflowId }: BoundTo, payload: Payload): Promise<Payload> {
  const ring = keys.ring();
  if (ring.current === null) return payload;
  const plain = temporal.api.common.v1.Payload.encode(payload).finish();
  const data = await seal(ring.key(ring.current)!, useOf(namespace, workflowId, ring.current), plain);
  const metadata = {
    encoding: utf8(ENCRYPTED_ENCODING),
    [SEALED_BY.key]: utf8(ring.current),
    [SEALED_BY.ring]: ring.tag(ring.current),
    ...(workflowId === null ? {} : { [SEALED_BY.workflow]: utf8(workflowId) }),
  };
  return { metadata, data };
}

/** The workflow that stands in an encrypted payload; null: none does. */
export function boundWorkflow({ metadata }: Payload): string | null {
  const id = metadata?.[SEALED_BY.workflow];
  return id ? text(id) : null;
}

/**
 * @param isFor whether a payload that is bound so belongs where it was found; null stands for the namespace alone
 * @param most bytes that it may have when it is open; absent: as many as one payload may
 * @throws MissingKey for a key of this ring that is not here
 */
export async function openPayload(
  keys: Keys,
  namespace: string,
  payload: Payload,
  isFor: (workflowId: string | null) => boolean,
  most?: number,
): Promise<OpenResult> {
  const { [SEALED_BY.key]: keyId, [SEALED_BY.ring]: tag } = payload.metadata ?? {};
  const id = keyId ? text(keyId) : '';
  if (!KEY_ID.test(id) || !tag) return { refused: 'it is encrypted, and not by holdfast' };
  if (!keys.ring().owns(id, tag)) return { refused: 'it is encrypted with a key of another key ring' };
  const workflowId = boundWorkflow(payload);
  if (!isFor(workflowId))
    return { refused: `it is encrypted for ${workflowId === null ? 'no workflow' : `another workflow, ${short(workflowId)}`}` };
  const key = await keys.key(id);
  try {
    const plain = await open(key, useOf(namespace, workflowId, id), payload.data ?? new Uint8Array(), most);
    return { payload: temporal.api.common.v1.Payload.decode(plain) };
  } catch (error) {
    return {
      refused: error instanceof BadSeal ? `it is encrypted, and ${error.message}` : 'it is encrypted, and holds no payload',
    };
  }
}

function useOf(namespace: string, workflowId: string | null, keyId: string): string {
  return JSON.stringify(['holdfast.payload/1', namespace, workflowId, keyId]);
}

/** An id that somebody may have made up, for an error. */
function short(workflowId: string): string {
  return JSON.stringify(visible(workflowId.slice(0, 100)));
}

function utf8(value: string): Uint8Array {
  return Buffer.from(value, 'utf8');
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
