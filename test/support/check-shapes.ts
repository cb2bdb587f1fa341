/** What a history shows to outsiders, checked against its shapes: a field that a shape leaves out is found. */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { History } from '@temporalio/common/lib/proto-utils';
import type { ZodType } from 'zod';
import { EventReader } from '../../src/client/events/events';
import { readView } from '../../src/client/turns/read-answer';
import { callbackMessage as callbackShape } from '../../src/shapes/callback';
import { sessionView } from '../../src/shapes/session';
import { turnEvent, type TurnEvent } from '../../src/shapes/turn-event';
import { directCallView, turnView, type TurnView } from '../../src/shapes/turn-view';
import { callbackMessage } from '../../src/shared/wire/callback';

const VIEWS: Record<string, ZodType> = { turn: turnView, call: directCallView, session: sessionView };

const converter = { payloadConverter: defaultPayloadConverter, failureConverter: {} as never, payloadCodecs: [] };
const decode = (payloads: Payload[] | null | undefined) => decodeArrayFromPayloads(converter, payloads ?? []);

export interface Checked {
  /** Of the workflow whose view it has; null: it has not ended by itself. */
  view: string | null;
  events: TurnEvent[];
}

/** The view and the events of a turn, a direct call or a session; of other workflows there are none. */
export async function checkShapes({ events: history }: History): Promise<Checked> {
  const type = history![0]!.workflowExecutionStartedEventAttributes!.workflowType!.name!;
  const shape = VIEWS[type];
  const result = history!.at(-1)!.workflowExecutionCompletedEventAttributes?.result;
  if (shape && result) {
    const [view] = await decode(result.payloads);
    expect(shape.parse(view)).toMatchObject(view as object);
    if (type !== 'session') readView(view as TurnView);
    if (type === 'turn') {
      const facts = callbackMessage('turn.ended', '2026-01-01T00:00:00Z', view as TurnView);
      const body = JSON.parse(JSON.stringify({ ...facts, card: null, link: null }));
      expect(callbackShape.parse(body)).toMatchObject(body);
    }
  }
  const events: TurnEvent[] = [];
  const reader = new EventReader(decode);
  if (type === 'turn' || type === 'call') for (const event of history!) events.push(...(await reader.read(event as never)));
  for (const event of events) expect(turnEvent.parse(event)).toEqual(event);
  return { view: shape && result ? type : null, events };
}
