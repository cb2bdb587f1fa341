import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rotate } from '../../../src/encryption/key-ring';
import { STOP_REGISTER } from '../../../src/record/stop';
import { StopRegister } from '../../../src/stop/register';
import { FileStore } from '../../../src/store/files/file-store';
import { openStore } from '../../../src/store/open-store';
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

  it('has room for the freeze of everything when it is full', async () => {
    for (let index = 0; index < 100; index++) await stop.freeze({ scope: 'tool', name: `tool-${index}` }, 'root', 'x');
    await expect(stop.freeze({ scope: 'tool', name: 'one more' }, 'root', 'x')).rejects.toThrow('freeze everything');
    expect((await stop.freeze({ scope: 'all', name: '' }, 'root', 'x')).isNew).toBe(true);
  });

  it('takes other spellings of a tenant for that tenant', async () => {
    const { freeze } = await stop.freeze({ scope: 'tenant', name: 'acme' }, 'acme/root', 'x');
    for (const name of ['Acme', 'ACME', 'ac\u200bme'])
      expect(await stop.freeze({ scope: 'tenant', name }, 'acme/root', 'x')).toEqual({ freeze, isNew: false });
  });

  it('is ended for a tenant by nobody of that tenant if somebody who sees all tenants has set it', async () => {
    const acme = { scope: 'tenant', name: 'acme' } as const;
    await stop.freeze(acme, 'acme/root', 'x');
    await stop.freeze(acme, 'root', 'stolen accounts');
    await expect(stop.unfreeze(acme, 'acme/root', '')).rejects.toThrow('root has frozen this tenant');
    expect((await stop.read()).freezes).toMatchObject([{ by: 'root' }]);
    expect(await stop.unfreeze(acme, 'root', '')).toMatchObject({ by: 'root' });
  });

  it('keeps room for withdrawals by those who see all tenants', async () => {
    const withdrawals = [...Array(1000).keys()].map((index) => {
      const tenant = `t${Math.floor(index / 50)}`;
      return { approver: `${tenant}/p${index}`, at: '2026-11-30T00:00:00.000Z', by: `${tenant}/root`, reason: '' };
    });
    const set = (count: number) =>
      store.registers.update(STOP_REGISTER, () => ({
        value: { freezes: [], withdrawals: withdrawals.slice(0, count) },
        answer: null,
      }));
    await set(50);
    await expect(stop.withdraw('t0/new', 't0/root', '')).rejects.toThrow('too many people');
    await stop.withdraw('t1/new', 't1/root', '');
    await set(900);
    await expect(stop.withdraw('other/new', 'other/root', '')).rejects.toThrow('too many people');
    await stop.withdraw('other/new', 'root', '');
    await set(1000);
    await expect(stop.withdraw('other/new', 'root', '')).rejects.toThrow('too many people');
  });

  it('does not replace a register that it cannot read by a smaller stop', async () => {
    await store.registers.update(STOP_REGISTER, () => ({ value: 'rubbish', answer: null }));
    await expect(stop.freeze(tool, 'root', 'x')).rejects.toThrow('cannot be read');
    await expect(stop.withdraw('ana', 'root', 'x')).rejects.toThrow('cannot be read');
    expect((await store.registers.read(STOP_REGISTER)).value).toBe('rubbish');
  });

  it('freezes everything while the file of its register is damaged', async () => {
    await stop.freeze(tool, 'root', 'x');
    const registers = join(folder, 'registers');
    const [kept] = readdirSync(registers).filter((name) => name.startsWith('kept-'));
    const [first] = readdirSync(join(registers, kept!));
    chmodSync(join(registers, kept!, first!), 0o600);
    writeFileSync(join(registers, kept!, first!), '');
    expect((await stop.read()).freezes).toMatchObject([{ scope: 'all' }]);
    await expect(stop.freeze(tool, 'root', 'x')).rejects.toThrow(`registers/${kept}/1 is not JSON. Restore it from a backup`);
  });

  it('is not changed, and not taken for empty, by a process without the keys of its store', async () => {
    const encrypted = join(folder, 'encrypted');
    const ring = join(folder, 'ring.json');
    writeFileSync(ring, JSON.stringify(rotate(null, { writes: true, now: new Date() }).ring), { mode: 0o600 });
    const withKeys = await openStore(`file:${encrypted}`, ring);
    const { freeze } = await new StopRegister(withKeys).freeze(tool, 'root', 'x');
    const plain = await openStore(`file:${encrypted}`);
    const without = new StopRegister(plain);
    await expect(without.read()).rejects.toThrow('HOLDFAST_CODEC_KEYS');
    await expect(without.freeze({ scope: 'all', name: '' }, 'root', 'x')).rejects.toThrow('HOLDFAST_CODEC_KEYS');
    await expect(without.unfreeze({ scope: 'all', name: '' }, 'root', 'x')).rejects.toThrow('HOLDFAST_CODEC_KEYS');
    expect((await new StopRegister(withKeys).read()).freezes).toEqual([freeze]);
    await Promise.all([withKeys.close(), plain.close()]);
  });

  it('freezes everything while its register makes no sense, until somebody ends that freeze', async () => {
    await store.registers.update(STOP_REGISTER, () => ({ value: 'rubbish', answer: null }));
    expect((await stop.read()).freezes).toMatchObject([{ scope: 'all' }]);
    await stop.unfreeze({ scope: 'all', name: '' }, 'root', '');
    expect(await stop.read()).toEqual({ freezes: [], withdrawals: [] });
  });
});
