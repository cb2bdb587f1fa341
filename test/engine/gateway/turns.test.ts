import { Client, Connection } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { dataConverter } from '../../../src/temporal/data-converter';
import { eventually, testAddress } from '../support/engine';
import { ownKey, type Person } from '../../support/gateway';
import { ana, boss, eve, gatewayScene, invoice, ned, olga, rita, ron } from '../support/gateway-scene';
import { say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const scene = gatewayScene;
const start = { agent: 'tester', message: 'Pay it.' };

describe('turns over HTTP', () => {
  it('cost one look-up and one request, and one more for the cards of waiting calls: a running turn is read from its worker, an ended one from its history', () =>
    scene({}, async ({ send, client }) => {
      const { turn_id } = (await send(rita, 'POST', '/v1/turns', start)).body;
      const [{ digest }] = await client.turn(turn_id).waitForPending();
      const { workflowService } = client.temporal.connection;
      const asked = async () => {
        const names = ['describeWorkflowExecution', 'queryWorkflow', 'getWorkflowExecutionHistory'] as const;
        const spies = names.map((name) => jest.spyOn(workflowService, name));
        const { status, body } = await send(rita, 'GET', `/v1/turns/${turn_id}`);
        const counted = spies.map((spy) => spy.mock.calls.length);
        for (const spy of spies) spy.mockRestore();
        return { status, state: body.state, asked: counted };
      };
      expect(await asked()).toEqual({ status: 200, state: 'awaiting_approval', asked: [1, 2, 0] });
      await send(ana, 'POST', `/v1/turns/${turn_id}/decisions`, { decision: 'approve', call: digest });
      await client.turn(turn_id).result();
      expect(await asked()).toEqual({ status: 200, state: 'completed', asked: [1, 0, 1] });
    }));

  it('that wait are listed even if no worker answers, with what Temporal knows of them', async () => {
    let left = '';
    const waits = async ({ send, client }: { send: any; client: HoldfastClient }) => {
      left = (await send(rita, 'POST', '/v1/turns', start)).body.turn_id;
      await client.turn(left).waitForPending();
      // A busy worker answers later than one look waits.
      const listed = async () => {
        const { turns } = (await send(ana, 'GET', '/v1/pending')).body;
        return turns.find((one: any) => one.turn_id === left && one.unreachable === null);
      };
      const told = await eventually('its worker tells its call', listed);
      expect(told).toMatchObject({ tools: ['pay'], calls: [{ tool: 'pay' }] });
    };
    await scene({}, waits);
    const connection = await Connection.connect({ address: testAddress() }); // its worker is gone by now
    const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue: 'none', uiUrl: null });
    try {
      const one = (await client.pending()).find(({ turn_id }) => turn_id === left);
      expect(one).toMatchObject({ tools: ['pay'], calls: [], unreachable: expect.stringContaining('holdfast worker') });
      await client.temporal.workflow.getHandle(`turn/${left}`).terminate();
    } finally {
      await connection.close();
    }
  });

  it('are found and listed by the principal’s own key, and not by any other principal', () =>
    scene({}, async ({ send, client }) => {
      const key = ownKey('inv-4/2026');
      const { turn_id } = (await send(rita, 'POST', '/v1/turns', start, { 'idempotency-key': key })).body;
      const [{ digest }] = await client.turn(turn_id).waitForPending();
      const plain = (await send(ron, 'POST', '/v1/turns', start)).body.turn_id;
      await client.turn(plain).result();
      const url = `/v1/turns/${encodeURIComponent(key)}`;
      expect(await send(rita, 'GET', url)).toMatchObject({ status: 200, body: { turn_id, pending: [digest] } });
      for (const who of [ron, ana, eve, olga]) expect((await send(who, 'GET', url)).status).toBe(404);
      const listed = async (who: Person) => {
        const { turns } = (await send(who, 'GET', '/v1/turns?limit=200')).body;
        return turns.filter((one: any) => [turn_id, plain].includes(one.turn_id)).map((one: any) => one.key);
      };
      await eventually('both are listed', async () => (await listed(boss)).length === 2);
      expect(await listed(rita)).toEqual([key]);
      expect(await listed(ron)).toEqual([null]);
      expect(await send(rita, 'POST', `${url}/cancel`)).toMatchObject({ status: 202 });
      expect(await client.turn(turn_id).result()).toMatchObject({ state: 'cancelled' });
    }));

  it('start, are shown, decided on and end; only those who may see them do', () =>
    scene({}, async ({ send, client, effects }) => {
      const started = await send(rita, 'POST', '/v1/turns', start);
      expect(started).toMatchObject({ status: 202, body: { turn_id: expect.stringMatching(/^k_[0-9a-f]{40}$/), ui_url: null } });
      const { turn_id, workflow_id, events_url } = started.body;
      expect([workflow_id, events_url]).toEqual([`turn/${turn_id}`, `/v1/turns/${turn_id}/events`]);
      const [{ digest }] = await client.turn(turn_id).waitForPending();

      const url = `/v1/turns/${turn_id}`;
      for (const who of [rita, boss, ana, olga])
        expect(await send(who, 'GET', url)).toMatchObject({
          status: 200,
          body: { turn_id, requester: 'acme/rita', pending: [digest] },
        });
      const unseen = await send(rita, 'GET', '/v1/turns/no-such-turn');
      for (const who of [ron, eve, ned]) {
        const hidden = await send(who, 'GET', url);
        expect({ who: who.entry.principal, ...hidden }).toMatchObject({
          status: 404,
          body: { error: { reason: 'unknown_turn' } },
        });
        expect(hidden.body.error.message).toBe(unseen.body.error.message.replace('no-such-turn', turn_id));
      }
      for (const [who, path, body] of [
        [eve, 'cancel', undefined],
        [ron, 'cancel', undefined],
        [eve, 'steer', { text: 'x' }],
        [eve, 'decisions', { decision: 'approve', call: digest }],
        [ned, 'decisions', { decision: 'approve', call: digest }],
      ] as const)
        expect({ path, ...(await send(who, 'POST', `${url}/${path}`, body)) }).toMatchObject({ path, status: 404 });

      await eventually('it is listed', async () =>
        (await send(rita, 'GET', '/v1/turns?state=awaiting_approval')).body.turns.some((one: any) => one.turn_id === turn_id),
      );
      const listed = async (who: Person) =>
        (await send(who, 'GET', '/v1/turns?limit=200')).body.turns.map((one: any) => one.turn_id);
      for (const who of [rita, boss, ana, olga]) expect(await listed(who)).toContain(turn_id);
      for (const who of [ron, eve, ned]) expect(await listed(who)).not.toContain(turn_id);
      expect((await send(ana, 'GET', '/v1/pending')).body.turns.map((one: any) => one.turn_id)).toContain(turn_id);
      for (const who of [eve, ned])
        expect((await send(who, 'GET', '/v1/pending')).body.turns.map((one: any) => one.turn_id)).not.toContain(turn_id);

      expect(await send(ana, 'POST', `${url}/decisions`, { decision: 'approve', call: digest })).toMatchObject({
        status: 200,
        body: { by: 'acme/ana' },
      });
      expect((await client.turn(turn_id).result()).state).toBe('completed');
      expect(await send(rita, 'GET', url)).toMatchObject({ body: { state: 'completed', text: 'done' } });
      expect(await send(rita, 'POST', `${url}/cancel`)).toMatchObject({
        status: 409,
        body: { error: { reason: 'not_accepted' } },
      });
      expect(effects).toEqual([invoice]);
    }));

  it('are steered and cancelled by the principal who started them, or by an admin of his tenant', () =>
    scene({}, async ({ send, client }) => {
      const { turn_id } = (await send(rita, 'POST', '/v1/turns', start)).body;
      await client.turn(turn_id).waitForPending();
      expect(await send(rita, 'POST', `/v1/turns/${turn_id}/steer`, { text: 'Be quick.' })).toMatchObject({
        status: 200,
        body: { by: 'acme/rita' },
      });
      expect((await send(ana, 'POST', `/v1/turns/${turn_id}/cancel`)).status).toBe(403);
      expect(await send(boss, 'POST', `/v1/turns/${turn_id}/cancel`)).toEqual({ status: 202, body: { accepted: true } });
      expect((await client.turn(turn_id).result()).state).toBe('cancelled');
    }));

  it('start once for one key and body, however many ask at once; another body is refused, another principal has his own', () =>
    scene({ script: Array.from({ length: 4 }, () => say('done')) }, async ({ send, client }) => {
      const key = { 'idempotency-key': ownKey('order-1') };
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(rita, 'POST', '/v1/turns', start, key)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      const ids = new Set(answers.map(({ body }) => body.turn_id));
      expect(ids.size).toBe(1);
      const other = await send(rita, 'POST', '/v1/turns', { ...start, message: 'Pay more.' }, key);
      expect(other).toMatchObject({ status: 409, body: { error: { reason: 'key_used' } } });
      const elsewhere = await send(rita, 'POST', '/tools/pay', { input: invoice }, key);
      expect(elsewhere).toMatchObject({ status: 409, body: { error: { reason: 'key_used' } } });
      const his = await send(ron, 'POST', '/v1/turns', { ...start, message: 'Pay more.' }, key);
      expect(his.status).toBe(202);
      expect(ids.has(his.body.turn_id)).toBe(false);
      // A request that was refused has used up no key.
      const fresh = { 'idempotency-key': ownKey('order-2') };
      expect((await send(rita, 'POST', '/v1/turns', { agent: 'tester' }, fresh)).status).toBe(400);
      expect((await send(rita, 'POST', '/v1/turns', start, fresh)).status).toBe(202);
      for (const bad of ['', 'a b', 'ä', 'x'.repeat(256)])
        expect({ bad, ...(await send(rita, 'POST', '/v1/turns', start, { 'idempotency-key': bad })) }).toMatchObject({
          bad,
          status: 400,
        });
      for (const id of ids) await client.turn(id).result();
    }));

  it('start with one of two bodies that race under one key', () =>
    scene({ script: Array.from({ length: 3 }, () => say('done')) }, async ({ send }) => {
      const key = { 'idempotency-key': ownKey('race') };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => send(rita, 'POST', '/v1/turns', { ...start, message: `m${index % 2}` }, key)),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 202)).toHaveLength(10);
      expect(statuses.filter((status) => status === 409)).toHaveLength(10);
      expect(new Set(answers.flatMap(({ body }) => body.turn_id ?? [])).size).toBe(1);
    }));

  it('are listed by page; a cursor is good for one principal and filter, and cannot be made up', () =>
    scene({ script: Array.from({ length: 5 }, () => say('done')) }, async ({ send }) => {
      const agent = { agent: 'tester' };
      const started: string[] = [];
      for (let n = 0; n < 5; n++)
        started.push((await send(ron, 'POST', '/v1/turns', { ...agent, message: `turn ${n}` })).body.turn_id);
      const mine = async (query: string) => (await send(ron, 'GET', `/v1/turns?agent=tester&${query}`)).body;
      const all = await eventually('all are listed', async () => {
        const { turns } = await mine('limit=200&state=completed');
        const ids: string[] = turns.map((one: any) => one.turn_id);
        return started.every((id) => ids.includes(id)) && ids;
      });
      const paged: string[] = [];
      let cursor: string | null = null;
      do {
        const page: any = await mine(`limit=2&state=completed${cursor === null ? '' : `&cursor=${cursor}`}`);
        paged.push(...page.turns.map((one: any) => one.turn_id));
        cursor = page.next_cursor;
      } while (cursor !== null && paged.length < 100);
      expect(paged).toEqual(all);
      const { next_cursor: good } = await mine('limit=2&state=completed');
      const bad = [
        await send(ron, 'GET', `/v1/turns?agent=tester&state=failed&cursor=${good}`),
        await send(rita, 'GET', `/v1/turns?agent=tester&state=completed&cursor=${good}`),
        await send(ron, 'GET', `/v1/turns?agent=tester&state=completed&cursor=${good.slice(0, -2)}AA`),
        await send(ron, 'GET', '/v1/turns?cursor=x'),
      ];
      for (const answer of bad) expect(answer).toMatchObject({ status: 400, body: { error: { reason: 'bad_cursor' } } });
    }));

  it('are not found by text that is injected into a query, an id or a key', () =>
    scene({ script: [say('done')] }, async ({ send, client }) => {
      const { turn_id } = (await send(rita, 'POST', '/v1/turns', start)).body;
      await client.turn(turn_id).result();
      await eventually('it is listed', async () => (await send(rita, 'GET', '/v1/turns?state=completed')).body.turns.length > 0);
      const enc = encodeURIComponent;
      for (const agent of [
        "' OR '1'='1",
        "tester' OR HoldfastRequester = 'acme/rita",
        '\\',
        "\\' OR ''='",
        "tester') OR (1=1",
        '%',
        '*',
        '_',
      ]) {
        const answer = await send(eve, 'GET', `/v1/turns?agent=${enc(agent)}`);
        expect({ agent, ...answer }).toMatchObject({ agent, status: 200, body: { turns: [] } });
      }
      for (const query of [
        "state=completed' OR '1'='1",
        'state=__proto__',
        'state[]=completed',
        'state=completed&state=failed',
        'limit=0',
        'limit=1e9',
        'limit=-1',
        'x=1',
        'agent=',
        'constructor=1',
      ])
        expect({ query, status: (await send(eve, 'GET', `/v1/turns?${query.replaceAll(' ', '%20')}`)).status }).toEqual({
          query,
          status: 400,
        });
      for (const id of [
        "'",
        '"',
        '..',
        '.',
        '__proto__',
        'x/../y',
        `${turn_id}'`,
        `${turn_id}%00`,
        'a\r\nb',
        'call/',
        'call/../x',
        'turn/x',
        'ä',
        `${'x'.repeat(129)}`,
      ])
        expect({ id, status: (await send(rita, 'GET', `/v1/turns/${enc(id)}`)).status }).toEqual({ id, status: 404 });
      for (const body of [
        '{"agent":"tester","message":"m","__proto__":{"x":1}}',
        '{"agent":"tester","agent":"x","message":"m"}',
        '{"agent":["tester"],"message":"m"}',
        '{"agent":"tester","message":"\\ud800"}',
        '[]',
        'null',
        '"x"',
        '',
      ])
        expect({
          sent: body,
          status: (await send(rita, 'POST', '/v1/turns', body, { 'content-type': 'application/json' })).status,
        }).toEqual({ sent: body, status: 400 });
      expect(
        (await send(rita, 'POST', '/v1/turns', 'agent=tester', { 'content-type': 'application/x-www-form-urlencoded' })).status,
      ).toBe(415);
      expect((await send(rita, 'POST', '/v1/turns', JSON.stringify(start), { 'content-type': 'text/plain' })).status).toBe(415);
    }));
});

