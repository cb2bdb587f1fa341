import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionNotFound, TurnNotFound } from '../../../src/client/errors';
import { gatewayApp } from '../../../src/gateway/app';
import { ROLES, type Role } from '../../../src/gateway/auth/principals';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { gatewayParts, person } from '../../support/gateway';

/** The permitted roles, written down a second time: a route that is missing here, or that has other roles, fails. */
const MAY: Record<string, readonly Role[] | 'public'> = {
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': ['auditor', 'admin'],
  'POST /v1/turns': ['starter', 'admin'],
  'GET /v1/turns': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/turns/{id}': ['starter', 'approver', 'auditor', 'admin'],
  'GET /v1/turns/{id}/bundle': ['auditor', 'admin'],
  'GET /v1/turns/{id}/report': ['auditor', 'admin'],
  'POST /v1/turns/{id}/what-if': ['auditor', 'admin'],
  'GET /v1/turns/{id}/transcript': ['starter', 'approver', 'auditor', 'admin'],
  'POST /v1/turns/{id}/cancel': ['starter', 'admin'],
  'POST /v1/turns/{id}/steer': ['starter', 'admin'],
  'POST /v1/turns/{id}/decisions': ['approver'],
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
};
const BODIES: Record<string, object> = {
  'POST /v1/turns': { agent: 'a', message: 'm' },
  'POST /v1/turns/{id}/steer': { text: 't' },
  'POST /v1/turns/{id}/decisions': { decision: 'deny', call: 'f'.repeat(64) },
  'POST /v1/turns/{id}/what-if': { rules: { deny: ['pay'] } },
  'POST /v1/agents/{name}/check': { tool: 'pay', input: {} },
  'POST /tools/{toolName}': { input: {} },
  'POST /tools/{toolName}/sse': { input: {} },
  'POST /v1/sessions': { agent: 'a' },
  'POST /v1/sessions/{id}/messages': { message: 'm' },
  'POST /v1/sessions/{id}/steer': { text: 't' },
  'POST /v1/sessions/{id}/rename': { title: 't' },
  'POST /v1/forks': { from: 'f'.repeat(64) },
  'POST /v1/tickets': { address: '/v1/turns/x/events' },
};
/** GET would start a call only for a principal who may start one; here it follows an existing call. */
const QUERIES: Record<string, string> = { 'GET /tools/{toolName}/sse': '?call=call/x' };

const people = Object.fromEntries(ROLES.map((role) => [role, person(`${role}-1`, role)])) as Record<
  Role,
  ReturnType<typeof person>
>;
const outsider = person('zoe', 'treasurer');
const missing = () => {
  throw new TurnNotFound('x');
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
    page: async () => ({ turns: [], next: null }),
    inbox: { pending: async () => [], follow: async function* () {} },
    lastPoll: async () => Date.now(),
  }) as never;

describe('the routes', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-roles-'));
  let store: Store;
  let app: ReturnType<typeof gatewayApp>;
  beforeAll(async () => {
    store = await FileStore.open(dir);
    app = gatewayApp(gatewayParts({ people: [...Object.values(people), outsider], client, store }));
  });
  afterAll(async () => {
    await app.close();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const declared = async () => {
    const { paths } = (await app.inject({ url: '/openapi.json' })).json() as {
      paths: Record<string, Record<string, { security?: object[]; description?: string }>>;
    };
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    );
  };
  const ask = async (name: string, headers: Record<string, string>) => {
    const [method, path] = name.split(' ') as ['GET' | 'POST', string];
    const payload = BODIES[name];
    const url = path.replace(/\{\w+\}/g, 'x') + (QUERIES[name] ?? '');
    // An address of its own for each route: sixty wrong tokens a minute are allowed from one.
    const remoteAddress = `10.0.0.${1 + Object.keys(MAY).indexOf(name)}`;
    const { statusCode } = await app.inject({ method, url, headers, remoteAddress, ...(payload ? { payload } : {}) });
    return statusCode;
  };

  it('are all in the table', async () => {
    expect((await declared()).map(({ name }) => name).sort()).toEqual(Object.keys(MAY).sort());
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
      const kind = status === 401 ? 'unknown' : status === 403 && !name.includes('blocks') ? 'refused' : 'served';
      const known = !['nobody', 'a wrong token'].includes(who);
      const wanted = open || (known && may.includes(who as Role)) ? 'served' : known ? 'refused' : 'unknown';
      expect({ who, kind, status }).toEqual({ who, kind: wanted, status });
      expect({ who, broken: status >= 500 }).toEqual({ who, broken: false });
    }
  });

  it('name their roles in the document', async () => {
    for (const { name, operation } of await declared()) {
      const may = MAY[name]!;
      expect({ name, security: operation.security }).toEqual({ name, security: may === 'public' ? [] : [{ bearer: [] }] });
      if (may !== 'public') expect(operation.description).toContain(`Roles: ${may.join(', ')}.`);
    }
  });
});
