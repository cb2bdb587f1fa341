/** The messages between the worker and a thread for one run of an isolated tool. Values are copied (structured clone). */
import type { MessagePort } from 'node:worker_threads';
import type { Json, JsonObject } from '../../shared/json/json';
import { exceptionText } from '../../shared/wire/errors';
import type { ExtractedFiles } from '../results/result-files';
import type { SentDeadline } from '../run/deadline';
import { isToolError } from '../define/errors';
import type { LaterOptions } from '../define/tool';
import type { Answer } from './job';

/** The functions of a tool that may do I/O, and run in the thread. All others run synchronously on the worker's thread. */
export type ToolPart = 'run' | 'preview' | 'reconcile' | 'poll';

/** Selects the tool that a thread loads. */
export interface ToolSelection {
  /** Path of the app's module. */
  app: string;
  /** SHA-256 of that file when the worker loaded it: the thread refuses a file that has changed since. */
  sha256: string;
  agent: string;
  tool: string;
  version: string;
  /** Shared counter: messages without an answer (log, progress …) that the thread sent and the worker has not received yet. */
  unheard: Int32Array;
  part: ToolPart;
}

/** The input and the fields of `ctx` that are data. */
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
export type StoreCall =
  | { op: 'readResult'; given: string }
  | { op: 'keepResult'; given: Json }
  | { op: 'later'; given: LaterOptions };
export type CursorCall = { op: 'seal'; given: Json } | { op: 'open'; given: string };

export type ToThread =
  | { say: 'go'; facts: RunFacts }
  /** The tool is not to be run. */
  | { say: 'drop' }
  | { say: 'abort'; name: string; message: string }
  | { say: 'answer'; to: number; answer: Answer };

export type ToWorker =
  | { say: 'ready' }
  | { say: 'log'; level: Level; fields: object; message: string | undefined }
  | { say: 'progress'; message: string; fraction: number | undefined }
  | { say: 'debug'; fields: JsonObject }
  /** Work for `ctx.network` began, or all of it has ended (`over`): overlapping work is reported once. */
  | { say: 'network'; over: boolean }
  | { say: 'store'; id: number; call: StoreCall }
  /** The thread blocks until the answer arrives at `port`; `flag` wakes it. */
  | { say: 'cursor'; call: CursorCall; port: MessagePort; flag: Int32Array };

/** The result as a thread sends it: JSON, and the result's files beside it. */
export type WireResult = ExtractedFiles;

/** The outcome of some work, as an answer that can be sent. */
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
