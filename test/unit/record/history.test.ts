/** Both forms of an event, Temporal's message and its JSON, give the same facts; for any other value each field is empty. */
import { temporal } from '@temporalio/proto';
import fc from 'fast-check';
import { readFact, type EventFact } from '../../../src/record/history';
import { historyToJSON } from '../../../src/temporal/history/history-json';
import type { Json, JsonObject } from '../../../src/shared/json/json';

const { HistoryEvent } = temporal.api.history.v1;
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const payload = { metadata: { encoding: bytes('json/plain') }, data: bytes('1') };
const payloads = { payloads: [payload] };
const failure = { message: 'No.', applicationFailureInfo: { type: 'Refused' }, cause: { message: 'Below.' } };
const readFailure = { message: 'No.', type: 'Refused', cause: { message: 'Below.', type: null, cause: null } };

/** The facts of an event in both forms, without payloads: their number stands for them. */
function facts(attributes: temporal.api.history.v1.IHistoryEvent): unknown[] {
  const event = HistoryEvent.decode(HistoryEvent.encode(HistoryEvent.create({ eventId: 7 as never, ...attributes })).finish());
  const { events } = JSON.parse(historyToJSON({ events: [event] })) as { events: JsonObject[] };
  return [readFact(event), readFact(events[0]!)].map(withCounts);
}

function withCounts(fact: EventFact<unknown> | null): unknown {
  const counted = Object.entries(fact ?? {}).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.length : (value as unknown),
  ]);
  return Object.fromEntries(counted);
}

const execution = { workflowId: 'turn/t1', runId: 'run-1' };
const long = 5 as never; // encoding makes it a 64-bit number

test.each<[string, temporal.api.history.v1.IHistoryEvent, object]>([
  [
    'the start of a run',
    {
      workflowExecutionStartedEventAttributes: {
        workflowType: { name: 'turn' },
        input: payloads,
        identity: 'ui',
        firstExecutionRunId: 'run-0',
        continuedExecutionRunId: 'run-1',
        parentWorkflowExecution: execution,
      },
    },
    {
      ...{ kind: 'run_started', workflow_type: 'turn', input: 1, identity: 'ui', first_run: 'run-0', continued_run: 'run-1' },
      ...{ original_run: null, parent: { workflow_id: 'turn/t1', run_id: 'run-1' }, event_name: 'workflowExecutionStarted' },
    },
  ],
  [
    'a scheduled activity',
    { activityTaskScheduledEventAttributes: { activityType: { name: 'runCall' }, activityId: 'a', input: payloads } },
    { kind: 'activity_scheduled', type: 'runCall', activity_id: 'a', input: 1, event_name: 'activityTaskScheduled' },
  ],
  [
    'an attempt',
    { activityTaskStartedEventAttributes: { scheduledEventId: long, attempt: 2, identity: 'w', lastFailure: failure } },
    {
      ...{ kind: 'activity_started', scheduled: '5', attempt: 2, worker: 'w', last_failure: readFailure },
      event_name: 'activityTaskStarted',
    },
  ],
  [
    'the result of an activity',
    { activityTaskCompletedEventAttributes: { scheduledEventId: long, result: payloads } },
    { kind: 'activity_completed', scheduled: '5', result: 1, event_name: 'activityTaskCompleted' },
  ],
  [
    'an activity that failed',
    { activityTaskTimedOutEventAttributes: { scheduledEventId: long, failure } },
    { kind: 'activity_failed', scheduled: '5', outcome: 'timed_out', failure: readFailure, event_name: 'activityTaskTimedOut' },
  ],
  [
    'a child workflow',
    {
      startChildWorkflowExecutionInitiatedEventAttributes: {
        workflowId: 'turn/t2',
        workflowType: { name: 'turn' },
        input: payloads,
      },
    },
    {
      ...{ kind: 'child_initiated', workflow_id: 'turn/t2', workflow_type: 'turn', input: 1 },
      event_name: 'startChildWorkflowExecutionInitiated',
    },
  ],
  [
    'the start of a child workflow',
    { childWorkflowExecutionStartedEventAttributes: { workflowExecution: execution } },
    { kind: 'child_started', workflow_id: 'turn/t1', event_name: 'childWorkflowExecutionStarted' },
  ],
  [
    'a signal',
    { workflowExecutionSignaledEventAttributes: { signalName: 'approve', identity: 'ui', input: payloads } },
    { kind: 'signal', name: 'approve', identity: 'ui', input: 1, event_name: 'workflowExecutionSignaled' },
  ],
  [
    'an update',
    {
      workflowExecutionUpdateAcceptedEventAttributes: {
        acceptedRequest: { meta: { updateId: 'u', identity: 'ui' }, input: { name: 'decide', args: payloads } },
      },
    },
    {
      ...{ kind: 'update_accepted', update_id: 'u', name: 'decide', identity: 'ui', input: 1 },
      event_name: 'workflowExecutionUpdateAccepted',
    },
  ],
  [
    'an update that only the server has accepted',
    { workflowExecutionUpdateAdmittedEventAttributes: { request: { meta: { updateId: 'u' }, input: { name: 'send' } } } },
    {
      ...{ kind: 'update_admitted', update_id: 'u', name: 'send', identity: '', input: 0 },
      event_name: 'workflowExecutionUpdateAdmitted',
    },
  ],
  [
    'the answer to an update',
    {
      workflowExecutionUpdateCompletedEventAttributes: {
        meta: { updateId: 'u' },
        acceptedEventId: long,
        outcome: { success: payloads },
      },
    },
    { kind: 'update_completed', update_id: 'u', accepted: '5', answer: 1, event_name: 'workflowExecutionUpdateCompleted' },
  ],
  [
    'an update that failed',
    { workflowExecutionUpdateCompletedEventAttributes: { acceptedEventId: long, outcome: { failure } } },
    { kind: 'update_completed', update_id: '', accepted: '5', answer: null, event_name: 'workflowExecutionUpdateCompleted' },
  ],
  [
    'a request to cancel',
    { workflowExecutionCancelRequestedEventAttributes: { cause: 'act.0', identity: 'ui' } },
    { kind: 'cancel_requested', identity: 'ui', cause: 'act.0', event_name: 'workflowExecutionCancelRequested' },
  ],
  ['a timer', { timerFiredEventAttributes: { timerId: '1' } }, { kind: 'timer_fired', event_name: 'timerFired' }],
  ['a workflow task', { workflowTaskStartedEventAttributes: {} }, { kind: 'task_started', event_name: 'workflowTaskStarted' }],
  [
    'a workflow task that ended',
    { workflowTaskCompletedEventAttributes: {} },
    { kind: 'task_completed', event_name: 'workflowTaskCompleted' },
  ],
  [
    'a reset',
    { workflowTaskFailedEventAttributes: { newRunId: 'run-2', failure: { message: 'Again.' } } },
    {
      ...{ kind: 'task_failed', new_run: 'run-2', failure: { message: 'Again.', type: null, cause: null } },
      event_name: 'workflowTaskFailed',
    },
  ],
  [
    'a run that failed, with a view of the turn',
    {
      workflowExecutionFailedEventAttributes: {
        failure: { message: 'No.', applicationFailureInfo: { type: 'Refused', details: payloads }, cause: { message: 'Below.' } },
      },
    },
    {
      ...{ kind: 'run_ended', how: 'failed', result: 1, failure: readFailure, reason: null, identity: '' },
      event_name: 'workflowExecutionFailed',
    },
  ],
  [
    'a run that was cancelled, with a view of the turn',
    { workflowExecutionCanceledEventAttributes: { details: payloads } },
    {
      ...{ kind: 'run_ended', how: 'cancelled', result: 1, failure: null, reason: null, identity: '' },
      event_name: 'workflowExecutionCanceled',
    },
  ],
  [
    'a run that was terminated',
    { workflowExecutionTerminatedEventAttributes: { reason: 'Stop.', identity: 'ops' } },
    {
      ...{ kind: 'run_ended', how: 'terminated', result: 0, failure: null, reason: 'Stop.', identity: 'ops' },
      event_name: 'workflowExecutionTerminated',
    },
  ],
  [
    'another event',
    { markerRecordedEventAttributes: { markerName: 'core_patch' } },
    { kind: 'other', event_name: 'markerRecorded' },
  ],
])('%s', (_, attributes, fact) => {
  const expected = { event_id: '7', ...fact };
  expect(facts(attributes)).toEqual([expected, expected]);
});

