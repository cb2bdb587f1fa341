import { ScheduleNotFound, SessionNotFound, TurnNotFound } from '../../../src/client/errors';
import { ROLES, type Role } from '../../../src/gateway/auth/principals';
import { person } from '../../support/gateway';
import { routesOf } from '../../support/route-tree';
import { BrowserAtDesk, openDesk, type Desk } from '../../support/sign-in';

/** The permitted roles, written down a second time: a route that is missing here, or that has other roles, fails. */
const MAY: Record<string, readonly Role[] | 'any' | 'public'> = {
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': ['auditor', 'admin'],
  'POST /v1/turns': ['starter', 'admin'],
  'GET /v1/turns': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/turns/{id}': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/turns/{id}/calls/{digest}': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/turns/{id}/bundle': ['auditor', 'admin'],
  'GET /v1/turns/{id}/report': ['auditor', 'admin'],
  'POST /v1/turns/{id}/what-if': ['auditor', 'admin'],
  'GET /v1/turns/{id}/transcript': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/turns/{id}/files': ['starter', 'approver', 'auditor', 'admin'],
  'POST /v1/turns/{id}/cancel': ['starter', 'admin'],
  'POST /v1/turns/{id}/steer': ['starter', 'admin'],
  'POST /v1/turns/{id}/decisions': ['approver'],
  'POST /v1/turns/{id}/answers': ['starter', 'approver'],
  'POST /v1/turns/{id}/decisions/challenge': ['approver'],
  'POST /v1/passkeys/options': ['approver'],
  'POST /v1/passkeys': ['approver'],
  'GET /v1/passkeys': ['approver'],
  'GET /v1/passkeys/waiting': ['admin'],
  'GET /v1/passkeys/everyone': ['admin'],
  'POST /v1/passkeys/{id}/enrolment': ['admin'],
  'DELETE /v1/passkeys/{id}': ['approver'],
  'POST /v1/deputies/challenge': ['approver'],
  'POST /v1/deputies': ['approver', 'admin'],
  'GET /v1/deputies': ['approver'],
  'GET /v1/deputies/everyone': ['admin'],
  'DELETE /v1/deputies/{id}': ['approver', 'admin'],
  'GET /v1/freezes': ['starter', 'approver', 'auditor', 'admin'],
  'POST /v1/freezes': ['admin'],
  'DELETE /v1/freezes/{id}': ['admin'],
  'POST /v1/withdrawals': ['admin'],
  'GET /v1/turns/{id}/events': ['starter', 'approver', 'auditor', 'admin'],
  'POST /v1/sessions': ['starter', 'admin'],
  'GET /v1/sessions': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/sessions/{id}': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/sessions/{id}/bundle': ['auditor', 'admin'],
  'POST /v1/sessions/{id}/messages': ['starter', 'admin'],
  'POST /v1/sessions/{id}/steer': ['starter', 'admin'],
  'POST /v1/sessions/{id}/interrupt': ['starter', 'admin'],
  'POST /v1/sessions/{id}/rename': ['starter', 'admin'],
  'POST /v1/sessions/{id}/close': ['starter', 'admin'],
  'POST /v1/forks': ['starter', 'admin'],
  'GET /v1/pending': ['approver', 'auditor', 'admin'],
  'GET /v1/pending/events': ['approver', 'auditor', 'admin'],
  'GET /v1/trail': ['approver', 'auditor', 'admin'],
  'GET /v1/budgets': ['approver', 'auditor', 'admin'],
  'GET /v1/schedules': ['approver', 'auditor', 'admin'],
  'GET /v1/schedules/{name}': ['approver', 'auditor', 'admin'],
  'POST /v1/schedules/{name}/pause': ['admin'],
  'POST /v1/schedules/{name}/resume': ['admin'],
  'POST /v1/schedules/{name}/trigger': ['admin'],
  'POST /v1/completions/{token}': 'public',
  'POST /v1/triggers/{path}': 'public',
  'GET /v1/agents': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/agents/{name}': ['starter', 'approver', 'auditor', 'admin'],
  'POST /v1/agents/{name}/check': ['starter', 'approver', 'auditor', 'admin'],
  'GET /tools': ['starter', 'approver', 'auditor', 'admin'],
  'GET /tools/{toolName}': ['starter', 'approver', 'auditor', 'admin'],
  'POST /tools/{toolName}': ['starter', 'admin'],
  'GET /tools/{toolName}/sse': ['starter', 'approver', 'auditor', 'admin'],
  'POST /tools/{toolName}/sse': ['starter', 'admin'],
  'POST /v1/tickets': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/blocks/{ref}': 'public',
  'POST /v1/files': ['starter', 'admin'],
  'GET /v1/files/{file}': ['starter', 'approver', 'auditor', 'admin'],
  'POST /v1/ag-ui/{agent}': ['starter', 'approver', 'admin'],
  'POST /a2a/{agent}': ['starter', 'approver', 'admin'],
  'GET /a2a/{agent}/.well-known/agent-card.json': ['starter', 'approver', 'auditor', 'admin'],
  'GET /.well-known/agent-card.json': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/me': 'any',
  'GET /v1/sign-in': 'public',
  'POST /v1/sign-in': 'public',
  'POST /v1/sign-out': 'any',
};
/** Those that the OpenAPI document does not have: the page, what leads to it, and what programs have clients for. */
const HIDDEN: typeof MAY = {
  'POST /codec/decode': 'any',
  'POST /codec/encode': 'any',
  'OPTIONS /codec/decode': 'public',
  'OPTIONS /codec/encode': 'public',
  'GET /': 'public',
  'GET /sign-in/oidc': 'public',
  'GET /sign-in/oidc/callback': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
  'GET /docs/': 'public',
  'GET /docs/*': 'public',
  'GET /docs/json': 'public',
  'GET /docs/yaml': 'public',
  'GET /docs/static/index.html': 'public',
  'GET /docs/static/swagger-initializer.js': 'public',
  'GET /mcp': ['starter', 'admin'],
  'POST /mcp': ['starter', 'admin'],
  'DELETE /mcp': ['starter', 'admin'],
};
const BODIES: Record<string, object> = {
  'POST /v1/turns': { agent: 'a', message: 'm' },
  'POST /v1/turns/{id}/steer': { text: 't' },
  'POST /v1/turns/{id}/decisions': { decision: 'deny', call: 'f'.repeat(64) },
  'POST /v1/turns/{id}/what-if': { rules: { deny: ['pay'] } },
  'POST /v1/agents/{name}/check': { tool: 'pay', input: {} },
  'POST /v1/turns/{id}/answers': { call: 'f'.repeat(64), value: 'yes' },
  'POST /v1/turns/{id}/decisions/challenge': { decision: 'deny', call: 'f'.repeat(64) },
  'POST /v1/passkeys': {
    response: { id: 'AA', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
  },
  'POST /v1/passkeys/{id}/enrolment': { enrolment: 'x' },
  'POST /v1/deputies/challenge': { deputy: 'bob' },
  'POST /v1/deputies': { deputy: 'bob' },
  'POST /v1/freezes': { scope: 'tool', name: 'pay', reason: 'why' },
  'POST /v1/withdrawals': { approver: 'bob' },
  'POST /v1/schedules/{name}/pause': {},
  'POST /v1/schedules/{name}/resume': {},
  'POST /v1/schedules/{name}/trigger': {},
  'POST /tools/{toolName}': { input: {} },
  'POST /tools/{toolName}/sse': { input: {} },
  'POST /v1/sessions': { agent: 'a' },
  'POST /v1/sessions/{id}/messages': { message: 'm' },
  'POST /v1/sessions/{id}/steer': { text: 't' },
  'POST /v1/sessions/{id}/rename': { title: 't' },
  'POST /v1/forks': { from: 'f'.repeat(64) },
  'POST /v1/tickets': { address: '/v1/turns/x/events' },
  'POST /v1/ag-ui/{agent}': { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'Hi' }] },
  'POST /a2a/{agent}': { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } },
  'POST /v1/sign-in': { token: 'x'.repeat(40) },
};
/** GET would start a call only for a principal who may start one; here it follows an existing call. */
const QUERIES: Record<string, string> = { 'GET /tools/{toolName}/sse': '?call=call/x' };

