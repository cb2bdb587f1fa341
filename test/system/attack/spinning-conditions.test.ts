/** Conditions of rules and measures of budgets over inputs that are made to be slow take no time of the worker's own thread. */
import { defineAgent, defineApp, type AgentPermissions } from '../../../src/agents/define';
import { admit } from '../../../src/tools/admit/admit';
import { budgetsOf } from '../../../src/tools/limits/budgets';
import { decide } from '../../../src/tools/admit/policy';
import { LIMITS } from '../../../src/tools/admit/expressions';
import { endThreads } from '../../../src/tools/isolation/pool';
import { Registry } from '../../../src/tools/catalogue/registry';
import { blockedDuring } from '../../support/blocked';
import { withEngine } from '../../engine/support/engine';
import { pays, TRUSTED } from '../../support/rules';
import { ask, say } from '../../support/scripted-model';

const SECONDS = 5;
/** All that is stopped has burnt so much of a processor. */
const SHORTER = 2;
/** On the worker's own thread a condition would block it for as long as it has. */
const mostBlockedMs = () => LIMITS.ms * 0.9;

beforeAll(() => expect(LIMITS.ms).toBe(SECONDS * 1000));
beforeEach(() => void jest.replaceProperty(LIMITS, 'ms', SHORTER * 1000));
afterEach(() => void jest.restoreAllMocks());
afterAll(() => endThreads());

const rows = (count: number) => Array.from({ length: count }, (_, i) => i);
const text = 'a'.repeat(100_000);

/** Each takes ten seconds to minutes; none is larger than what a model may write in one answer. */
const SLOW: Record<string, [when: string, input: object]> = {
  'a loop over rows that counts a long text': [
    'input.rows.all(row, size(input.text) >= 0)',
    { rows: rows(4900), text: 'a'.repeat(400_000) },
  ],
  'a passage that is one piece repeated': [
    'input.text.contains(input.part)',
    { text: 'a'.repeat(400_000), part: `${text}b${text}` },
  ],
  'a pattern over a text, for each row': [
    'input.rows.all(row, !input.text.matches("(a?){400}b$"))',
    { rows: rows(4900), text: `${'a'.repeat(2000)}b${'a'.repeat(7000)}` },
  ],
  'lists that double within lists': [
    `input.rows${'.map(x,[x,x])'.repeat(28)} == input.rows${'.map(x,[x,x])'.repeat(28)}`,
    { rows: [1] },
  ],
};

const agentOf = (permissions: Partial<AgentPermissions>) =>
  new Registry(defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools: [pays], permissions })] })).agent('a')!;
const [when, input] = SLOW['a loop over rows that counts a long text']!;
const stopped = expect.stringContaining(`stopped after ${SHORTER} seconds of computing`) as string;

describe('a condition that takes too long blocks nobody', () => {
  it.each(Object.entries(SLOW))('and a deny rule with it counts: %s', async (_what, [when, input]) => {
    const asked = { name: 'pays', json: JSON.stringify(input), cut: false };
    const { value, longestMs } = await blockedDuring(() => admit(agentOf({ deny: [{ rule: 'pays', when }] }), asked));
    expect(value).toMatchObject({ error: { reason: 'denied_by_rule', message: stopped } });
    expect(longestMs).toBeLessThan(mostBlockedMs());
  });

  it('and an allow rule with it does not count', async () => {
    const { policy } = agentOf({ allow: [{ rule: 'pays', when }] });
    const { verdict, considered } = await decide(policy, { tool: pays, input: input as never, turn: TRUSTED });
    expect(verdict).toBe('ask');
    expect(considered).toMatchObject([{ matched: false, because: stopped }]);
  });
});

it('a measure of a budget that takes too long gives no amount, and blocks nobody', async () => {
  const measure = `${when} ? 1 : 2`;
  const [budget] = budgetsOf([{ name: 'b', tools: ['pays'], per: 'agent', windowMs: 1000, cap: 1, measure }], pays);
  const { value, longestMs } = await blockedDuring(() => budget!.amount(input as never, TRUSTED));
  expect(value).toMatchObject({ error: stopped });
  expect(longestMs).toBeLessThan(mostBlockedMs());
});

it('a condition decides in a thread as it would in this process, and an auditor’s verification agrees', async () => {
  const fits = { rule: 'pays', when: 'input.rows.all(row, size(input.text) > row)' };
  const forbids = { rule: 'pays', when: `size(input.rows) > 100 && ${when}` };
  const agent = defineAgent({ name: 'a', prompt: 'p', tools: [pays], permissions: { allow: [fits], deny: [forbids] } });
  const script = [ask(['pays', { rows: rows(50), text }]), ask(['pays', input as never]), say('Done.')];
  await withEngine({ app: defineApp({ agents: [agent] }), script }, async ({ start }) => {
    const { calls } = await (await start('Pay.', { agent: 'a', requester: 'rita' })).result();
    expect(calls).toMatchObject([{ state: 'succeeded' }, { state: 'rejected' }]);
  });
});
