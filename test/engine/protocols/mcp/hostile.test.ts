import { RecentEvents } from '../../../../src/protocols/mcp/wait-for-turn';
import { Sessions } from '../../../../src/protocols/mcp/sessions';
import { createPrincipal } from '../../../../src/gateway/auth/principals';
import { person } from '../../../support/gateway';
import { INITIALIZE, withMcp } from '../../support/mcp';
import { silent } from '../../../support/silent';
import { reads } from '../../../support/tools';

const stan = person('acme/stan', 'starter');
const sue = person('acme/sue', 'starter');
const olga = person('olga', 'auditor');
const people = [stan, sue, olga];
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

describe('hostile MCP clients', () => {
  it('are refused with the code that fits, and harm nobody else’s session', () =>
    withMcp({ people, tools: [reads('look', () => 1)] }, async ({ post, gateway }) => {
      const begun = await post(INITIALIZE, stan.headers);
      expect(begun).toMatchObject({ status: 200, body: { result: { serverInfo: { name: 'holdfast' } } } });
      const session = { 'mcp-session-id': begun.headers.get('mcp-session-id')! };
      expect(session['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/);

      expect((await post(INITIALIZE, {})).status).toBe(401);
      expect((await post(INITIALIZE, { authorization: `Bearer ${'x'.repeat(40)}` })).status).toBe(401);
      expect((await post(LIST, session)).status).toBe(401);
      expect((await post(INITIALIZE, olga.headers)).status).toBe(403);
      expect(await post(LIST, { ...sue.headers, ...session })).toMatchObject({
        status: 404,
        body: { error: { message: 'Session not found' } },
      });
      expect((await post(LIST, { ...stan.headers, 'mcp-session-id': 'made-up' })).status).toBe(404);
      expect((await post(LIST, stan.headers)).status).toBe(400);
      expect((await post([INITIALIZE, INITIALIZE], stan.headers)).status).toBe(400);
      expect((await post({ nonsense: true }, { ...stan.headers, ...session })).status).toBe(400);
      expect((await post(INITIALIZE, { ...stan.headers, origin: 'http://evil.example' })).status).toBe(403);
      expect((await post(INITIALIZE, { ...stan.headers, accept: 'text/html' })).status).toBe(406);
      expect((await post(LIST, { ...stan.headers, ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
      const large = { ...LIST, params: { _meta: { a: 'x'.repeat(1_100_000) } } };
      expect((await post(large, { ...stan.headers, ...session })).status).toBe(413);
      const resumed = await fetch(`${gateway.url}/mcp`, {
        headers: { ...stan.headers, ...session, accept: 'text/event-stream', 'last-event-id': '../../etc/passwd' },
      });
      expect(resumed.status).toBe(400);
      const ended = await fetch(`${gateway.url}/mcp`, { method: 'DELETE', headers: { ...sue.headers, ...session } });
      expect(ended.status).toBe(404);

      const cursor = await post({ ...LIST, params: { cursor: "' OR 1=1" } }, { ...stan.headers, ...session });
      expect(cursor.body).toMatchObject({ error: { code: -32602 } });
      const fine = await post(LIST, { ...stan.headers, ...session });
      expect(fine.body.result.tools).toHaveLength(3);
    }));

  it('are told if the gateway knows no app', () =>
    withMcp({ people, tools: [], parts: { catalogue: undefined } as never }, async ({ post }) => {
      expect(await post(INITIALIZE, stan.headers)).toMatchObject({ status: 404, body: { error: { reason: 'no_app' } } });
    }));
});

describe('sessions', () => {
  const parts = () =>
    ({
      client: null,
      log: silent,
      offers: () => new Map(),
      mcp: {},
      principal: null,
      decide: () => null,
      answer: () => null,
    }) as never;
  const begin = async (sessions: Sessions, name: string) => {
    const session = await sessions.begin(createPrincipal(name, ['starter']), parts);
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    });
    const answer = await session?.transport.handleRequest(request, { parsedBody: INITIALIZE });
    await answer?.text();
    return session;
  };

  it('are bounded: the one that was idle longest is ended, one in use is not', async () => {
    const sessions = new Sessions({ perPrincipal: 2, inAll: 3, idleMs: 60_000 });
    const ann = createPrincipal('ann', ['starter']);
    const [first, second] = [await begin(sessions, 'ann'), await begin(sessions, 'ann')];
    first!.usedAt -= 1000;
    await begin(sessions, 'ann');
    expect(sessions.of(first!.id, ann)).toBeNull();
    expect(sessions.of(second!.id, ann)).toBe(second);
    expect(sessions.of(second!.id, createPrincipal('bob', ['starter']))).toBeNull();
    const bobs = await begin(sessions, 'bob');
    for (const session of [second!, bobs!]) session.requests = 1;
    expect(await begin(sessions, 'eve')).not.toBeNull(); // ann's other one was idle
    await sessions.close();
  });

  it('forget old events, and send again only those of the stream that broke', async () => {
    const events = new RecentEvents(() => [events]);
    const sent: string[] = [];
    const send = async (id: string) => void sent.push(id);
    const a = await events.storeEvent('a', {} as never);
    await events.storeEvent('b', { jsonrpc: '2.0', id: 1, result: {} });
    const answer = await events.storeEvent('a', { jsonrpc: '2.0', id: 2, result: {} });
    expect(await events.replayEventsAfter(a, { send })).toBe('a');
    expect(sent).toEqual([answer]);
    for (let count = 0; count < 1000; count++) await events.storeEvent('c', { jsonrpc: '2.0', id: count, result: {} });
    expect(events.knows(a)).toBe(false);
    await expect(events.replayEventsAfter(a, { send })).rejects.toThrow('not known any more');
    expect(events.knows('__proto__')).toBe(false);
  });

  it('keep no more than 64 million characters together: the one with the most gives room', async () => {
    const all: RecentEvents[] = Array.from({ length: 20 }, () => new RecentEvents(() => all));
    const [small, ...others] = all;
    const first = await small!.storeEvent('a', { jsonrpc: '2.0', id: 0, result: {} });
    const result = { data: 'x'.repeat(900_000) };
    const kept = [first];
    for (let id = 1; id <= 4; id++)
      for (const events of others) kept.push(await events.storeEvent('a', { jsonrpc: '2.0', id, result }));
    expect(small!.knows(first)).toBe(true);
    const count = [1, 2, 3, 4].flatMap((id) => others.filter((events) => events.knows(String(id)))).length;
    expect(count).toBe(71);
  });
});
