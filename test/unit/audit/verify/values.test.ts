import { lateFault } from '../../../../src/shared/wire/waits';
import {
  attempt,
  attributesOf,
  eventType,
  failureDetails,
  firstPayload,
  hashOf,
  resultIn,
  timeOf,
  UNKNOWN,
} from '../../../../src/audit/verify/values';
import { hashJson } from '../../../../src/shared/json/digests';
import type { Json } from '../../../../src/shared/json/json';
import { LEFT_OUT, payloads } from '../../../support/audit/hand-events';

/** The Python verifier rejects them too: `datetime` does not accept any of them. */
const NO_TIMES = [
  '2026-11-23T24:00:00.000Z',
  '2026-02-30T10:00:00.000Z',
  '2026-04-31T10:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '2026-13-01T00:00:00.000Z',
  '2026-11-23T10:00:60.000Z',
];

describe('a time in a bundle', () => {
  it.each(NO_TIMES)('%s is not a time', (time) => expect(timeOf(time)).toBeNaN());

  it.each(['', '2026-11-23', ' 2026-02-28T23:59:59Z', '2026-02-28T23:59:59Z ', '2026-02-28T23:59:59.Z', '2026-02-28T23:59:59'])(
    '%j does not have the form of a time',
    (time) => expect(timeOf(time)).toBeNaN(),
  );

  it.each([undefined, null, 7, ['2026-02-28T23:59:59Z']])('%j is not a text', (value) => expect(timeOf(value)).toBeNaN());

  it.each([
    ['2026-02-28T23:59:59.999Z', Date.UTC(2026, 1, 28, 23, 59, 59, 999)],
    ['2026-02-28T23:59:59.999999999Z', Date.UTC(2026, 1, 28, 23, 59, 59, 999)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('%s is a time', (time, ms) => expect(timeOf(time)).toBe(ms));
});

it.each(NO_TIMES)('nobody can wait until %s', (until) => {
  expect(lateFault({ until }, Date.parse('2026-11-23T23:57:00Z'))).not.toBeNull();
});

describe('the first value of payloads', () => {
  it('is the value of the first payload', () => expect(firstPayload(payloads({ a: 1 }, 2))).toEqual({ a: 1 }));

  it('is unknown if it was left out', () => expect(firstPayload(LEFT_OUT)).toBe(UNKNOWN));

  it.each<Json | undefined>([undefined, null, 'text', [], {}, { payloads: [] }, { payloads: [{ data: 'no base64' }] }])(
    'of %j does not exist',
    (value) => expect(firstPayload(value)).toBeNull(),
  );

  it('is read once', () => {
    const value = payloads({ a: 1 });
    expect(firstPayload(value)).toBe(firstPayload(value));
  });
});

describe('an event', () => {
  const attributes = { timerId: '5' };
  it('has the attributes that are named after its type', () => {
    const event = { eventType: 'EVENT_TYPE_TIMER_FIRED', timerFiredEventAttributes: attributes };
    expect(attributesOf(event)).toEqual(attributes);
    expect(attributesOf({ ...event, eventType: 'EVENT_TYPE_TIMER_STARTED' })).toEqual({});
    expect(attributesOf({ ...event, timerFiredEventAttributes: 'none' })).toEqual({});
    const long = { eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED' };
    expect(attributesOf({ ...long, workflowExecutionUpdateAcceptedEventAttributes: attributes })).toEqual(attributes);
    expect(attributesOf({ EventAttributes: attributes })).toEqual(attributes);
  });

  it('has a type without the common prefix', () => {
    expect(eventType({ eventType: 'EVENT_TYPE_TIMER_FIRED' })).toBe('TIMER_FIRED');
    expect(eventType({ eventType: 'TIMER_EVENT_TYPE_FIRED' })).toBe('TIMER_EVENT_TYPE_FIRED');
    expect(eventType({ eventType: 7 })).toBe('');
  });

  it('that ends a run by a failure has its result in the details of the failure', () => {
    expect(failureDetails({ failure: { applicationFailureInfo: { details: 7 } } })).toBe(7);
    for (const failure of [undefined, null, {}, { applicationFailureInfo: 'none' }])
      expect(failureDetails({ failure: failure as never })).toBeUndefined();
  });

  it('that ends a run has the turn’s result', () => {
    const view = { calls: [], state: 'completed' };
    const result = payloads(view);
    expect(resultIn('WORKFLOW_EXECUTION_COMPLETED', { result })).toEqual(view);
    expect(resultIn('WORKFLOW_EXECUTION_CANCELED', { details: result })).toEqual(view);
    expect(resultIn('WORKFLOW_EXECUTION_FAILED', { failure: { applicationFailureInfo: { details: result } } })).toEqual(view);
    expect(resultIn('ACTIVITY_TASK_COMPLETED', { result })).toBeNull();
    for (const none of [LEFT_OUT, payloads({ state: 'completed' }), payloads(7), {}])
      expect(resultIn('WORKFLOW_EXECUTION_COMPLETED', { result: none })).toBeNull();
  });
});

it('a value without a canonical form has no hash', () => {
  expect(hashOf({ b: 1, a: 2 })).toBe(hashJson({ a: 2, b: 1 }));
  expect(hashOf('\ud800')).toBeNull();
  expect(hashOf(undefined)).toBeNull();
  expect(attempt(() => 7)).toBe(7);
});
