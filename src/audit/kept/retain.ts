/** Deletes kept bundles whose time is over. A tombstone stays for each; what is held stays as it is. */
import type { BundleSigner } from '../../attestation/bundle-signer';
import { NotWhole, readWhole } from '../format/whole';
import { isJsonObject } from '../../shared/json';
import type { KeptBundles, KeptFile } from './folder';
import { holdOn, Holds } from './holds';

export interface RetainRequest {
  /** ISO 8601: bundles that were made before it go. */
  before: string;
  why: string;
  dryRun: boolean;
  signer: BundleSigner;
}

export interface Retained {
  file: string;
  turn_id: string;
  /** `deleted`: or would be, on a dry run. */
  did: 'deleted' | 'held' | 'damaged';
  /** Root of what was deleted; why it was not. */
  what: string;
}

/**
 * One answer for each bundle that is old enough, by day.
 * @throws DamagedLog before anything is deleted
 */
export async function* retain(kept: KeptBundles, { before, why, dryRun, signer }: RetainRequest): AsyncGenerator<Retained> {
  const holds = await new Holds(kept.folder).all();
  const gone = await kept.tombstones.files();
  for await (const file of kept.list(before)) {
    const { name, turn_id } = file;
    try {
      const bundle = await summaryOf(kept, file);
      if (bundle.made_at >= before) continue;
      const hold = holdOn(holds, bundle.turns);
      if (hold) {
        yield { file: name, turn_id, did: 'held', what: hold.reason };
        continue;
      }
      const { turns: _, ...stone } = bundle;
      if (!dryRun) {
        if (!gone.has(name))
          await kept.tombstones.add({ ...stone, file: name, deleted_at: new Date().toISOString(), why }, signer);
        await kept.remove(name);
      }
      yield { file: name, turn_id, did: 'deleted', what: bundle.root };
    } catch (error) {
      if (!(error instanceof NotWhole)) throw error;
      yield { file: name, turn_id, did: 'damaged', what: error.message };
    }
  }
}

/** Read whole: a tombstone must not vouch for a root that the file does not have. */
async function summaryOf(kept: KeptBundles, { name, turn_id }: KeptFile) {
  const turns = new Set([turn_id]);
  const { first, end } = await readWhole(kept.read(name), ({ kind, body }) => {
    if (kind !== 'turn') return;
    turns.add(body.turn_id);
    if (isJsonObject(body.parent)) turns.add(String(body.parent.turn_id));
  });
  const { agent, subject, made_at } = first;
  const { root, previous } = end;
  return { root, subject: subjectName(subject), agent, previous, made_at, turns: [...turns] };
}

function subjectName({ kind, id }: { kind: string; id: string }): string {
  if (kind === 'session') return `session/${id}`;
  return id.startsWith('call/') ? id : `turn/${id}`;
}
