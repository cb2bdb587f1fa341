/**
 * A job: a function of one of our modules that a thread runs, so that it can be ended from outside. What goes in and what comes
 * back is copied (structured clone): plain data and bytes, no functions and no classes. This file is also what a thread of the pool
 * loads: its default export runs one job.
 */
import { createRequire } from 'node:module';
import { isAbsolute, sep } from 'node:path';
import type { CallError } from '../../shared/wire/errors';
import { isToolError } from '../define/errors';

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
