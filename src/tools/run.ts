/**
 * Runs a tool's function: within its time limit, with progress, and with every way to fail turned into
 * one error of the table. A cancellation is no tool error: it is thrown on.
 */
import { callError, type CallError } from '../shared/errors';
import type { Json, JsonObject } from '../shared/json';
import { withFilesKept, type BinaryFile, type FileResult } from './binary';
import type { Tool, ToolContext, ToolProgress } from './define';
import { isToolError } from './errors';
import { FOR_THE_OWNER, outputFault } from './output';

export type RunResult =
  | { ok: true; data: Json }
  /** `nothingHappened`: it is certain that the call had no effect outside. */
  | { ok: false; error: CallError; nothingHappened: boolean };

/** Codes with which an upstream, or the tool, refuses before acting. */
const REFUSALS = new Set([
  'INVALID_PARAMS',
  'UNAUTHORIZED',
  'PERMISSION_DENIED',
  'RESOURCE_NOT_FOUND',
  'QUOTA_EXCEEDED',
  'RATE_LIMITED',
]);

/**
 * @param cancelled rejects when the call is cancelled from outside; its reason is thrown on
 * @param limits.keepFile puts a `binaryFile` of the result into the store; without it a result cannot hold one
 * @param context `signal` is made here: it aborts on timeout and with `cancelled`
 */
export async function runTool(
  tool: Tool,
  input: JsonObject,
  context: Omit<ToolContext, 'signal'>,
  limits: { timeoutMs: number; cancelled?: AbortSignal; keepFile?: (file: BinaryFile) => Promise<FileResult> },
): Promise<RunResult> {
  const abort = new AbortController();
  const timeout = abortAfter(abort, limits.timeoutMs);
  const cancel = whenAborted(limits.cancelled, abort);
  try {
    const ctx: ToolContext = { ...context, signal: abort.signal };
    const running = invoke(tool, input, ctx);
    const value = await Promise.race([
      running,
      timeout.promise,
      cancel.promise.catch((reason: unknown) => ended(running, reason)),
    ]);
    // What a stopped tool returns may be half of it; only a write is asked what it did all the same.
    if (limits.cancelled?.aborted && tool.class !== 'write') throw limits.cancelled.reason;
    if (value === TIMED_OUT)
      return failed(callError('TIMEOUT', 'timeout', `${tool.name} did not answer within ${limits.timeoutMs} ms.`));
    const json = await withFilesKept(value, limits.keepFile);
    if (json.ok) return asDeclared(tool, json.data);
    const message = `${tool.name} returned something that is not JSON: ${json.message}`;
    if (tool.class === 'destructive') return { ok: true, data: { unreadable_result: message } }; // it did run to its end
    return failed(callError('EXECUTION_ERROR', 'result_not_json', message, { hint: FOR_THE_OWNER }));
  } catch (error) {
    if (limits.cancelled?.aborted) throw limits.cancelled.reason;
    return failed(errorOf(tool, error), isToolError(error) && (error.nothingHappened || REFUSALS.has(error.detail.code)));
  } finally {
    timeout.clear();
    cancel.clear();
  }
}

/** A destructive tool did act, whatever it says of it: its result is kept, and marked. */
function asDeclared(tool: Tool, data: Json): RunResult {
  const fault = outputFault(tool, data);
  if (fault === null) return { ok: true, data };
  if (tool.class !== 'destructive') return failed(fault);
  return { ok: true, data: { unreadable_result: fault.message, result: data } };
}

/** How long a cancelled tool may take to end, ms. */
const GRACE = 5000;

/** A cancelled call is over when its tool is, or after the grace. */
async function ended(running: Promise<unknown>, reason: unknown): Promise<never> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise((resolve) => (timer = setTimeout(resolve, GRACE)));
  await Promise.race([running.catch(() => undefined), grace]);
  clearTimeout(timer);
  throw reason;
}

const TIMED_OUT = Symbol('timed out');

/** The tool's function itself, progress reported: no limits, and whatever it throws. */
export async function invoke(tool: Tool, input: JsonObject, ctx: ToolContext): Promise<unknown> {
  const returned = await tool.run(input, ctx);
  if (!isGenerator(returned)) return returned;
  for (;;) {
    const next = await returned.next();
    if (next.done) return next.value;
    ctx.progress(next.value.message, next.value.fraction);
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<ToolProgress, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

function abortAfter(abort: AbortController, ms: number): { promise: Promise<typeof TIMED_OUT>; clear(): void } {
  let timer: NodeJS.Timeout;
  const promise = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => {
      resolve(TIMED_OUT);
      abort.abort(new DOMException(`Timed out after ${ms} ms`, 'TimeoutError'));
    }, ms);
  });
  return { promise, clear: () => clearTimeout(timer) };
}

function whenAborted(signal: AbortSignal | undefined, abort: AbortController): { promise: Promise<never>; clear(): void } {
  let stop: () => void = () => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    if (!signal) return;
    stop = () => {
      abort.abort(signal.reason);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  promise.catch(() => undefined);
  return { promise, clear: () => signal?.removeEventListener('abort', stop) };
}

function errorOf(tool: Tool, error: unknown): CallError {
  if (isToolError(error)) return error.detail;
  const message = error instanceof Error ? error.message : String(error);
  return callError('EXECUTION_ERROR', 'tool_crashed', `${tool.name} failed: ${message.toWellFormed()}`);
}

function failed(error: CallError, nothingHappened = false): RunResult {
  return { ok: false, error, nothingHappened };
}
