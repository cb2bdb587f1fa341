/** A call's way through its tool's limits: it waits a moment, is given back to be tried later, or, at last, fails. */
import { ApplicationFailure } from '@temporalio/activity';
import { callError, type CallError } from '../../shared/wire/errors';
import type { Busy, Pass } from '../../tools/limits/gate';
import type { RunResult } from '../../tools/run/run';
import type { Dependencies } from '../ports';
import type { Show } from './heartbeat';
import type { Tool } from '../../tools/define/tool';

/**
 * How often a call is put off before it fails. With the retries that its class allows (15) this stays below the
 * attempts that Temporal gives it (30).
 */
const MOST_WAITS = 10;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Lets the call through; else its failure, once it has waited often enough.
 * @param options `waits`: how often it was put off before; `show` carries that to the next attempt
 * @throws ApplicationFailure `holdfast.tool.busy`, for Temporal to try again later
 */
export async function passGate(
  deps: Pick<Dependencies, 'gate' | 'metrics'>,
  tool: Tool,
  { show, cancelled, waits }: { show: Show; cancelled: AbortSignal; waits: number },
): Promise<Pass | { ok: false; error: CallError }> {
  const entry = await deps.gate.enter(tool, cancelled);
  if (entry.ok) return entry;
  if (waits >= MOST_WAITS) return { ok: false, error: busyError(tool, entry) };
  show({ waits: waits + 1, progress: null });
  deps.metrics.waited(tool.name);
  throw ApplicationFailure.create({
    message: busyError(tool, entry).message,
    type: 'holdfast.tool.busy',
    nonRetryable: false,
    nextRetryDelay: nextWait(entry, waits),
  });
}

/** As long as is known to be needed, longer each time, and not all at once. */
function nextWait({ waitMs }: Busy, waits: number): number {
  const patience = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
  return Math.ceil(Math.max(waitMs, patience * (0.5 + Math.random() / 2)));
}

const WHY: Record<Busy['why'], string> = {
  concurrency: 'as many of its calls as it allows are running',
  rate: 'as many of its calls as it allows have begun in this while',
  upstream: 'its upstream has asked to be left alone',
};

export function busyError({ name }: Tool, { why, waitMs }: Busy): CallError {
  return callError('RATE_LIMITED', 'tool_busy', `${name} was not run: ${WHY[why]}.`, {
    hint: 'Nothing was done. Go on without it, or ask for it again later.',
    retry_after_ms: Math.ceil(waitMs),
  });
}

/** What one call was told, the others keep: they wait instead of running into it. */
export async function shareRateLimit({ gate }: Dependencies, tool: Tool, result: RunResult): Promise<void> {
  if (!result.ok && result.error.code === 'RATE_LIMITED') await gate.hold(tool, result.error.retry_after_ms ?? 0);
}
