/** All text in which kept turns, sessions, schedules and bundles refer to the store: the roots of its garbage collection. */
import { createReadStream } from 'node:fs';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { readRun } from '../../temporal/history/read-history';
import { ENDS, unknownContent } from '../format/whole-file';
import type { BundleArchive } from './bundle-archive';

/**
 * @param archive null: no bundles are kept
 * @throws NoCodecKeys, MissingKey for a history that cannot be decrypted; Error for a bundle that is encrypted or not whole
 */
export async function* storeRoots(temporal: Client, archive: BundleArchive | null): AsyncGenerator<string> {
  for await (const { workflowId, runId } of temporal.workflow.list()) yield* historyTexts(temporal, { workflowId, runId });
  for await (const { scheduleId } of temporal.schedule.list()) {
    const { action } = await temporal.schedule.getHandle(scheduleId).describe();
    yield JSON.stringify('args' in action ? action.args : action);
  }
  if (archive !== null) for await (const { path } of archive.list()) yield* bundleTexts(path);
}

/** Nothing, if Temporal forgets the run meanwhile. */
async function* historyTexts(temporal: Client, of: { workflowId: string; runId: string }): AsyncGenerator<string> {
  try {
    for await (const event of readRun(temporal, of, { follow: false })) yield* textsIn(event);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError) && !isNotFound(error)) throw error;
  }
}

/** Strings and bytes below a message: payloads are JSON. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (ArrayBuffer.isView(value)) yield Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
  else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) yield* textsIn(member);
}

async function* bundleTexts(path: string): AsyncGenerator<string> {
  let [beginning, end] = ['', ''];
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const text = end + (chunk as string);
    beginning ||= text.slice(0, ENDS);
    yield text;
    end = text.slice(-ENDS); // longer than a hash: what is read in pieces overlaps by it
  }
  const fault = unknownContent({ beginning, end });
  if (fault !== null) throw new Error(`${path} ${fault}. Move it out of the folder of kept bundles`);
}

/** gRPC's NOT_FOUND. */
function isNotFound(error: unknown): boolean {
  return (error as { code?: unknown }).code === 5;
}