describe('tools over HTTP', () => {
  const tools = (effects: unknown[]) => [
    pays('pay', effects),
    reads('look', ({ key }: { key: string }) => ({ found: key })),
    reads('fails', () => {
      throw new Error('secret path');
    }),
  ];

  it('are called: a read answers its envelope; a destructive tool answers where to approve, and acts once', async () => {
    const effects: unknown[] = [];
    await scene({ tools: tools(effects) }, async ({ send, client }) => {
      const read = await send(rita, 'POST', '/tools/look', { input: { key: 'a' }, options: { enable_cache: false } });
      expect(read).toMatchObject({ status: 200, body: { success: true, data: { found: 'a' }, metadata: { tool_name: 'look' } } });
      expect(await send(rita, 'POST', '/tools/look', { input: { key: 1 } })).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMS' } },
      });
      expect((await send(rita, 'POST', '/tools/nothing', { input: {} })).status).toBe(404);
      expect((await send(rita, 'POST', '/tools/look', { input: {}, options: { enable_cash: true } })).status).toBe(400);

      const key = { 'idempotency-key': ownKey('pay-7') };
      const asked = await send(rita, 'POST', '/tools/pay', { input: invoice }, key);
      expect(asked).toMatchObject({
        status: 202,
        body: { call_id: expect.stringMatching(/^call\/k_/), state: 'awaiting_approval' },
      });
      const { call_id, pending, view_url, decisions_url } = asked.body;
      expect(effects).toEqual([]);
      expect((await send(eve, 'GET', view_url)).status).toBe(404);
      expect((await send(eve, 'POST', decisions_url, { decision: 'approve', call: pending[0] })).status).toBe(404);
      expect((await send(ana, 'POST', decisions_url, { decision: 'approve', call: pending[0] })).status).toBe(200);
      await client.turn(call_id).result();
      expect(await send(rita, 'POST', '/tools/pay', { input: invoice }, key)).toMatchObject({
        status: 200,
        body: { success: true, data: { paid: true } },
      });
      expect(effects).toEqual([invoice]);
      expect((await send(rita, 'GET', view_url)).body.state).toBe('completed');
    });
  });
});
