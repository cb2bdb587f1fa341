/** `ctx` for a tool that runs in a thread: the same interface, implemented by messages to the worker. */
import { serialize } from 'node:v8';
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Json, JsonObject } from '../../shared/json/json';
import type { Answer } from './job';
import type { CursorCall, Level, RunFacts, StoreCall, ToWorker } from './protocol';
import { valueOf } from './pool';
import type { Later, ToolContext, ToolLogger } from '../define/tool';

/** Most messages that the worker has not received yet. At this number the tool blocks: it must not flood the worker. */
const MOST_UNHEARD = 200;
/** Most calls of `ctx.store` at the same time. */
const MAX_STORE_CALLS = 1000;
/** Largest log line or debug note, bytes. */
const MAX_NOTE_BYTES = 64_000;
/** Longest progress message, characters; no reader shows more. */
const LONGEST_MESSAGE = 1000;

export class ThreadContext {
  private readonly pendingCalls = new Map<number, (answer: Answer) => void>();
  private last = 0;
  private underWay = 0;
  private over = false;

  /** @param unheard as in `ToolSelection` */
  constructor(
    private readonly port: MessagePort,
    private readonly unheard: Int32Array,
  ) {}

  /** Reports that the tool can run. */
  ready(): void {
    this.tell({ say: 'ready' });
  }

  /** Marks the run as ended: later log lines and progress of the tool are dropped, and must not block. */
  end(): void {
    this.over = true;
  }

  /** Makes the `ctx`. @param signal made in this thread */
  make(facts: RunFacts, signal: AbortSignal): ToolContext {
    const { idempotencyKey, attempt, traceId, principal, deadline } = facts;
    return {
      idempotencyKey,
      attempt,
      traceId,
      principal,
      signal,
      deadline: deadline.at,
      log: this.logger(),
      progress: (message, fraction) =>
        this.mention({
          say: 'progress',
          message: String(message).slice(0, LONGEST_MESSAGE),
          fraction: numberOf(fraction),
        }),
      debug: (fields) => this.mention({ say: 'debug', fields: cloneable(fields) as JsonObject }),
      network: (work) => this.network(work),
      cursors: {
        seal: (value) => this.cursor({ op: 'seal', given: value }) as string,
        open: (value) => this.cursor({ op: 'open', given: value }) as Json,
      },
      store: {
        readResult: (value) => this.store({ op: 'readResult', given: value }) as Promise<Json>,
        keepResult: (value) => this.store({ op: 'keepResult', given: value }) as Promise<string>,
      },
      later: (options) => this.store({ op: 'later', given: options }) as Promise<Later>,
    };
  }

  /** Takes the worker's answer to a call of the store. */
  receiveAnswer(to: number, answer: Answer): void {
    this.pendingCalls.get(to)?.(answer);
    this.pendingCalls.delete(to);
  }

  private tell(message: ToWorker, transfer: MessagePort[] = []): void {
    this.port.postMessage(message, transfer);
  }

  /** Sends a message without an answer. Blocks while the worker has too many messages to receive. */
  private mention(message: ToWorker): void {
    for (let now; !this.over && (now = Atomics.load(this.unheard, 0)) >= MOST_UNHEARD;) Atomics.wait(this.unheard, 0, now);
    if (this.over) return;
    Atomics.add(this.unheard, 0, 1);
    this.tell(message);
  }

  private logger(): ToolLogger {
    const line = (level: Level) => (fields: object, message?: string) =>
      this.mention({ say: 'log', level, fields: cloneable(fields), message: message?.slice(0, MAX_NOTE_BYTES) });
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  }

  /** The worker measures the time between the two messages; also when the thread is terminated before the second. */
  private async network<T>(work: () => Promise<T>): Promise<T> {
    if (this.underWay++ === 0) this.mention({ say: 'network', over: false });
    try {
      return await work();
    } finally {
      if (--this.underWay === 0) this.mention({ say: 'network', over: true });
    }
  }

  private store(call: StoreCall): Promise<unknown> {
    const id = ++this.last;
    return new Promise<Answer>((resolve, reject) => {
      if (this.pendingCalls.size >= MAX_STORE_CALLS)
        return reject(new Error(`${MAX_STORE_CALLS} calls of ctx.store are under way at once; wait for some of them.`));
      this.tell({ say: 'store', id, call }); // throws for what cannot be copied, before the wait begins
      this.pendingCalls.set(id, resolve);
    }).then(valueOf);
  }

  /** Seals or opens a cursor. The interface is synchronous, so the thread blocks until the answer arrives. */
  private cursor(call: CursorCall): unknown {
    const { port1, port2 } = new MessageChannel();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    this.tell({ say: 'cursor', call, port: port2, flag }, [port2]);
    Atomics.wait(flag, 0, 0);
    const answer = receiveMessageOnPort(port1) as { message: Answer };
    port1.close();
    return valueOf(answer.message);
  }
}

function numberOf(fraction: unknown): number | undefined {
  return typeof fraction === 'number' ? fraction : undefined;
}

/** Removes what cannot be copied (functions) from a log line or note, as JSON does. */
function cloneable(fields: object): object {
  let value = fields;
  let bytes: number;
  try {
    bytes = serialize(value).length;
  } catch {
    value = JSON.parse(JSON.stringify(fields)) as object;
    bytes = serialize(value).length;
  }
  return bytes <= MAX_NOTE_BYTES ? value : { left_out: `${bytes} bytes: more than ${MAX_NOTE_BYTES}` };
}
