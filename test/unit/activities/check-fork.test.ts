import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFork } from '../../../src/activities/step/turn-start-and-end';
import { messageBlock, startBlock } from '../../../src/record/write-block';
import { FileStore } from '../../../src/store/files/file-store';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-fork-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a conversation that was deleted from the store is none, also where a worker has it in its cache', async () => {
  const store = await FileStore.open(folder);
  const at = '2026-11-30T07:00:00.000Z';
  const agent = { name: 'payables', prompt_hash: 'p', tools: [] };
  const turn = {
    turn_id: 't',
    workflow_id: 'turn/t',
    first_execution_run_id: 'r',
    requester: 'ana',
    session_id: null,
    trace_id: 'x',
  };
  const start = startBlock({ ...turn, agent, policy_ref: null, definition_ref: null });
  const first = store.seal('t', { ...start, parent: null, at });
  const message = messageBlock('user', [{ type: 'text', text: 'Pay INV-7.' }]);
  const second = store.seal('t', { ...message, parent: first.hash, at });
  await store.putBlocks([first, second]);
  const check = () => checkFork({ store }, { block: second.hash, of: 'ana', session_id: 's' });
  expect(await check()).toMatchObject({ ok: true, agent: 'payables' });
  rmSync(join(folder, 'objects'), { recursive: true });
  expect(await store.getBlock(second.hash)).toMatchObject({ hash: second.hash }); // from the cache
  expect(await check()).toMatchObject({ ok: false, near: null });
  await store.close();
});
