/**
 * The gate that a call passes before its tool runs: it enforces the tool's own limits, and pauses that its upstream asked for.
 * Both apply to all workers that share the store (docs/decisions/0010). A call waits here only for a short time; after that the
 * caller decides what happens to it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { asJson } from '../../shared/json/json';
import { LIMIT_PREFIX } from '../../store/core/registers';
import type { RegisterStore } from '../../store/store';
import { admit, hold, ledgerAt, LEASE_MS, release, renew, type StartAnswer } from './ledger';
import type { Tool, ToolLogger } from '../define/tool';

/** Longest wait in `enter`, ms. */
const PATIENCE_MS = 2000;
const RENEW_MS = LEASE_MS / 3;
/** Random delay up to this, ms: waiting calls must not all try again at once. */
const JITTER_MS = 50;

export interface Pass {
  ok: true;
  /** Gives the place back; never throws. */
  leave(): Promise<void>;
}
export type Busy = Extract<StartAnswer, { ok: false }>;

const FREE: Pass = { ok: true, leave: async () => undefined };

export class ToolGate {
  constructor(
    private readonly registers: RegisterStore,
    private readonly log: ToolLogger,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Waits for a place. @throws the signal's reason; errors of the store */
  async enter(tool: Tool, signal?: AbortSignal): Promise<Pass | Busy> {
    const until = performance.now() + this.patienceMs;
    const id = randomUUID();
    for (;;) {
      signal?.throwIfAborted();
      const admittance = await this.ask(tool, id);
      if (admittance.ok) return tool.limits?.concurrency === undefined ? FREE : this.pass(tool, id);
      if (performance.now() + admittance.waitMs > until) return admittance;
      await pause(admittance.waitMs + Math.random() * JITTER_MS, signal);
    }
  }

  /** Records that the upstream asked for a pause of `ms`: no call of this tool begins before its end. Never throws. */
  async hold(tool: Tool, ms: number): Promise<void> {
    if (!(ms > 0)) return;
    await this.orWarn(tool, 'other calls do not see that the upstream asked for a pause', () =>
      this.registers.update(nameOf(tool), (value, now) => {
        const ledger = hold(ledgerAt(value, tool.limits ?? {}, now), ms, now);
        return { value: asJson(ledger), answer: undefined };
      }),
    );
  }

  private async ask(tool: Tool, id: string): Promise<StartAnswer> {
    const { limits = {} } = tool;
    if (limits.concurrency === undefined && limits.rate === undefined) {
      if (tool.class === 'compute') return { ok: true }; // it has no upstream
      const { value, now } = await this.registers.read(nameOf(tool)); // there may be a hold; no place is taken
      return admit(ledgerAt(value, limits, now), limits, id, now).admittance;
    }
    return this.registers.update<StartAnswer>(nameOf(tool), (value, now) => {
      const { ledger, admittance } = admit(ledgerAt(value, limits, now), limits, id, now);
      return admittance.ok ? { value: asJson(ledger), answer: admittance } : { answer: admittance };
    });
  }

  private pass(tool: Tool, id: string): Pass {
    const timer = setInterval(() => void this.renew(tool, id), RENEW_MS);
    timer.unref();
    return {
      ok: true,
      leave: async () => {
        clearInterval(timer);
        await this.orWarn(tool, `its place comes free only after ${LEASE_MS} ms`, () =>
          this.registers.update(nameOf(tool), (value, now) => {
            const ledger = release(ledgerAt(value, tool.limits ?? {}, now), id);
            return { value: asJson(ledger), answer: undefined };
          }),
        );
      },
    };
  }

  private async renew(tool: Tool, id: string): Promise<void> {
    const hasLease = await this.orWarn(tool, 'its place may be given to another call', () =>
      this.registers.update(nameOf(tool), (value, now) => {
        const renewal = renew(ledgerAt(value, tool.limits ?? {}, now), id, now);
        return { ...(renewal.hasLease ? { value: asJson(renewal.ledger) } : {}), answer: renewal.hasLease };
      }),
    );
    if (hasLease === false)
      this.log.warn({ tool: tool.name }, 'this worker was blocked for so long that the slot of a running call expired');
  }

  /** Logs an error of the limits: it must not cost a finished call its result. */
  private async orWarn<T>(tool: Tool, what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.log.warn({ tool: tool.name, err: error }, `the limits of a tool could not be written: ${what}`);
      return undefined;
    }
  }
}

/** Name of the tool's register; all versions of a tool share its limits. */
function nameOf(tool: Tool): string {
  return `${LIMIT_PREFIX}${tool.name}`;
}

/** @throws the signal's reason, not an error of the timer */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
