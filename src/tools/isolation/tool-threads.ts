/**
 * Runs tools with `isolate: true` in separate threads, which load the app's module: a tool that blocks its thread does not block
 * the worker's. A thread first loads the tool, and runs it only on a second message. So loading takes nothing of the tool's time
 * limit, and a call that gets no thread has certainly had no effect (decision 0024).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { JsonObject } from '../../shared/json/json';
import { restoreFiles } from '../results/result-files';
import type { Deadline } from '../run/deadline';
import { ToolError } from '../define/errors';
import { GRACE } from '../run/run';
import {
  answerOf,
  type StoreCall,
  type WireResult,
  type ToolPart,
  type ToThread,
  type ToWorker,
  type ToolSelection,
} from './protocol';
import { type Answer, threadPath } from './job';
import { areOpen, isOutOfMemory, LOADS_WITHIN_MS, openThreads, retire, valueOf, type Size, type Threads } from './pool';
import type { Tool, ToolContext } from '../define/tool';
import { errorMessage } from '../../shared/text/error-message';
import { sha256Hex } from '../../shared/json/sha256';

const SIZE: Size = { threads: 4, heapMb: 512, idleMs: 60_000 };
const THREAD = join(__dirname, '..', '..', 'agents', 'tool-thread');

/** The time limit of a run, which ends at `deadline`. */
export interface RunLimits {
  deadline: Deadline;
  timeoutMs: number;
}

export interface ReadyThread {
  run(input: JsonObject, ctx: ToolContext, limits: RunLimits): Promise<unknown>;
  /** Gives the thread up; a tool that already runs in it is not affected. */
  leave(): void;
}

export class ToolThreads {
  private threads: Threads | undefined;
  private sha256: string;
  private readonly size: Size;

  /** @param module path of the module whose default export is the app */
  constructor(
    private readonly module: string,
    size: Partial<Size> = {},
  ) {
    this.size = { ...SIZE, ...size };
    this.sha256 = hashOf(module);
  }

  /** After a change of the module's file: later runs load it anew; running tools keep the old one. @throws Error if it is gone */
  renew(): void {
    this.sha256 = hashOf(this.module);
    if (areOpen(this.threads)) retire(this.threads);
    this.threads = undefined;
  }

  /**
   * Waits for a thread that has loaded the tool.
   * @param giveUp ends the wait; its reason is thrown
   * @throws ToolError with `nothingHappened` where no thread can load the tool
   */
  async ready(agent: string, tool: Tool, owner: string, giveUp: AbortSignal, part: ToolPart = 'run'): Promise<ReadyThread> {
    for (;;) {
      const threads = (this.threads = areOpen(this.threads) ? this.threads : openThreads(this.size));
      const unheard = new Int32Array(new SharedArrayBuffer(4));
      const { name, version } = tool;
      const selection: ToolSelection = { app: this.module, sha256: this.sha256, agent, tool: name, version, part, unheard };
      await threads.turns.enter(owner, giveUp);
      if (this.threads !== threads) {
        threads.turns.leave(owner);
        continue;
      }
      try {
        return await prepare(threads, selection, tool, owner, giveUp);
      } catch (error) {
        if (this.threads === threads || giveUp.aborted) throw error; // else the threads were replaced: try again
      }
    }
  }
}

async function prepare(
  threads: Threads,
  selection: ToolSelection,
  tool: Tool,
  owner: string,
  giveUp: AbortSignal,
): Promise<ReadyThread> {
  const { port1: port, port2 } = new MessageChannel();
  const kill = new AbortController();
  const order = { module: threadPath(THREAD), name: 'runTool', input: selection, port: port2 };
  const task = threads.pool.run(order, { signal: kill.signal, transferList: [port2] }).finally(() => threads.turns.leave(owner));
  task.catch(() => undefined);
  const tell = (message: ToThread) => port.postMessage(message);
  const late = setTimeout(() => kill.abort(), LOADS_WITHIN_MS).unref();
  void task.catch(() => undefined).then(() => clearTimeout(late));
  try {
    await waitForLoad(port, task, giveUp);
    clearTimeout(late);
  } catch (error) {
    tell({ say: 'drop' }); // the thread finishes loading, for the next call
    port.unref();
    void task.catch(() => undefined).then(() => port.close());
    if (giveUp.aborted) throw giveUp.reason;
    throw loadError(tool, error, threads.heapMb);
  }
  return {
    run: (input, ctx, limits) =>
      run({ tool, port, task, kill, tell, unheard: selection.unheard, heapMb: threads.heapMb }, input, ctx, limits),
    leave: () => tell({ say: 'drop' }),
  };
}

interface Running {
  tool: Tool;
  port: MessagePort;
  task: Promise<Answer>;
  /** Terminates the thread. */
  kill: AbortController;
  tell(message: ToThread): void;
  /** As in `ToolSelection`. */
  unheard: Int32Array;
  heapMb: number;
}

