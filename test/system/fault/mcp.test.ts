/** `kill -9` of the worker while an MCP server works on a call: the server, its child, goes with it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acceptedPath, serverOf, writeAcceptedTools } from '../../../src/mcp';
import type { ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { accepting } from '../../engine/support/packs/mcp/mcp-engine';
import { capturedLog } from '../../support/captured-log';
import { eventually, testAddress } from '../../engine/support/engine';
import { hostPid } from '../../support/host-pid';
import { approve, hearing, isGone, memoWaits, openStage, reachesState, sceneOf, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/mcp.app.ts');
const SERVER = join(__dirname, '../../support/packs/mcp/fixtures/odd-server.mjs');

/** What the servers of all workers wrote: the tool, the process, its namespace. */
const ledger = (stage: Stage, tool = '') =>
  readFileSync(join(stage.home, 'ledger'), { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((line) => line !== '' && line.startsWith(tool));
const runsOf = (stage: Stage, tool: string) => ledger(stage, `${tool} `).length;

/** The process of the server in which so many calls hang. */
const hanging = (stage: Stage, calls: number) =>
  eventually(
    'the server hangs',
    async () => {
      if (ledger(stage).length !== calls) return false;
      const [, pid, namespace] = ledger(stage).at(-1)!.split(' ');
      return hostPid(Number(pid), namespace!);
    },
    60_000,
  );

/** One call of the tool that the turn is about, and then the end. */
function answer(body: JsonObject): ScriptedResponse {
  const [first, ...more] = body.messages as JsonObject[];
  if (more.length > 0) return { content: [{ type: 'text', text: 'Done.' }] };
  const [, tool] = /memo of (\w+)/.exec(JSON.stringify(first))!;
  return { content: [{ type: 'tool_use', name: `odd__${tool}`, input: {} }] };
}

describe('a worker that is killed with -9 in the middle of an MCP call', () => {
  let stage: Stage;
  let pays: Stage;
  let reads: Stage;

  /** Killed while a call of each turn hangs in the server; another goes on. */
  beforeAll(async () => {
    stage = await openStage(testAddress(), { app: APP, answer });
    [pays, reads] = [sceneOf(stage, 'hang_and_pay'), sceneOf(stage, 'hang_once')];
    await hearing(stage, async () => {
      const entry = { command: process.execPath, args: [SERVER], env: { LEDGER: join(stage.home, 'ledger') } };
      const file = join(stage.home, 'mcp.json');
      writeFileSync(file, JSON.stringify({ mcpServers: { odd: entry } }));
      const accept = { odd: { hang_once: 'read' } } as const;
      await writeAcceptedTools(acceptedPath(file), await accepting([serverOf('odd', entry)], accept, capturedLog().log));
      const worker = await stage.startWorker();
      await reads.begin();
      const server = await hanging(stage, 1);
      await pays.begin();
      await approve(pays, await memoWaits(pays));
      expect(await hanging(stage, 2)).toBe(server);
      expect(await worker.kill()).toBe('SIGKILL');
      await eventually('its server has ended with it', async () => isGone(server));
      await stage.startWorker();
    });
  });
  afterAll(() => stage.close());

  it('leaves a destructive call in doubt: it is not made again, and a person settles it', () =>
    hearing(stage, async () => {
      await reachesState(pays, 'in_doubt');
      await pays.turn.settle(await memoWaits(pays), 'applied', { by: 'bob' });
      await reachesState(pays, 'completed');
      expect(runsOf(stage, 'hang_and_pay')).toBe(1);
    }));

  it('repeats a read, with a server of the new worker', () =>
    hearing(stage, async () => {
      await reachesState(reads, 'completed');
      expect(runsOf(stage, 'hang_once')).toBe(2); // the number of a namespace is used again
      expect((await reads.turn.status()).calls[0]).toMatchObject({ state: 'succeeded', attempts: 2 });
    }));
});
