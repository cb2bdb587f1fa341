/**
 * Runs a tool's function within its time limit, reports its progress, and turns every failure into one error of the error table.
 * A cancellation is not a tool error: its reason is rethrown.
 */
import { types } from 'node:util';
import { BEGUN_TOO_LATE, callError, type CallError, exceptionText } from '../../shared/wire/errors';
import type { Json, JsonObject } from '../../shared/json/json';
import { Deadline } from './deadline';
import { toJsonWithFiles, type BinaryFile, type FileResult } from '../results/result-files';
import { isToolError } from '../define/errors';
import { checkOutput, FOR_THE_OWNER, readInputOrThrow } from '../schema/input-output';
import { YieldCollector } from './tool-output';
import { redactedValue } from '../../telemetry/log';
import type { Tool, ToolContext, ToolLogger, ToolYield } from '../define/tool';

export type RunResult =
  | { ok: true; data: Json; pending?: undefined }
  /** The tool has handed its end on (`ctx.later`), and returned what that gave. */
  | { ok: true; data: null; pending: true }
  /** `nothingHappened`: the call certainly had no effect outside. */
  | { ok: false; error: CallError; nothingHappened: boolean };

/** Error reason of a call whose tool did not answer within its time limit: the tool may still run. */
export const TIMED_OUT = 'timeout';

/** Error codes that mean a refusal before acting, unless the error's `nothingHappened` says otherwise. */
const REFUSALS = new Set([
  'INVALID_PARAMS',
  'UNAUTHORIZED',
  'PERMISSION_DENIED',
  'RESOURCE_NOT_FOUND',
  'QUOTA_EXCEEDED',
  'RATE_LIMITED',
]);

/** The part that the caller makes. */
export type GivenContext = Omit<ToolContext, 'signal' | 'deadline'>;

/**
 * @param limits.cancelled aborts when the call is cancelled from outside; its reason is thrown
 * @param limits.begins the tool is not run if this deadline has passed
 * @param limits.keepFile puts a `binaryFile` of the result into the store; without it a result must not contain one
 * @param limits.run runs the tool's function elsewhere, such as in a thread
 * @param context `ctx` without `signal` and `deadline`, which are made here; `signal` aborts on timeout and with `cancelled`
 */
export async function runTool(
  tool: Tool,
  input: JsonObject,
  context: GivenContext,
  limits: {
    timeoutMs: number;
    cancelled?: AbortSignal;
    begins?: Deadline;
    /** Asked at the last moment: what it returns is the result, and the tool does not begin. Null: it begins. */
    stopped?: () => Promise<RunResult | null>;
    keepFile?: (file: BinaryFile) => Promise<FileResult>;
    /** Whether this is what `ctx.later` gave to this run. */
    isLater?: (value: unknown) => boolean;
    /** Log for an exception of the tool. Default: the tool's own log. */
    log?: ToolLogger;
    run?: (input: JsonObject, ctx: ToolContext, limits: { deadline: Deadline; timeoutMs: number }) => Promise<unknown>;
  },
): Promise<RunResult> {
  const stopped = (await limits.stopped?.()) ?? null;
  if (stopped !== null) return stopped;
  if (limits.begins?.hasPassed) return tooLate(tool);
  const abort = new AbortController();
  const deadline = Deadline.in(limits.timeoutMs);
  const timeout = abortAt(abort, deadline, limits.timeoutMs);
  const cancel = whenAborted(limits.cancelled, abort);
  try {
    const ctx: ToolContext = { ...context, signal: abort.signal, deadline: deadline.at };
    const { timeoutMs, run } = limits;
    const running = run ? run(input, ctx, { deadline, timeoutMs }) : invoke(tool, input, ctx);
    const value = await Promise.race([
      running,
      timeout.promise,
      cancel.promise.catch((reason: unknown) => rejectAfterGrace(running, reason)),
    ]);
    // A cancelled tool may return half of a result, which is dropped; only a write's result still tells what it did.
    if (limits.cancelled?.aborted && tool.class !== 'write') throw limits.cancelled.reason;
    if (value === LATE)
      return failedResult(callError('TIMEOUT', TIMED_OUT, `${tool.name} did not answer within ${limits.timeoutMs} ms.`));
    if (limits.isLater?.(value)) return { ok: true, data: null, pending: true };
    const json = await toJsonWithFiles(value, limits.keepFile);
    if (json.ok) return await checkResult(tool, json.data, context.principal);
    const message = `${tool.name} returned something that is not JSON: ${json.message}`;
    if (tool.class === 'destructive') return { ok: true, data: { unreadable_result: message } }; // the tool did finish
    return failedResult(callError('EXECUTION_ERROR', 'result_not_json', message, { hint: FOR_THE_OWNER }));
  } catch (error) {
    if (limits.cancelled?.aborted) throw limits.cancelled.reason;
    logFault(tool, error, limits.log ?? context.log);
    return failedResult(errorOf(tool, error), isToolError(error) && (error.nothingHappened ?? REFUSALS.has(error.detail.code)));
  } finally {
    timeout.clear();
    cancel.clear();
  }
}

