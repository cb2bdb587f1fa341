/**
 * Defines jobs: functions of our modules that run in a thread, which can be terminated from outside. Input and result are copied
 * (structured clone): plain data and bytes, no functions and no classes. Threads of the pool load this file too: its default
 * export runs one job.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, sep } from 'node:path';
import type { CallError } from '../../shared/wire/errors';
import { isToolError } from '../define/errors';

export interface Job<I, O, M = never> {
  /** Absolute path of the module, as a thread loads it. */
  module: string;
  /** Name of the exported function. */
  name: string;
  /** The subject of error messages: "The search". */
  what: string;
  limits: JobLimits;
  /** Only for the compiler; never set. */
  readonly types?: (input: I, tell: Tell<M>) => O;
}

export interface JobLimits {
  /** How long the job may run, ms; waiting for a thread, and loading the module in it, does not count. */
  ms: number;
  /** The reason of the error when the time is over, e.g. `pattern_too_slow`. */
  reason: string;
  /** The hint of that error: what to do. */
  hint: string;
}

/** Sends a message while the job runs; dropped if the caller has no `onMessage`. */
export type Tell<M> = (message: M) => void;

/**
 * @param module path without file extension, e.g. `join(__dirname, 'search')`
 * @param limits the time limit, and the error when the job exceeds it
 */
export function defineJob<I, O, M = never>(module: string, name: string, what: string, limits: JobLimits): Job<I, O, M> {
  if (!isAbsolute(module)) throw new Error(`The job ${name} needs the absolute path of its module, and has ${module}.`);
  return { module: threadPath(module), name, what, limits };
}

/**
 * The path of a module as a thread loads it: compiled. A program that runs from source (tsx, tests) has the compiled modules in
 * dist; in a checkout that was never built, the thread loads the source (pool.ts).
 */
export function threadPath(module: string): string {
  if (!__filename.endsWith('.ts')) return `${module}.js`;
  const source = `${sep}src${sep}`;
  const at = module.lastIndexOf(source);
  const compiledPath = `${module.slice(0, at)}${sep}dist${sep}${module.slice(at + source.length)}.js`;
  return existsSync(compiledPath) ? compiledPath : `${module}.ts`;
}

/** The message that starts a job in a thread. */
export interface JobRequest {
  module: string;
  name: string;
  input: unknown;
  /** Port for messages while the job runs. */
  port?: import('node:worker_threads').MessagePort;
  /** The first message says that the module is loaded: from then on the job's time counts. */
  saysLoaded?: true;
}

/** The answer of a thread. A ToolError is sent as its fields: structured clone would lose its class. */
export type Answer = { value: unknown } | { refused: CallError; nothingHappened: boolean | undefined } | { failed: string };

// Runs in a thread of the pool: loads the job's module once, runs the function, and answers.

const load = createRequire(__filename);

export default async function answer({ module, name, input, port, saysLoaded }: JobRequest): Promise<Answer> {
  const run = (load(module) as Record<string, (input: unknown, tell: Tell<unknown>, port: JobRequest['port']) => unknown>)[name];
  if (!run) throw new Error(`${module} has no function ${name}.`);
  if (saysLoaded) port?.postMessage('loaded');
  try {
    return { value: await run(input, (message) => port?.postMessage(message), port) };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { refused: error.detail, nothingHappened: error.nothingHappened };
  } finally {
    port?.close();
  }
}
