/** What `trail --turn` and `audit hold` take for a turn: its id, or the key under which it was started. No server runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptBundles } from '../../../src/audit/kept/folder';
import { turnInTrail, turnToHold } from '../../../src/cli/support/turns-in-trail';
import { directCallId, turnIdFromKey, workflowId } from '../../../src/shared/ids';
import { FileStore } from '../../../src/store/file-store';
import type { Store } from '../../../src/store/store';
import { append } from '../../../src/store/transcript';

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

  it('is not found by what nobody has used', async () => expect(await turnInTrail(store.trail, 'nobody')).toBeNull());

  it('is not guessed where two principals have used the key', async () => {
    const asked = turnInTrail(store.trail, 'both');
    await expect(asked).rejects.toThrow('Several principals have used the key "both"');
    for (const [id, requester] of TURNS.slice(4)) await expect(asked).rejects.toThrow(`${id} (of ${requester})`);
  });
});

describe('the turn that a hold stands on', () => {
  const toHold = (name: string, held: string[] = [], trail = async () => store.trail) =>
    turnToHold(name, { kept: new KeptBundles(join(home, 'bundles')), held: new Set(held), trail });

  it.each([
    ['a key', 'inv-4', OF_KEY],
    ['the key of a direct call', 'pay 4/5', OF_CALL],
    ['an id that is somebody’s key too', 'plain', 'plain'],
  ])('is found by %s', async (_, name, id) => expect(await toHold(name)).toEqual({ id, known: true }));

  it('is not guessed, and a name that is no id has to be a key that the trail knows', async () => {
    await expect(toHold('both')).rejects.toThrow('Several principals have used the key "both"');
    await expect(toHold('pay 9/9')).rejects.toThrow(/"pay 9\/9" is no id of a turn, and the trail has no turn/);
  });

  it('may come later, under an id', async () => expect(await toHold('later')).toEqual({ id: 'later', known: false }));

  it('is found without a store where its bundle is kept, or one of a turn of the session, or it is held', async () => {
    mkdirSync(join(home, 'bundles', '2026-01-31'), { recursive: true });
    for (const turn of ['desk.1', 'once']) writeFileSync(join(home, 'bundles', '2026-01-31', `${turn}@01234567.jsonl`), '');
    const noStore = () => Promise.reject(new Error('the store is away'));
    for (const id of ['desk', 'once', 'held']) expect(await toHold(id, ['held'], noStore)).toEqual({ id, known: true });
    await expect(toHold('other', [], noStore)).rejects.toThrow('the store is away');
  });
});
