/**
 * Runs a tool's function on the worker's own thread, or, if the tool is isolated, in a thread that can be terminated. Before that,
 * waits for a place within the tool's rate and concurrency limits; if there is none soon, Temporal retries the call later.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { TurnContext } from '../../shared/io/activities';
import { callError, exceptionText, type CallError } from '../../shared/wire/errors';
import { timeLimitOf } from '../../shared/turn/tool-class';
import { isToolError, ToolError } from '../../tools/define/errors';
import type { ToolPart } from '../../tools/isolation/protocol';
import type { ReadyThread } from '../../tools/isolation/tool-threads';
import { runTool, type GivenContext, type RunResult } from '../../tools/run/run';
import type { Tool } from '../../tools/define/tool';
import type { Busy, Pass } from '../../tools/limits/gate';
import type { Dependencies } from '../ports';
import type { ToolCall } from './call-context';
import { showing, type Show } from './heartbeat';
import { toolContext } from './tool-context';

/** How long a preview, a poll or a probe waits for a thread, ms. */
export const LOOK_WAIT_MS = 30_000;

export type Limits = Parameters<typeof runTool>[3];

/** How long a call waits for a thread, ms. A destructive call waits only until its latest start. */
export function threadWaitMs(tool: Tool): number {
  return tool.isolate === true ? Math.max(30_000, timeLimitOf(tool)) : 0;
}

export async function runInlineOrInThread(
  { deps, turn, tool, input }: Omit<ToolCall, 'call'>,
  context: GivenContext,
  limits: Limits,
  part: ToolPart = 'run',
): Promise<RunResult> {
  // A preview, poll or probe is read-only, whatever the class of its tool, and has no output schema.
  const runnable = part === 'run' ? tool : { ...tool, class: 'read' as const, run: tool[part]!, output: undefined };
  if (tool.isolate !== true) return runTool(runnable, input, context, limits);
  let thread: ReadyThread;
  try {
    thread = await readyThread(deps, turn, tool, limits, part);
  } catch (error) {
    if (limits.cancelled?.aborted) throw limits.cancelled.reason;
    const message = `${tool.name} was not run: ${exceptionText(error)}`;
    const fault = isToolError(error) ? error.detail : callError('EXECUTION_ERROR', 'app_not_loaded', message);
    return { ok: false, error: fault, nothingHappened: true };
  }
  try {
    return await runTool(runnable, input, context, { ...limits, run: (...args) => thread.run(...args) });
  } finally {
    thread.leave();
  }
}

/** Longest time for one answer of a tool about an earlier run of it, ms. */
const LONGEST_ANSWER_MS = 30_000;

/**
 * Asks a tool what became of a call that it has run.
 * @param question `key` is the idempotency key under which the call was dispatched
 */
export function askTool(
  question: Omit<ToolCall, 'call'> & { call: { id: string }; key: string },
  part: 'poll' | 'reconcile',
): Promise<RunResult> {
  const { deps, turn, tool, call, key } = question;
  const show = showing();
  const { context } = toolContext(deps, turn, {
    tool: tool.name,
    callId: call.id,
    idempotencyKey: key,
    attempt: Context.current().info.attempt,
    progress: (message) => show({ progress: { message, fraction: null } }),
  });
  const timeoutMs = Math.min(LONGEST_ANSWER_MS, (part === 'reconcile' ? tool.reconcileMs : undefined) ?? LONGEST_ANSWER_MS);
  return runInlineOrInThread(question, context, { timeoutMs }, part);
}

/** @throws ToolError if no thread is available: nothing has run */
async function readyThread(
  { toolThreads }: Dependencies,
  { agent, requester }: TurnContext,
  tool: Tool,
  { cancelled, begins }: Limits,
  part: ToolPart,
): Promise<ReadyThread> {
  if (toolThreads === null)
    throw new ToolError('EXECUTION_ERROR', 'app_not_loaded', `${tool.name} is isolated, and this worker has no appModule.`, {
      hint: 'Start the worker with the path of the app’s module (appModule).',
    });
  const waits = new AbortController();
  const busy = `${tool.name} was not run: no tool thread was free and loaded in time.`;
  const timer = setTimeout(
    () => waits.abort(new ToolError('TIMEOUT', 'no_thread', busy, { hint: 'Nothing has happened. Try again later.' })),
    begins ? Math.max(0, begins.remainingMs) : part === 'run' ? threadWaitMs(tool) : LOOK_WAIT_MS,
  );
  try {
    const giveUp = cancelled ? AbortSignal.any([waits.signal, cancelled]) : waits.signal;
    return await toolThreads.ready(agent, tool, requester, giveUp, part);
  } finally {
    clearTimeout(timer);
  }
}

// The limits of a tool: a call waits a moment, is retried later, or fails in the end.

/**
 * How often a call is postponed before it fails. With the retries of its class (15) this stays below the attempts that Temporal
 * makes (30).
 */
const MOST_WAITS = 10;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Waits for a place within the tool's limits. Returns the failure if the call was postponed too often.
 * @param options `waits`: how often it was postponed before; `show` carries that to the next attempt
 * @throws ApplicationFailure `holdfast.tool.busy`, for Temporal to try again later
 */
export async function waitForToolLimits(
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

/** At least the known wait; longer each time, with jitter. */
function nextWait({ waitMs }: Busy, waits: number): number {
  const patience = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
  return Math.ceil(Math.max(waitMs, patience * (0.5 + Math.random() / 2)));
}

const WHY: Record<Busy['why'], string> = {
  concurrency: 'its limit of concurrent calls is reached',
  rate: 'its rate limit is reached',
  upstream: 'its upstream asked for a pause',
};

export function busyError({ name }: Tool, { why, waitMs }: Busy): CallError {
  return callError('RATE_LIMITED', 'tool_busy', `${name} was not run: ${WHY[why]}.`, {
    hint: 'Nothing was done. Go on without it, or ask for it again later.',
    retry_after_ms: Math.ceil(waitMs),
  });
}

/** Pauses the other calls of a tool after a rate limit, so that they do not run into it. */
export async function shareRateLimit({ gate }: Dependencies, tool: Tool, result: RunResult): Promise<void> {
  if (!result.ok && result.error.code === 'RATE_LIMITED') await gate.hold(tool, result.error.retry_after_ms ?? 0);
}
