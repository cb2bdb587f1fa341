/** `holdfast incident`: one command makes a folder with all evidence about a turn. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTrustedKeys } from '../../../src/attestation/trusted-keys';
import { investigate } from '../../../src/cli/support/investigate';
import type { HoldfastClient } from '../../../src/client';
import { FileStore } from '../../../src/store/files/file-store';
import { testAddress, withEngine } from '../../engine/support/engine';
import { forged } from '../../support/audit/forge';
import { holdfast } from '../support/process';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

describe('holdfast incident', () => {
  let home: string;
  beforeAll(async () => (home = await mkdtemp(join(tmpdir(), 'holdfast-incident-'))));
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('exports, verifies, reports and replays a turn; exits 0 if all of it holds, 1 if something does not', async () => {
    const stored = join(home, 'store');
    const settings = { TEMPORAL_ADDRESS: testAddress(), HOLDFAST_STORE: `file:${stored}` };
    const run = async (args: string[]) => {
      const process = holdfast(home, args, settings);
      const code = await process.ended;
      return { code, output: process.output(), stdout: process.stdout() };
    };
    const invoice = { invoice: 'INV-7', cents: 700 };
    const effects: unknown[] = [];
    const setup = {
      tools: [pays('pay', effects)],
      script: [ask(['pay', invoice]), say('Paid.')],
      store: await FileStore.open(stored),
    };
    await withEngine(setup, async ({ start }) => {
      const turn = await start('Pay INV-7.', { requester: 'rita' });
      const [call] = await turn.waitForPending();

      const early = await run(['incident', turn.id, '-o', join(home, 'early')]);
      expect(early.output).toContain('complete: no; the report says why');
      expect(early.code).toBe(1);

      await turn.approve(call!.digest, { by: 'ana' });
      await turn.result();
      const folder = join(home, 'late');
      const late = await run(['incident', turn.id, '-o', folder, '--json']);
      expect(JSON.parse(late.stdout)).toMatchObject({
        complete: true,
        verdict: 'intact',
        good: true,
        replay: { same: 1, differs: 0, cannot: 0 },
      });
      expect(late.code).toBe(0);
      expect((await readdir(folder)).sort()).toEqual([
        'bundle.jsonl',
        'replay.json',
        'report.html',
        'report.md',
        'verification.json',
      ]);
      const told = await readFile(join(folder, 'report.md'), 'utf8');
      expect(told).toContain('Intact since signing by');
      expect(told).toContain('approved by ana');

      const page = join(home, 'two.md');
      const two = await run([
        'audit',
        'report',
        join(home, 'early', 'bundle.jsonl'),
        join(folder, 'bundle.jsonl'),
        '--markdown',
        '-o',
        page,
      ]);
      expect([two.code, two.output]).toEqual([0, expect.stringContaining('Consistent, signer unknown')]);
      expect(await readFile(page, 'utf8')).toContain('What differs');
    });
    expect(effects).toEqual([invoice]);
  });

  it('tells people and machines that a turn whose start has a false signature does not hold', async () => {
    const bundles = join(__dirname, '../../bundles');
    const { text } = forged(await readFile(join(bundles, 'approval.jsonl'), 'utf8'), (lines) => {
      const started = lines.flatMap(({ body }) => body.event?.workflowExecutionStartedEventAttributes ?? []);
      started[0].input.payloads[0].$.attestation = 'trust me';
      const starts = lines.filter(({ kind, body }) => kind === 'part' && body.part.body?.first_execution_run_id);
      starts[0]!.body.part.body.attestation = 'trust me';
    });
    const client = {
      turnNamed: async (id: string) => ({ id }),
      async *bundle() {
        yield* text.split(/(?<=\n)/);
      },
    } as unknown as HoldfastClient;
    const trusted = parseTrustedKeys(await readFile(join(bundles, 'trust.json'), 'utf8'), 'trust.json');
    const folder = join(home, 'false-start');
    const { lines } = await investigate(client, { turn: 'inv-7', folder, keys: async () => trusted });
    const told = '1 signature on the start of a turn does not hold: who started it is not proved.';
    expect(lines).toContain(`  ${told}`);
    expect(await readFile(join(folder, 'report.md'), 'utf8')).toContain(told);
    expect(JSON.parse(await readFile(join(folder, 'verification.json'), 'utf8'))).toMatchObject({ bad_starts: 1 });
  });

  it('exits 2 for a file that is no bundle or does not exist, and says what is wrong', async () => {
    const run = async (...args: string[]) => {
      const process = holdfast(home, ['audit', 'report', ...args]);
      return { code: await process.ended, output: process.output() };
    };
    expect(await run(__filename, '-o', join(home, 'x.html'))).toEqual({
      code: 2,
      output: expect.stringMatching(/is no audit bundle: /),
    });
    expect(await run(join(home, 'none'), '-o', join(home, 'x.html'))).toEqual({
      code: 2,
      output: expect.stringMatching(/cannot be read: /),
    });
    expect(await readdir(home)).not.toContain('x.html');
  });
});
