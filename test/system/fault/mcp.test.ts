/** `kill -9` of the worker while an MCP server works on a call: the server, its child, goes with it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acceptedPath, serverOf, writeAcceptedTools } from '../../../src/mcp';
import type { JsonObject } from '../../../src/shared/json/json';
import { accepting } from '../../engine/support/packs/mcp/mcp-engine';
import { capturedLog } from '../../support/captured-log';
import { eventually, testAddress } from '../../engine/support/engine';
import { hostPid } from '../../support/host-pid';
import { approve, isGone, openStage, reachesState, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/mcp.app.ts');
const SERVER = join(__dirname, '../../support/packs/mcp/fixtures/odd-server.mjs');

const ledger = (stage: Stage) =>
  readFileSync(join(stage.home, 'ledger'), { encoding: 'utf8', flag: 'a+' }).trim().split('\n').filter(Boolean);
/** The process of the server that hangs, when there are so many calls in the ledger. */
const hanging = (stage: Stage, calls = 1) =>
  eventually(
    'the server hangs',
    async () => {
      if (ledger(stage).length !== calls) return false;
      const [, pid, namespace] = ledger(stage).at(-1)!.split(' ');
      return hostPid(Number(pid), namespace!);
    },
    60_000,
  );

/** A worker is killed while the model's one call hangs in the server; another goes on. */
async function killedInCall(tool: string, body: (stage: Stage) => Promise<void>, before = async (_stage: Stage) => {}) {
  const answer = (body: JsonObject) =>
    (body.messages as JsonObject[]).some(({ role }) => role === 'assistant')
      ? { content: [{ type: 'text', text: 'Done.' }] }
      : { content: [{ type: 'tool_use', name: `odd__${tool}`, input: {} }] };
  const stage = await openStage(testAddress(), { app: APP, answer: answer as never });
  try {
    const entry = { command: process.execPath, args: [SERVER], env: { LEDGER: join(stage.home, 'ledger') } };
    const file = join(stage.home, 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { odd: entry } }));
    const accept = { odd: { hang_once: 'read' } } as const;
    await writeAcceptedTools(acceptedPath(file), await accepting([serverOf('odd', entry)], accept, capturedLog().log));
    const worker = await stage.startWorker();
    await stage.begin();
    await before(stage);
    const server = await hanging(stage);
    expect(await worker.kill()).toBe('SIGKILL');
    await eventually('its server has ended with it', async () => isGone(server));
    await stage.startWorker();
    await body(stage);
  } catch (error) {
    throw new Error(`${String(error)}\nThe workers said:\n${stage.workers.map(({ output }) => output).join('\n')}`, {
      cause: error,
    });
  } finally {
    await stage.close();
  }
}

describe('a worker that is killed with -9 in the middle of an MCP call', () => {
  it('leaves a destructive call in doubt: it is not made again, and a person settles it', async () => {
    await killedInCall(
      'hang_and_pay',
      async (stage) => {
        await reachesState(stage, 'in_doubt');
        const [call] = await stage.turn.waitForPending();
        await stage.turn.settle(call!.digest, 'applied', { by: 'bob' });
        await reachesState(stage, 'completed');
        expect(ledger(stage)).toHaveLength(1);
      },
      async (stage) => {
        const [call] = await stage.turn.waitForPending();
        await approve(stage, call!.digest);
      },
    );
  }, 240_000);

  it('repeats a read, with a server of the new worker', async () => {
    await killedInCall('hang_once', async (stage) => {
      await reachesState(stage, 'completed');
      expect(ledger(stage)).toHaveLength(2); // the number of a namespace is given again
      expect((await stage.turn.status()).calls[0]).toMatchObject({ state: 'succeeded', attempts: 2 });
    });
  }, 240_000);
});
