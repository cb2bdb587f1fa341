/** Runs a tool where its definition says: on the worker's own thread, or in one that can be ended. */
import type { TurnContext } from '../../shared/activity-io';
import { callError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { timeLimitOf } from '../../shared/turn/tool-class';
import { isToolError, ToolError } from '../../tools/define/errors';
import type { ToolPart } from '../../tools/isolation/protocol';
import type { ReadyThread } from '../../tools/isolation/tool-threads';
import { runTool, type GivenContext, type RunResult } from '../../tools/run/run';
import type { Dependencies } from '../ports';
import { exceptionText } from '../../shared/text/exception-text';
import type { Tool } from '../../tools/define/tool';

/** How long a preview or a probe waits for a thread, ms. */
export const LOOK_WAIT_MS = 30_000;

type Limits = Parameters<typeof runTool>[3];

/** How long a thread is waited for, ms; by a destructive call only until its time to begin is over. */
export function threadWaitMs(tool: Tool): number {
  return tool.isolate === true ? Math.max(30_000, timeLimitOf(tool)) : 0;
}

export async function runWhere(
  deps: Dependencies,
  turn: TurnContext,
  tool: Tool,
  input: JsonObject,
  context: GivenContext,
  limits: Limits,
  part: ToolPart = 'run',
): Promise<RunResult> {
  // A preview and a probe only look, whatever the tool does, and give what they give.
  const asked = part === 'run' ? tool : { ...tool, class: 'read' as const, run: tool[part]!, output: undefined };
  if (tool.isolate !== true) return runTool(asked, input, context, limits);
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
    return await runTool(asked, input, context, { ...limits, run: (...given) => thread.run(...given) });
  } finally {
    thread.leave();
  }
}

/** @throws ToolError where there is none: nothing has been run */
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
  const busy = `${tool.name} was not run: no thread was free for it, or had loaded it, in time.`;
  const timer = setTimeout(
    () => waits.abort(new ToolError('TIMEOUT', 'no_thread', busy, { hint: 'Nothing has happened. Try again later.' })),
    begins ? Math.max(0, begins.left) : part === 'run' ? threadWaitMs(tool) : LOOK_WAIT_MS,
  );
  try {
    const giveUp = cancelled ? AbortSignal.any([waits.signal, cancelled]) : waits.signal;
    return await toolThreads.ready(agent, tool, requester, giveUp, part);
  } finally {
    clearTimeout(timer);
  }
}
