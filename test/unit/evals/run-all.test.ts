import { CaseError, type EvalCase } from '../../../src/evals/case';
import { runAll, type Plan } from '../../../src/evals/run-all';
import type { RunTask } from '../../../src/evals/run-case';
import { evalRun } from '../../support/evals';

const cases = ['a', 'b'].map((name) => ({ name }) as EvalCase);
const plan = (more: Partial<Plan> = {}): Plan => ({
  ...{ cases, models: [null], repeat: 1, concurrency: 1, signal: new AbortController().signal, ...more },
});
const outcome = (costUsd: number | null = 1) => ({ run: evalRun({ costUsd }), faults: [], bundle: [] });
const running = (runOne: (task: RunTask) => Promise<ReturnType<typeof outcome>>) => {
  const ended: string[] = [];
  const onEnd = ({ case: name, model, repetition }: { case: string; model: string; repetition: number }) =>
    void ended.push(`${name} ${model} ${repetition}`);
  return { ended, modelName: ({ model }: RunTask) => model ?? 'own', runOne, onEnd };
};

it('runs each case with each model as often as asked', async () => {
  const { ended, ...how } = running(async () => outcome());
  const results = await runAll(plan({ models: ['x', 'y'], repeat: 2 }), how);
  expect(ended).toEqual(['a x 1', 'a x 2', 'b x 1', 'b x 2', 'a y 1', 'a y 2', 'b y 1', 'b y 2']);
  expect(results).toHaveLength(8);
});

it('runs no more than so many at once', async () => {
  let [now, most] = [0, 0];
  const how = running(async () => {
    most = Math.max(most, (now += 1));
    await new Promise(setImmediate);
    now -= 1;
    return outcome();
  });
  await runAll(plan({ repeat: 5, concurrency: 3 }), how);
  expect(most).toBe(3);
});

it('begins none after the limit of cost', async () => {
  const results = await runAll(
    plan({ repeat: 2, maxUsd: 2 }),
    running(async () => outcome()),
  );
  expect(results.map(({ skipped }) => skipped)).toEqual([
    null,
    null,
    'The others have cost $2.0000.',
    'The others have cost $2.0000.',
  ]);
});

it('a run that breaks off fails alone', async () => {
  const how = running(async ({ one }) => {
    if (one.name === 'a') throw new Error('no disk');
    return outcome();
  });
  const results = await runAll(plan(), how);
  expect(results.map(({ faults, costUsd }) => [faults, costUsd])).toEqual([
    [['The run broke off: no disk'], null],
    [[], 1],
  ]);
});

it('a case that cannot be used ends all, before the first run if its names are wrong', async () => {
  const bad = () => Promise.reject(new CaseError('no such tool'));
  let tries = 0;
  const counting = () => {
    tries += 1;
    return bad();
  };
  await expect(runAll(plan({ repeat: 3 }), running(counting))).rejects.toThrow('no such tool');
  expect(tries).toBe(1);
  const { ended, ...how } = running(async () => outcome());
  const modelName = ({ one }: RunTask) => {
    if (one.name === 'b') throw new CaseError('no such agent');
    return 'own';
  };
  await expect(runAll(plan(), { ...how, modelName })).rejects.toThrow('no such agent');
  expect(ended).toEqual([]);
});

it('after an abort it has the results of those that ended', async () => {
  const stop = new AbortController();
  const how = running(async ({ one }) => {
    if (one.name === 'b') {
      stop.abort();
      throw new Error('aborted');
    }
    return outcome();
  });
  const results = await runAll(plan({ repeat: 2, signal: stop.signal }), how);
  expect(results.map((one) => `${one.case} ${one.repetition}`)).toEqual(['a 1', 'a 2']);
});
