/** When conditions of workflow code are evaluated. That workflows replay is tried on a server (test/engine/workflows/refused-updates.test.ts). */
import type { coresdk } from '@temporalio/proto';
import { setActivator } from '@temporalio/workflow/lib/global-attributes';
import { getActivator } from '../../../src/workflows/sandbox/activator';
import { condition } from '../../../src/workflows/sandbox/condition';
import { interceptors } from '../../../src/workflows/sandbox/interceptors';

type Job = coresdk.workflow_activation.IWorkflowActivationJob;

const refused: Job = { doUpdate: { id: 'refused' } };
const accepted: Job = { doUpdate: { id: 'accepted' } };
const timer: Job = { fireTimer: { seq: 1 } };
const signal: Job = { signalWorkflow: { signalName: 'approve' } };
const start: Job = { initializeWorkflow: {} };

let waits: { met: () => boolean; resolve: () => void }[] = [];
jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  condition: (met: () => boolean) => new Promise<void>((resolve) => waits.push({ met, resolve })),
}));
const seeded = (...randomnessSeed: number[]) => setActivator({ randomnessSeed } as never);
beforeEach(async () => {
  seeded(1);
  await activated(timer);
});
afterAll(() => setActivator(undefined));

/** As the SDK does after each job, and at the end of each activation. */
function evaluateConditions(): void {
  waits = waits.filter(({ met, resolve }) => !met() || void resolve());
}

/** One activation. Returns what happened, in order: each job, and the end of the wait for a condition that became true before. */
async function activated(...jobs: Job[]): Promise<string[]> {
  const happened: string[] = [];
  let isMet = false;
  const wait = condition(() => isMet && happened.push('met') > 0);
  isMet = true;
  const { internals, inbound } = interceptors();
  internals![0]!.activate!({ activation: { jobs }, batchIndex: 0 }, ({ activation }) => {
    for (const job of activation.jobs!) {
      const [name] = Object.keys(job) as [keyof Job];
      happened.push(job.doUpdate?.id ?? name);
      if (job === accepted) void inbound![0]!.handleUpdate!({} as never, () => Promise.resolve());
      evaluateConditions();
    }
  });
  happened.push('end');
  evaluateConditions();
  if (happened.includes('met')) await wait;
  waits = [];
  return happened;
}

describe('a condition that has become true without a record in history', () => {
  it.each([
    ['is not met by updates that a validator refuses', [refused, refused], ['refused', 'refused', 'end']],
    [
      'is met by an accepted update, and not by a refused one before it',
      [refused, accepted],
      ['refused', 'accepted', 'met', 'end'],
    ],
    ['is met by a timer, and not by a refused update before it', [refused, timer], ['refused', 'fireTimer', 'met', 'end']],
    ['is met by a signal as if no update had been refused', [signal, refused], ['refused', 'end', 'met']],
    ['is met by a signal alone', [signal], ['end', 'met']],
    ['is met where history has a patch only, which the SDK takes out of the jobs', [], ['end', 'met']],
  ] as const)('%s', async (_, jobs, happened) => {
    expect(await activated(...jobs)).toEqual(happened);
  });

  it('is met after a reset as if no update had been refused', async () => {
    getActivator().randomnessSeed = [2];
    expect(await activated(refused)).toEqual(['refused', 'end', 'met']);
  });

  it('is met in the next activation that has a record', async () => {
    expect(await activated(refused)).toEqual(['refused', 'end']);
    expect(await activated(timer)).toEqual(['fireTimer', 'met', 'end']);
  });
});

it('the start of a run and its updates stay one activation of the SDK', () => {
  const passed: number[] = [];
  interceptors().internals![0]!.activate!({ activation: { jobs: [start, accepted] }, batchIndex: 0 }, ({ activation }) =>
    passed.push(activation.jobs!.length),
  );
  expect(passed).toEqual([2]);
});
