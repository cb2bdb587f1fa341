/** What the worker and a thread say to each other about one run of an isolated tool. All of it is copied on the way. */
import type { MessagePort } from 'node:worker_threads';
import { isAbsolute, sep } from 'node:path';
import { createRequire } from 'node:module';
import type { Json, JsonObject } from '../../shared/json/json';
import { exceptionText, type CallError } from '../../shared/wire/errors';
import type { TakenOut } from '../results/binary';
import type { SentDeadline } from '../run/deadline';
import { isToolError } from '../define/errors';

/** The functions of a tool that may do I/O: what decides on a call is asked at once, on the worker's thread. */
export type ToolPart = 'run' | 'preview' | 'reconcile';

/** Which tool a thread gets ready to run. */
export interface ToolSelection {
  /** The app's module. */
  app: string;
  /** SHA-256 of that file when the worker began: what runs is what the worker serves. */
  sha256: string;
  agent: string;
  tool: string;
  version: string;
  /** One number, shared by both: of what the thread has told in passing, how much the worker has not heard yet. */
  unheard: Int32Array;
  part: ToolPart;
}

/** What a tool's function is given that is data. */
export interface RunFacts {
  input: JsonObject;
  idempotencyKey: string;
  attempt: number;
  traceId: string;
  principal: string;
  deadline: SentDeadline;
  timeoutMs: number;
}

export type Level = 'debug' | 'info' | 'warn' | 'error';
export type StoreCall = { op: 'readResult'; given: string } | { op: 'keepResult'; given: Json };
export type CursorCall = { op: 'seal'; given: Json } | { op: 'open'; given: string };

export type ToThread =
  | { say: 'go'; facts: RunFacts }
  /** It shall not be run after all. */
  | { say: 'drop' }
  | { say: 'abort'; name: string; message: string }
  | { say: 'answer'; to: number; answer: Answer };

export type ToWorker =
  | { say: 'ready' }
  | { say: 'log'; level: Level; fields: object; message: string | undefined }
  | { say: 'progress'; message: string; fraction: number | undefined }
  | { say: 'debug'; fields: JsonObject }
  /** Upstream work is under way, or none any more: what overlaps is said once. */
  | { say: 'network'; over: boolean }
  | { say: 'store'; id: number; call: StoreCall }
  /** The thread waits for the answer: `port` carries it, and `flag` wakes the thread. */
  | { say: 'cursor'; call: CursorCall; port: MessagePort; flag: Int32Array };

/** How a thread hands back a result: as JSON, and beside it the files that stand in it. */
export type WireResult = TakenOut;

/** What came of some work, as it can be sent. */
export async function answerOf(work: () => unknown): Promise<Answer> {
  try {
    return { value: await work() };
  } catch (error) {
    return refusalOf(error);
  }
}

export function refusalOf(error: unknown): Answer {
  if (isToolError(error)) return { refused: error.detail, nothingHappened: error.nothingHappened };
  return { failed: exceptionText(error) };
}

// A job: a function of one of our modules that a thread runs, so that it can be ended from outside. What goes in and what comes
// back is copied (structured clone): plain data and bytes, no functions and no classes.

export interface Job<I, O, M = never> {
  /** The module, absolute, as it is compiled. */
  module: string;
  /** Its exported function. */
  name: string;
  /** In words, for errors: "The search". */
  what: string;
  limits: JobLimits;
  /** Only for the compiler. */
  readonly types?: (input: I, tell: Tell<M>) => O;
}

export interface JobLimits {
  /** How long it may run, ms; waiting for a thread does not count. */
  ms: number;
  /** The error's own word when the time is over, e.g. `pattern_too_slow`. */
  reason: string;
  /** What to do then. */
  hint: string;
}

/** What a job may tell while it works; `undefined` where nobody listens. */
export type Tell<M> = (message: M) => void;

/**
 * @param module path without ending, e.g. `join(__dirname, 'search')`
 * @param limits what ends it, and what is said then
 */
export function defineJob<I, O, M = never>(module: string, name: string, what: string, limits: JobLimits): Job<I, O, M> {
  if (!isAbsolute(module)) throw new Error(`The job ${name} needs the absolute path of its module, and has ${module}.`);
  return { module: compiledPath(module), name, what, limits };
}

/** Threads load what is compiled; where this runs from source (tsx, tests), that is in dist. */
export function compiledPath(module: string): string {
  if (!__filename.endsWith('.ts')) return `${module}.js`;
  const source = `${sep}src${sep}`;
  const at = module.lastIndexOf(source);
  return `${module.slice(0, at)}${sep}dist${sep}${module.slice(at + source.length)}.js`;
}

/** What a thread is sent. */
export interface Order {
  module: string;
  name: string;
  input: unknown;
  /** Where it tells of its progress. */
  port?: import('node:worker_threads').MessagePort;
}

/** What a thread answers; a ToolError does not survive the way as what it is. */
export type Answer = { value: unknown } | { refused: CallError; nothingHappened: boolean | undefined } | { failed: string };

// What runs in a thread of the pool: loads the job's module, once, and answers.

const load = createRequire(__filename);

export default async function answer({ module, name, input, port }: Order): Promise<Answer> {
  const run = (load(module) as Record<string, (input: unknown, tell: Tell<unknown>, port: Order['port']) => unknown>)[name];
  if (!run) throw new Error(`${module} has no function ${name}.`);
  try {
    return { value: await run(input, (message) => port?.postMessage(message), port) };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { refused: error.detail, nothingHappened: error.nothingHappened };
  } finally {
    port?.close();
  }
}
