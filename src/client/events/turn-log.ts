/** What lasts of a turn: its events in order, each with its position, read from the history alone. */
import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '../../temporal/sdk-private';
import { readHistory, type Reading } from '../../temporal/history';
import type { TurnEvent } from '../../shapes/turn-event';
import { EventReader } from './events';
import type { Position } from './position';

export interface EventRecord {
  position: Position;
  /** From 1, without gaps. */
  seq: number;
  event: TurnEvent;
}

/** From the turn's beginning, whoever asks: positions and numbers come out the same. @throws WorkflowNotFoundError */
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
    // A run that continues another goes on from where it stood; one that a reset begins is read from its own copy.
    if (run !== last && copied) state = make();
    last = run;
    if (superseded) continue;
    const events = (await state.reader.read(event)).flatMap((one) => state.order.push(one));
    if (copied) continue;
    const at = { run, event: Number(event.eventId) };
    for (const [n, one] of events.entries()) yield { position: { ...at, n }, seq: ++seq, event: one };
  }
}

// Results in the order of their calls. Calls of a step run together and end as they like; whoever watches
// sees the result of call 2 once that of call 1 has been shown, and no later. All else passes at once.

type Result = Extract<TurnEvent, { type: 'tool_result' | 'tool_error' }>;

export class InOrder {
  /** Calls of the present step that have no result yet, in order. */
  private waiting: { id: string; asks: boolean }[] = [];
  private readonly held = new Map<string, Result>();
  private readonly started = new Set<string>();
  /** Calls that were refused and never ran: the next step's input tells of them again. */
  private readonly refused = new Set<string>();

  /** What may be shown now that this event is there, in order. */
  push(event: TurnEvent): TurnEvent[] {
    switch (event.type) {
      case 'step_completed':
        return [...this.nextStep(event.calls), event];
      case 'tool_result':
      case 'tool_error':
        return this.result(event);
      case 'tool_started':
        this.started.add(event.call);
        return [...this.before(event.call), event];
      case 'approval_decided':
        return event.decision === 'approve' || event.decision === 'edit' ? [event] : [event, ...this.without(event.call)];
      case 'step_started':
      case 'turn_completed':
        return [...this.nextStep([]), event];
      default:
        return [event];
    }
  }

  /** A step begins when all results of the one before are there: what is still held is shown as it is. */
  private nextStep(calls: { id: string; verdict: string }[]): Result[] {
    const rest = this.waiting.flatMap(({ id }) => this.held.get(id) ?? []);
    this.held.clear();
    this.waiting = calls.map(({ id, verdict }) => ({ id, asks: verdict === 'ask' }));
    return rest;
  }

  private result(event: Result): Result[] {
    if (this.refused.has(event.call)) return [];
    if (!this.started.has(event.call)) this.refused.add(event.call);
    // Shown before: what a settlement or another dispatch made of it.
    if (!this.waiting.some(({ id }) => id === event.call)) return [event];
    this.held.set(event.call, event);
    return this.releaseResults();
  }

  /** A call that a person decides runs alone: when a later one starts it has ended, though only the next step says how. */
  private before(call: string): Result[] {
    const at = this.waiting.findIndex(({ id }) => id === call);
    if (at < 0) return [];
    this.waiting = this.waiting.filter(({ id, asks }, index) => index >= at || !asks || this.held.has(id));
    return this.releaseResults();
  }

  private without(call: string): Result[] {
    this.waiting = this.waiting.filter(({ id }) => id !== call);
    return this.releaseResults();
  }

  private releaseResults(): Result[] {
    const out: Result[] = [];
    for (let first = this.waiting[0]; first && this.held.has(first.id); first = this.waiting[0]) {
      out.push(this.held.get(first.id)!);
      this.held.delete(first.id);
      this.waiting.shift();
    }
    return out;
  }
}
