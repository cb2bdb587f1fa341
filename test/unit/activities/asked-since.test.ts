/** Since when people have been asked counts by the clock of the store: a worker's own may be wrong, and an escalation would come early. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { findStoredQuestion, openQuestion, storeTime } from '../../../src/activities/people/questions';
import { PLAIN_POLICY } from '../../../src/shared/approval/policy';
import { FileRegisters } from '../../../src/store/files/file-registers';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const DIGEST = 'd'.repeat(64);
const terms = { expires_at: '2026-01-02T00:00:00.000Z', policy: PLAIN_POLICY };
const inRun = <T>(runId: string, work: () => Promise<T>): Promise<T> =>
  asyncLocalStorage.run({ info: { workflowExecution: { runId } } } as unknown as Context, work);

describe('a question to people', () => {
  let registers: FileRegisters;
  let now: number;
  beforeEach(async () => {
    now = NOON;
    const dir = storeDir();
    mkdirSync(join(dir, 'tmp'));
    registers = await FileRegisters.open(dir, join(dir, 'tmp'), () => now);
  });
  afterEach(() => registers.close());
  afterAll(removeStoreDirs);

  const open = (runId: string) => inRun(runId, () => openQuestion({ registers }, DIGEST, terms));

  it('counts from when it was opened in the store, whatever the clock of the worker says', async () => {
    jest.useFakeTimers({ now: NOON - 7 * 3_600_000, doNotFake: ['setTimeout', 'setImmediate', 'nextTick'] });
    try {
      expect(await open('run-1')).toEqual({ earlierRun: null, askedMs: NOON });
      expect(await storeTime({ registers })).toBe(NOON);
    } finally {
      jest.useRealTimers();
    }
    expect(await findStoredQuestion({ registers }, DIGEST)).toMatchObject({ asked_at: '2026-01-01T12:00:00.000Z', run: 'run-1' });
  });

  it('counts from the first attempt, also if a worker opens it again, and names the run that asked before', async () => {
    await open('run-1');
    now += 60_000;
    expect(await open('run-1')).toEqual({ earlierRun: null, askedMs: NOON });
    expect(await open('run-2')).toEqual({ earlierRun: 'run-1', askedMs: NOON });
  });
});
