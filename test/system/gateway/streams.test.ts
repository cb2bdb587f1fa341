import { InProcessLive } from '../../../src/live/in-process';
import { serveGateway, type RunningGateway } from '../../../src/gateway/serve';
import { type ModelProvider, ModelFailure } from '../../../src/model/provider';
import { binaryFile } from '../../../src/tools/results/result-files';
import { defineTool } from '../../../src/tools/define/define';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { ToolError } from '../../../src/tools/define/errors';
import { startCuttingProxy, type Cut } from '../support/cutting-proxy';
import { eventually, withEngine, type Engine, type Setup } from '../../engine/support/engine';
import { readEvents } from '../support/event-reader';
import { gatewayParts, ownKey, person } from '../../support/gateway';
import { ask, say, ScriptedModel } from '../../support/scripted-model';
import { reset } from '../support/temporal-cli';
import { pays, reads } from '../../support/tools';
import type { GatewayParts } from '../../../src/gateway/route';

jest.setTimeout(180_000);

const rita = person('acme/rita', 'starter');
const olga = person('olga', 'auditor');
const eve = person('globex/eve', 'starter', 'admin');
const invoice = { invoice: 'INV-7', cents: 700 };

interface Scene extends Engine {
  gateway: RunningGateway;
  /** Another one over the same turns. */
  another(more?: Partial<GatewayParts>): Promise<RunningGateway>;
}

async function scene(setup: Setup, body: (scene: Scene) => Promise<void>, more: Partial<GatewayParts> = {}): Promise<void> {
  await withEngine(setup, async (engine) => {
    const open: RunningGateway[] = [];
    const app = defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools: setup.tools ?? [] })] });
    const streams = { retryMs: 20 };
    const another = async (others: Partial<GatewayParts> = {}) => {
      const common = { store: engine.store, client: async () => engine.client, catalogue: async () => catalogueOf(app), streams };
      const parts = gatewayParts({ people: [rita, olga, eve], ...common, ...more, ...others });
      const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
      open.push(gateway);
      return gateway;
    };
    try {
      await body({ ...engine, gateway: await another(), another });
    } finally {
      for (const gateway of open) await gateway.close();
    }
  });
}

const eventsOf = (gateway: { url: string }, turn: { id: string }) =>
  `${gateway.url}/v1/turns/${encodeURIComponent(turn.id)}/events`;

/** The whole stream of a turn that has ended, in one go. */
async function whole(url: string, headers: Record<string, string>): Promise<{ id: string; type: string }[]> {
  const text = await (await fetch(url, { headers })).text();
  return [...text.matchAll(/event: (\w+)\nid: (\S+)\n/g)].map(([, type, id]) => ({ type: type!, id: id! }));
}

