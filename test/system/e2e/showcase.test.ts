import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { presignUrl } from '../../../src/activities/call/tool-context';
import { PACKS } from '../../../src/model/rehearsal/showcase/packs';
import { SESSION_ROUTER } from '../../../packs/onchain/src/contracts/artifacts';
import { HoldfastClient } from '../../../src/client';
import { loadConfig } from '../../../src/config';
import { FileStore } from '../../../src/store/files/file-store';
import { start, run as runCli } from '../cli/support/cli';
import { startDev, type Dev } from '../cli/support/dev';
import { clientOf } from '../packs/onchain/support';
import { eventually } from '../../engine/support/engine';
import { replayAll } from '../support/replay-all';

const EVERY_TOOL = Object.values(PACKS).flat().sort();

describe('npx holdfast run --agent showcase, beside npx holdfast dev', () => {
  let dev: Dev;
  let client: HoldfastClient;
  let workspace: string;
  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'holdfast-workspace-'));
    dev = await startDev([], { HOLDFAST_WORKSPACE: workspace });
    client = await HoldfastClient.connect(loadConfig({ HOLDFAST_HOME: dev.home }));
  });
  afterAll(async () => {
    await client?.close();
    await dev?.stop();
    rmSync(workspace, { recursive: true, force: true });
  });

  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli([...args, '--json'], dev.env);
    expect({ code, stderr, args }).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(stdout) as any;
  };
  const threeWaiting = (turn: string) =>
    eventually('three calls wait', async () => {
      const found = (await client.pending()).find(({ turn_id }) => turn_id === turn);
      return found?.calls.length === 3 && found.calls;
    });
  const swaps = () =>
    clientOf(dev.facts.chain_url!).getContractEvents({ abi: SESSION_ROUTER.abi, eventName: 'Swapped', fromBlock: 0n });

  it('uses every tool of four packs in one turn, and runs each of the three approved calls once', async () => {
    const { turn_id: turn } = await json('run', '--agent', 'showcase');
    const waiting = await threeWaiting(turn);
    expect(waiting.map(({ tool }) => tool).sort()).toEqual(['bash', 'send_credit_memo', 'swap_token']);
    expect(await swaps()).toHaveLength(0);
    await json('approve', turn, ...waiting.flatMap(({ digest }) => ['--call', digest!]), '--by', 'ana');

    await client.turn(turn).result();
    const view = await json('show', turn);
    expect(view.state).toBe('completed');
    expect(view.calls.filter(({ state }: any) => state !== 'succeeded')).toEqual([]);
    const succeeded = new Set<string>(view.calls.map(({ tool }: any) => tool));
    expect([...succeeded].filter((tool) => tool !== 'read_result').sort()).toEqual(EVERY_TOOL);

    expect(await swaps()).toHaveLength(1);
    expect(readdirSync(dev.facts.outbox).filter((name) => name.endsWith('.eml'))).toHaveLength(1);
    expect(readFileSync(join(workspace, 'notes/aapl.md'), 'utf8')).toMatch(/\nStatus: read back, as written, \d+ lines\n$/);
    expect(view.text).toContain('The command said');
    expect(await report(view.text)).toBe('%PDF-');
    expect(await replayAll(dev.facts.address)).toBe(1);
  });

  /** The first bytes of the report that the closing names, from the stack's gateway. */
  async function report(text: string): Promise<string> {
    const ref = /\.pdf, \d+ bytes \(ref ([0-9a-f]{64})\)/.exec(text)![1]!;
    const store = await FileStore.open(join(dev.home, 'store'));
    const response = await fetch(presignUrl({ store, publicUrl: dev.facts.http_url }, ref).url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    return Buffer.from(await response.arrayBuffer())
      .subarray(0, 5)
      .toString();
  }

  it('follows a second turn to its end with --follow, over the notes of the first; after a denial it finishes the rest', async () => {
    const follow = start(['run', '--agent', 'showcase', '--id', 'again', '--follow', 'Show it on AAPL again.'], dev.env);
    for (const { tool, digest } of await threeWaiting('again')) {
      const by = { by: 'ana', note: 'not today' };
      await (tool === 'swap_token' ? client.turn('again').deny(digest!, by) : client.turn('again').approve(digest!, by));
    }
    const { code, stdout } = await follow.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/swap_token: denied by ana \(not today\)/);
    expect(stdout).toContain('Nothing was swapped.');
    expect(stdout).toMatch(/- swap_token was declined\. .*not today/);
    expect(await swaps()).toHaveLength(1);
    expect(readFileSync(join(workspace, 'notes/aapl.md'), 'utf8')).toContain('Status: read back, as written');
  });
});
