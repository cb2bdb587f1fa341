/** `kill -9` of the worker while a call is frozen, by the command of another process: the call is neither run nor lost. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { startRehearsal, type ScriptedResponse } from '../../../src/model/rehearsal';
import { dataConverter } from '../../../src/temporal/data-converter';
import { eventually, testAddress } from '../../engine/support/engine';
import { environment, run } from '../../support/command-line';
import { onceAnswered, WorkerProcess } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/stopped.app.ts');
const SCRIPT: ScriptedResponse[] = [
  { content: [{ type: 'tool_use', name: 'pay', input: { invoice: 'INV-7' } }] },
  { content: [{ type: 'text', text: 'Paid.' }] },
];

it('a frozen call outlives the kill of its worker, and runs once when the freeze ends', async () => {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-kill-frozen-'));
  const payments = join(home, 'payments');
  await writeFile(payments, '');
  const model = await startRehearsal({ script: SCRIPT });
  const taskQueue = `kill-frozen-${randomBytes(6).toString('hex')}`;
  const settings = { HOLDFAST_HOME: home, HOLDFAST_STORE: `file:${join(home, 'store')}` };
  const env = {
    ...settings,
    HOLDFAST_TASK_QUEUE: taskQueue,
    HOLDFAST_MODEL: 'anthropic',
    HOLDFAST_LOG_LEVEL: 'error',
    PAYMENTS: payments,
    ANTHROPIC_API_KEY: 'no-key-at-all',
    ANTHROPIC_BASE_URL: model.baseUrl,
    TEMPORAL_ADDRESS: testAddress(),
  };
  const command = async (...args: string[]) => {
    const { code, stderr } = await run(args, environment(settings));
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  };
  const paid = () => readFileSync(payments, 'utf8');
  const workers: WorkerProcess[] = [];
  const work = async () => {
    const worker = new WorkerProcess(env, APP);
    workers.push(worker);
    await worker.ready;
    return worker;
  };
  const connection = await Connection.connect({ address: testAddress() });
  const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
  try {
    const first = await work();
    const turn = await client.start({ agent: 'payer', message: 'Pay it.', requester: 'rita' });
    const [{ digest }] = await turn.waitForPending();
    await command('freeze', '--tool', 'pay', '--reason', 'wrong account');
    await turn.approve(digest, { by: 'ana' });
    const frozen = () => eventually('its call waits', async () => (await onceAnswered(() => turn.status())).frozen);
    expect(await frozen()).toContain('tool pay is frozen since ');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.ended).toBe('SIGKILL');

    const second = await work();
    expect(await frozen()).toContain(': wrong account');
    expect(paid()).toBe('');
    process.kill(second.pid, 'SIGKILL');
    await second.ended;
    await command('unfreeze', '--tool', 'pay');
    await work();
    expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded', attempts: 1 }] });
    expect(paid()).toBe('INV-7\n');
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await Promise.all([client.close(), model.close()]);
    await rm(home, { recursive: true, force: true });
  }
}, 400_000);