test('the payloads are those of the event', () => {
  const fact = readFact({ activityTaskCompletedEventAttributes: { result: payloads } });
  expect(fact).toMatchObject({ result: [payload] });
  expect(readFact({ eventId: '1' })).toBeNull();
});

test('for any value in an event of a bundle, each field has its type', () => {
  const names = ['activityTaskStarted', 'workflowExecutionStarted', 'workflowExecutionFailed', 'workflowExecutionUpdateAccepted'];
  const value = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(null, true, 1, '', 'text'),
      fc.array(tie('json'), { maxLength: 2 }),
      fc.dictionary(
        fc.constantFrom(
          'input',
          'payloads',
          'failure',
          'cause',
          'attempt',
          'identity',
          'acceptedRequest',
          'meta',
          'name',
          '__proto__',
        ),
        tie('json'),
      ),
    ),
  })).json;
  fc.assert(
    fc.property(fc.constantFrom(...names, 'constructor', 'timerFired'), value, (name, attributes) => {
      const fact = readFact({ eventId: '1', [`${name}EventAttributes`]: attributes })!;
      const empty = readFact({ eventId: '1', [`${name}EventAttributes`]: null })!;
      expect(Object.keys(fact)).toEqual(Object.keys(empty));
      for (const [key, blank] of Object.entries(empty)) {
        const is: unknown = fact[key as keyof typeof fact];
        if (Array.isArray(blank)) expect(Array.isArray(is)).toBe(true);
        else if (blank !== null) expect(typeof is).toBe(typeof blank);
        else if (is !== null) expect(['string', 'object']).toContain(typeof is);
      }
    }),
  );
});

test('endless causes are cut', () => {
  let cause: JsonObject = { message: 'deep' };
  for (let depth = 0; depth < 150; depth += 1) cause = { message: 'above', cause };
  const fact = readFact({ workflowTaskFailedEventAttributes: { failure: cause } });
  expect(JSON.stringify(fact).match(/above/g)).toHaveLength(6);
});
