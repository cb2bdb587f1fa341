import { defineAgent, defineApp } from '../../../src/agents/define';
import { scheduleSettings, type ScheduleDefinition } from '../../../src/schedules/definition';
import { changedFields } from '../../../src/schedules/at-start';
import type { Budget } from '../../../src/tools/limits/budgets';
import { Registry } from '../../../src/tools/catalogue/registry';
import { pays } from '../../support/tools';

const payables = defineAgent({ name: 'payables', prompt: 'Pay.', tools: [pays('pay', [])] });
const morning = { name: 'morning', cron: '0 7 * * 1-5', agent: 'payables', message: 'Pay the due invoices.' };
const appOf = (...schedules: object[]) => defineApp({ agents: [payables], schedules: schedules as ScheduleDefinition[] });

describe('a schedule', () => {
  it('gets its defaults, and an interval is in ms', () => {
    expect(scheduleSettings(morning)).toEqual({
      ...morning,
      ...{ cron: ['0 7 * * 1-5'], every_ms: null, timezone: 'UTC', overlap: 'skip', catchup_ms: 86_400_000, cost: null },
    });
    const { name, agent, message } = morning;
    const budget = { windowMs: 1000, costUsd: 2 };
    expect(scheduleSettings({ name, agent, message, every: '15m', catchup: '10s', budget })).toMatchObject({
      ...{ cron: null, every_ms: 900_000, catchup_ms: 10_000, cost: { cost_usd: 2, window_ms: 1000 } },
    });
  });

  it.each([
    [{ name: 'a/b' }, 'schedules[0]: name "a/b" must match'],
    [{ every: '1m' }, 'schedule morning: it has both cron and every; give one of them'],
    [{ cron: undefined }, 'schedule morning: it has no times; give cron or every'],
    [{ cron: '0 25 * * *' }, 'schedule morning: cron "0 25 * * *": hour is "25"'],
    [{ cron: [] }, 'cron must be one expression, or a list of 1 to 10'],
    [{ cron: undefined, every: '500' }, 'every is "500"; it must be whole seconds'],
    [{ cron: undefined, every: 1500 }, 'every is 1500; it must be whole seconds'],
    [{ timezone: 'Europe/Bärlin' }, 'there is no time zone "Europe/Bärlin"; use an IANA name such as Europe/Berlin'],
    [{ agent: 'payable' }, 'the app has no agent "payable"; its agents are payables'],
    [{ message: ' ' }, 'message is empty'],
    [{ overlap: 'terminate_other' }, 'overlap is "terminate_other"; it must be one of skip, buffer_one'],
    [{ catchup: '5s' }, 'catchup is "5s"; it must be from 10s to 365d'],
    [{ budget: { windowMs: 1000 } }, 'budget limits nothing'],
    [{ budget: { windowMs: 1000, costUsd: -1 } }, 'budget.costUsd is -1'],
    [{ budget: { windowMs: 1000, cost: 1 } }, 'budget.cost is no field'],
    [{ budget: { windowMs: 1000, calls: { tools: ['send'], cap: 1 } } }, 'fits no tool of the agent'],
    [{ timeZone: 'UTC' }, 'timeZone is no field; did you mean timezone?'],
  ])('that is wrong in %j is refused when the app is defined', (wrong, fault) =>
    expect(() => appOf({ ...morning, ...wrong })).toThrow(fault),
  );

  it('has a name of its own, whatever its case, and stays with an app that is loaded again', () => {
    expect(() => appOf(morning, { ...morning, name: 'Morning' })).toThrow('two schedules have the name "morning"');
    const budget = { windowMs: 1000, calls: { tools: ['pay'], cap: 1 } };
    const app = appOf({ ...morning, budget });
    const again = defineApp({ ...app, models: {} });
    expect([app, again].map(({ agents, schedules }) => [agents[0]!.budgets!.length, schedules!.length])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('replaces no budget of the agent that has its name', () => {
    const budget = { windowMs: 1000, calls: { tools: ['pay'], cap: 1 } };
    const own: Budget = { name: 'schedule.morning', tools: ['pay'], per: 'agent', windowMs: 1000, cap: 5 };
    const agent = defineAgent({ name: 'payables', prompt: 'Pay.', tools: [pays('pay', [])], budgets: [own] });
    const define = () => defineApp({ agents: [agent], schedules: [{ ...morning, budget }] });
    expect(define).toThrow('two budgets have the name "schedule.morning"');
  });

  it('has a budget for calls that counts its own turns only', async () => {
    const calls = { tools: ['pay'], measure: 'input.cents', cap: 500, exhausted: 'ask' as const };
    const app = appOf({ ...morning, budget: { windowMs: 1000, calls } });
    const agent = new Registry(app).agent('payables')!;
    const [budget] = agent.budgets(agent.tools.get('pay')!.tool);
    expect(budget).toMatchObject({ name: 'schedule.morning', per: 'principal', cap: '500', exhausted: 'ask' });
    const turn = { untrusted: false, agent: 'payables', step: 1 };
    const amount = (requester: string) => budget!.amount({ invoice: 'a', cents: 7 }, { ...turn, requester });
    expect(await Promise.all(['schedule/morning', 'schedule/evening', 'ana'].map(amount))).toEqual(['7', '0', '0']);
  });

  it('is compared field by field', () => {
    const before = scheduleSettings(morning);
    expect(changedFields(before, { ...before })).toEqual([]);
    expect(changedFields(before, { ...before, message: 'x', cost: { cost_usd: 1, window_ms: 1000 } })).toEqual([
      'message',
      'cost',
    ]);
  });
});