describe('the events of a turn', () => {
  it.each<Cut>(['after each event', 'within each event'])(
    'reach an EventSource once each and in order, though its connection is cut %s',
    async (cut) => {
      const tools = [reads('look', () => ({ found: true })), pays('pay', [])];
      const script = [
        ask(['look', { key: 'a' }], ['look', { key: 'b' }], ['look', { key: 'c' }]),
        ask(['pay', invoice]),
        say('Paid.'),
      ];
      await scene({ tools, script }, async ({ start, gateway }) => {
        const proxy = await startCuttingProxy(gateway.url, cut);
        const turn = await start('Pay.', { requester: 'acme/rita' });
        const reader = readEvents(eventsOf(proxy, turn), rita.headers);
        try {
          await reader.until(({ type }) => type === 'approval_requested');
          const [call] = await turn.waitForPending();
          await turn.approve(call.digest, { by: 'ana' });
          expect(await reader.over).toBe(204); // it has every event: it stays away
          const told = reader.durable();
          const expected = await whole(eventsOf(gateway, turn), rita.headers);
          expect(told.map(({ type, lastEventId }) => ({ type, id: lastEventId }))).toEqual(expected);
          expect(told.map(({ data }) => data.seq)).toEqual(expected.map((_event, index) => index + 1));
          expect(expected.at(-1)!.type).toBe('turn_completed');
          expect(expected.length).toBeGreaterThan(17);
          expect(proxy.cuts()).toBeGreaterThanOrEqual(expected.length - 1);
        } finally {
          reader.close();
          await proxy.close();
        }
      });
    },
  );

  it('begin at one gateway and go on at another', async () => {
    await scene(
      { tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('Paid.')] },
      async ({ start, gateway, another }) => {
        const second = await another();
        const proxy = await startCuttingProxy(gateway.url, 'never');
        const turn = await start('Pay.', { requester: 'acme/rita' });
        const reader = readEvents(eventsOf(proxy, turn), rita.headers);
        const asked = await reader.until(({ type }) => type === 'approval_requested');
        proxy.leadTo(second.url);
        await gateway.close();
        await turn.approve(asked.data.digest, { by: 'ana' });
        expect(await reader.over).toBe(204);
        expect(reader.durable().map(({ lastEventId }) => lastEventId)).toEqual(
          (await whole(eventsOf(second, turn), rita.headers)).map(({ id }) => id),
        );
        await proxy.close();
      },
    );
  });

  it('cost the turn nothing: 200 watchers, one reader, as many history events as with none', async () => {
    const model = (): ModelProvider =>
      new ScriptedModel([ask(['pay', invoice]), say('Paid.'), ask(['pay', invoice]), say('Paid.')]);
    await scene({ tools: [pays('pay', [])], model: model() }, async ({ start, client, gateway }) => {
      const run = async (watch: (turn: { id: string }) => Promise<() => Promise<void>>) => {
        const turn = await start('Pay.', { requester: 'acme/rita' });
        const done = await watch(turn);
        const [call] = await turn.waitForPending();
        await turn.approve(call.digest, { by: 'ana' });
        await turn.result();
        await done();
        return (await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory()).events!.length;
      };
      const alone = await run(async () => async () => undefined);
      const service = client.temporal.workflowService;
      const polls = jest.spyOn(service, 'getWorkflowExecutionHistory');
      const watched = await run(async (turn) => {
        const readers = Array.from({ length: 200 }, () => whole(eventsOf(gateway, turn), rita.headers));
        await eventually('the reader', async () => polls.mock.calls.length > 0);
        return async () => {
          const told = await Promise.all(readers);
          expect(told[0]!.at(-1)!.type).toBe('turn_completed');
          for (const one of told) expect(one).toEqual(told[0]);
        };
      });
      expect(watched).toBe(alone);
      expect(polls.mock.calls.length).toBeLessThan(60);
    });
  });

  it('arrive as decisions are made, also decisions by signal as the Web UI sends them, while another call still waits', async () => {
    const script = [ask(['pay', invoice], ['pay', { invoice: 'INV-8', cents: 800 }]), say('Done.')];
    await scene({ tools: [pays('pay', [])], script }, async ({ start, client, gateway }) => {
      const turn = await start('Pay.', { requester: 'acme/rita' });
      const calls = await eventually('two questions', async () => {
        const pending = await turn.pending();
        return pending.length === 2 && pending;
      });
      const reader = readEvents(eventsOf(gateway, turn), rita.headers);
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      await handle.signal('deny', { call: 'f'.repeat(64), by: 'nobody' });
      await handle.signal('deny', { call: calls[1]!.digest, by: 'bob', note: 'no' });
      const denied = await reader.until(({ type }) => type === 'approval_decided');
      expect(denied.data).toMatchObject({
        call: calls[1]!.id,
        digest: calls[1]!.digest,
        decision: 'deny',
        by: 'bob',
        note: 'no',
      });
      expect((await turn.pending()).map(({ digest }) => digest)).toEqual([calls[0]!.digest]);
      await handle.signal('deny', { call: calls[1]!.digest, by: 'carl' }); // it is decided
      await turn.approve(calls[0]!.digest, { by: 'ana' });
      expect(await reader.over).toBe(204);
      const decided = reader.durable().filter(({ type }) => type === 'approval_decided');
      expect(decided.map(({ data }) => [data.by, data.decision])).toEqual([
        ['bob', 'deny'],
        ['ana', 'approve'],
      ]);
    });
  });

  it('have a metric of their own, apart from ordinary requests', async () => {
    await scene({ tools: [reads('look', () => 1)], script: [say('done')] }, async ({ gateway, start }) => {
      const turn = await start('Hi.', { requester: 'acme/rita' });
      await turn.result();
      const url = eventsOf(gateway, turn);
      expect((await whole(url, rita.headers)).at(-1)!.type).toBe('turn_completed');
      expect((await fetch(url.replace(turn.id, 'none'), { headers: rita.headers })).status).toBe(404);
      const metrics = async () => (await fetch(`${gateway.url}/metrics`, { headers: olga.headers })).text();
      const labels = '{method="GET",route="/v1/turns/:id/events"}';
      const text = await eventually('it is counted', async () => {
        const counted = await metrics();
        return counted.includes('route="/v1/turns/:id/events",status="200"') && counted;
      });
      expect(text).toContain(`holdfast_http_stream_seconds_count${labels} 1`);
      expect(text).toContain(`holdfast_http_request_seconds_count${labels} 1`); // the one that was refused
    });
  });

  it('go on over a reset: events that were sent are not sent again, and later ones are sent', async () => {
    const script = [ask(['pay', invoice]), say('Paid.'), say('Paid.'), say('Paid.')];
    await scene({ tools: [pays('pay', [])], script }, async ({ start, client, gateway }) => {
      const turn = await start('Pay.', { requester: 'acme/rita' });
      const reader = readEvents(eventsOf(gateway, turn), rita.headers);
      const first = await reader.until(({ type }) => type === 'approval_requested');
      await client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: first.data.digest, by: 'ana' });
      expect(await reader.over).toBe(204);
      const last = reader.durable().at(-1)!.lastEventId;
      await reset(client, turn, 'before the approval');
      const second = readEvents(eventsOf(gateway, turn), rita.headers, last);
      const anew = await second.until(({ type }) => type === 'approval_requested');
      expect(second.durable()[0]).toMatchObject({ type: 'turn_reset', data: { durable: true } });
      expect(anew.data.digest).not.toBe(first.data.digest);
      await turn.approve(anew.data.digest, { by: 'ana' });
      expect(await second.over).toBe(204);
      const all = await whole(eventsOf(gateway, turn), rita.headers);
      const ids = all.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const told = [...reader.durable().slice(0, -1), ...second.durable()].map(({ lastEventId }) => lastEventId);
      expect(ids).toEqual(told); // the end of the run that was reset is none
      expect(all.filter(({ type }) => type === 'turn_started')).toHaveLength(1);
    });
  });

  it('are refused to a principal that may not see the turn, after an unknown event id, and beyond the bounds', async () => {
    const more = { streams: { perPrincipal: 2, inAll: 3 } };
    await scene(
      { tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('Refused.')] },
      async ({ start, gateway }) => {
        const turn = await start('Pay.', { requester: 'acme/rita' });
        await turn.waitForPending();
        const url = eventsOf(gateway, turn);
        const get = (headers: Record<string, string>, at = url) => fetch(at, { headers });
        expect((await get({})).status).toBe(401);
        expect((await get(eve.headers)).status).toBe(404);
        expect((await get(eve.headers, url.replace(turn.id, 'no-such-turn'))).status).toBe(404);
        for (const id of ['junk', '1-2', '0-0-0', '1-2-3-4', '-1-2-3', '1-1-1%0d', '9'.repeat(40)]) {
          const answer = await get({ ...rita.headers, 'last-event-id': id });
          expect([id, answer.status]).toEqual([id, 400]);
          expect(await answer.json()).toMatchObject({ error: { code: 'INVALID_PARAMS', reason: 'bad_event_id' } });
        }
        const streams = [await get(rita.headers), await get(rita.headers)];
        expect(streams[0]!.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
        expect(streams[0]!.headers.get('cache-control')).toBe('no-store, no-transform');
        expect(streams[0]!.headers.get('x-accel-buffering')).toBe('no');
        const third = await get(rita.headers);
        expect(third.status).toBe(429);
        expect(third.headers.get('retry-after')).toBe('5');
        expect(await third.json()).toMatchObject({ error: { code: 'RATE_LIMITED', reason: 'too_many_streams' } });
        streams.push(await get(olga.headers));
        expect(await (await get(olga.headers)).json()).toMatchObject({ error: { reason: 'gateway_full' } });
        await streams[0]!.body!.cancel();
        await eventually('a place', async () => {
          const again = await get(rita.headers);
          streams.push(again);
          return again.status === 200;
        });
        for (const { body } of streams) await body?.cancel().catch(() => undefined);
        const [call] = await turn.pending();
        await turn.deny(call!.digest, { by: 'ana' });
        await turn.result();
      },
      more,
    );
  });

  it('end with a comment when the gateway drains', async () => {
    await scene({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('No.')] }, async ({ start, another }) => {
      const gateway = await another();
      const turn = await start('Pay.', { requester: 'acme/rita' });
      const [call] = await turn.waitForPending();
      const { body: stream } = await fetch(eventsOf(gateway, turn), { headers: rita.headers });
      let text = '';
      for await (const bytes of stream as unknown as AsyncIterable<Uint8Array>) {
        const before = text;
        text += Buffer.from(bytes).toString();
        const asked = 'event: approval_requested';
        if (text.includes(asked) && !before.includes(asked)) void gateway.close();
      }
      expect(text).toMatch(/: the gateway is closing; reconnect\n\n$/);
      await turn.deny(call.digest, { by: 'ana' });
      await turn.result();
    });
  });
});

