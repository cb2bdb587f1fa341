/** What the worker and a thread say to each other about one run of an isolated tool. All of it is copied on the way. */
import type { MessagePort } from 'node:worker_threads';
import type { Json, JsonObject } from '../../shared/json/json';
import { exceptionText } from '../../shared/wire/errors';
import type { TakenOut } from '../results/binary';
import type { SentDeadline } from '../run/deadline';
import { isToolError } from '../define/errors';
import type { Answer } from './job';

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
