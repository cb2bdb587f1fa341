import { Running } from '../../../src/telemetry/running';
import { watchBlocked } from '../../../src/worker/blocked';
import { capturedLog } from '../../support/captured-log';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const work = (tool: string) => ({ activity: 'runCall', tool }) as never;

function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

it('says which tool blocked the worker, and for how long, also when it has ended at once', async () => {
  const { log, said } = capturedLog();
  const running = new Running();
  const end = watchBlocked(running, log);
  try {
    running.begin(work('earlier'))('ended');
    await wait(600);
    expect(said('the worker was blocked')).toEqual([]);
    const count = running.begin(work('mines'));
    spin(2500);
    count('ended');
    await wait(600);
    const [line, ...more] = said('the worker was blocked');
    expect(line).toMatchObject({ tools: ['mines'], todo: expect.stringContaining('heartbeat') });
    expect(line!.blocked_ms).toBeGreaterThan(1800);
    expect(more).toEqual([]);
  } finally {
    end();
  }
});