describe('an event that is stored nowhere', () => {
  /** Breaks off once in the middle of its text. */
  const broken = (after: () => Promise<void>): ModelProvider => {
    const scripted = new ScriptedModel([say('Hello there.')]);
    let attempt = 0;
    return {
      name: 'broken',
      async request(request, callbacks) {
        attempt += 1;
        callbacks.onText?.(attempt === 1 ? 'Hel' : 'Hello ');
        await after();
        if (attempt === 1) throw new ModelFailure('gone', { type: 'model.network', retryable: true, status: null });
        callbacks.onText?.('there.');
        return scripted.request(request, callbacks);
      },
    };
  };

  it('is sent live, marked, with its attempt; and a reader who comes late gets the finished block instead', async () => {
    const live = new InProcessLive();
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 1500));
    await scene({ model: broken(pause), settings: { live } }, async ({ start, gateway }) => {
      const turn = await start('Hi.', { requester: 'acme/rita' });
      const reader = readEvents(eventsOf(gateway, turn), rita.headers);
      expect(await reader.over).toBe(204);
      const deltas = reader.told.filter(({ type }) => type === 'text_delta').map(({ data }) => data);
      const second = deltas.filter(({ attempt }) => attempt === 2);
      expect(second.map(({ text }) => text).join('')).toMatch(/^Hello (there\.)?$/);
      expect(second[0]).toMatchObject({ durable: false, step: 1, offset: 0 });
      const done = reader.told.findIndex(({ type }) => type === 'step_completed');
      expect(reader.told[done]!.data).toMatchObject({ text: 'Hello there.', durable: true });
      expect(reader.told.slice(done).some(({ type }) => type === 'text_delta')).toBe(false);
      // A piece of text has no id: it does not move the place where the reader resumes.
      expect(reader.told.find(({ type }) => type === 'text_delta')!.lastEventId).toBe('');
      expect((await whole(eventsOf(gateway, turn), rita.headers)).map(({ type }) => type)).toEqual(
        reader.durable().map(({ type }) => type),
      );
    });
  });
});

