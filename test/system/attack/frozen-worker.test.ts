/**
 * Somebody who can stop a worker's process (SIGSTOP, a machine that is suspended, a host that swaps) chooses when it goes on. Here
 * it stops after its claim, so long that a probe on another worker reports that nothing has happened, that this counts, and that
 * the payment is made again. Then it wakes up.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { eventually, testAddress } from '../../engine/support/engine';
import { startCounter, type Counter } from '../support/fault-counter';
import type { Gate } from '../support/fault-gates';
import { startWire } from '../support/fault-servers';
import { openStage, type Stage, type WorkerProcess } from '../support/fault-stage';

const APP = join(__dirname, '../fault/fixtures/frozen.app.ts');
const LIMIT = 240_000;

/** Asks for the payment, and approves it. */
async function begun({ client }: Stage, tool: string): Promise<TurnHandle> {
  const { turn } = await client.call({ agent: 'payer', tool, input: { cell: tool } });
  const [call] = await turn.waitForPending();
  await turn.approve(call.digest, { by: 'ana' });
  return turn;
}

function standsStill({ pid }: WorkerProcess): boolean {
  return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('T');
}

/** One worker stops at a point; the probe's answer counts on another worker, which then pays; the first goes on to its end. */
async function wokenAfterwards(
  tool: string,
  point: string,
  stop: (worker: WorkerProcess, gate: Gate) => void,
  body: (counter: Counter) => void | Promise<void>,
): Promise<void> {
  const stage = await openStage(testAddress(), { app: APP });
  const counter = await startCounter(stage.gates);
  const settings = { FAULT_COUNTER: counter.url };
  let wire = await startWire(testAddress());
  try {
    const gate = stage.gates.close(point);
    const frozen = await stage.startWorker(wire.address, { ...settings, FAULT_STOP: 'yes' });
    const first = await begun(stage, tool);
    await gate.reached();
    stop(frozen, gate);
    await eventually('it stands still', async () => standsStill(frozen));
    await wire.close(); // so that Temporal hands it no tasks meanwhile
    await stage.startWorker(undefined, settings);
    expect((await first.result()).calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied' });
    expect((await (await begun(stage, tool)).result()).calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
    expect(counter.effects(tool)).toBe(1);
    wire = await startWire(testAddress(), Number(wire.address.split(':')[1]));
    gate.open();
    frozen.signal('SIGCONT');
    expect(await frozen.stop()).toBe('0'); // an orderly end: what it still had to do, it has done
    await body(counter);
  } catch (error) {
    const said = stage.workers.map(({ output }) => output).join('\n');
    throw new Error(`${String(error)}\nThe workers said:\n${said}`, { cause: error });
  } finally {
    await stage.close();
    await Promise.all([counter.close(), wire.close()]);
  }
}

describe('a worker that was stopped while the payment was found not to have happened and was made again', () => {
  it(
    'between its claim and its tool, does not pay when it wakes up',
    () =>
      wokenAfterwards(
        'pay',
        'after 1.1',
        (worker) => worker.signal('SIGSTOP'),
        (counter) => expect(counter.effects('pay')).toBe(1),
      ),
    LIMIT,
  );

  it(
    'inside its tool, does not pay when it wakes up: the signal says at once that its time is over',
    () =>
      wokenAfterwards(
        'stop_and_pay',
        'about to stop',
        (_worker, gate) => gate.open(),
        (counter) => expect(counter.effects('stop_and_pay')).toBe(1),
      ),
    LIMIT,
  );
});
