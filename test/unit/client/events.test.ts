/** The events of one turn's history. Whole turns are tried with a server. */
import { decodeArrayFromPayloads, encodeToPayload } from '@temporalio/common/lib/internal-non-workflow';
import { defaultPayloadConverter } from '@temporalio/common';
import { EventReader } from '../../../src/client/events/events';

const converter = { payloadConverter: defaultPayloadConverter, failureConverter: {} as never, payloadCodecs: [] };
const digest = 'd'.repeat(64);
const call = { id: '1.1', tool: 'pay', dispatch: 1 };

/** Gives a reader one event after the other, each with the next id and second; returns the events that it reports. */
function reading() {
  const reader = new EventReader((payloads) => decodeArrayFromPayloads(converter, payloads ?? []));
  let id = 0;
  const read = async (attributes: object) => {
    const eventId = (id += 1);
    const events = await reader.read({ eventId, eventTime: { seconds: eventId, nanos: 0 }, ...attributes } as never);
    return events.map((event) => ({ ...event, at: Date.parse(event.at) / 1000 }));
  };
  const payloads = async (value: unknown) => ({ payloads: [await encodeToPayload(converter, value)] });
  return {
    scheduled: async (name: string, input: object) => {
      await read({ activityTaskScheduledEventAttributes: { activityType: { name }, input: await payloads(input) } });
      return id;
    },
    completed: async (scheduledEventId: number, output: object) =>
      read({ activityTaskCompletedEventAttributes: { scheduledEventId, result: await payloads(output) } }),
    signalled: async (signalName: string, value: object) =>
      read({ workflowExecutionSignaledEventAttributes: { signalName, input: await payloads(value) } }),
    taskStarted: () => read({ workflowTaskStartedEventAttributes: {} }),
    taskCompleted: () => read({ workflowTaskCompletedEventAttributes: {} }),
    reset: () => read({ workflowTaskFailedEventAttributes: { newRunId: 'another' } }),
    terminated: () => read({ workflowExecutionTerminatedEventAttributes: {} }),
  };
}

const admitting = { call, expires_at: '2027-01-01T00:00:00.000Z' };
const admitted = { ok: true, digest };
const requested = { type: 'approval_requested', call: '1.1', tool: 'pay', digest, expires_at: admitting.expires_at };
const doubt = { state: 'in_doubt', summary: '', error: null, effect: 'in_doubt' };
const inDoubt = { type: 'tool_error', call: '1.1', tool: 'pay', error: null, effect: 'in_doubt' };

describe('a question is reported once the workflow has opened it: an earlier answer would be ignored', () => {
  it('an approval', async () => {
    const turn = reading();
    expect(await turn.completed(await turn.scheduled('admitCall', admitting), admitted)).toEqual([]);
    expect(await turn.taskStarted()).toEqual([]);
    expect(await turn.taskCompleted()).toEqual([{ at: 3, ...requested }]);
  });

  it('a call in doubt', async () => {
    const turn = reading();
    expect(await turn.completed(await turn.scheduled('runCall', { call }), doubt)).toEqual([]);
    await turn.taskStarted();
    expect(await turn.taskCompleted()).toEqual([{ at: 3, ...inDoubt }]);
  });

  it('an answer that the same workflow task took before does not count', async () => {
    const turn = reading();
    await turn.completed(await turn.scheduled('admitCall', admitting), admitted);
    await turn.signalled('deny', { call: digest, by: 'ana' });
    await turn.taskStarted();
    expect(await turn.taskCompleted()).toMatchObject([requested]);
    await turn.signalled('deny', { call: digest, by: 'ana' });
    await turn.taskStarted();
    expect(await turn.taskCompleted()).toMatchObject([{ type: 'approval_decided', decision: 'deny', by: 'ana' }]);
  });

  it('not at all if a reset comes between; that a call is in doubt is still reported', async () => {
    const turn = reading();
    await turn.completed(await turn.scheduled('admitCall', admitting), admitted);
    await turn.completed(await turn.scheduled('runCall', { call: { ...call, id: '1.2' } }), doubt);
    await turn.reset();
    await turn.taskStarted();
    expect(await turn.taskCompleted()).toMatchObject([{ ...inDoubt, call: '1.2' }]);
  });

  it('a call in doubt whose turn is terminated first', async () => {
    const turn = reading();
    await turn.completed(await turn.scheduled('runCall', { call }), doubt);
    expect(await turn.terminated()).toMatchObject([inDoubt, { type: 'turn_completed', state: 'failed' }]);
  });
});

it('an event that asks nobody is reported at once', async () => {
  const turn = reading();
  const done = { state: 'succeeded', summary: 'paid', error: null, effect: 'applied' };
  expect(await turn.completed(await turn.scheduled('runCall', { call }), done)).toMatchObject([{ type: 'tool_result' }]);
  const refused = { ok: false, error: { code: 'PERMISSION_DENIED', reason: 'denied', message: 'No.' } };
  expect(await turn.completed(await turn.scheduled('admitCall', admitting), refused)).toMatchObject([{ type: 'tool_error' }]);
});
