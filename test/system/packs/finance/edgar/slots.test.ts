import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HostPause } from '../../../../../packs/finance/src/edgar/pause';
import { RequestSlots } from '../../../../../packs/finance/src/edgar/request-rate-limit';
import { eventually } from '../../../../engine/support/engine';
import { startEdgar } from '../../../support/edgar-server';
import { toolErrorOf } from '../../../../support/packs/finance/support';

const CHILD = ['--require', join(__dirname, '../../../support/typescript.cjs'), join(__dirname, 'limit-child.ts')];
const child = (...args: (string | number)[]) => promisify(execFile)(process.execPath, [...CHILD, ...args.map(String)]);

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-slots-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('request slots', () => {
  it('let all processes of a host start at most ten requests in any second', async () => {
    const outputs = await Promise.all([1, 2, 3, 4].map(() => child('slots', folder, 10)));
    const starts = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as { slot: number; at: number }[]);
    expect(starts.length).toBeGreaterThanOrEqual(40);
    expect(new Set(starts.map(({ slot }) => slot)).size).toBe(starts.length);
    // `at` is read right after the slot was given, by the processes' own clock: nothing of a network lies
    // between. The event loop may still come late to it, so the slot, which is the start, is what is counted.
    const times = starts.map(({ slot }) => slot * 112).sort((a, b) => a - b);
    for (const [i, time] of times.entries()) {
      expect(times[i + 10] === undefined || times[i + 10]! - time > 1008).toBe(true);
    }
    for (const { slot, at } of starts) expect(Math.floor(at / 112)).toBeGreaterThanOrEqual(slot);
  });

  it('give every request that reaches the server a slot of its own', async () => {
    const server = await startEdgar(new Map());
    server.misbehave((_request, response) => void response.end('{}'));
    try {
      await Promise.all([1, 2, 3].map(() => child('get', server.url, folder, 6)));
      expect(server.seen).toHaveLength(18);
      // More, where a process was too late for a slot that it had taken, and took another.
      expect(readdirSync(join(folder, 'slots')).length).toBeGreaterThanOrEqual(18);
    } finally {
      await server.close();
    }
  });

  it('are not given twice when the clock stands still, and not for the past when it goes back', async () => {
    let now = 1_000_000;
    const first = new RequestSlots(folder, () => now);
    const second = new RequestSlots(folder, () => now);
    const slot = await first.take();
    const waiting = second.take();
    now += 112;
    expect(await waiting).toBe(slot + 1);
    now -= 112; // the files still stand there
    const after = first.take();
    now += 500;
    expect(await after).toBe(Math.floor(now / 112));
  });

  it('are passed over when the process was too late to use one', async () => {
    let reads = 0;
    const late = new RequestSlots(folder, () => 1_000_000 + (reads++ === 0 ? 0 : 300));
    expect(await late.take()).toBe(Math.floor(1_000_300 / 112));
  });

  it('are swept when they are a minute old, or of an earlier start of the host', async () => {
    const now = Math.floor(1_000_000_000 / 112);
    for (const name of [now - 600, now - 500, now + 600, now + 500, 'notes.txt']) writeFileSync(join(folder, String(name)), '');
    await new RequestSlots(folder, () => 1_000_000_000).take();
    await eventually('it is swept', async () => readdirSync(folder).length === 4);
    expect(readdirSync(folder).sort()).toEqual([now - 500, now, now + 500].map(String).concat('notes.txt').sort());
  });

  it('are no longer waited for when the call is cancelled', async () => {
    const slots = new RequestSlots(folder, () => 1_000_000);
    await slots.take();
    const cancel = new AbortController();
    const waiting = slots.take(cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });

  it('say which folder cannot be written to, and what to set', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { detail } = await toolErrorOf(new RequestSlots(join(folder, 'file', 'slots')).take());
    expect(detail).toMatchObject({ reason: 'cache_not_writable', hint: expect.stringContaining('HOLDFAST_CACHE') });
  });
});

describe('the pause of a host', () => {
  it('is seen by other processes, is never shortened, and ends', async () => {
    let now = 5_000;
    const [one, other] = [1, 2].map(() => new HostPause(join(folder, 'pause'), () => now)) as [HostPause, HostPause];
    expect(await other.remaining()).toBe(0);
    await one.begin(10_000);
    await one.begin(1_000);
    now += 4_000;
    expect(await other.remaining()).toBe(6_000);
    now += 6_000;
    expect(await other.remaining()).toBe(0);
  });

  it('of an earlier start of the host counts for nothing', async () => {
    await new HostPause(join(folder, 'pause'), () => 1e12).begin(60_000);
    expect(await new HostPause(join(folder, 'pause'), () => 5_000).remaining()).toBe(0);
  });
});
