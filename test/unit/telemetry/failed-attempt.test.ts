import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { StoreError } from '../../../src/store/store';
import { failedAttempt } from '../../../src/telemetry/activity-lines';

const retryable = (type: string, nextRetryDelay?: number) =>
  ApplicationFailure.create({
    message: 'm',
    type,
    nonRetryable: false,
    ...(nextRetryDelay === undefined ? {} : { nextRetryDelay }),
  });
const system = (code: string) => Object.assign(new Error('m'), { code });

describe('a failed attempt is reported as', () => {
  it.each([
    ['retried, with its code and delay', retryable('holdfast.tool.TIMEOUT', 500), { kind: 'retried', code: 'holdfast.tool.TIMEOUT', retry_in_ms: 500 }],
    ['retried, by the policy', retryable('model.overloaded'), { kind: 'retried', code: 'model.overloaded', retry_in_ms: null }],
    ['retried, by another worker', retryable('holdfast.firing_waits'), { kind: 'retried', code: 'holdfast.firing_waits' }],
    ['a fault of the model', ApplicationFailure.nonRetryable('m', 'model.auth'), { kind: 'fault', code: 'model.auth', retried: false }],
    ['a damaged store', ApplicationFailure.nonRetryable('m', 'holdfast.store.damaged'), { kind: 'fault', retried: false, todo: expect.stringContaining('backup') }],
    ['a damaged store, tried on', new StoreError('not_found', 'm'), { kind: 'fault', code: 'StoreError.not_found', retried: true, todo: expect.stringContaining('backup') }],
    ['a record that says otherwise', new StoreError('conflict', 'm'), { code: 'StoreError.conflict', todo: expect.stringContaining('compare') }],
    ['a full disk', system('ENOSPC'), { kind: 'fault', code: 'ENOSPC', todo: expect.stringContaining('make room') }],
    ['a store that may not be written', system('EACCES'), { todo: expect.stringContaining('owner') }],
    ['a bug', new TypeError('m'), { kind: 'fault', code: 'TypeError', retried: true, todo: expect.stringContaining('report') }],
    ['a bug that throws no error', 'text', { kind: 'fault', code: 'string' }],
  ])('%s', (_what, error, expected) => {
    expect(failedAttempt(error, false)).toMatchObject(expected);
  }); // oxfmt-ignore

  it('stopped only when the activity was stopped', () => {
    const error = new CancelledFailure('WORKER_SHUTDOWN');
    expect(failedAttempt(error, true)).toEqual({ kind: 'stopped', cause: 'WORKER_SHUTDOWN' });
    expect(failedAttempt(error, false).kind).toBe('fault');
    expect(failedAttempt(new TypeError('m'), true).kind).toBe('fault');
  });
});
