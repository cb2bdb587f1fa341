/** What the gateway tells of agents: tools, rules in words, and which rule would decide a call. */
import { defineAgent, defineApp } from '../../../src/agents/define';
import { gatewayApp } from '../../../src/gateway/app';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { gatewayParts, person, type Person } from '../../support/gateway';
import { pays, reads } from '../../support/tools';

const [rita, ana, olga] = [person('acme/rita', 'starter'), person('acme/ana', 'approver'), person('olga', 'auditor')];
const effects: unknown[] = [];
const payables = defineAgent({
  name: 'payables',
  prompt: 'The vault is behind the picture.',
  tools: [pays('pay', effects), reads('look_up', () => ({}))],
  permissions: {
    allow: [{ rule: 'pay', when: 'input.cents < 1000', why: 'small sums' }],
    deny: [{ rule: 'pay', when: 'turn.requester == "acme/mallory"' }],
  },
  approvals: { quorum: 2 },
  budgets: [{ name: 'daily', tools: ['pay'], per: 'agent', windowMs: 86_400_000, measure: 'input.cents', cap: 500_000 }],
  limits: { tokens: Infinity },
});
const catalogue = catalogueOf(defineApp({ agents: [payables] }));
const app = gatewayApp(gatewayParts({ people: [rita, ana, olga], catalogue: async () => catalogue }));
afterAll(() => app.close());

const get = async (who: Person, url: string) => {
  const { statusCode: status, body } = await app.inject({ url, headers: who.headers });
  return { status, body: JSON.parse(body) };
};
const check = async (who: Person, payload: object, name = 'payables') => {
  const url = `/v1/agents/${name}/check`;
  const { statusCode: status, body } = await app.inject({ method: 'POST', url, headers: who.headers, payload });
  return { status, body: JSON.parse(body) };
};

describe('an agent', () => {
  it('is listed for every role, without its prompt', async () => {
    const { status, body } = await get(rita, '/v1/agents');
    expect(status).toBe(200);
    expect(body.agents).toEqual([{ name: 'payables', model: null, mode: 'default', tools: ['pay', 'look_up'], mcp_servers: [] }]);
  });

  it('is shown with its rules in words, its approvals, budgets and limits', async () => {
    const { body } = await get(ana, '/v1/agents/payables');
    const [pay, lookUp] = body.tools;
    expect(pay).toMatchObject({ name: 'pay', class: 'destructive', agent: null, budgets: ['daily'] });
    expect(pay.words).toEqual([
      'By a rule it runs by itself, for pay when input.cents < 1000: small sums.',
      'By a rule it is refused, for pay when turn.requester == "acme/mallory".',
      'Otherwise it asks a person: class destructive always asks.',
    ]);
    expect(lookUp.words).toEqual(['It runs by itself: class read does not ask.']);
    expect(body).toMatchObject({
      approvals: { quorum: 2 },
      limits: { steps: 40, tokens: null },
      permissions: { mode: 'default' },
    });
    expect(body.budgets).toMatchObject([{ name: 'daily' }]);
  });

  it('shows its prompt to auditors and admins only', async () => {
    for (const who of [rita, ana]) expect(JSON.stringify(await get(who, '/v1/agents/payables'))).not.toContain('vault');
    expect((await get(olga, '/v1/agents/payables')).body.prompt).toBe('The vault is behind the picture.');
  });

  it('that does not exist is 404, also under names that every object has', async () => {
    for (const name of ['nobody', '__proto__', 'constructor', 'toString'])
      expect((await get(olga, `/v1/agents/${name}`)).body.error).toMatchObject({ reason: 'unknown_agent' });
    expect((await check(olga, { tool: 'pay', input: {} }, '__proto__')).status).toBe(404);
  });

  it('is unknown to a gateway without an app', async () => {
    const bare = gatewayApp(gatewayParts({ people: [olga] }));
    const answers = await Promise.all(
      ['/v1/agents', '/v1/agents/payables'].map((url) => bare.inject({ url, headers: olga.headers })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404]);
    expect(answers[0]!.json()).toEqual({ agents: [] });
    await bare.close();
  });
});

