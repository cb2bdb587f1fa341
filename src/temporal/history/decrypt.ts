/**
 * Decrypts a history where it is read. So what reads it (bundle, replay, events, report) needs no keys and sees what a plain history
 * would hold: payloads as they were before the codec, and the messages of failures in their places.
 */
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { isJsonObject, type Json } from '../../shared/json/json';
import { encodingOf, isEncrypted } from '../../shared/wire/payload';
import type { HistoryEvent } from './read-history';

interface Of {
  namespace: string;
  workflowId: string;
}

type Members = { [name: string]: unknown };

/** Members that the SDK does not encode. */
const NEVER_ENCODED: ReadonlySet<string> = new Set(['header', 'searchAttributes']);

/** Changes the events. @throws MissingKey, NoCodecKeys */
export async function decryptEvents(codec: PayloadCodec, of: Of, events: readonly HistoryEvent[]): Promise<void> {
  await Promise.all(
    events.map((event) => {
      const context = contextOf(event, of);
      return walk(event as Members, (payload) => decode(codec, payload, context));
    }),
  );
}

/** The failure of an attempt that goes on, from the description of a workflow. */
export async function decryptFailure(codec: PayloadCodec, of: Of, failure: object): Promise<void> {
  const context = { type: 'activity' as const, ...of, isLocal: false };
  await walk(failure as Members, (payload) => decode(codec, payload, context));
}

async function decode(codec: PayloadCodec, payload: Payload, context: SerializationContext): Promise<Payload> {
  return isEncrypted(payload) ? (await codec.decode([payload], context))[0]! : payload;
}

/** The context in which worker and client encoded what is in an event: an event about another workflow is in that one's. */
function contextOf(event: HistoryEvent, { namespace, workflowId }: Of): SerializationContext {
  const [name, value] = Object.entries(event).find(([key, member]) => key.endsWith('EventAttributes') && member) ?? ['', {}];
  if (name.startsWith('activityTask')) return { type: 'activity', namespace, workflowId, isLocal: false };
  const { workflowExecution, workflowId: other } = value as { workflowExecution?: Members; workflowId?: string };
  const isAboutOther = /^(startChild|childWorkflow|signalExternal|externalWorkflow|requestCancelExternal)/.test(name);
  const id = isAboutOther ? other || workflowExecution?.workflowId : undefined;
  return { type: 'workflow', namespace, workflowId: typeof id === 'string' && id !== '' ? id : workflowId };
}

/** Replaces each payload below a message, and puts the texts of failures back. */
async function walk(message: Members, replace: (payload: Payload) => Promise<Payload>): Promise<void> {
  for (const [name, member] of Object.entries(message)) {
    if (typeof member !== 'object' || member === null || NEVER_ENCODED.has(name)) continue;
    if (isPayload(member)) message[name] = await replace(member);
    else if (!ArrayBuffer.isView(member)) await walk(member as Members, replace);
  }
  if (message.encodedAttributes) restoreTexts(message);
}

function isPayload(value: object): value is Payload {
  const { metadata } = value as { metadata?: { encoding?: unknown } | null };
  return ArrayBuffer.isView(metadata?.encoding);
}

function restoreTexts(failure: Members): void {
  const payload = failure.encodedAttributes as Payload;
  if (encodingOf(payload) !== 'json/plain') return;
  const texts = JSON.parse(Buffer.from(payload.data ?? []).toString('utf8')) as Json;
  if (!isJsonObject(texts)) return;
  if (typeof texts.message === 'string') failure.message = texts.message;
  if (typeof texts.stack_trace === 'string') failure.stackTrace = texts.stack_trace;
  failure.encodedAttributes = null;
}
