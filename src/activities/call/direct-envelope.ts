/** Makes the answer of a direct call: its stored envelope, no larger than history can carry. Also adds `debug_info`. */
import { hostname } from 'node:os';
import type { CallOutcome, EndTurnInput, TurnContext, CallOptions } from '../../shared/io/activities';
import { canonical } from '../../shared/json/canonical';
import { type Envelope, callError } from '../../shared/wire/errors';
import { asJson, isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { storedFile } from '../../store/core/identity';
import { StoreError } from '../../store/store';
import { binaryFile, filesIn, withAddresses } from '../../tools/results/result-files';
import { readResult, type StoredResult } from '../../record/parts';
import type { Tool } from '../../tools/define/tool';
import { redactedValue } from '../../telemetry/log';
import { toJson } from '../../tools/results/to-json';
import type { Dependencies } from '../ports';
import { storeWithUrl, presignUrl } from './tool-context';
import { failure, metadataAt } from './run-once';
import { isHash } from '../../shared/json/sha256';

/** Bytes. The envelope goes through history twice: out of the activity, and as the workflow's result. */
const LARGEST = 128 * 1024;
const MOST_FILES = 1000;

export async function envelopeOf(deps: Dependencies, { turn, at }: EndTurnInput, outcome: CallOutcome): Promise<Envelope> {
  const { tool, error, result_ref } = outcome;
  if (result_ref === null) {
    const noResult = callError('EXECUTION_ERROR', 'no_result', `${tool} ended ${outcome.state} without a result.`);
    return failure(error ?? noResult, metadataAt({ name: tool, version: '' } as Tool, turn, at));
  }
  return fitting(deps, turn, readResult(await deps.store.getPart(result_ref)));
}

/** Makes the envelope fit: replaces inline files by URLs first, then all of the data by a file with a URL. */
async function fitting(deps: Dependencies, turn: TurnContext, result: StoredResult): Promise<Envelope> {
  const { envelope, call_id, summary } = result;
  if (bytesOf(envelope) <= LARGEST || !envelope.success) return envelope;
  const own = await ownFiles(deps, result);
  const withUrls = { ...envelope, data: withAddresses(envelope.data, (ref) => (own.has(ref) ? presignUrl(deps, ref) : null)) };
  if (bytesOf(withUrls) <= LARGEST) return withUrls;
  const bytes = Buffer.from(JSON.stringify(envelope.data));
  const filename = `${envelope.metadata.tool_name}.json`;
  const file = await storeWithUrl(deps, turn, call_id, binaryFile({ filename, contentType: 'application/json', bytes }));
  return { ...envelope, data: { ...file, summary } };
}

/** The files in a result that this call itself put into the store: a tool can write any ref into its result. */
async function ownFiles({ store }: Dependencies, { envelope, turn_id, call_id }: StoredResult): Promise<ReadonlySet<string>> {
  const refs = envelope.success ? [...new Set(filesIn(envelope.data).map(({ ref }) => ref))].slice(0, MOST_FILES) : [];
  const own = await Promise.all(
    refs.map(async (ref) => {
      const part = isHash(ref) ? await store.getPart(ref).catch(notThere) : null;
      return isJsonObject(part) && storedFile(part) !== null && part.turn_id === turn_id && part.call_id === call_id ? [ref] : [];
    }),
  );
  return new Set(own.flat());
}

function notThere(error: unknown): null {
  if (error instanceof StoreError && error.code === 'not_found') return null;
  throw error;
}

function bytesOf(envelope: Envelope): number {
  return Buffer.byteLength(canonical(asJson(envelope)));
}

// `debug_info`, for a call that asks for it, if the worker allows it. Secrets are removed as in logs.

/** Notes beyond this many bytes of JSON are left out. */
const MOST_BYTES = 32_000;

/**
 * Adds `debug_info` to the envelope if the call asks for it.
 * @param allowed setting HOLDFAST_DEBUG_INFO of this worker
 * @param attempts how often the tool's function was started for this call
 */
export function withDebugInfo(
  envelope: Envelope,
  {
    options,
    allowed,
    attempts,
    notes,
  }: { options: CallOptions | undefined; allowed: boolean; attempts: number; notes: JsonObject[] },
): Envelope {
  if (options?.debug !== true) return envelope;
  const { metadata } = envelope;
  if (!allowed) return { ...envelope, metadata: { ...metadata, debug: 'not_allowed' } };
  const debug_info = {
    cache_hit: metadata.cache.hit,
    retry_count: Math.max(0, attempts - 1),
    execution_time_ms: metadata.execution_time_ms,
    attempts,
    worker: `${process.pid}@${hostname()}`,
    notes: notesToJson(notes),
  };
  return { ...envelope, debug_info };
}

function notesToJson(notes: JsonObject[]): Json[] {
  const out: Json[] = [];
  let remaining = MOST_BYTES;
  for (const note of notes) {
    const json = toJson(redactedValue(note));
    const text: Json = json.ok ? json.data : { unreadable: json.message };
    remaining -= Buffer.byteLength(JSON.stringify(text));
    if (remaining < 0) return [...out, { cut: `${notes.length - out.length} more notes` }];
    out.push(text);
  }
  return out;
}
