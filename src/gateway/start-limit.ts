/**
 * Refuses new work while the workers cannot keep up, with 429 and a time to come back (decision 0089). Workers take tasks in the
 * order in which they came, so each start that is let in then makes decisions wait longer. Decisions, cancels, answers and settlements
 * never come here, and neither does a start that was let in before and is sent again. If Temporal does not say how much waits, starts
 * go on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backlog } from '../temporal/backlog';
import { Refusal } from './http/errors';
import type { GatewayParts } from './route';

export interface StartLimitSettings {
  /** How long the oldest task may wait for a worker. */
  ageMs: number;
  /** Fewer tasks than this are no backlog: they are done within seconds once a worker is there, after a deploy for example. */
  tasks: number;
}

export const DEFAULT_START_LIMIT: StartLimitSettings = { ageMs: 30_000, tasks: 100 };

/** The server counts every five seconds, so asking more often than this would show nothing new. */
const READ_EVERY_MS = 2000;
/** While Temporal connects or stalls, a start does not wait for the reading. */
const READ_WITHIN_MS = 1000;
const [SHORTEST_MS, LONGEST_MS] = [5000, 60_000];

/** The backlog for whose sake new work is refused; null: workers keep up. */
export function excessOf(backlogs: readonly Backlog[], { ageMs, tasks }: StartLimitSettings): Backlog | null {
  return backlogs.find((one) => one.tasks >= tasks && one.ageMs > ageMs) ?? null;
}

const limitsByGateway = new WeakMap<GatewayParts, StartLimit>();

/** One instance for a gateway, shared by all routes that start work. */
export function startLimit(parts: GatewayParts): StartLimit {
  const { startLimit: settings = DEFAULT_START_LIMIT } = parts;
  const limit = limitsByGateway.get(parts) ?? new StartLimit(settings, async () => (await parts.client()).backlogs());
  limitsByGateway.set(parts, limit);
  return limit;
}

export class StartLimit {
  /** Starts that were refused. */
  refused = 0;
  private reading: { at: number; backlogs: Promise<readonly Backlog[] | null> } | null = null;

  /** @param settings null: nothing is refused */
  constructor(
    private readonly settings: StartLimitSettings | null,
    private readonly read: () => Promise<readonly Backlog[]>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Null: Temporal does not say. */
  backlogs(): Promise<readonly Backlog[] | null> {
    if (this.reading === null || this.now() - this.reading.at > READ_EVERY_MS) {
      const tooLate = sleep(READ_WITHIN_MS, null, { ref: false });
      const backlogs = Promise.race([this.read().catch(() => null), tooLate]);
      this.reading = { at: this.now(), backlogs };
    }
    return this.reading.backlogs;
  }

  /** Called before work that is new. @throws Refusal 429 */
  async check(): Promise<void> {
    if (this.settings === null) return;
    const backlogs = await this.backlogs();
    const excess = backlogs === null ? null : excessOf(backlogs, this.settings);
    if (excess === null) return;
    this.refused += 1;
    throw tooMuch(excess);
  }
}

/** Half of what the oldest task has waited: a backlog that grew for so long takes about as long to be worked off. */
function tooMuch({ tasks, ageMs }: Backlog): Refusal {
  const retryAfterMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ageMs / 2));
  const message = `The workers cannot keep up: ${tasks} tasks wait, the oldest for ${Math.round(ageMs / 1000)} s. Nothing was started.`;
  const hint = 'Send the same request again after `retry-after`. Decisions, answers and cancels are taken meanwhile.';
  return new Refusal({ code: 'RATE_LIMITED', reason: 'workers_behind', message, hint, retryAfterMs });
}
