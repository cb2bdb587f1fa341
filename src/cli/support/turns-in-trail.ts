/** What a person calls a turn, looked up in the store's trail: there Temporal may have forgotten it, or may not run at all. */
import { AmbiguousKey } from '../../client/errors';
import type { KeptBundles } from '../../audit/kept/folder';
import { asTurnId, isDirectCallId, isTurnId } from '../../shared/ids';
import type { TrailStore } from '../../store/store';
import { UsageError } from './exit';

const PAGE = 1000;

/**
 * The turn or direct call of this id, or that a principal has started under this idempotency key.
 * @returns null where the trail has none
 * @throws AmbiguousKey where several principals have started one under the key
 */
export async function turnInTrail(trail: TrailStore, name: string): Promise<string | null> {
  const id = asTurnId(name);
  if ((await trail.query({ turn: id, limit: 1 })).entries.length > 0) return id;
  const found = new Map<string, { id: string; requester: string }>();
  let cursor: string | null = null;
  do {
    const page = await trail.query({ named: name, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    for (const { turn_id, requester } of page.entries) found.set(turn_id, { id: turn_id, requester });
    cursor = page.next_cursor;
  } while (cursor !== null);
  if (found.size > 1) throw new AmbiguousKey(name, [...found.values()]);
  return [...found.keys()][0] ?? null;
}

/**
 * The id that a legal hold stands under. What is held or kept is looked at first: for that no store is opened.
 * @returns `known` false: nothing has this id yet
 * @throws UsageError for what is neither an id nor a known key; AmbiguousKey
 */
export async function turnToHold(
  name: string,
  places: {
    kept: Pick<KeptBundles, 'list'>;
    held: Pick<ReadonlyMap<string, unknown>, 'has'>;
    trail: () => Promise<TrailStore>;
  },
): Promise<{ id: string; known: boolean }> {
  const id = asTurnId(name);
  const isId = isTurnId(id) || isDirectCallId(id);
  if (isId && (places.held.has(id) || (await hasBundle(places.kept, id)))) return { id, known: true };
  const found = await turnInTrail(await places.trail(), name);
  if (found !== null) return { id: found, known: true };
  if (isId) return { id, known: false };
  const shown = JSON.stringify(name.slice(0, 140));
  throw new UsageError(`${shown} is no id of a turn, and the trail has no turn that was started under such a key.`);
}

/** Of this turn, or of a turn of this session. */
async function hasBundle(kept: Pick<KeptBundles, 'list'>, id: string): Promise<boolean> {
  for await (const { turn_id } of kept.list()) if (turn_id === id || turn_id.startsWith(`${id}.`)) return true;
  return false;
}
