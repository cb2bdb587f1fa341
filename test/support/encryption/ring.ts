/** Key rings for tests. */
import { rotate, type KeyRingJson } from '../../../src/encryption/key-ring';
import { Keys } from '../../../src/encryption/key-source';

/** A ring with these keys; the last one writes. */
export function ringOf(...ids: string[]): KeyRingJson {
  let ring: KeyRingJson | null = null;
  for (const id of ids) ring = rotate(ring, { id, writes: true, now: new Date() }).ring;
  return ring!;
}

/** A key service whose ring a test changes; a missing key is not waited for long. */
export async function ringService(first: KeyRingJson): Promise<{ keys: Keys; set(ring: KeyRingJson): Promise<void> }> {
  let present = first;
  const keys = await Keys.open({ ring: () => present }, { patienceMs: 0 });
  const set = async (ring: KeyRingJson) => {
    present = ring;
    await keys.key('none').catch(() => undefined); // a key that is missing has the ring read at once
  };
  return { keys, set };
}

/** The ring without one of its keys. */
export function without(ring: KeyRingJson, id: string): KeyRingJson {
  const { [id]: _, ...keys } = ring.keys;
  return { ...ring, keys, current: ring.current === id ? (Object.keys(keys)[0] ?? null) : ring.current };
}