/** A destructive tool has acted even if its result is invalid: the result is kept, and marked. */
async function checkResult(tool: Tool, data: Json, owner: string): Promise<RunResult> {
  const fault = await checkOutput(tool, data, owner);
  if (fault === null) return { ok: true, data };
  if (tool.class !== 'destructive') return failedResult(fault);
  return { ok: true, data: { unreadable_result: fault.message, result: data } };
}

/** How long a cancelled tool may take to end, ms. */
export const GRACE = 5000;

/** Throws the reason when the cancelled tool has ended, or after the grace period. */
async function rejectAfterGrace(running: Promise<unknown>, reason: unknown): Promise<never> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise((resolve) => (timer = setTimeout(resolve, GRACE)));
  await Promise.race([running.catch(() => undefined), grace]);
  clearTimeout(timer);
  throw reason;
}

const LATE = Symbol('timed out');

/** Calls the tool's function and reports progress, without time limit. @throws what the tool throws */
export async function invoke(tool: Tool, input: JsonObject, ctx: ToolContext): Promise<unknown> {
  const result = await tool.run(readInputOrThrow(tool, input), ctx);
  if (!isGenerator(result)) return result;
  const collector = new YieldCollector();
  for (;;) {
    const next = await result.next();
    if (next.done) return collector.result(next.value);
    const progress = collector.take(next.value);
    if (progress) ctx.progress(progress.message, progress.fraction);
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<ToolYield, unknown> {
  if (types.isGeneratorObject(value)) return true;
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

/** How often the wall clock is checked, ms: timers run by the monotonic clock, which stops while a machine is suspended. */
const LOOK_EVERY = 250;

/**
 * Aborts the signal at the deadline. Reading `aborted` checks the clocks too: after a suspension a tool may continue before any
 * timer fires, and its client reads `aborted` before it sends (`fetch` does).
 */
export function abortAt(abort: AbortController, deadline: Deadline, ms: number): { promise: Promise<symbol>; clear(): void } {
  const { signal } = abort;
  let timer: NodeJS.Timeout | undefined;
  let end: () => void = () => undefined;
  const promise = new Promise<typeof LATE>((resolve) => {
    end = () => {
      clearTimeout(timer);
      resolve(LATE);
      abort.abort(new DOMException(`Timed out after ${ms} ms`, 'TimeoutError'));
    };
  });
  const look = () => {
    if (deadline.hasPassed) end();
    else timer = setTimeout(look, Math.min(LOOK_EVERY, Math.max(1, deadline.remainingMs)));
  };
  look();
  const hasEnded = () => {
    const has = () => Reflect.get(AbortSignal.prototype, 'aborted', signal) as boolean;
    if (!has() && deadline.hasPassed) end();
    return has();
  };
  const orThrow = () => {
    if (hasEnded()) throw signal.reason;
  };
  Object.defineProperties(signal, { aborted: { get: hasEnded }, throwIfAborted: { value: orThrow } });
  return { promise, clear: () => clearTimeout(timer) };
}

function tooLate(tool: Tool): RunResult {
  const message = `${tool.name} was not run: it could not start in time after the claim of its effect record.`;
  return failedResult(callError('TIMEOUT', BEGUN_TOO_LATE, message, { hint: 'Nothing has happened.' }), true);
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

const FIX_HINT = 'Mend the tool; where it fails for a reason that the model should know, throw a ToolError with a code.';

/** Converts what a tool threw to an error of the error table. */
export function errorOf(tool: Tool, error: unknown): CallError {
  if (isToolError(error)) return error.detail;
  return callError('EXECUTION_ERROR', 'tool_crashed', `${tool.name} failed: ${exceptionText(error)}`);
}

/** Logs, with its stack, an exception that is not a ToolError: it is a fault in the tool. */
export function logFault(tool: Tool, error: unknown, log: ToolLogger): void {
  if (isToolError(error)) return;
  log.error({ tool: tool.name, version: tool.version, err: redactedValue(error), todo: FIX_HINT }, 'a tool threw an exception');
}

function failedResult(error: CallError, nothingHappened = false): RunResult {
  return { ok: false, error, nothingHappened };
}