/** Routes whose 401 or 403 is about what is asked for, not about who asks. */
const OWN_ANSWER = new Set(['GET /v1/blocks/{ref}', 'POST /v1/sign-in', 'POST /v1/sign-out']);

const people = Object.fromEntries(ROLES.map((role) => [role, person(`${role}-1`, role)])) as Record<
  Role,
  ReturnType<typeof person>
>;
const outsider = person('zoe', 'treasurer');
const missing = () => {
  throw new TurnNotFound('x');
};
const noSchedule = () => {
  throw new ScheduleNotFound('x');
};
const noSession = () => {
  throw new SessionNotFound('x');
};
/** A Temporal without any turn: it says so, as the client does. */
const client = async () =>
  ({
    temporal: { connection: { workflowService: { describeNamespace: async () => ({}) } }, options: { namespace: 'default' } },
    turn: missing,
    find: missing,
    look: missing,
    start: missing,
    call: missing,
    session: noSession,
    openSession: missing,
    fork: missing,
    sessions: async function* () {},
    budgets: async function* () {},
    schedules: { list: async () => [], show: noSchedule, pause: noSchedule, resume: noSchedule, trigger: noSchedule },
    page: async () => ({ turns: [], next: null }),
    inbox: { pending: async () => [], follow: async function* () {} },
    lastPoll: async () => Date.now(),
  }) as never;

