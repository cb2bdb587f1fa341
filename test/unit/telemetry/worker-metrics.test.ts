/** What a worker counts of turns, decisions and models, and whether it is ready. */
import { activityMetrics, countFromZero } from '../../../src/telemetry/activity-metrics';
import { sdkModelMetrics } from '../../../src/telemetry/model-metrics';
import { reportReadiness } from '../../../src/telemetry/readiness';
import { Counted } from '../../support/counted';

const approve = { decision: 'approve', digest: 'd', by: 'ana' };

describe('the metrics of activities', () => {
  let counted: Counted;
  let intercept: ReturnType<typeof activityMetrics>;
  beforeEach(() => {
    counted = new Counted();
    intercept = activityMetrics(counted.meter);
  });
  const run = (activityType: string, input: object, output: object = {}, attempt = 1) =>
    intercept({ info: { activityType, attempt } } as never).inbound!.execute!({ args: [input], headers: {} }, async () => output);

  it('count a decision where the turn first passes it on: with the call that runs, else with the next step or the end', async () => {
    await run('runCall', { call: { dispatch: 1 }, approvals: [approve, approve] });
    await run('runCall', { call: { dispatch: 1 }, approvals: [approve, approve] }, {}, 2); // another attempt
    await run('runCall', { call: { dispatch: 2 }, approvals: [approve] }); // another dispatch of a call
    await run('openSubTurn', { call: { dispatch: 1 }, approvals: [approve] });
    await run('takeStep', { outcomes: [{ decision: { decision: 'deny' } }, { decision: null }] }, { next: 'calls' });
    await run('endTurn', { outcomes: [{ decision: { decision: 'expired' }, approvals: [approve] }], state: 'limit' });
    expect(counted.values).toEqual({
      'holdfast_decisions_total{decision="approve"}': 4,
      'holdfast_decisions_total{decision="deny"}': 1,
      'holdfast_decisions_total{decision="expired"}': 1,
      'holdfast_turns_ended_total{state="limit"}': 1,
    });
  });

  it('count the ends of turns by state, and no step after which the turn goes on', async () => {
    await run('takeStep', { outcomes: [] }, { next: 'calls' });
    await run('takeStep', { outcomes: [] }, { next: 'end' });
    await run('takeStep', { outcomes: [], all_refused: true }, { next: 'end' });
    await run('endTurn', { outcomes: [], state: 'cancelled' });
    await run('notify', { kind: 'question' });
    expect(counted.values).toEqual({
      'holdfast_turns_ended_total{state="completed"}': 1,
      'holdfast_turns_ended_total{state="refused"}': 1,
      'holdfast_turns_ended_total{state="cancelled"}': 1,
    });
  });

  it('count a call that comes into doubt, in its own activity or in the one that looks after a lost attempt', async () => {
    const call = { tool: 'pay', dispatch: 1 };
    await run('runCall', { call }, { state: 'in_doubt' });
    await run('runCall', { call }, { state: 'succeeded' });
    await run('inspectEffect', { call }, { found: 'outcome', outcome: { state: 'in_doubt' } });
    await run('inspectEffect', { call }, { found: 'nothing_happened' });
    await run('reconcileEffect', { call }, { settled: null });
    expect(counted.values).toEqual({ 'holdfast_calls_in_doubt_total{tool="pay"}': 2 });
  });

  it('count no end that failed', async () => {
    const failing = intercept({ info: { activityType: 'endTurn', attempt: 1 } } as never).inbound!.execute!;
    const ended = failing({ args: [{ outcomes: [], state: 'failed' }], headers: {} }, async () => {
      throw new Error('no store');
    });
    await expect(ended).rejects.toThrow('no store');
    expect(counted.values).toEqual({});
  });
});

it('a worker has all its counters of turns from its start, since Prometheus sees no increase in a series that begins above 0', () => {
  const counted = new Counted();
  const tool = (name: string, toolClass: string) => [`${name}@1.0.0`, { name, class: toolClass }] as const;
  const agents = [
    { versions: new Map([tool('pay', 'destructive'), tool('search', 'read')]) },
    { versions: new Map([tool('pay', 'destructive'), tool('send', 'destructive')]) },
  ];
  countFromZero(counted.meter, agents as never);
  expect(counted.values).toEqual({
    'holdfast_decisions_total{decision="approve"}': 0,
    'holdfast_decisions_total{decision="deny"}': 0,
    'holdfast_decisions_total{decision="answer"}': 0,
    'holdfast_decisions_total{decision="expired"}': 0,
    'holdfast_calls_in_doubt_total{tool="pay"}': 0,
    'holdfast_calls_in_doubt_total{tool="send"}': 0,
    'holdfast_turns_ended_total{state="completed"}': 0,
    'holdfast_turns_ended_total{state="refused"}': 0,
    'holdfast_turns_ended_total{state="cancelled"}': 0,
    'holdfast_turns_ended_total{state="failed"}': 0,
    'holdfast_turns_ended_total{state="limit"}': 0,
  });
});

it('the metrics of models add up tokens, and the cost in millionths of a dollar', () => {
  const counted = new Counted();
  const metrics = sdkModelMetrics(counted.meter);
  metrics.used('opus', { input_tokens: 1000, output_tokens: 50, cost_usd: 0.0123456 });
  metrics.used('opus', { input_tokens: 10, output_tokens: 5, cost_usd: 0 });
  expect(counted.values).toEqual({
    'holdfast_model_tokens_total{model="opus",kind="input"}': 1010,
    'holdfast_model_tokens_total{model="opus",kind="output"}': 55,
    'holdfast_model_cost_microdollars_total{model="opus"}': 12_346,
  });
});

it('the metric of readiness has what each check found last', async () => {
  jest.useFakeTimers();
  const counted = new Counted();
  let isWritable = true;
  const look = async () => [
    { check: 'worker', ok: true },
    { check: 'store', ok: isWritable },
  ];
  const end = reportReadiness(look, counted.meter);
  const store = 'holdfast_ready{check="store"}';
  try {
    await jest.advanceTimersByTimeAsync(0);
    expect(counted.values).toEqual({ 'holdfast_ready{check="worker"}': 1, [store]: 1 });
    isWritable = false;
    await jest.advanceTimersByTimeAsync(15_000);
    expect(counted.values[store]).toBe(0);
    end();
    isWritable = true;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counted.values[store]).toBe(0);
  } finally {
    end();
    jest.useRealTimers();
  }
});
