/**
 * The payload codec of workers and clients: each payload that leaves the process is encrypted for the workflow that it goes to, and
 * opens for that workflow only. It never throws for a payload that somebody else may have sent, since that would block the workflow:
 * such a payload goes on as refused (shared/wire/payload.ts). It does throw for a key that is missing here. The workflow task then
 * fails, and Temporal repeats it until the key is back; if the payload were refused instead, the turn would go on without it, and could
 * never be replayed by a worker that has the key.
 */
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { isEncrypted, refusedEncoding } from '../shared/wire/payload';
import { openPayload, sealPayload } from './encrypted-payload';
import type { Keys } from './key-source';

export class EncryptionCodec implements PayloadCodec {
  constructor(
    readonly keys: Keys,
    private readonly namespace: string,
  ) {}

  encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const to = { namespace: context?.namespace ?? this.namespace, workflowId: context?.workflowId ?? null };
    return Promise.all(payloads.map((payload) => sealPayload(this.keys, to, payload)));
  }

  /** What is not encrypted stays as it is: people paste signals in plain JSON, and old histories are plain. @throws MissingKey */
  decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return Promise.all(payloads.map(async (payload) => (isEncrypted(payload) ? this.open(payload, context) : payload)));
  }

  private async open(payload: Payload, context: SerializationContext | undefined): Promise<Payload> {
    const opened = await openPayload(this.keys, context?.namespace ?? this.namespace, payload, (workflowId) =>
      fits(workflowId, context),
    );
    if ('payload' in opened) return opened.payload;
    return { metadata: { encoding: Buffer.from(refusedEncoding(opened.refused)) }, data: payload.data ?? new Uint8Array() };
  }
}

/** What Temporal appends to the workflow id that a schedule names. No id of ours has colons. */
const SCHEDULED_TIME = /-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/**
 * Only requests to a workflow may be bound to no workflow: the Web UI does not say which one it encrypts for. The input of a workflow
 * that a schedule starts is bound to the id that the schedule names.
 */
function fits(workflowId: string | null, context: SerializationContext | undefined): boolean {
  if (context?.workflowId === undefined) return true;
  if (workflowId === null) return context.type === 'workflow';
  return workflowId === context.workflowId || workflowId === context.workflowId.replace(SCHEDULED_TIME, '');
}
