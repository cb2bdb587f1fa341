import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ofKey } from '../../../../src/attestation/bundle-signer';
import { trustedEntry } from '../../../../src/attestation/gateway-key';
import { SigningKey } from '../../../../src/attestation/signing-key';
import { readTombstones } from '../../../../src/audit/verify/tombstones';
import { readWhole } from '../../../../src/audit/format/whole';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { retain } from '../../../../src/audit/archive/retain';
import { exportBundle } from '../../../../src/audit/export/bundle';
import { closedWithEffects } from '../../../../src/audit/archive/closed-turns';
import { Sweeper } from '../../../../src/audit/archive/sweeper';
import type { TurnHandle } from '../../../../src/client/turns/turn-handle';
import { startDevServer } from '../../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../../src/devserver/find-cli';
import { resetTurn } from '../../support/reset';
import { eventually, withEngine, type Engine } from '../../support/engine';
import { ask, say } from '../../../support/scripted-model';
import { silent } from '../../../support/silent';
import { pays, reads } from '../../../support/tools';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-kept-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const own = SigningKey.generate();
const key = ofKey(own);
const signer = async () => key;
const archive = new BundleArchive(folder);
const invoice = (n: number) => ({ invoice: `INV-${n}`, cents: 700 });

const sweeperOf = ({ client, store, taskQueue }: Engine, more: Partial<ConstructorParameters<typeof Sweeper>[0]> = {}) =>
  new Sweeper({ temporal: client.temporal, store, taskQueue, archive, signer, log: silent, ...more });

/** Temporal lists an ended workflow a moment after its end. */
async function sweptUntil(sweeper: Sweeper, ...turns: string[]): Promise<string[]> {
  const all: string[] = [];
  await eventually('their bundles are kept', async () => {
    all.push(...(await sweeper.sweep()).kept);
    return turns.every((turn) => all.some((name) => name.includes(`/${turn.replace('/', '@')}@`)));
  });
  return all;
}

async function approved(turn: TurnHandle): Promise<void> {
  const [call] = await turn.waitForPending();
  await turn.approve(call.digest, { by: 'ana' });
}

const filesOf = async () => {
  const names: string[] = [];
  for await (const { name } of archive.list()) names.push(name);
  return names;
};

test('each turn with effects has one bundle, however it ended; bundles are removed when their time is over', async () => {
  const effects: unknown[] = [];
  const script = [
    say('Nothing to do.'),
    ask(['pay', invoice(1)]),
    say('Paid.'),
    ask(['pay', invoice(2)]),
    ask(['pay', invoice(3)]),
    ask(['look', {}]),
  ];
  await withEngine({ tools: [pays('pay', effects), reads('look', () => 'seen')], script }, async (engine) => {
    await (await engine.start()).result();
    const paid = await engine.start();
    await approved(paid);
    await paid.result();
    const terminated = await engine.start();
    await approved(terminated);
    await eventually('it asks again', async () => (await terminated.pending()).some(({ id }) => id === '2.1'));
    await engine.client.temporal.workflow.getHandle(terminated.workflowId).terminate('enough');
    const direct = await engine.call('pay', invoice(4));
    await approved(direct.turn);
    await direct.turn.result();
    expect(effects).toHaveLength(3);

    const ended = [paid.id, terminated.id, direct.turn.id];
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const broken = [
      { reason: 'the key service is away', signer: () => Promise.reject(new Error('the key service is away')) },
      { reason: 'Bundles cannot be kept in', archive: new BundleArchive(file) },
    ];
    for (const { reason, ...parts } of broken) {
      const sweeper = sweeperOf(engine, parts);
      const failure = () => sweeper.sweep().then(() => '', ({ message }: Error) => message); // oxfmt-ignore
      await eventually('the ended turns are seen', async () => (await failure()).includes(reason));
      expect(await sweeperOf(engine).sweep()).toEqual({ kept: [], failed: [], mine: false });
      await sweeper.release();
    }
    expect(await filesOf()).toEqual([]);

    const sweeper = sweeperOf(engine);
    const names = await sweptUntil(sweeper, ...ended);
    expect(names).toHaveLength(3);
    expect(await sweeper.sweep()).toEqual({ kept: [], failed: [], mine: true });
    await sweeper.release();
    const another = await eventually('another may sweep', async () => {
      const swept = await sweeperOf(engine).sweep();
      return swept.mine && swept;
    });
    expect(another.kept).toEqual([]);

    const bundles = await Promise.all(names.map((name) => readWhole(archive.read(name))));
    const complete = bundles.map(({ first, end }) => [first.subject.id, end.complete]);
    expect(Object.fromEntries(complete)).toEqual({ [paid.id]: true, [terminated.id]: false, [direct.turn.id]: true });
    const before = bundles.map(({ end }) => end.previous?.root ?? null);
    expect(before.slice().sort()).toEqual(
      [null, ...bundles.map(({ end }) => end.root)].filter((root) => root === null || before.includes(root)).sort(),
    );
  });
  await retention();
});

