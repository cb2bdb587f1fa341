/**
 * Runs a tool's function: within its time limit, with progress, and with every way to fail turned into
 * one error of the table. A cancellation is no tool error: it is thrown on.
 */
import { types } from 'node:util';
import { BEGUN_TOO_LATE, callError, type CallError, exceptionText } from '../../shared/wire/errors';
import type { Json, JsonObject } from '../../shared/json/json';
import { Deadline } from './deadline';
import { toJsonWithFiles, type BinaryFile, type FileResult } from '../results/binary';
import { isToolError } from '../define/errors';
import { checkOutput, FOR_THE_OWNER, readInputOrThrow } from '../schema/input-output';
import { YieldCollector } from './returned';
import { redactedValue } from '../../telemetry/log';
import type { Tool, ToolContext, ToolLogger, ToolYield } from '../define/tool';

export type RunResult =
  | { ok: true; data: Json }
  /** `nothingHappened`: it is certain that the call had no effect outside. */
  | { ok: false; error: CallError; nothingHappened: boolean };

/** Reason of a call whose tool has not answered within its time limit: it may still run. */
export const TIMED_OUT = 'timeout';

/** Codes with which a tool refuses before acting, unless it says otherwise itself. */
const REFUSALS = new Set([
  'INVALID_PARAMS',
  'UNAUTHORIZED',
  'PERMISSION_DENIED',
  'RESOURCE_NOT_FOUND',
  'QUOTA_EXCEEDED',
  'RATE_LIMITED',
]);

/** Made by the runner. */
export type GivenContext = Omit<ToolContext, 'signal' | 'deadline'>;

/**
 * @param cancelled rejects when the call is cancelled from outside; its reason is thrown on
 * @param limits.begins the tool is not run at all once this has passed
 * @param limits.keepFile puts a `binaryFile` of the result into the store; without it a result cannot hold one
 * @param limits.run runs the tool's function in its stead: elsewhere
 * @param context `signal` is made here: it aborts on timeout and with `cancelled`
 */
export async function runTool(
  tool: Tool,
  input: JsonObject,
  context: GivenContext,
  limits: {
    timeoutMs: number;
    cancelled?: AbortSignal;
    begins?: Deadline;
    keepFile?: (file: BinaryFile) => Promise<FileResult>;
    /** Where an exception of the tool is logged, if not where the tool logs. */
    log?: ToolLogger;
    run?: (input: JsonObject, ctx: ToolContext, limits: { deadline: Deadline; timeoutMs: number }) => Promise<unknown>;
  },
): Promise<RunResult> {
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
    // What a stopped tool returns may be half of it; only a write is asked what it did all the same.
    if (limits.cancelled?.aborted && tool.class !== 'write') throw limits.cancelled.reason;
    if (value === LATE)
      return failedResult(callError('TIMEOUT', TIMED_OUT, `${tool.name} did not answer within ${limits.timeoutMs} ms.`));
    const json = await toJsonWithFiles(value, limits.keepFile);
    if (json.ok) return await checkResult(tool, json.data, context.principal);
    const message = `${tool.name} returned something that is not JSON: ${json.message}`;
    if (tool.class === 'destructive') return { ok: true, data: { unreadable_result: message } }; // it did run to its end
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

/** A destructive tool did act, whatever it says of it: its result is kept, and marked. */
async function checkResult(tool: Tool, data: Json, owner: string): Promise<RunResult> {
  const fault = await checkOutput(tool, data, owner);
  if (fault === null) return { ok: true, data };
  if (tool.class !== 'destructive') return failedResult(fault);
  return { ok: true, data: { unreadable_result: fault.message, result: data } };
}

/** How long a cancelled tool may take to end, ms. */
export const GRACE = 5000;

/** A cancelled call is over when its tool is, or after the grace. */
async function rejectAfterGrace(running: Promise<unknown>, reason: unknown): Promise<never> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise((resolve) => (timer = setTimeout(resolve, GRACE)));
  await Promise.race([running.catch(() => undefined), grace]);
  clearTimeout(timer);
  throw reason;
}

const LATE = Symbol('timed out');

/** The tool's function itself, progress reported: no limits, and whatever it throws. */
export async function invoke(tool: Tool, input: JsonObject, ctx: ToolContext): Promise<unknown> {
  const returned = await tool.run(readInputOrThrow(tool, input), ctx);
  if (!isGenerator(returned)) return returned;
  const yielded = new YieldCollector();
  for (;;) {
    const next = await returned.next();
    if (next.done) return yielded.result(next.value);
    const progress = yielded.take(next.value);
    if (progress) ctx.progress(progress.message, progress.fraction);
  }
}

function isGenerator(value: unknown): value is AsyncGenerator<ToolYield, unknown> {
  if (types.isGeneratorObject(value)) return true;
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

/** A timer runs by one clock, which a suspended machine stops: so often the other is looked at, ms. */
const LOOK_EVERY = 250;

/**
 * Ends the signal at the deadline. Whoever asks the signal whether it has ended makes it look: after a standstill a tool may
 * go on before any timer does, and its client asks before it sends (`fetch` does).
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
  const ended = () => {
    const has = () => Reflect.get(AbortSignal.prototype, 'aborted', signal) as boolean;
    if (!has() && deadline.hasPassed) end();
    return has();
  };
  const orThrow = () => {
    if (ended()) throw signal.reason;
  };
  Object.defineProperties(signal, { aborted: { get: ended }, throwIfAborted: { value: orThrow } });
  return { promise, clear: () => clearTimeout(timer) };
}

function tooLate(tool: Tool): RunResult {
  const message = `${tool.name} was not run: too much time lay between the claim and its start.`;
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

const MEND = 'Mend the tool; where it fails for a reason that the model should know, throw a ToolError with a code.';

/** What a tool threw, as one error of the table. */
export function errorOf(tool: Tool, error: unknown): CallError {
  if (isToolError(error)) return error.detail;
  return callError('EXECUTION_ERROR', 'tool_crashed', `${tool.name} failed: ${exceptionText(error)}`);
}

/** What is no ToolError is a fault of the tool: it is logged with its stack. */
export function logFault(tool: Tool, error: unknown, log: ToolLogger): void {
  if (isToolError(error)) return;
  log.error({ tool: tool.name, version: tool.version, err: redactedValue(error), todo: MEND }, 'a tool threw an exception');
}

function failedResult(error: CallError, nothingHappened = false): RunResult {
  return { ok: false, error, nothingHappened };
}
