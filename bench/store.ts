/** Measures what a store costs a turn: PostgreSQL on this machine beside files, alternately in the same run. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePort } from '../src/devserver/ports';
import { FileStore } from '../src/store/files/file-store';
import { openStore } from '../src/store/open-store';
import type { Store } from '../src/store/store';
import { Draft, walk } from '../src/store/core/transcript';
import { findPostgres } from '../test/system/support/native-binaries';
import { SQL_USER, startPostgres } from '../test/system/support/native-postgres';
import { median } from './support/quantile';

/** Medians, ms. */
export interface StoreFigures {
  /** Three blocks with 8 KB of text. */
  step: number;
  /** One of twenty such steps that are stored at once. */
  stepAtOnce: number;
  /** A claim, and its outcome. */
  effect: number;
  /** Reading a transcript of 300 blocks in a process that has read none of it. */
  walk: number;
}

const ROUNDS = 100;
const AT_ONCE = 20;
const AT = '2026-01-31T10:00:00.000Z';
const PASSWORD = 'bench';

/** @returns null if there is no PostgreSQL */
export async function store(say: (line: string) => void): Promise<Record<'files' | 'postgres', StoreFigures> | null> {
  const bin = findPostgres();
  if (bin === null) {
    say('  there is no PostgreSQL (apt-get install postgresql): nothing to compare files with');
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-store-'));
  await chmod(folder, 0o755); // PostgreSQL's user must be able to enter it
  await mkdir(join(folder, 'postgres'));
  await writeFile(join(folder, 'password'), PASSWORD, { mode: 0o600 });
  const { port } = await choosePort('PostgreSQL', 0, 0);
  const server = await startPostgres({ bin, folder: join(folder, 'postgres'), port, passwordFile: join(folder, 'password') });
  try {
    const open = {
      files: () => FileStore.open(join(folder, 'store')),
      postgres: () => openStore(`postgres://${SQL_USER}:${PASSWORD}@127.0.0.1:${port}/postgres`),
    };
    return await compare(open, say);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Kind = 'files' | 'postgres';
const KINDS: Kind[] = ['files', 'postgres'];

async function compare(
  open: Record<Kind, () => Promise<Store>>,
  say: (line: string) => void,
): Promise<Record<Kind, StoreFigures>> {
  const stores = { files: await open.files(), postgres: await open.postgres() };
  const samples = (): Record<keyof StoreFigures, number[]> => ({ step: [], stepAtOnce: [], effect: [], walk: [] });
  const taken = { files: samples(), postgres: samples() };
  const heads: Record<Kind, string | null> = { files: null, postgres: null };
  for (let round = 0; round < ROUNDS; round++) {
    // Both in each round, so that a disturbance of the machine affects both.
    for (const kind of KINDS) {
      const to = stores[kind];
      taken[kind].step.push(await took(async () => (heads[kind] = await step(to, heads[kind], round))));
      taken[kind].effect.push(await took(() => effect(to, round)));
      if (round % 5 > 0) continue;
      const many = Array.from({ length: AT_ONCE }, (_, n) => `${round}-${n}`);
      taken[kind].stepAtOnce.push((await took(() => Promise.all(many.map((one) => step(to, null, one))))) / AT_ONCE);
    }
  }
  for (let again = 0; again < 5; again++) {
    for (const kind of KINDS) {
      const fresh = await open[kind]();
      taken[kind].walk.push(await took(() => walk(fresh, heads[kind])));
      await fresh.close();
    }
  }
  for (const kind of KINDS) await stores[kind].close();
  say(`  ${ROUNDS} steps each`);
  const figures = (kind: Kind): StoreFigures => {
    const { step, stepAtOnce, effect, walk } = taken[kind];
    return { step: median(step), stepAtOnce: median(stepAtOnce), effect: median(effect), walk: median(walk) };
  };
  return { files: figures('files'), postgres: figures('postgres') };
}

async function step(to: Store, parent: string | null, name: number | string): Promise<string> {
  const draft = new Draft(to, 'bench', parent);
  draft.add({ kind: 'message', bodies: [{ name, text: 'The figures of the quarter, once more. '.repeat(200) }] }, AT);
  draft.add({ kind: 'message', bodies: [{ name, text: 'And what follows from them.' }] }, AT);
  draft.add({ kind: 'end', bodies: [{ name }] }, AT);
  return draft.store();
}

async function effect(to: Store, round: number): Promise<void> {
  const key = `hf_${round.toString(16).padStart(40, '0')}`;
  const hash = 'a'.repeat(64);
  const call = { turn_id: `turn-${round}`, digest: hash, dispatch: 1, tool: 'pay', run_id: 'run', attempt: 1, head: hash };
  await to.effects.claim({ idempotency_key: key, ...call });
  await to.effects.move(key, 1, 'applied');
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