test('a turn that continued in another run after its effects, or was reset, has a bundle', async () => {
  const { path } = await findTemporalCli();
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 60 };
  const server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
  const own = new BundleArchive(join(folder, 'continued'));
  const tools = [pays('pay', []), reads('look', () => 'seen')];
  const looks = Array.from({ length: 14 }, () => ask(['look', {}]));
  const script = [ask(['pay', invoice(1)]), ...looks, say('Paid.'), ask(['pay', invoice(2)]), ask(['pay', invoice(3)])];
  try {
    await withEngine({ address: server.address, tools, script: [...script, say('Paid.')] }, async (engine) => {
      const sweeper = sweeperOf(engine, { archive: own });
      const turn = await engine.start();
      const { run_id: first } = await turn.status();
      await approved(turn);
      expect((await turn.result()).run_id).not.toBe(first);
      await sweptUntil(sweeper, turn.id);
      await deleteRun(engine, turn.workflowId, first);
      const lines: string[] = [];
      const parts = { temporal: engine.client.temporal, store: engine.store, signer: key, chained: false };
      for await (const line of exportBundle({ ...parts, subject: { kind: 'turn', id: turn.id } })) lines.push(line);
      expect(JSON.parse(lines.at(-1)!)).toMatchObject({ kind: 'end', body: { complete: false } });
      expect(lines.join('')).toContain('Temporal no longer has its first run.');
      expect(lines.filter((line) => line.includes('"kind":"run","n"')).length).toBeGreaterThan(0);
      const types: string[] = [];
      for await (const { type } of turn.watch()) types.push(type);
      expect(types.at(-1)).toBe('turn_completed');
      const reset = await engine.start();
      await approved(reset);
      const waiting = async () => (await reset.pending()).find(({ id }) => id === '2.1');
      await eventually('it asks again', waiting);
      await resetTurn(engine.client, reset);
      const from = new Date().toISOString();
      const { digest } = await eventually('it asks again after the reset', waiting);
      await reset.deny(digest, { by: 'ana' });
      await reset.result();
      const places = { ...engine, temporal: engine.client.temporal };
      await eventually('its end is found', async () => {
        const closed = await closedWithEffects(places, { from, to: new Date(Date.now() + 1000).toISOString() }, Infinity);
        return closed!.some(({ turn_id }) => turn_id === reset.id);
      });
    });
  } finally {
    await server.stop();
  }
});

/** As Temporal does when a run has been closed for long enough. */
async function deleteRun({ client }: Engine, workflowId: string, runId: string): Promise<void> {
  const { workflow, workflowService } = client.temporal;
  await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId, runId } });
  await eventually('the run is deleted', () =>
    workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => false,
        () => true,
      ),
  );
}

/** Checks retention, with the bundles that the sweep has left. */
async function retention(): Promise<void> {
  const files = await filesOf();
  const request = { before: new Date(Date.now() + 86_400_000).toISOString(), why: 'rule 7', signer: key };
  const run = async (dryRun: boolean) => {
    const all = [];
    for await (const { file, did } of retain(archive, { ...request, dryRun })) all.push([file, did]);
    return all;
  };
  const expected = files.map((file) => [file, 'deleted']);
  expect(await run(true)).toEqual(expected);
  expect(await filesOf()).toEqual(files);
  expect(await run(false)).toEqual(expected);
  expect(await filesOf()).toEqual([]);
  const stones = readFileSync(join(folder, 'tombstones.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(stones.map(({ file, why, kid }) => [file, why, kid])).toEqual(files.map((file) => [file, 'rule 7', key.kid]));
  expect(await archive.has(files[0]!)).toBe(true); // a sweep does not write it again
  const text = readFileSync(join(folder, 'tombstones.jsonl'), 'utf8');
  const trust = [trustedEntry(own, { bundle: true })];
  const { gone, faults } = readTombstones(text, trust);
  expect([faults, [...gone]]).toEqual([[], stones.map(({ root, previous }) => [root, previous?.root ?? null])]);
  expect(readTombstones(text.replace('rule 7', 'rule 8'), trust).faults).toEqual([
    'Tombstone 1 counts for nothing: its signature does not hold.',
  ]);
  expect(readTombstones(text, []).gone.size).toBe(0);
}