describe('the routes', () => {
  let desk: Desk;
  const browsers = {} as Record<string, BrowserAtDesk>;
  beforeAll(async () => {
    // Without a page: its files are routes of their own, which anyone may load.
    desk = await openDesk({ people: [...Object.values(people), outsider], client, pageFolder: '/nowhere' });
    for (const [name, one] of [...Object.entries(people), ['outsider', outsider] as const]) {
      browsers[name] = new BrowserAtDesk(desk.app);
      await browsers[name].signIn(one);
    }
  });
  afterAll(() => desk.close());
  const declared = async () => {
    const { paths } = (await desk.app.inject({ url: '/openapi.json' })).json() as {
      paths: Record<string, Record<string, { security?: object[]; description?: string }>>;
    };
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    );
  };
  let asked = 0;
  const ask = async (name: string, headers: Record<string, string>) => {
    const [method, path] = name.split(' ') as ['GET' | 'POST' | 'DELETE', string];
    const payload = BODIES[name];
    const url = path.replace(/\{\w+\}/g, 'x') + (QUERIES[name] ?? '');
    // Each from another address: wrong tokens of one address are limited.
    const remoteAddress = `10.0.${asked >> 8}.${asked++ & 255}`;
    const { statusCode } = await desk.app.inject({ method, url, headers, remoteAddress, ...(payload ? { payload } : {}) });
    return statusCode;
  };
  const statusOf = (may: (typeof MAY)[string], who: { isKnown: boolean; role: Role | null }, status: number) => {
    const kind = status === 401 ? 'unknown' : status === 403 ? 'refused' : 'served';
    const permitted = may === 'any' || may === 'public' || (who.role !== null && may.includes(who.role));
    return { kind, wanted: may === 'public' || (who.isKnown && permitted) ? 'served' : who.isKnown ? 'refused' : 'unknown' };
  };

  it('are all in the table', async () => {
    expect((await declared()).map(({ name }) => name).sort()).toEqual(Object.keys(MAY).sort());
    expect(routesOf(desk.app)).toEqual(Object.keys({ ...MAY, ...HIDDEN }).sort());
  });

  it.each(Object.entries({ ...MAY, ...HIDDEN }).filter(([name]) => !OWN_ANSWER.has(name)))(
    '%s answers those who are signed in as it answers their tokens, and no cookie without the page’s own header',
    async (name, may) => {
      const changes = !name.startsWith('GET ');
      for (const [who, browser] of Object.entries(browsers)) {
        const role = ROLES.find((one) => one === who) ?? null;
        const { 'x-holdfast-csrf': _, ...bare } = browser.headers;
        const { kind, wanted } = statusOf(may, { isKnown: true, role }, await ask(name, browser.headers));
        expect({ who, kind }).toEqual({ who, kind: wanted });
        const without = await ask(name, bare);
        if (changes && may !== 'public') expect({ who, without }).toEqual({ who, without: 403 });
        const elsewhere = await ask(name, { ...browser.headers, 'sec-fetch-site': 'cross-site' });
        if (may !== 'public') expect({ who, elsewhere }).toEqual({ who, elsewhere: 401 });
      }
    },
  );

  it.each(Object.entries(HIDDEN))('%s, which is not in the document, answers the permitted roles', async (name, may) => {
    const asked = [
      { isKnown: false, role: null, headers: {} },
      { isKnown: true, role: null, headers: outsider.headers },
      ...ROLES.map((role) => ({ isKnown: true, role, headers: people[role].headers })),
    ];
    for (const { headers, ...who } of asked) {
      const { kind, wanted } = statusOf(may, who, await ask(name, headers));
      expect({ who, kind }).toEqual({ who, kind: wanted });
    }
  });

  it.each(Object.entries(MAY))('%s answers the permitted roles, and nobody else', async (name, may) => {
    const open = may === 'public';
    const asked: [string, Record<string, string>][] = [
      ['nobody', {}],
      ['a wrong token', { authorization: `Bearer hft_${'x'.repeat(43)}` }],
      ['another role', outsider.headers],
      ...ROLES.map((role): [string, Record<string, string>] => [role, people[role].headers]),
    ];
    for (const [who, headers] of asked) {
      const status = await ask(name, headers);
      const own = OWN_ANSWER.has(name) && open;
      const kind = own ? 'served' : status === 401 ? 'unknown' : status === 403 ? 'refused' : 'served';
      const known = !['nobody', 'a wrong token'].includes(who);
      const wanted = open || (known && (may === 'any' || may.includes(who as Role))) ? 'served' : known ? 'refused' : 'unknown';
      expect({ who, kind, status }).toEqual({ who, kind: wanted, status });
      expect({ who, broken: status >= 500 }).toEqual({ who, broken: false });
    }
  });

  it('name their roles in the document', async () => {
    for (const { name, operation } of await declared()) {
      const may = MAY[name]!;
      expect({ name, security: operation.security }).toEqual({
        name,
        security: may === 'public' ? [] : [{ bearer: [] }, { cookie: [] }],
      });
      if (may === 'any') expect(operation.description).toContain('Any role.');
      else if (may !== 'public') expect(operation.description).toContain(`Roles: ${may.join(', ')}.`);
    }
  });
});