describe('a list of approval rules', () => {
  const listed = defineAgent({
    ...{ name: 'listed', prompt: 'Pay.', tools: [pays('pay', effects), reads('look_up', () => ({}))] },
    approvals: {
      tools: {
        pay: [
          { when: 'input.cents > 100000', quorum: 2, roles: ['treasurer'], escalate: [{ afterMs: 60_000, roles: ['director'] }] },
          { when: 'input.cents < 1000', allow: true },
        ],
      },
    },
  });
  const desk = gatewayApp(gatewayParts({ people: [rita], catalogue: async () => catalogueOf(defineApp({ agents: [listed] })) }));
  afterAll(() => desk.close());

  it('is shown with what each entry requires, and a check says which one applies', async () => {
    const { tools } = (await desk.inject({ url: '/v1/agents/listed', headers: rita.headers })).json();
    expect(tools[0].approval_entries).toMatchObject([
      {
        when: 'input.cents > 100000',
        needs: { quorum: 2, roles: ['treasurer'], escalate: [{ after_ms: 60_000, roles: ['director'] }] },
      },
      { when: 'input.cents < 1000', needs: null },
    ]);
    expect(tools[1].approval_entries).toEqual([]);
    expect(tools[0].words).toEqual([
      'The first of its approval rules that fits the input decides; where none fits it asks a person.',
    ]);
    const entryFor = async (cents: unknown) => {
      const payload = { tool: 'pay', input: { invoice: 'A', cents } };
      const url = '/v1/agents/listed/check';
      const { approval } = (await desk.inject({ method: 'POST', url, headers: rita.headers, payload })).json();
      return approval && { quorum: approval.quorum, ...approval.entry };
    };
    expect(await Promise.all([5_000_000, 500, 5000, 'many'].map(entryFor))).toEqual([
      { quorum: 2, index: 1, when: 'input.cents > 100000', result: 'matched' },
      { quorum: 1, index: 2, when: 'input.cents < 1000', result: 'matched' },
      { quorum: 1, index: null, when: null, result: 'none' },
      null,
    ]);
  });
});

describe('a check of a call', () => {
  it.each([
    [{ invoice: 'A', cents: 5 }, {}, { verdict: 'allow', rule: 'pay when input.cents < 1000', words: 'it runs by itself' }],
    [{ invoice: 'A', cents: 5000 }, {}, { verdict: 'ask', rule: null, words: 'it asks a person' }],
    [{ invoice: 'A', cents: 5 }, { requester: 'acme/mallory' }, { verdict: 'deny', words: 'it is refused' }],
    [{ cents: 5 }, {}, { verdict: 'rejected', fault: { code: 'INVALID_PARAMS' } }],
  ])('of %j as %j tells the verdict and the rule', async (input, more, expected) => {
    const { status, body } = await check(rita, { tool: 'pay', input, ...more });
    expect({ status, body }).toMatchObject({ status: 200, body: { agent: 'payables', tool: 'pay', ...expected } });
    expect(effects).toEqual([]);
  });

  it('is made in the name of the principal where no other is named', async () => {
    const mallory = person('acme/mallory', 'starter');
    const own = gatewayApp(gatewayParts({ people: [mallory], catalogue: async () => catalogue }));
    const payload = { tool: 'pay', input: { invoice: 'A', cents: 5 } };
    const answer = await own.inject({ method: 'POST', url: '/v1/agents/payables/check', headers: mallory.headers, payload });
    expect(answer.json()).toMatchObject({ verdict: 'deny' });
    await own.close();
  });

  it('of a tool that the agent does not have is 404, and a strange body 400', async () => {
    expect((await check(rita, { tool: 'nothing', input: {} })).body.error.reason).toBe('unknown_tool');
    expect((await check(rita, { tool: 'constructor', input: {} })).status).toBe(404);
    for (const body of [
      { tool: 'pay' },
      { tool: 'pay', input: [] },
      { tool: 'pay', input: {}, rules: {} },
      { tool: '<b>', input: {} },
    ])
      expect((await check(rita, body)).status).toBe(400);
  });
});
