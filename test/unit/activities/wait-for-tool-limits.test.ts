import { ApplicationFailure } from '@temporalio/activity';
import { waitForToolLimits } from '../../../src/activities/call/run-in-thread';
import type { HeartbeatDetails } from '../../../src/activities/call/heartbeat';
import { toolMetrics } from '../../../src/telemetry/tool-metrics';
import { ToolGate } from '../../../src/tools/limits/gate';
import { silent } from '../../support/silent';
import { reads } from '../../support/tools';
import { MemoryRegisters } from '../../support/tools/limits/support';

const tool = reads('busy', () => 1);
const { signal: cancelled } = new AbortController();

/** A call of a tool whose upstream may not be asked for `holdMs`, after so many waits. */
async function put(waits: number, holdMs: number) {
  const counted: string[] = [];
  const metrics = toolMetrics({ count: (counter) => void counted.push(counter), duration: () => undefined });
  const gate = new ToolGate(new MemoryRegisters(() => 1_700_000_000_000), silent, 0);
  await gate.hold(tool, holdMs);
  const shown: HeartbeatDetails[] = [];
  const show = (details: HeartbeatDetails) => void shown.push(details);
  const outcome = await waitForToolLimits({ gate, metrics }, tool, { show, cancelled, waits }).catch((error: unknown) => error);
  return { outcome, shown, counted };
}

describe('a call whose tool is busy', () => {
  it('is put off until it may run, is not counted as a retry, and keeps the number of its waits', async () => {
    const { outcome, shown, counted } = await put(2, 45_000);
    expect(outcome).toBeInstanceOf(ApplicationFailure);
    expect(outcome).toMatchObject({ type: 'holdfast.tool.busy', nonRetryable: false, nextRetryDelay: 45_000 });
    expect(shown).toEqual([{ waits: 3, progress: null }]);
    expect(counted).toEqual(['waits']);
  });

  it('waits longer each time, half a minute at most where no time is known', async () => {
    const delays = await Promise.all(
      [0, 3, 9].map(async (waits) => ((await put(waits, 1)).outcome as ApplicationFailure).nextRetryDelay as number),
    );
    expect(delays[0]).toBeLessThanOrEqual(1000);
    expect(delays[1]).toBeGreaterThan(delays[0]!);
    expect(delays[2]).toBeGreaterThan(delays[1]!);
    expect(delays[2]).toBeLessThanOrEqual(30_000);
  });

  it('fails in the end as RATE_LIMITED, and says that nothing was done and what to do', async () => {
    const { outcome } = await put(10, 45_000);
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'RATE_LIMITED', reason: 'tool_busy', retry_after_ms: 45_000, hint: expect.stringContaining('later') },
    });
  });
});
