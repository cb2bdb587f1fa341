/** `ctx` as a tool in a thread has it: the same interface, and behind it messages to the worker. */
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Json, JsonObject } from '../../shared/json';
import type { ToolContext, ToolLogger } from '../define';
import type { Answer } from './job';
import type { CursorCall, Level, RunFacts, StoreCall, ToWorker } from './protocol';
import { valueOf } from './threads';

export class ThreadContext {
  private readonly asked = new Map<number, (answer: Answer) => void>();
  private last = 0;

  constructor(private readonly port: MessagePort) {}

  /** @param signal made in this thread */
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
      progress: (message, fraction) => this.tell({ say: 'progress', message: String(message), fraction: numberOf(fraction) }),
      debug: (fields) => this.tell({ say: 'debug', fields: cloneable(fields) as JsonObject }),
      network: (work) => this.network(work),
      cursors: {
        seal: (given) => this.cursor({ op: 'seal', given }) as string,
        open: (given) => this.cursor({ op: 'open', given }) as Json,
      },
      store: {
        readResult: (given) => this.store({ op: 'readResult', given }) as Promise<Json>,
        keepResult: (given) => this.store({ op: 'keepResult', given }) as Promise<string>,
      },
    };
  }

  /** What the worker has answered to a call of the store. */
  answered(to: number, answer: Answer): void {
    this.asked.get(to)?.(answer);
    this.asked.delete(to);
  }

  tell(message: ToWorker, transfer: MessagePort[] = []): void {
    this.port.postMessage(message, transfer);
  }

  private logger(): ToolLogger {
    const line = (level: Level) => (fields: object, message?: string) =>
      this.tell({ say: 'log', level, fields: cloneable(fields), message });
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  }

  /** The worker's clock runs between the two messages: also where the thread is ended before the second. */
  private async network<T>(work: () => Promise<T>): Promise<T> {
    const id = ++this.last;
    this.tell({ say: 'network', id, over: false });
    try {
      return await work();
    } finally {
      this.tell({ say: 'network', id, over: true });
    }
  }

  private store(call: StoreCall): Promise<unknown> {
    const id = ++this.last;
    return new Promise<Answer>((resolve) => {
      this.tell({ say: 'store', id, call }); // throws for what cannot be copied, before anybody waits
      this.asked.set(id, resolve);
    }).then(valueOf);
  }

  /** Cursors are made at once, without a promise, so that the thread stands still until the answer is there. */
  private cursor(call: CursorCall): unknown {
    const { port1, port2 } = new MessageChannel();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    this.tell({ say: 'cursor', call, port: port2, flag }, [port2]);
    Atomics.wait(flag, 0, 0);
    const received = receiveMessageOnPort(port1) as { message: Answer };
    port1.close();
    return valueOf(received.message);
  }
}

function numberOf(fraction: unknown): number | undefined {
  return typeof fraction === 'number' ? fraction : undefined;
}

/** What a log line or a note has that cannot be copied (functions) is left out, as it would be of JSON. */
function cloneable(fields: object): object {
  try {
    return structuredClone(fields);
  } catch {
    return JSON.parse(JSON.stringify(fields)) as object;
  }
}