async function run(running: Running, input: JsonObject, ctx: ToolContext, limits: RunLimits): Promise<unknown> {
  const { tool, port, task, kill, tell, unheard, heapMb } = running;
  const { idempotencyKey, attempt, traceId, principal, signal } = ctx;
  const { deadline, timeoutMs } = limits;
  const hear = listener(ctx, tell, unheard);
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    if (deadline.hasPassed) return kill.abort();
    const { name, message } = reasonOf(signal);
    tell({ say: 'abort', name, message });
    grace = setTimeout(() => kill.abort(), GRACE).unref();
  };
  port.on('message', hear);
  try {
    tell({
      say: 'go',
      facts: { input, idempotencyKey, attempt, traceId, principal, deadline: deadline.transferForm, timeoutMs },
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const returned = valueOf(await task) as WireResult;
    return returned.ok ? restoreFiles(returned) : unreadable(returned.message);
  } catch (error) {
    throw isOutOfMemory(error) ? tooLarge(tool, heapMb) : error;
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
    port.off('message', hear);
    for (let envelope = receiveMessageOnPort(port); envelope; envelope = receiveMessageOnPort(port))
      hear(envelope.message as ToWorker);
    port.close();
  }
}

/** Handles the thread's messages: calls `ctx` for its tool. */
function listener(ctx: ToolContext, tell: (message: ToThread) => void, unheard: Int32Array): (message: ToWorker) => void {
  const networkOver: (() => void)[] = [];
  // Wake the thread only when all messages are received: then it can send several at once.
  const heard = () => void (Atomics.sub(unheard, 0, 1) === 1 && Atomics.notify(unheard, 0));
  return (message) => {
    switch (message.say) {
      case 'ready':
        return; // handled by waitForLoad
      case 'log':
        heard();
        return ctx.log[message.level](message.fields, message.message);
      case 'progress':
        heard();
        return ctx.progress(message.message, message.fraction);
      case 'debug':
        heard();
        return ctx.debug(message.fields);
      case 'network':
        heard();
        if (message.over) networkOver.pop()?.();
        else void ctx.network(() => new Promise<void>((resolve) => void networkOver.push(resolve)));
        return;
      case 'store': {
        const { id, call } = message;
        return void answerOf(() => answerCall(ctx, call)).then((answer) => tell({ say: 'answer', to: id, answer }));
      }
      case 'cursor': {
        const { call, port, flag } = message;
        const work = () => (call.op === 'seal' ? ctx.cursors.seal(call.given) : ctx.cursors.open(call.given));
        return void answerOf(work).then((answer) => {
          port.postMessage(answer);
          Atomics.store(flag, 0, 1);
          Atomics.notify(flag, 0);
          port.close();
        });
      }
    }
  };
}

function answerCall(ctx: ToolContext, call: StoreCall): Promise<unknown> {
  if (call.op === 'readResult') return ctx.store.readResult(call.given);
  return call.op === 'keepResult' ? ctx.store.keepResult(call.given) : ctx.later(call.given);
}

/** Waits until the thread has loaded the tool, or ends. */
async function waitForLoad(port: MessagePort, task: Promise<Answer>, giveUp: AbortSignal): Promise<void> {
  const listening = new AbortController();
  const says = new Promise<void>((resolve, reject) => {
    port.once('message', () => resolve()); // the first message is `ready`
    giveUp.addEventListener('abort', () => reject(giveUp.reason as Error), { once: true, signal: listening.signal });
    if (giveUp.aborted) reject(giveUp.reason as Error);
  });
  try {
    await Promise.race([says, task.then(valueOf)]);
  } finally {
    listening.abort();
    port.removeAllListeners('message');
  }
}

function hashOf(module: string): string {
  return sha256Hex(readFileSync(module));
}

function reasonOf({ reason }: AbortSignal): { name: string; message: string } {
  return reason instanceof Error ? reason : { name: 'AbortError', message: String(reason) };
}

/** Replaces a result that is not JSON: converting it to JSON throws the message that the thread found. */
function unreadable(message: string): object {
  return {
    toJSON() {
      throw new TypeError(message);
    },
  };
}

function tooLarge({ name }: Tool, heapMb: number): ToolError {
  return new ToolError('EXECUTION_ERROR', 'too_much_memory', `${name} was stopped: it took more than ${heapMb} MB of memory.`, {
    hint: 'Ask it for less at once.',
    nothingHappened: false,
  });
}

function loadError({ name }: Tool, error: unknown, heapMb: number): ToolError {
  if (error instanceof ToolError) return error;
  const why = isOutOfMemory(error)
    ? `it took more than ${heapMb} MB`
    : error instanceof Error && error.name === 'AbortError'
      ? `it took longer than ${LOADS_WITHIN_MS / 1000} s`
      : errorMessage(error);
  return new ToolError('EXECUTION_ERROR', 'app_not_loaded', `${name} was not run: no thread could load its app: ${why}.`, {
    nothingHappened: true,
  });
}
