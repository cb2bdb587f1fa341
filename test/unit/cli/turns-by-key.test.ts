/** The values of `trail --turn`: the id of a turn, or the key under which it was started. No server runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnInTrail } from '../../../src/cli/trail';
import { directCallId, turnIdFromKey, workflowId } from '../../../src/shared/ids';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { append } from '../../../src/store/core/transcript';

const RITA = 'acme/rita';
const EVE = 'globex/eve';
/** Turn, requester. */
const TURNS: [id: string, requester: string][] = [
  [turnIdFromKey(RITA, 'inv-4'), RITA],
  [directCallId(turnIdFromKey(RITA, 'pay 4/5')), RITA],
  ['plain', 'local'],
  [turnIdFromKey(EVE, 'plain'), EVE],
  [turnIdFromKey(RITA, 'both'), RITA],
  [turnIdFromKey(EVE, 'both'), EVE],
];
const [OF_KEY, OF_CALL] = [TURNS[0]![0], TURNS[1]![0]];

let home: string;
let store: Store;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-by-key-'));
  store = await FileStore.open(join(home, 'store'));
  for (const [turn_id, requester] of TURNS) {
    const call = { call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' };
    const subject = { turn_id, workflow_id: workflowId(turn_id), agent: 'payables', requester, ...call };
    const bodies = [{ digest: 'd'.repeat(64), subject }];
    await append(store, `run of ${turn_id}`, { parent: null, kind: 'dispatch', at: '2026-01-31T10:00:00.000Z', bodies });
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('a turn in the trail', () => {
  it.each([
    ['its id', OF_KEY, OF_KEY],
    ['its key', 'inv-4', OF_KEY],
    ['the key of a direct call', 'pay 4/5', OF_CALL],
    ['the id of a direct call, as links spell it', OF_CALL.replace('/', '%2F'), OF_CALL],
    ['an id that is somebody’s key too', 'plain', 'plain'],
  ])('is found by %s', async (_, name, id) => expect(await turnInTrail(store.trail, name)).toBe(id));

  it('is not found by a key that nobody has used', async () => expect(await turnInTrail(store.trail, 'nobody')).toBeNull());

  it('is not guessed if two principals have used the key', async () => {
    const asked = turnInTrail(store.trail, 'both');
    await expect(asked).rejects.toThrow('Several principals have used the key "both"');
    for (const [id, requester] of TURNS.slice(4)) await expect(asked).rejects.toThrow(`${id} (of ${requester})`);
  });
});
