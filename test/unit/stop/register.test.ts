import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STOP_REGISTER } from '../../../src/record/stop';
import { StopRegister } from '../../../src/stop/register';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';

describe('the stop switch in the store', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-stop-'));
  const tool = { scope: 'tool', name: 'pay' } as const;
  let folder: string;
  let store: Store;
  let stop: StopRegister;
  beforeEach(async () => {
    folder = mkdtempSync(join(dir, 'store-'));
    store = await FileStore.open(folder);
    stop = new StopRegister(store);
  });
  afterEach(() => store.close());
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const trail = async () =>
    (await store.trail.query({})).entries.map(({ state, by, tool: of, agent, requester, verified }) => ({
      ...{ state, by, of, agent, requester, verified },
    }));

  it('keeps a freeze for other processes, and enters it and its end in the trail', async () => {
    const { freeze, isNew } = await stop.freeze(tool, 'root', 'wrong account');
    expect([isNew, freeze]).toEqual([true, expect.objectContaining({ ...tool, by: 'root', reason: 'wrong account' })]);
    const other = new StopRegister(await FileStore.open(folder));
    expect((await other.read()).freezes).toEqual([freeze]);
    expect(await other.unfreeze(tool, 'ben', '')).toEqual(freeze);
    expect((await stop.read()).freezes).toEqual([]);
    const both = { of: 'pay', agent: '', requester: '', verified: true };
    const entries = await trail();
    expect(entries).toHaveLength(2);
    expect(entries).toEqual(
      expect.arrayContaining([
        { state: 'frozen', by: 'root', ...both },
        { state: 'unfrozen', by: 'ben', ...both },
      ]),
    );
  });

  it('changes nothing of what is frozen already, or not frozen', async () => {
    const { freeze } = await stop.freeze(tool, 'root', 'first');
    expect(await stop.freeze(tool, 'ben', 'second')).toEqual({ freeze, isNew: false });
    expect(await stop.unfreeze({ scope: 'all', name: '' }, 'ben', '')).toBeNull();
    expect(await trail()).toHaveLength(1);
  });

  it('loses no freeze of several at once', async () => {
    const names = [...Array(12).keys()].map((index) => `tool-${index}`);
    await Promise.all(names.map((name) => stop.freeze({ scope: 'tool', name }, 'root', 'x')));
    expect((await stop.read()).freezes.map(({ name }) => name).sort()).toEqual([...names].sort());
  });

  it('keeps the last withdrawal of a person, and enters each in the trail', async () => {
    await stop.withdraw('ana', 'root', 'first');
    await stop.freeze(tool, 'root', 'x');
    const last = await stop.withdraw('Ana', 'root', 'stolen laptop');
    expect((await stop.read()).withdrawals).toEqual([last]);
    expect((await trail()).filter(({ state }) => state === 'approvals_withdrawn')).toMatchObject([
      { requester: 'ana', by: 'root', verified: true },
      { requester: 'Ana', by: 'root', verified: true },
    ]);
  });

  it('freezes everything while its register is damaged, until somebody ends that freeze', async () => {
    await store.registers.update(STOP_REGISTER, () => ({ value: 'rubbish', answer: null }));
    expect((await stop.read()).freezes).toMatchObject([{ scope: 'all' }]);
    await stop.unfreeze({ scope: 'all', name: '' }, 'root', '');
    expect(await stop.read()).toEqual({ freezes: [], withdrawals: [] });
  });
});
