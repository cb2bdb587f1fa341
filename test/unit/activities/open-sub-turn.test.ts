/** A sub-agent's turn begins only with the fields with which it was opened. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteSubTurn, isNotedSubTurn, type NotedSubTurn } from '../../../src/activities/sub-agents/close-sub-turn';
import { FileStore } from '../../../src/store/files/file-store';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'holdfast-opened-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const above = { first_execution_run_id: 'run-1' };
const opened: NotedSubTurn = {
  digest: 'a'.repeat(64),
  agent: 'worker',
  message_hash: 'b'.repeat(64),
  within: ['locked'],
  depth_left: 2,
};

it('is not opened with any other field, for another turn, or below another run', async () => {
  const store = await FileStore.open(folder);
  await noteSubTurn(store, above, 'turn/a~1.1', opened);
  expect(await isNotedSubTurn(store, above, 'turn/a~1.1', opened)).toBe(true);
  const others: { [F in keyof NotedSubTurn]: NotedSubTurn[F] } = {
    digest: 'c'.repeat(64),
    agent: 'other',
    message_hash: 'd'.repeat(64),
    within: [],
    depth_left: 3,
  };
  for (const [field, value] of Object.entries(others))
    expect([field, await isNotedSubTurn(store, above, 'turn/a~1.1', { ...opened, [field]: value })]).toEqual([field, false]);
  expect(await isNotedSubTurn(store, above, 'turn/a~1.2', opened)).toBe(false);
  expect(await isNotedSubTurn(store, { first_execution_run_id: 'run-2' }, 'turn/a~1.1', opened)).toBe(false);
  await store.close();
});
