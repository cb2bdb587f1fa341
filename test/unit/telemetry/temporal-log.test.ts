import { temporalLogger } from '../../../src/telemetry/runtime';
import { withTurn } from '../../../src/telemetry/log';
import { capturedLog } from '../../support/captured-log';

const at = { [Symbol.for('log_timestamp')]: 1_700_000_000_123_456_789n };

describe("Temporal's own log", () => {
  it('becomes lines of ours: time, names, turn; without tokens and payloads', () => {
    const { log, lines } = capturedLog();
    temporalLogger(log).warn('Something', {
      ...at,
      sdkComponent: 'core',
      workflowId: 'turn/inv-7',
      workflowRunId: 'r',
      activityType: 'runCall',
      activityId: '1.1:pay:0',
      taskQueue: 'q',
      attempt: 2,
      taskToken: 'secret',
      payload: 'secret',
    });
    expect(lines()).toEqual([
      {
        level: 'warn',
        time: '2023-11-14T22:13:20.123Z',
        temporal: 'core',
        turn_id: 'inv-7',
        workflow_id: 'turn/inv-7',
        run_id: 'r',
        activity: 'runCall',
        activity_id: '1.1:pay:0',
        task_queue: 'q',
        attempt: 2,
        msg: 'Something',
      },
    ]);
  });

  it.each([
    ['warn', 'Failing workflow task', 'error'],
    ['error', 'Failed to process Workflow Activation', 'error'],
    ['warn', 'Activity failed', 'debug'],
    ['info', 'Worker state changed', 'debug'],
    ['warn', 'gRPC call poll_workflow_task_queue retried 5 times', 'warn'],
  ] as const)('has %s "%s" at %s', (given, message, level) => {
    const { log, lines } = capturedLog();
    temporalLogger(log)[given](message, { sdkComponent: 'worker' });
    expect(lines()).toMatchObject([{ level, msg: message }]);
    if (level === 'error') expect(lines()[0]).toHaveProperty('todo', expect.stringMatching(/\w/));
  });

  it('has what activities and workflows log themselves at the level that they chose', () => {
    const { log, lines } = capturedLog();
    temporalLogger(log).info('hello', { sdkComponent: 'activity' });
    expect(lines()).toMatchObject([{ level: 'info' }]);
  });

  it('is not attributed to the turn in whose time the SDK happens to hand an entry on', () => {
    const { log, lines } = capturedLog();
    withTurn({ trace_id: 'trace_1', turn_id: 'other' }, () => temporalLogger(log).warn('Late', { workflowId: 'turn/mine' }));
    expect(lines()[0]).toMatchObject({ turn_id: 'mine' });
    expect(lines()[0]).not.toHaveProperty('trace_id');
  });
});
