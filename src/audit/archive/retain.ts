/** Deletes kept bundles whose retention time is over, and leaves a tombstone for each. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleSigner } from '../../attestation/bundle-signer';
import { hasCode } from '../../store/files/atomic-file';
import { NotWhole, readWhole } from '../format/whole';
import type { BundleArchive } from './bundle-archive';

export interface RetainRequest {
  /** ISO 8601: bundles that were made before this time are deleted. */
  before: string;
  why: string;
  dryRun: boolean;
  signer: BundleSigner;
}

export interface RetentionResult {
  file: string;
  turn_id: string;
  /** `deleted`: or would be, on a dry run. */
  did: 'deleted' | 'damaged';
  /** Root of the deleted bundle, or why it was not deleted. */
  what: string;
}

/** The folder still has the file of legal holds, which holdfast no longer reads (decision 0047). */
export class LegalHoldsFound extends Error {
  override readonly name = 'LegalHoldsFound';
}

/**
 * Yields one result for each bundle that is old enough, by day.
 * @throws LegalHoldsFound, DamagedLog before anything is deleted
 */
export async function* retain(
  archive: BundleArchive,
  { before, why, dryRun, signer }: RetainRequest,
): AsyncGenerator<RetentionResult> {
  await refuseLegalHolds(archive.folder);
  const deletedFiles = await archive.tombstones.files();
  for await (const { name, turn_id } of archive.list(before)) {
    try {
      const bundle = await summaryOf(archive, name);
      if (bundle.made_at >= before) continue;
      if (!dryRun) {
        if (!deletedFiles.has(name))
          await archive.tombstones.add({ ...bundle, file: name, deleted_at: new Date().toISOString(), why }, signer);
        await archive.remove(name);
      }
      yield { file: name, turn_id, did: 'deleted', what: bundle.root };
    } catch (error) {
      if (!(error instanceof NotWhole)) throw error;
      yield { file: name, turn_id, did: 'damaged', what: error.message };
    }
  }
}

/** An older version wrote `holds.jsonl`: it lists turns whose bundles must not be deleted. */
async function refuseLegalHolds(folder: string): Promise<void> {
  const path = join(folder, 'holds.jsonl');
  const size = await stat(path).then(
    (stats) => stats.size,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    },
  );
  if (size === 0) return;
  throw new LegalHoldsFound(
    `Nothing is deleted: ${path} lists turns under a legal hold, and legal holds were removed from holdfast. Move the bundles of these turns to another folder, then delete the file (docs/retention.md).`,
  );
}

/** Reads the whole file: a tombstone must not vouch for a root that the file does not have. */
async function summaryOf(archive: BundleArchive, name: string) {
  const { first, end } = await readWhole(archive.read(name));
  const { agent, subject, made_at } = first;
  const { root, previous } = end;
  return { root, subject: subjectName(subject), agent, previous, made_at };
}

function subjectName({ kind, id }: { kind: string; id: string }): string {
  if (kind === 'session') return `session/${id}`;
  return id.startsWith('call/') ? id : `turn/${id}`;
}
