import { z } from 'zod';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { budgetsOf, type Budget } from '../../../../src/tools/limits/budgets';
import { defineTool } from '../../../../src/tools/define/define';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { pays, reads } from '../../../support/tools';

const sends = defineTool({
  name: 'send_mail',
  version: '1.0.0',
  class: 'destructive',
  description: 'Sends a mail.',
  input: z.object({ recipients: z.array(z.string()), wei: z.string().regex(/^\d+$/).default('0'), rate: z.number().default(1) }),
  run: () => ({ sent: true }),
});
const tools = [pays('pay_invoice', []), sends, reads('look_up', () => 1)];
const daily: Budget = { name: 'daily', tools: ['pay_*'], per: 'agent', windowMs: 1000, measure: 'input.cents', cap: '100' };
const agent = (...budgets: unknown[]) => defineAgent({ name: 'tester', prompt: 'Test.', tools, budgets: budgets as Budget[] });
const turn = { untrusted: false, requester: 'ana', agent: 'tester', step: 1 };
const amount = (budget: Budget, input: object, tool = sends) => budgetsOf([budget], tool)[0]!.amount(input as never, turn);

describe('budgets of an agent', () => {
  it('are accepted if they are well defined', () => {
    const recipients = { ...daily, name: 'recipients', tools: ['send_mail'], measure: 'size(input.recipients)', cap: 5 };
    expect(agent(daily, recipients, { ...daily, name: 'all', tools: ['*'], measure: 'count' }).budgets).toHaveLength(3);
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', 7, /budgets\[0\] must be an object/],
    ['a name of odd characters', { ...daily, name: 'a b' }, /name "a b" must match/],
    ['no tools', { ...daily, tools: [] }, /tools must be a list/],
    ['a tool that the agent lacks', { ...daily, tools: ['pay_salary'] }, /"pay_salary" fits no tool of the agent/],
    ['a tool without effects', { ...daily, tools: ['look_up'], measure: 'count' }, /"look_up" fits no destructive tool/],
    ['an unknown scope', { ...daily, per: 'planet' }, /per is "planet"; it must be one of agent, session, principal, tool/],
    ['no window', { ...daily, windowMs: 0 }, /windowMs is 0/],
    ['a window of years', { ...daily, windowMs: 1e12 }, /windowMs is 1000000000000/],
    ['a cap with a fraction', { ...daily, cap: 0.5 }, /cap is 0\.5; it must be digits/],
    ['a negative cap', { ...daily, cap: '-1' }, /cap is "-1"/],
    ['another answer to exhaustion', { ...daily, exhausted: 'log' }, /exhausted is "log"/],
    ['a field that there is not', { ...daily, limit: 3 }, /limit is no field/],
    ['a measure that is no CEL', { ...daily, measure: 'input.cents +' }, /measure: /],
    [
      'a measure over a field that no input has',
      { ...daily, measure: 'input.euros' },
      /the input of pay_invoice has no field euros/,
    ],
  ])('are refused with %s', (_what, budget, message) => expect(() => agent(budget)).toThrow(message));

  it('report all their faults at once, also two of one name', () => {
    expect(() => agent({ ...daily, cap: 'x' }, { ...daily, per: 'y' })).toThrow(/two budgets[^]*cap is "x"[^]*per is "y"/);
  });

  it('cover destructive tools only, even if their pattern fits others', () => {
    const all = { ...daily, tools: ['*'], measure: 'count' };
    expect(budgetsOf([all], sends)).toHaveLength(1);
    expect(budgetsOf([all], tools[2]!)).toEqual([]);
  });

  it('are part of the hash of the rules, which changes with them', () => {
    const ref = (...budgets: Budget[]) => new Registry(defineApp({ agents: [agent(...budgets)] })).agent('tester')!.policyRef;
    expect(new Set([ref(daily), ref({ ...daily, cap: '101' }), ref({ ...daily, exhausted: 'ask' })]).size).toBe(3);
  });
});

describe('the amount that a call takes of a budget', () => {
  const of = (measure: string): Budget => ({ ...daily, tools: ['send_mail'], measure });

  it('is one, if the budget counts calls', async () =>
    expect(await amount({ ...daily, measure: 'count' }, {}, tools[0] as never)).toBe('1'));

  it('is the value of the measure: a whole number, or a text of digits, of any size', async () => {
    expect(await amount(of('size(input.recipients)'), { recipients: ['a', 'b'] })).toBe('2');
    expect(await amount(of('input.wei'), { wei: '123456789012345678901234567890' })).toBe('123456789012345678901234567890');
    expect(await amount(of('input.wei * 2'), { wei: '123456789' })).toBe('246913578');
  });

  it.each<[string, string, object]>([
    ['a fraction', 'input.rate', { rate: 1.5 }],
    ['a double, though it is whole', 'input.rate', { rate: 2 }],
    ['an amount that CEL cannot reckon with: beyond 64 bits it only compares', 'input.wei * 2', { wei: '9'.repeat(30) }],
    ['less than nothing', 'input.wei - 5', { wei: '3' }],
    ['true or false', 'input.wei > 5', { wei: '9' }],
    ['a text that is no number', 'input.recipients[0]', { recipients: ['100 '] }],
    ['a field that is missing', 'input.wei', {}],
    ['more digits than any amount has', 'input.wei', { wei: '9'.repeat(101) }],
  ])('is unknown if the measure gives %s', async (_what, measure, input) => {
    expect(await amount(of(measure), input)).toMatchObject({ error: expect.any(String) });
  });
});
