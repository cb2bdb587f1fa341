/** Reads the durable events of a turn from its history alone, in order and with their positions. */
import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '../../temporal/sdk-private';
import { readHistory, type Reading } from '../../temporal/history/read-history';
import type { TurnEvent } from '../../shapes/turn-event';
import { EventReader } from './events';
import type { Position } from './position';

export interface EventRecord {
  position: Position;
  /** From 1, without gaps. */
  seq: number;
  event: TurnEvent;
}

/** Reads from the turn's beginning, so positions and numbers are the same for every reader. @throws WorkflowNotFoundError */
export async function* readTurn(client: Client, workflowId: string, reading: Reading): AsyncGenerator<EventRecord> {
  const { loadedDataConverter } = client.options;
  const make = () => ({
    reader: new EventReader((payloads) => decodeArrayFromPayloads(loadedDataConverter, payloads ?? [])),
    order: new InOrder(),
  });
  let state = make();
  let last = 1;
  let seq = 0;
  for await (const { run, event, copied, superseded } of readHistory(client, workflowId, reading)) {
    // A run that continues another keeps the reader's state. A run that a reset begins is read from its own copied events.
    if (run !== last && copied) state = make();
    last = run;
    if (superseded) continue;
    const events = (await state.reader.read(event)).flatMap((one) => state.order.push(one));
    if (copied) continue;
    const at = { run, event: Number(event.eventId) };
    for (const [n, one] of events.entries()) yield { position: { ...at, n }, seq: ++seq, event: one };
  }
}

// Puts results in the order of their calls. Calls of a step run together and end in any order. A watcher gets the result of call
// 2 only after that of call 1. All other events pass at once.

type Result = Extract<TurnEvent, { type: 'tool_result' | 'tool_error' }>;

export class InOrder {
  /** Calls of the present step that have no result yet, in order. */
  private waiting: { id: string; asks: boolean }[] = [];
  private readonly heldResults = new Map<string, Result>();
  private readonly startedCalls = new Set<string>();
  /** Calls that were refused and never ran: the next step's input reports them again. */
  private readonly refusedCalls = new Set<string>();

  /** Takes an event, and returns the events that can be shown now, in order. */
  push(event: TurnEvent): TurnEvent[] {
    switch (event.type) {
      case 'step_completed':
        return [...this.nextStep(event.calls), event];
      case 'tool_result':
      case 'tool_error':
        return this.result(event);
      case 'tool_started':
        this.startedCalls.add(event.call);
        return [...this.before(event.call), event];
      case 'approval_decided':
        return event.decision === 'approve' || event.decision === 'edit' ? [event] : [event, ...this.without(event.call)];
      case 'question_answered':
        return event.expired ? [event, ...this.without(event.call)] : [event];
      case 'step_started':
      case 'turn_completed':
        return [...this.nextStep([]), event];
      default:
        return [event];
    }
  }

  /** A step begins when all results of the step before are there. Results that are still held are returned now. */
  private nextStep(calls: { id: string; verdict: string }[]): Result[] {
    const rest = this.waiting.flatMap(({ id }) => this.heldResults.get(id) ?? []);
    this.heldResults.clear();
    this.waiting = calls.map(({ id, verdict }) => ({ id, asks: verdict === 'ask' }));
    return rest;
  }

  private result(event: Result): Result[] {
    if (this.refusedCalls.has(event.call)) return [];
    if (!this.startedCalls.has(event.call)) this.refusedCalls.add(event.call);
    // The first result was shown already: this one comes from a settlement or another dispatch.
    if (!this.waiting.some(({ id }) => id === event.call)) return [event];
    this.heldResults.set(event.call, event);
    return this.releaseResults();
  }

  /**
   * A call that needs a person's decision runs alone. So it has ended when a later call starts, even if only the next step
   * reports how.
   */
  private before(call: string): Result[] {
    const at = this.waiting.findIndex(({ id }) => id === call);
    if (at < 0) return [];
    this.waiting = this.waiting.filter(({ id, asks }, index) => index >= at || !asks || this.heldResults.has(id));
    return this.releaseResults();
  }

  private without(call: string): Result[] {
    this.waiting = this.waiting.filter(({ id }) => id !== call);
    return this.releaseResults();
  }

  private releaseResults(): Result[] {
    const out: Result[] = [];
    for (let first = this.waiting[0]; first && this.heldResults.has(first.id); first = this.waiting[0]) {
      out.push(this.heldResults.get(first.id)!);
      this.heldResults.delete(first.id);
      this.waiting.shift();
    }
    return out;
  }
}
