/** What a direct call answers: its stored envelope, no larger than history can carry. */
import type { CallOutcome, EndTurnInput, TurnContext } from '../../shared/activity-io';
import { canonical } from '../../shared/json/canonical';
import type { Envelope } from '../../shared/wire/envelope';
import { callError } from '../../shared/wire/errors';
import { asJson, isJsonObject } from '../../shared/json/json';
import { storedFile } from '../../store/core/presign';
import { StoreError } from '../../store/store';
import { binaryFile, filesIn, withAddresses } from '../../tools/results/binary';
import { readResult, type StoredResult } from '../../record/parts';
import type { Dependencies } from '../ports';
import { keepAddressed, presigned } from './keep-file';
import { failure, metadataAt } from './run-once';
import type { Tool } from '../../tools/define/tool';

/** It travels through history twice: out of the activity, and as the workflow's result. */
const LARGEST = 128 * 1024;
const MOST_FILES = 1000;

export async function envelopeOf(deps: Dependencies, { turn, at }: EndTurnInput, outcome: CallOutcome): Promise<Envelope> {
  const { tool, error, result_ref } = outcome;
  if (result_ref === null) {
    const unexplained = callError('EXECUTION_ERROR', 'no_result', `${tool} ended ${outcome.state} without a result.`);
    return failure(error ?? unexplained, metadataAt({ name: tool, version: '' } as Tool, turn, at));
  }
  return fitting(deps, turn, readResult(await deps.store.getPart(result_ref)));
}

/** Small files give way first, then all of the data: whoever called is given addresses to fetch them from. */
async function fitting(deps: Dependencies, turn: TurnContext, stored: StoredResult): Promise<Envelope> {
  const { envelope, call_id, summary } = stored;
  if (bytesOf(envelope) <= LARGEST || !envelope.success) return envelope;
  const own = await ownFiles(deps, stored);
  const addressed = { ...envelope, data: withAddresses(envelope.data, (ref) => (own.has(ref) ? presigned(deps, ref) : null)) };
  if (bytesOf(addressed) <= LARGEST) return addressed;
  const bytes = Buffer.from(JSON.stringify(envelope.data));
  const filename = `${envelope.metadata.tool_name}.json`;
  const file = await keepAddressed(deps, turn, call_id, binaryFile({ filename, contentType: 'application/json', bytes }));
  return { ...envelope, data: { ...file, summary } };
}

/** Of the files that a result seems to carry, those that this call has put into the store: a tool can write any ref. */
async function ownFiles({ store }: Dependencies, { envelope, turn_id, call_id }: StoredResult): Promise<ReadonlySet<string>> {
  const refs = envelope.success ? [...new Set(filesIn(envelope.data).map(({ ref }) => ref))].slice(0, MOST_FILES) : [];
  const own = await Promise.all(
    refs.map(async (ref) => {
      const part = /^[0-9a-f]{64}$/.test(ref) ? await store.getPart(ref).catch(notThere) : null;
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
