/**
 * Guessed ids (IDOR): every route that takes the id of a turn or session, for every role of one tenant, with an object of another tenant.
 * The answer is the same as for an id that does not exist, and nothing is done to the object.
 */
import { SessionNotFound, TurnNotFound } from '../../../src/client/errors';
import { ROLES } from '../../../src/gateway/auth/principals';
import { person } from '../../support/gateway';
import { routesOf } from '../../support/route-tree';
import { BrowserAtDesk, openDesk, type Desk } from '../../support/sign-in';

/** Objects of tenants, by the beginnings of their addresses. */
const OBJECTS = ['/v1/turns/{id}', '/v1/sessions/{id}'];
/** Other routes with a parameter. One that is not here fails until somebody says why it names nothing of a tenant, or what tests it. */
const OTHERS: Record<string, string> = {
  '/tools/{toolName}': 'a tool of the app, the same for all',
  '/tools/{toolName}/sse': 'the same; a call is in its query, and tried here',
  '/v1/blocks/{ref}': 'a file, by a signature in its address',
  '/v1/files/{file}': 'a file of a message: test/engine/gateway/files.test.ts',
  '/a2a/{agent}': 'an agent of the app; tasks of others: test/engine/protocols/a2a.test.ts',
  '/a2a/{agent}/.well-known/agent-card.json': 'the same for all',
  '/v1/ag-ui/{agent}': 'an agent of the app; a thread in its body is found as a session is',
  '/v1/schedules/{name}': 'a schedule, which is the operator’s: test/unit/schedules/route.test.ts',
  '/v1/schedules/{name}/pause': 'the same',
  '/v1/schedules/{name}/resume': 'the same',
  '/v1/schedules/{name}/trigger': 'the same',
  '/v1/completions/{token}': 'whoever has the secret token of a call: test/engine/gateway/completions.test.ts',
  '/v1/triggers/{path}': 'a trigger of the app, by a signature: test/unit/triggers/route.test.ts',
  '/v1/agents/{name}': 'an agent of the app, the same for all',
  '/v1/agents/{name}/check': 'the same; it runs nothing',
  '/v1/passkeys/{id}': 'a passkey of one’s own: test/unit/passkeys',
  '/v1/deputies/{id}': 'a deputy of one’s own, or of the administrator’s tenant: test/unit/deputies',
  '/v1/freezes/{id}': 'a freeze of the administrator’s tenant: test/unit/stop',
  '/v1/passkeys/{id}/enrolment': 'a passkey of the administrator’s tenant: test/unit/passkeys',
};
const BODIES: Record<string, object> = {
  '/v1/turns/{id}/steer': { text: 't' },
  '/v1/turns/{id}/decisions': { decision: 'approve', call: 'f'.repeat(64) },
  '/v1/turns/{id}/answers': { call: 'f'.repeat(64), value: 'yes' },
  '/v1/turns/{id}/decisions/challenge': { decision: 'approve', call: 'f'.repeat(64) },
  '/v1/sessions/{id}/messages': { message: 'm' },
  '/v1/sessions/{id}/steer': { text: 't' },
  '/v1/sessions/{id}/rename': { title: 't' },
};
/** With these a route leads to an object without a parameter in its path. */
const QUERIES: Record<string, string> = { 'GET /tools/{toolName}/sse': '?call=theirs' };

const people = ROLES.map((role) => person(`acme/${role}`, role));
const everything = person('acme/boss', ...ROLES);
const done: string[] = [];

/** Whatever is done to the object, beyond asking whose it is. */
const object = (id: string): object =>
  new Proxy(
    { id },
    {
      get: (target, name) => {
        if (name === 'id' || name === 'then') return Reflect.get(target, name);
        if (name === 'find')
          return async () => (id.includes('theirs') ? { requester: 'globex/zoe', id } : Promise.reject(new SessionNotFound(id)));
        return () => {
          done.push(String(name));
          throw new Error(`${String(name)} of an object of another tenant`);
        };
      },
    },
  );
const client = async () =>
  ({
    turn: object,
    session: object,
    look: async (id: string) => {
      if (!id.includes('theirs')) throw new TurnNotFound(id);
      const view = () => (done.push('view'), Promise.reject(new Error('the view of a turn of another tenant')));
      return { summary: { turn_id: id, requester: 'globex/zoe', ended_at: null, state: 'running' }, traceId: null, view };
    },
  }) as never;

describe('an object of another tenant', () => {
  let desk: Desk;
  let routes: string[] = [];
  const browsers = new Map<string, BrowserAtDesk>();
  beforeAll(async () => {
    desk = await openDesk({ people: [...people, everything], client, pageFolder: '/nowhere' });
    await desk.app.ready();
    routes = routesOf(desk.app).filter((route) => /\{\w+\}/.test(route));
    for (const one of [...people, everything]) {
      const browser = new BrowserAtDesk(desk.app);
      await browser.signIn(one);
      browsers.set(one.entry.principal, browser);
    }
  });
  afterAll(() => desk.close());
  beforeEach(() => void done.splice(0));

  const pathOf = (route: string) => route.split(' ')[1]!;
  const isObject = (route: string) => OBJECTS.some((one) => pathOf(route) === one || pathOf(route).startsWith(`${one}/`));
  const ask = async (route: string, id: string, headers: Record<string, string>) => {
    const [method, path] = route.split(' ') as ['GET' | 'POST', string];
    const query = (QUERIES[route] ?? '').replace('theirs', id.replace('call%2F', ''));
    const url = path.replace('{toolName}', 'pay').replace('{id}', id).replace('{digest}', 'f'.repeat(64)) + query;
    const payload = method === 'POST' ? { payload: BODIES[path] ?? {} } : {};
    const answer = await desk.app.inject({ method, url, headers, ...payload });
    return { status: answer.statusCode, error: answer.json<{ error: { reason: string; message: string } }>().error };
  };

  it('is named by the parameters of these routes, and by no others', () => {
    expect(routes.filter((route) => !isObject(route) && OTHERS[pathOf(route)] === undefined)).toEqual([]);
    expect(routes.filter(isObject).length).toBeGreaterThanOrEqual(13);
  });

  it('does not exist for any role, by token and by cookie, on any route; nothing is done to it', async () => {
    const toTry = routes.filter((route) => isObject(route) || QUERIES[route] !== undefined);
    for (const route of toTry)
      for (const one of [...people, everything])
        for (const headers of [one.headers, browsers.get(one.entry.principal)!.headers] as Record<string, string>[]) {
          const call = route.startsWith('GET /tools') ? 'call%2F' : '';
          const theirs = await ask(route, `${call}theirs`, headers);
          const nothing = await ask(route, `${call}nothing`, headers);
          const where = { route, who: one.entry.principal, cookie: 'cookie' in headers };
          expect({ ...where, status: theirs.status }).toEqual({ ...where, status: nothing.status });
          expect([403, 404]).toContain(theirs.status);
          if (one === everything) expect({ ...where, status: theirs.status }).toEqual({ ...where, status: 404 });
          const { reason, message } = theirs.error;
          expect({ reason, message: message.replaceAll('theirs', 'nothing') }).toEqual({
            reason: nothing.error.reason,
            message: nothing.error.message,
          });
        }
    expect(done).toEqual([]);
  });
});
