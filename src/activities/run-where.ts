/** Runs a tool where its definition says: on the worker's own thread, or in one that can be ended. */
import type { TurnContext } from '../shared/activity-io';
import { callError } from '../shared/errors';
import type { JsonObject } from '../shared/json';
import type { Tool } from '../tools/define';
import { isToolError, ToolError } from '../tools/errors';
import type { ReadyThread } from '../tools/isolation/tool-threads';
import { runTool, type GivenContext, type RunResult } from '../tools/run';
import type { Dependencies } from './dependencies';

type Limits = Parameters<typeof runTool>[3];

/** A read waits at least so long for a thread, ms; a destructive call until its time to begin is over. */
const WAITS_MS = 30_000;

export async function runWhere(
  deps: Dependencies,
  turn: TurnContext,
  tool: Tool,
  input: JsonObject,
  context: GivenContext,
  limits: Limits,
): Promise<RunResult> {
  if (tool.isolate !== true) return runTool(tool, input, context, limits);
  let thread: ReadyThread;
  try {
    thread = await readyThread(deps, turn, tool, limits);
  } catch (error) {
    if (limits.cancelled?.aborted) throw limits.cancelled.reason;
    const message = `${tool.name} was not run: ${error instanceof Error ? error.message : String(error)}`;
    const fault = isToolError(error) ? error.detail : callError('EXECUTION_ERROR', 'app_not_loaded', message);
    return { ok: false, error: fault, nothingHappened: true };
  }
  try {
    return await runTool(tool, input, context, { ...limits, run: (...given) => thread.run(...given) });
  } finally {
    thread.leave();
  }
}

/** @throws ToolError where there is none: nothing has been run */
async function readyThread(
  { toolThreads, registry }: Dependencies,
  { agent, requester }: TurnContext,
  tool: Tool,
  { timeoutMs, cancelled, begins }: Limits,
): Promise<ReadyThread> {
  if (toolThreads === null)
    throw new ToolError('EXECUTION_ERROR', 'app_not_loaded', `${tool.name} is isolated, and this worker has no appModule.`, {
      hint: 'Start the worker with the path of the app’s module (appModule).',
    });
  const waits = new AbortController();
  const busy = `${tool.name} was not run: no thread was free for it, or had loaded it, in time.`;
  const timer = setTimeout(
    () => waits.abort(new ToolError('TIMEOUT', 'no_thread', busy, { hint: 'Nothing has happened. Try again later.' })),
    begins ? Math.max(0, begins.left) : Math.max(WAITS_MS, timeoutMs),
  );
  try {
    const giveUp = cancelled ? AbortSignal.any([waits.signal, cancelled]) : waits.signal;
    return await toolThreads.ready(registry.served, agent, tool, requester, giveUp);
  } finally {
    clearTimeout(timer);
  }
}