describe('a direct call as a stream', () => {
  let runs = 0;
  const slow = reads('slow', async (_input: unknown, ctx: any) => {
    runs += 1;
    if (ctx.attempt === 1) throw new ToolError('NETWORK_ERROR', 'upstream_gone', 'It is gone.');
    ctx.progress('half of it', 0.5);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return { done: true };
  });
  const add = defineTool({
    name: 'add',
    version: '1.0.0',
    class: 'compute',
    description: 'Adds.',
    input: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'integer' }, loud: { type: 'boolean' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    run: ({ a, b, loud }: any) => ({ sum: a + b, loud: loud ?? null }),
  } as never);
  const pay = pays('pay', []);
  const setup = (): Setup => ({ tools: [slow, add, pay], settings: { live: new InProcessLive() } });

  it('has the four events of the specification; an EventSource that is cut off at each of them starts it once', async () => {
    await scene(setup(), async ({ gateway }) => {
      const proxy = await startCuttingProxy(gateway.url, 'after each event');
      runs = 0;
      const reader = readEvents(`${proxy.url}/tools/slow/sse?key=x`, rita.headers);
      expect(await reader.over).toBe(204);
      expect(runs).toBe(2); // one call, and its retry
      const [first] = reader.told;
      expect(first).toMatchObject({ type: 'tool_progress', data: { progress: 0, metadata: { tool_name: 'slow' } } });
      const result = reader.told.at(-1)!;
      expect(result).toMatchObject({
        type: 'tool_result',
        data: {
          success: true,
          status: 'success',
          data: { done: true },
          metadata: { tool_name: 'slow', trace_id: expect.any(String) },
        },
      });
      expect(reader.told.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
      await proxy.close();
      runs = 0;
      const calm = readEvents(`${gateway.url}/tools/slow/sse?key=y`, rita.headers);
      expect(await calm.over).toBe(204);
      expect(calm.told.find(({ type }) => type === 'tool_retrying')!.data).toMatchObject({
        retry_count: 1,
        max_retries: 3,
        error: { code: 'NETWORK_ERROR', message: expect.any(String) },
        metadata: { tool_name: 'slow', timestamp: expect.any(String) },
      });
      expect(calm.told.find(({ data }) => data.progress === 50)!.data).toMatchObject({ message: 'half of it', durable: false });
      const { trace_id } = calm.told.at(-1)!.data.metadata;
      const before = calm.told.slice(0, -1);
      expect(before.map(({ data }) => data.metadata.trace_id)).toEqual(before.map(() => trace_id));
      const ids = calm.told.map(({ lastEventId }) => lastEventId);
      expect(ids.every((id) => id !== '') && new Set(ids).size === ids.length).toBe(true);
    });
  });

  it('is the answer of POST when the call runs for longer than a second, to clients that accept it', async () => {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const open = reads('open', async (_input: unknown, ctx: any) => {
      ctx.progress('half of it', 0.5);
      await ended;
      return { done: true };
    });
    await scene({ ...setup(), tools: [slow, add, pay, open] }, async ({ gateway }) => {
      const call = (tool: string, input: object, accept: string) =>
        fetch(`${gateway.url}/tools/${tool}`, {
          method: 'POST',
          headers: { ...rita.headers, 'content-type': 'application/json', accept },
          body: JSON.stringify({ input }),
        });
      const brief = (tool: string, input: object, accept: string) =>
        eventually('it is answered within a second', async () => {
          const answer = await call(tool, input, accept);
          if (answer.headers.get('content-type')!.startsWith('application/json')) return answer;
          await answer.body!.cancel();
          return undefined;
        });
      const streamed = await call('open', {}, 'application/json, text/event-stream');
      end();
      expect([streamed.status, streamed.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
      expect(streamed.headers.get('x-holdfast-call')).toMatch(/^call/);
      const text = await streamed.text();
      expect(text).toMatch(/event: tool_progress\nid: \S+:0-0-0\n/);
      expect(text.match(/event: tool_result\n/g)).toHaveLength(1);
      for (const [tool, input, accept] of [
        ['add', { a: 1, b: 2 }, 'text/event-stream'],
        ['slow', { key: 'y' }, '*/*'],
        ['slow', { key: 'x' }, 'text/event-stream;q=0'],
      ] as const)
        // oxfmt-ignore
        expect(await (await brief(tool, input, accept)).json()).toMatchObject({ success: true });
      const asks = await brief('pay', { invoice: 'INV-7', cents: 700 }, 'text/event-stream');
      expect([asks.status, await asks.json()]).toMatchObject([202, { state: 'awaiting_approval' }]);
    });
  });

  it('carries files below 1 MB as base64, and no others; an object that only looks like a file of ours stays as it is', async () => {
    const bytes = (size: number) => Buffer.alloc(size, 'x');
    const file = (filename: string, size: number) => binaryFile({ filename, contentType: 'text/plain', bytes: bytes(size) });
    const fake = { filename: 'f', content_type: 'text/plain', sha256: 'a'.repeat(64), ref: 'b'.repeat(64), url: 'http://x/?expires=9999999999&signature=x', expires_at: 'x' }; // oxfmt-ignore
    const makes = reads('makes', () => ({ small: file('s', 10), middle: file('m', 600_000), large: file('l', 1_000_000), fake }));
    await scene({ tools: [makes] }, async ({ gateway }) => {
      const posted = await fetch(`${gateway.url}/tools/makes`, {
        method: 'POST',
        headers: { ...rita.headers, 'content-type': 'application/json' },
        body: '{"input":{}}',
      });
      const { data } = (await posted.json()) as any;
      expect(Buffer.from(data.middle.content_base64, 'base64').equals(bytes(600_000))).toBe(true);
      expect(data.middle.url).toBe(undefined);
      expect(Buffer.from(data.small.content_base64, 'base64').equals(bytes(10))).toBe(true);
      expect(data.large).toMatchObject({ url: expect.any(String), expires_at: expect.any(String) });
      expect(data.fake).toEqual(fake);
      const told = await (await fetch(`${gateway.url}/tools/makes/sse?key=x`, { headers: rita.headers })).text();
      expect(told).toContain(data.middle.content_base64);
    });
  });

  it('takes its input from the address, as the tool’s schema means it, or as JSON', async () => {
    await scene(setup(), async ({ gateway }) => {
      const asked = async (query: string) => {
        const text = await (await fetch(`${gateway.url}/tools/add/sse?${query}`, { headers: rita.headers })).text();
        const [, type, data] = /event: (tool_result|tool_error)\nid: \S+\ndata: (.*)\n\n/.exec(text) ?? [];
        return { type, ...(JSON.parse(data ?? text) as object) } as any;
      };
      expect(await asked('a=1.5&b=2&loud=true')).toMatchObject({ type: 'tool_result', data: { sum: 3.5, loud: true } });
      expect(await asked(`input=${encodeURIComponent('{"a":1,"b":2}')}`)).toMatchObject({ data: { sum: 3, loud: null } });
      expect(await asked('a=one&b=2')).toMatchObject({ type: 'tool_error', error: { code: 'INVALID_PARAMS' } });
      expect(await asked('a=1&b=2&__proto__=x&constructor=y')).toMatchObject({ error: { code: 'INVALID_PARAMS' } });
      expect(await asked('input=%5B1%5D')).toMatchObject({ error: { code: 'INVALID_PARAMS', reason: 'bad_query' } });
    });
  });

  it('of a tool that can do harm is started by POST, and followed by GET', async () => {
    await scene(setup(), async ({ gateway, client }) => {
      const url = `${gateway.url}/tools/pay/sse`;
      const refused = await fetch(`${url}?invoice=INV-7&cents=700`, { headers: rita.headers });
      expect([refused.status, await refused.json()]).toMatchObject([405, { error: { reason: 'not_by_get' } }]);
      expect((await fetch(`${url}?invoice=INV-7&cents=700`, { method: 'HEAD', headers: rita.headers })).status).toBe(405);
      const headers = { ...rita.headers, 'content-type': 'application/json', 'idempotency-key': ownKey('pay-7') };
      const post = async () => (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ input: invoice }) })).json();
      const started: any = await post();
      expect(await post()).toEqual(started);
      expect((await fetch(`${gateway.url}${started.events_url}`, { headers: eve.headers })).status).toBe(404);
      const reader = readEvents(`${gateway.url}${started.events_url}`, rita.headers);
      const question = await reader.until(({ type }) => type === 'approval_requested');
      await client.turn(started.call_id).approve(question.data.digest, { by: 'ana' });
      expect(await reader.over).toBe(204);
      expect(reader.told.map(({ type }) => type)).toEqual(['approval_requested', 'approval_decided', 'tool_result']);
      expect(reader.told.at(-1)!.data).toMatchObject({ success: true, data: { paid: true } });
    });
  });

  it('of an MCP server is started by POST alone: its class is known to the workers', async () => {
    const agents = [defineAgent({ name: 'tester', prompt: 'Test.', tools: [], mcpServers: ['files'] })];
    const catalogue = async () => catalogueOf(defineApp({ agents }));
    const body = async ({ gateway }: Scene) => {
      const url = `${gateway.url}/tools/files__read_file/sse`;
      const answer = async (init: RequestInit = {}) => {
        const headers = { ...rita.headers, 'content-type': 'application/json' };
        const response = await fetch(url, { ...init, headers });
        return [response.status, await response.json()];
      };
      expect(await answer()).toMatchObject([405, { error: { reason: 'not_by_get' } }]);
      const [status, started] = (await answer({ method: 'POST', body: JSON.stringify({ input: {} }) })) as [number, any];
      expect({ status, ...started }).toMatchObject({
        status: 202,
        events_url: expect.stringContaining('files__read_file/sse?call='),
      });
      const reader = readEvents(`${gateway.url}${started.events_url}`, rita.headers);
      expect(await reader.over).toBe(204);
      // The worker has no such server: it says so, and not the gateway.
      expect(reader.told.at(-1)).toMatchObject({ type: 'tool_error', data: { error: { code: 'TOOL_NOT_FOUND' } } });
      const shown = await fetch(`${gateway.url}/tools/files__read_file`, { headers: rita.headers });
      expect([shown.status, await shown.json()]).toMatchObject([404, { error: { reason: 'not_known_here' } }]);
      expect((await fetch(`${gateway.url}/tools/nothing/sse`, { headers: rita.headers })).status).toBe(404);
    };
    await scene({}, body, { catalogue });
  });

  it('that somebody else has started cannot be followed or resumed', async () => {
    await scene(setup(), async ({ gateway, call }) => {
      const { turn } = await call('add', { a: 1, b: 2 }, { requester: 'globex/eve' });
      await turn.result();
      const bare = turn.id.replace('call/', '');
      const ways = [`${gateway.url}/tools/add/sse?call=${bare}`, `${gateway.url}/tools/add/sse?a=1&b=2`];
      expect((await fetch(ways[0]!, { headers: rita.headers })).status).toBe(404);
      const forged = { ...rita.headers, 'last-event-id': `${bare}:0-0-0` };
      expect((await fetch(ways[1]!, { headers: forged })).status).toBe(404);
      const junk = { ...rita.headers, 'last-event-id': `..:1-1-1` };
      expect((await fetch(ways[1]!, { headers: junk })).status).toBe(400);
      expect((await fetch(ways[1]!, { headers: olga.headers })).status).toBe(403); // an auditor starts nothing
    });
  });
});
