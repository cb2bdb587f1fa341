/** One of several processes at one store: `limit-child.ts MODE DIR [N]`. Prints `ready`, waits for a line, acts, prints JSON. */
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FileStore } from '../../../../src/store/files/file-store';
import type { RegisterStore } from '../../../../src/store/store';
import { ToolGate, type Pass } from '../../../../src/tools/limits/gate';
import { silent } from '../../../support/silent';
import { CONCURRENT, RATED } from '../../../support/tools/limits/support';

const [mode, dir = '', n = '0'] = process.argv.slice(2);
const count = Number(n);
const lanes = (work: (i: number) => Promise<void>) =>
  Promise.all([0, 1, 2].map(async (lane) => {
    for (let i = lane; i < count; i += 3) await work(i);
  })); // oxfmt-ignore

const modes: Record<string, (registers: RegisterStore) => Promise<unknown>> = {
  /** Adds names to a set. */
  async add(registers) {
    await lanes((i) =>
      registers.update('set', (value, _now) => {
        const before = (value ?? []) as string[];
        return { value: [...before, `${process.pid}.${i}`], answer: undefined };
      }),
    );
  },
  /** Calls whose number at once is limited; prints how many were seen inside at most. */
  async concurrent(registers) {
    const gate = new ToolGate(registers, silent, 60_000);
    let most = 0;
    await lanes(async (i) => {
      const pass = (await gate.enter(CONCURRENT)) as Pass;
      const marker = join(dir, 'inside', `${process.pid}.${i}`);
      await writeFile(marker, '');
      most = Math.max(most, (await readdir(join(dir, 'inside'))).length);
      await wait(Math.random() * 10);
      await rm(marker);
      await pass.leave();
    });
    return most;
  },
  /** Calls whose rate is limited; prints when each was let in, by the store's clock. */
  async rated(registers) {
    const starts: number[] = [];
    const watched: RegisterStore = {
      read: (name) => registers.read(name),
      async update(name, change) {
        let at = 0;
        const answer = await registers.update(name, (value, now) => change(value, (at = now)));
        if ((answer as { ok?: boolean }).ok) starts.push(at);
        return answer;
      },
    };
    const gate = new ToolGate(watched, silent, 60_000);
    await lanes(async () => void (await gate.enter(RATED)));
    return starts;
  },
  /** Takes the only place, says so, and stays. */
  async stay(registers) {
    const gate = new ToolGate(registers, silent);
    await gate.enter({ ...CONCURRENT, limits: { concurrency: 1 } });
    process.stdout.write('inside\n');
    await wait(600_000);
  },
};

async function main() {
  const { registers } = await FileStore.open(dir);
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  const result = await modes[mode ?? '']!(registers);
  process.stdout.write(`${JSON.stringify(result ?? null)}\n`);
  process.exit(0);
}

void main();
