/** What a direct call answers: its stored envelope, no larger than history can carry. */
import type { CallOutcome, EndTurnInput, TurnContext } from '../shared/activity-io';
import { canonical } from '../shared/canonical';
import type { Envelope } from '../shared/envelope';
import { callError } from '../shared/errors';
import type { Json } from '../shared/json';
import { binaryFile, withAddresses } from '../tools/binary';
import type { Tool } from '../tools/define';
import type { StoredResult } from '../tools/shape';
import type { Dependencies } from './dependencies';
import { keepAddressed, presigned } from './keep-file';
import { failure, metadataAt } from './run-once';

/** It travels through history twice: out of the activity, and as the workflow's result. */
const LARGEST = 128 * 1024;

export async function envelopeOf(deps: Dependencies, { turn, at }: EndTurnInput, outcome: CallOutcome): Promise<Envelope> {
  const { tool, error, result_ref } = outcome;
  if (result_ref === null) {
    const unexplained = callError('EXECUTION_ERROR', 'no_result', `${tool} ended ${outcome.state} without a result.`);
    return failure(error ?? unexplained, metadataAt({ name: tool, version: '' } as Tool, turn, at));
  }
  const stored = (await deps.store.getPart(result_ref)) as unknown as StoredResult;
  return fitting(deps, turn, stored);
}

/** Small files give way first, then all of the data: whoever called is given addresses to fetch them from. */
async function fitting(deps: Dependencies, turn: TurnContext, stored: StoredResult): Promise<Envelope> {
  const { envelope, call_id, summary } = stored;
  if (bytesOf(envelope) <= LARGEST || !envelope.success) return envelope;
  const addressed = { ...envelope, data: withAddresses(envelope.data, (file) => presigned(deps, file)) };
  if (bytesOf(addressed) <= LARGEST) return addressed;
  const bytes = Buffer.from(JSON.stringify(envelope.data));
  const filename = `${envelope.metadata.tool_name}.json`;
  const file = await keepAddressed(deps, turn, call_id, binaryFile({ filename, contentType: 'application/json', bytes }));
  return { ...envelope, data: { ...file, summary } };
}

function bytesOf(envelope: Envelope): number {
  return Buffer.byteLength(canonical(envelope as unknown as Json));
}
