/** What lasts of a turn: its events in order, each with its position, read from the history alone. */
import type { Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '../temporal/sdk-private';
import { EventReader } from './events';
import { readHistory, type Reading } from '../temporal/history';
import { InOrder } from './in-order';
import type { Position } from './position';
import type { TurnEvent } from '../shapes/turn-event';

export interface Recorded {
  position: Position;
  /** From 1, without gaps. */
  seq: number;
  event: TurnEvent;
}

/** From the turn's beginning, whoever asks: positions and numbers come out the same. @throws WorkflowNotFoundError */
export async function* readTurn(client: Client, workflowId: string, reading: Reading): AsyncGenerator<Recorded> {
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
