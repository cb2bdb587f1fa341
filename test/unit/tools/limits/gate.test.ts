import { capturedLog } from '../../../support/captured-log';
import { LEASE_MS } from '../../../../src/tools/limits/ledger';
import { ToolGate, type Pass } from '../../../../src/tools/limits/gate';
import { silent } from '../../../support/silent';
import { CONCURRENT, FREE, MemoryRegisters, RATED } from '../../../support/tools/limits/support';

const one = { ...CONCURRENT, limits: { concurrency: 1 } };

describe("a tool's gate", () => {
  it('lets a call in once another one has left', async () => {
    const gate = new ToolGate(new MemoryRegisters(), silent, 60_000);
    const first = (await gate.enter(one)) as Pass;
    let inside = false;
    const second = gate.enter(one).then((pass) => ((inside = true), pass));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(inside).toBe(false);
    await first.leave();
    expect((await second).ok).toBe(true);
  });

  it('does not let a call wait longer than its patience, and says why and how long it is closed', async () => {
    const gate = new ToolGate(new MemoryRegisters(), silent, 0);
    await gate.enter(one);
    expect(await gate.enter(one)).toEqual({ ok: false, why: 'concurrency', waitMs: expect.any(Number) });
    for (let i = 0; i < 5; i++) await gate.enter(RATED);
    expect(await gate.enter(RATED)).toEqual({ ok: false, why: 'rate', waitMs: expect.any(Number) });
    await gate.hold(FREE, 5000);
    expect(await gate.enter(FREE)).toEqual({ ok: false, why: 'upstream', waitMs: expect.any(Number) });
  });

  it('ends the waiting of a call that is cancelled', async () => {
    const gate = new ToolGate(new MemoryRegisters(), silent, 60_000);
    await gate.enter(one);
    const cancel = new AbortController();
    const waiting = gate.enter(one, cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });

  it('keeps the place of a call that runs for long', async () => {
    jest.useFakeTimers();
    try {
      const gate = new ToolGate(new MemoryRegisters(), silent, 0);
      const pass = (await gate.enter(one)) as Pass;
      await jest.advanceTimersByTimeAsync(5 * LEASE_MS);
      expect((await gate.enter(one)).ok).toBe(false);
      await pass.leave();
      expect((await gate.enter(one)).ok).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it("applies the wait that a tool's upstream asked for to all gates of the store, and to no other tool", async () => {
    const registers = new MemoryRegisters();
    const [here, there] = [new ToolGate(registers, silent, 0), new ToolGate(registers, silent, 0)];
    await here.hold(FREE, 60_000);
    expect((await there.enter(FREE)).ok).toBe(false);
    expect((await there.enter(RATED)).ok).toBe(true);
  });

  it('does not cost a call its result when the store cannot be written, and says so', async () => {
    const { log, lines } = capturedLog();
    const registers = new MemoryRegisters();
    const gate = new ToolGate(registers, log);
    const pass = (await gate.enter(one)) as Pass;
    registers.update = () => Promise.reject(new Error('disk full'));
    await pass.leave();
    await gate.hold(FREE, 1000);
    expect(lines().map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/place comes free only after/),
      expect.stringMatching(/upstream asked for a pause/),
    ]);
  });
});
