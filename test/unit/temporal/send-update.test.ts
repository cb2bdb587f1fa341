/** The error for an update without an answer: it never says that nothing was taken if something was, or still may be. */
import { ServiceError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NoWorker } from '../../../src/client/errors';
import { Sending, sendInTime } from '../../../src/temporal/send-update';
import { lateFault, TOO_LATE, WAITS_MS } from '../../../src/shared/wire/waits';
import { settledByTimers } from '../../support/clock-ahead';

const fault = (code: number) => Object.assign(new Error('lost'), { code, details: 'lost', metadata: {} });
const ACCEPTED = 2;
const seconds = (ms: number) => ({ seconds: Math.floor(ms / 1000), nanos: 0 });

interface Server {
  /** Stage of the update; null: the server does not know it. */
  stage?: number | null;
  result?: () => Promise<unknown>;
  describe?: () => Promise<object>;
}

function clientOf({ stage = null, result, describe }: Server): Client {
  const handle = {
    describe: describe ?? (async () => ({ runId: 'r', raw: { pendingWorkflowTask: null } })),
    getUpdateHandle: () => ({ result }),
  };
  const pollWorkflowExecutionUpdate = async () => {
    if (stage === null) throw fault(5);
    return { stage };
  };
  return {
    options: { namespace: 'default' },
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: { getHandle: () => handle },
    workflowService: { pollWorkflowExecutionUpdate },
  } as unknown as Client;
}

const lost = () => Promise.reject(new ServiceError('Workflow Update failed', { cause: fault(4) }));
const send = (server: Server, ask: () => Promise<unknown> = lost) =>
  settledByTimers(sendInTime(clientOf(server), 'turn/t', new Sending('id', 20), ask, 'r'));

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it.each<[string, Server, object]>([
  ['taken, its answer was lost', { stage: ACCEPTED, result: async () => 'yes' }, { taken: 'answered', answer: 'yes' }],
  ['taken, and has no answer yet', { stage: ACCEPTED, result: () => lost() }, { taken: 'no answer yet' }],
  ['with the server, and nobody took it in time', { stage: 1 }, { taken: 'no' }],
  ['not known to the server any more', {}, { taken: 'no' }],
  ['somewhere: the server does not answer', { describe: () => Promise.reject(fault(14)) }, { taken: 'unknown', why: 'lost' }],
  [
    'somewhere: the clock of the server is behind',
    {
      describe: async () => ({ runId: 'r', raw: { pendingWorkflowTask: { scheduledTime: seconds(Date.now() - 60_000) } } }),
    },
    { taken: 'unknown', why: expect.stringMatching(/clock of the Temporal server is behind by \d+ s/) },
  ],
])('an update is %s', async (_, server, fate) => {
  expect(await send(server)).toEqual(fate);
});

it('a task that began in time is waited for, because it may have taken the update', async () => {
  const until = Date.now() + 6_000;
  const describe = async () => ({ runId: 'r', raw: { pendingWorkflowTask: Date.now() < until ? { state: 2 } : null } });
  expect(await send({ stage: ACCEPTED, result: async () => 'yes', describe })).toEqual({ taken: 'answered', answer: 'yes' });
  expect(Date.now()).toBeGreaterThanOrEqual(until);
});

it('a message that was refused in place of an earlier one is sent once more, and no third time', async () => {
  const tooLate = new WorkflowUpdateFailedError('', ApplicationFailure.nonRetryable('late', TOO_LATE) as never);
  let asked = 0;
  const sending = () => new Sending('id', WAITS_MS);
  const refusedOnce = () => (asked++ === 0 ? Promise.reject(tooLate) : Promise.resolve('yes'));
  expect(await settledByTimers(sendInTime(clientOf({}), 'turn/t', sending(), refusedOnce))).toEqual({
    taken: 'answered',
    answer: 'yes',
  });
  asked = 0;
  const refused = () => (asked++, Promise.reject(tooLate));
  await expect(settledByTimers(sendInTime(clientOf({}), 'turn/t', sending(), refused))).rejects.toBe(tooLate);
  expect(asked).toBe(2);
});

it('the error for each fate is true', () => {
  const told = (fate?: ConstructorParameters<typeof NoWorker>[2]) => new NoWorker('take the decision', null, fate);
  expect(told().message).toContain('nothing was lost or changed');
  expect(told({ taken: 'no' }).message).toContain('was not taken, and is not taken later');
  for (const fate of [{ taken: 'no answer yet' }, { taken: 'unknown', why: 'lost.' }] as const) {
    expect(told(fate)).toMatchObject({
      mayCount: true,
      message: expect.stringMatching(/may still count.*check the state before/),
    });
    expect(told(fate).message).not.toMatch(/nothing was|not taken later/);
  }
});

it('a refusal names both times', () => {
  const now = Date.parse('2026-11-23T10:00:20.000Z');
  expect(lateFault({ until: '2026-11-23T10:00:15.000Z' }, now)).toBe(
    'it arrived at 2026-11-23T10:00:20.000Z, after 2026-11-23T10:00:15.000Z, when its sender no longer waited; send it again',
  );
  expect(lateFault({ until: '2026-11-23T10:00:20.000Z' }, now)).toBeNull();
  expect(lateFault({ until: '2026-11-23T10:05:20.001Z' }, now)).toContain('compare the clocks');
  expect(lateFault(undefined, now)).toBeNull();
});
