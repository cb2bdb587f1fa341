import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { catalogueOf } from '../../../../src/gateway/tool-catalogue';
import { binaryFile } from '../../../../src/tools/results/result-files';
import { ToolError } from '../../../../src/tools/define/errors';
import { eventually, listedAsWaiting } from '../../../engine/support/engine';
import { createPrincipal } from '../../../../src/gateway/auth/principals';
import { person } from '../../../support/gateway';
import { textOf, withMcp } from '../../../engine/support/mcp';
import { ask, say } from '../../../support/scripted-model';
import { pays, reads } from '../../../support/tools';
import type { Tool } from '../../../../src/tools/define/tool';

const stan = person('acme/stan', 'starter');
const ada = person('acme/ada', 'admin', 'approver');
const eve = person('globex/eve', 'admin', 'approver');
const people = [stan, ada, eve];
const invoice = { invoice: 'INV-7', cents: 700 };
/** People whose turns belong to one test alone: all tests share a server. */
const someone = () => person(`acme/${randomUUID()}`, 'starter', 'approver');
const META = 'holdfast/call';

const appWith = (...tools: Tool[]) => defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools })] });

describe('our MCP server', () => {
  it('lists tools with schemas and annotations, agents, and none that is internal', () => {
    const output = z.object({ value: z.number() });
    const tools = [
      reads('look', () => ({ value: 1 }), { output }),
      pays('pay', []),
      reads('secret', () => 1, { internalOnly: true }),
    ];
    return withMcp({ people, tools }, async ({ connect }) => {
      const { tools: listed } = await (await connect(stan)).listTools();
      expect(listed.map(({ name }) => name).sort()).toEqual(['ask_tester', 'holdfast_outcome', 'look', 'pay']);
      const look = listed.find(({ name }) => name === 'look');
      expect(look).toMatchObject({
        annotations: { readOnlyHint: true, destructiveHint: false },
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object', properties: { value: { type: 'number' } } },
      });
      expect(listed.find(({ name }) => name === 'pay')).toMatchObject({
        annotations: { readOnlyHint: false, destructiveHint: true },
      });
    });
  });

  it('calls a tool through the whole pipeline: data as structured content, mistakes as errors that the model reads', () => {
    const look = reads('look', ({ key }) => {
      if (key === 'gone') throw new ToolError('RESOURCE_NOT_FOUND', 'no_such_key', 'There is no such key.', { hint: 'Try k.' });
      return { key };
    });
    return withMcp({ people, tools: [look] }, async ({ connect, client: holdfast }) => {
      const client = await connect(stan);
      const good = await client.callTool({ name: 'look', arguments: { key: 'a' } });
      expect(good).toMatchObject({ structuredContent: { key: 'a' }, content: [{ type: 'text', text: '{"key":"a"}' }] });
      expect(good.isError).toBeUndefined();
      const { id, state, trace_id } = (good._meta as any)[META];
      expect({ state, trace_id }).toMatchObject({ state: 'completed', trace_id: expect.stringMatching(/^trace_\d{8}_/) });
      expect(await holdfast.find(id)).toMatchObject({ requester: 'acme/stan', agent: 'tester', state: 'completed' });

      const missing = await client.callTool({ name: 'look', arguments: { key: 'gone' } });
      expect(missing.isError).toBe(true);
      expect(JSON.parse(textOf(missing)).error).toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
        reason: 'no_such_key',
        hint: 'Try k.',
      });
      const wrong = await client.callTool({ name: 'look', arguments: { nonsense: 1 } });
      expect(JSON.parse(textOf(wrong)).error).toMatchObject({ code: 'INVALID_PARAMS' });
      await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
      await expect(client.callTool({ name: '__proto__', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    });
  });

  it('passes pictures, sound and files on as such, and their bytes to no model', () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const files = [
      { filename: 'a.png', contentType: 'image/png', bytes: png },
      { filename: 'b.wav', contentType: 'audio/wav', bytes: Buffer.from('RIFF') },
      { filename: 'c.txt', contentType: 'text/plain', bytes: Buffer.from('hello') },
      { filename: 'd.bin', contentType: 'application/octet-stream', bytes: Buffer.from([0xff, 0]) },
    ];
    return withMcp({ people, tools: [reads('draw', () => ({ files: files.map(binaryFile) }))] }, async ({ connect }) => {
      const { content } = await (await connect(stan)).callTool({ name: 'draw' });
      expect(content).toMatchObject([
        { type: 'text' },
        { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
        { type: 'audio', mimeType: 'audio/wav' },
        {
          type: 'resource',
          resource: {
            mimeType: 'text/plain',
            text: 'hello',
            uri: expect.stringMatching(/^holdfast:\/\/files\/[0-9a-f]{64}\/c\.txt$/),
          },
        },
        { type: 'resource', resource: { mimeType: 'application/octet-stream', blob: '/wA=' } },
      ]);
      expect(textOf({ content })).not.toContain(png.toString('base64'));
    });
  });

  it('names a tool that several agents have after each of them, and a client may choose one', () => {
    const look = (by: string) => reads('look', () => ({ by }));
    const agents = [
      { name: 'one', prompt: 'One.', tools: [look('one'), reads('only', () => 1)] },
      { name: 'two', prompt: 'Two.', tools: [look('two')] },
    ];
    return withMcp({ people, agents }, async ({ connect }) => {
      const all = await connect(stan);
      expect((await all.listTools()).tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['one__look', 'two__look', 'only', 'ask_one', 'ask_two']),
      );
      expect((await all.callTool({ name: 'two__look' })).structuredContent).toEqual({ by: 'two' });
      const two = await connect(stan, { agent: 'two' });
      expect((await two.listTools()).tools.map(({ name }) => name).sort()).toEqual(['ask_two', 'holdfast_outcome', 'look']);
      expect((await two.callTool({ name: 'look' })).structuredContent).toEqual({ by: 'two' });
      await expect(connect(stan, { agent: 'three' })).rejects.toThrow('unknown_agent');
    });
  });

  it('tells its clients when its offer has changed', () => {
    const before = catalogueOf(appWith(reads('look', () => 1))).all();
    const after = catalogueOf(
      appWith(
        reads('look', () => 1),
        reads('hear', () => 1),
      ),
    ).all();
    let entries = before;
    const parts = {
      catalogue: async () => ({
        ...{ all: () => entries, callable: () => entries, mayBeOutside: () => false, mcp: {} },
        ...{ agents: [], prepared: () => undefined },
      }),
    };
    return withMcp({ people, tools: [], parts }, async ({ connect }) => {
      const client = await connect(stan);
      let told = 0;
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('hear');
      entries = after;
      await eventually('it is told', async () => told > 0);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('hear');
    });
  });

  it('runs a call once that comes twice under one key, for each principal separately', () => {
    let runs = 0;
    const write = reads('note', () => ({ run: ++runs }), { class: 'write' });
    return withMcp({ people, tools: [write] }, async ({ connect }) => {
      const client = await connect(stan);
      const call = (key: string) => client.callTool({ name: 'note', arguments: {}, _meta: { 'holdfast/idempotency_key': key } });
      const [first, second] = await Promise.all([call('k1'), call('k1')]);
      expect(first!.structuredContent).toEqual({ run: 1 });
      expect(second!.structuredContent).toEqual({ run: 1 });
      const other = await (await connect(ada)).callTool({ name: 'note', _meta: { 'holdfast/idempotency_key': 'k1' } });
      expect(other.structuredContent).toEqual({ run: 2 });
      const again = await client.callTool({ name: 'note', arguments: { key: 'z' }, _meta: { 'holdfast/idempotency_key': 'k1' } });
      expect(JSON.parse(textOf(again)).error).toMatchObject({ reason: 'key_used' });
    });
  });
});

describe('a call that waits for a person', () => {
  it('is asked about at the client of an approver: he sees what will happen, and it runs once', () => {
    const effects: unknown[] = [];
    return withMcp(
      { people, tools: [pays('pay', effects, { preview: () => 'Pay ACME 7.00' })] },
      async ({ connect, client: holdfast }) => {
        const seen: string[] = [];
        const client = await connect(ada, {
          asked: async (message) => {
            seen.push(message);
            return { action: 'accept', content: { decision: 'approve', note: 'fine' } };
          },
        });
        const result = await client.callTool({ name: 'pay', arguments: invoice });
        expect(result.structuredContent).toEqual({ paid: true });
        expect(effects).toEqual([invoice]);
        expect(seen).toHaveLength(1);
        expect(seen[0]).toContain('Pay ACME 7.00');
        expect(seen[0]).toContain('INV-7');
        const view = await holdfast.turn((result._meta as any)[META].id).status();
        expect(view.calls[0]!.approval.decisions).toMatchObject([{ by: 'acme/ada', note: 'fine', attested: true }]);
      },
    );
  });

  it('is not approved by somebody who has lost the role while the question was open', () => {
    const effects: unknown[] = [];
    let roles = ['starter', 'approver'];
    const authenticator = { authenticate: async () => createPrincipal('acme/ada', roles), hint: '' };
    return withMcp({ people, tools: [pays('pay', effects)], parts: { authenticator } }, async ({ connect }) => {
      const client = await connect(ada, {
        asked: async () => {
          roles = ['starter'];
          return { action: 'accept', content: { decision: 'approve' } };
        },
      });
      const open = await client.callTool({ name: 'pay', arguments: invoice });
      expect(textOf(open)).toContain('This takes one of the roles approver; acme/ada has starter.');
      expect(effects).toEqual([]);
    });
  });

  it.each([
    ['denies', { action: 'accept', content: { decision: 'deny', note: 'Not this one.' } }],
    ['declines', { action: 'decline' }],
  ] as const)('is refused when the person %s', (_how, answer) => {
    const effects: unknown[] = [];
    return withMcp({ people, tools: [pays('pay', effects)] }, async ({ connect }) => {
      const client = await connect(ada, { asked: async () => structuredClone(answer) as never });
      const result = await client.callTool({ name: 'pay', arguments: invoice });
      expect(result.isError).toBe(true);
      expect(JSON.parse(textOf(result)).error).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
      expect(effects).toEqual([]);
    });
  });

  it.each([
    ['goes away', { action: 'cancel' }],
    ['accepts without a decision', { action: 'accept', content: {} }],
    ['answers something else', { action: 'accept', content: { decision: 'yes' } }],
  ] as const)('waits on when the client %s; its outcome can be asked for once somebody has decided', (_how, answer) => {
    const effects: unknown[] = [];
    return withMcp({ people, tools: [pays('pay', effects)] }, async ({ connect, client: holdfast }) => {
      const client = await connect(ada, { asked: async () => structuredClone(answer) as never });
      const open = await client.callTool({ name: 'pay', arguments: invoice });
      expect(open).toMatchObject({ isError: true, _meta: { [META]: { state: 'awaiting_approval' } } });
      expect(textOf(open)).toContain('Do not call the tool again');
      expect(effects).toEqual([]);
      const { id } = (open._meta as any)[META];
      const still = await client.callTool({ name: 'holdfast_outcome', arguments: { id, wait_seconds: 0 } });
      expect(still).toMatchObject({ isError: true });
      const [{ digest }] = await holdfast.turn(id).waitForPending();
      const denied = await (await connect(ada)).callTool({ name: 'holdfast_outcome', arguments: { id: 'call/none' } });
      expect(JSON.parse(textOf(denied)).error).toMatchObject({ reason: 'unknown_turn' });
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
    });
  });

  it('is not asked about where the principal may not decide, or the client cannot: the answer says where', () => {
    const effects: unknown[] = [];
    return withMcp({ people, tools: [pays('pay', effects)] }, async ({ connect, client: holdfast, gateway }) => {
      let asked = 0;
      const starter = await connect(stan, {
        asked: async () => (asked++, { action: 'accept', content: { decision: 'approve' } }),
      });
      const open = await starter.callTool({ name: 'pay', arguments: invoice });
      expect(open).toMatchObject({ isError: true, _meta: { [META]: { state: 'awaiting_approval' } } });
      expect(textOf(open)).toContain('holdfast pending');
      const silent = await (await connect(ada)).callTool({ name: 'pay', arguments: invoice });
      expect(silent).toMatchObject({ isError: true, _meta: { [META]: { state: 'awaiting_approval' } } });
      expect({ asked, effects }).toEqual({ asked: 0, effects: [] });

      const { id } = (open._meta as any)[META];
      const outcome = starter.callTool({ name: 'holdfast_outcome', arguments: { id, wait_seconds: 50 } });
      const { digest } = (await listedAsWaiting(holdfast, id)).calls[0]!;
      const decided = await fetch(`${gateway.url}/v1/turns/${encodeURIComponent(id)}/decisions`, {
        method: 'POST',
        headers: { ...ada.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ decision: 'approve', call: digest }),
      });
      expect(decided.status).toBe(200);
      expect(await outcome).toMatchObject({ isError: true }); // it was waiting when it was asked
      const after = await starter.callTool({ name: 'holdfast_outcome', arguments: { id } });
      expect(after.structuredContent).toEqual({ paid: true });
      expect(effects).toEqual([invoice]);
    });
  });

  it('is withdrawn at the client when somebody else decides', () => {
    const effects: unknown[] = [];
    const zoe = someone();
    return withMcp(
      { people: [...people, zoe], tools: [pays('pay', effects)] },
      async ({ connect, client: holdfast, gateway }) => {
        let asked = false;
        const never = () => new Promise<never>(() => (asked = true));
        const client = await connect(zoe, { asked: never });
        const result = client.callTool({ name: 'pay', arguments: invoice });
        await eventually('she is asked', async () => asked);
        const [{ turn_id, calls }] = (await eventually('it is listed with its calls', async () => {
          const all = await holdfast.pending({ sight: { requester: zoe.entry.principal } });
          return all[0]?.unreachable === null && all;
        })) as any;
        await fetch(`${gateway.url}/v1/turns/${encodeURIComponent(turn_id)}/decisions`, {
          method: 'POST',
          headers: { ...ada.headers, 'content-type': 'application/json' },
          body: JSON.stringify({ decision: 'approve', call: calls[0].digest }),
        });
        expect((await result).structuredContent).toEqual({ paid: true });
        expect(effects).toEqual([invoice]);
      },
    );
  });

  it('waits on, and says why, when this person’s decision does not count: four eyes', () => {
    const effects: unknown[] = [];
    const agents = [{ name: 'tester', prompt: 'Test.', tools: [pays('pay', effects)], approvals: { fourEyes: true } }];
    return withMcp({ people, agents }, async ({ connect }) => {
      const client = await connect(ada, { asked: async () => ({ action: 'accept', content: { decision: 'approve' } }) });
      const open = await client.callTool({ name: 'pay', arguments: invoice });
      expect(open).toMatchObject({ isError: true, _meta: { [META]: { state: 'awaiting_approval' } } });
      expect(textOf(open)).toMatch(/Not accepted/);
      expect(effects).toEqual([]);
    });
  });
});

describe('agents as tools', () => {
  it('start a turn, ask about its calls, and answer with what the agent says', () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', invoice]), say('Paid.')];
    return withMcp({ people, tools: [pays('pay', effects)], script }, async ({ connect }) => {
      const client = await connect(ada, { asked: async () => ({ action: 'accept', content: { decision: 'approve' } }) });
      const said: string[] = [];
      const options = { onprogress: ({ message }: { message?: string }) => void said.push(message ?? '') };
      const result = await client.callTool({ name: 'ask_tester', arguments: { message: 'Pay it.' } }, undefined, options);
      expect(result.structuredContent).toMatchObject({ state: 'completed', text: 'Paid.' });
      expect(effects).toEqual([invoice]);
      expect(said).toEqual(expect.arrayContaining(['Step 1', 'pay runs', 'pay waits for a person to approve it']));
    });
  });

  it('answer an invalid message with an error, and start nothing', () => {
    const nobody = someone();
    return withMcp({ people: [nobody], tools: [] }, async ({ connect, client: holdfast }) => {
      const client = await connect(nobody);
      for (const args of [{}, { message: '' }, { message: 7 }]) {
        const result = await client.callTool({ name: 'ask_tester', arguments: args });
        expect(JSON.parse(textOf(result)).error).toMatchObject({ code: 'INVALID_PARAMS' });
      }
      for await (const { requester } of holdfast.list()) expect(requester).not.toBe(nobody.entry.principal);
    });
  });
});

describe('progress and cancellation', () => {
  it('sends the tool’s progress, in growing numbers, to a client that asked for it', () => {
    const steps = reads('steps', async (_input, ctx) => {
      for (const [at, message] of ['begun', 'half', 'done'].entries()) {
        ctx.progress(message, at / 2);
        await sleep(300);
      }
      return { ok: true };
    });
    return withMcp({ people, tools: [steps] }, async ({ connect }) => {
      const client = await connect(stan);
      const heard: { progress: number; total?: number; message?: string }[] = [];
      await client.callTool({ name: 'steps' }, undefined, { onprogress: (each) => void heard.push(each) });
      expect(heard.map(({ message }) => message)).toEqual(['begun', 'half', 'done']);
      expect(heard.map(({ progress, total }) => [Math.round(progress), total])).toEqual([
        [0, 100],
        [50, 100],
        [100, 100],
      ]);
    });
  });

  it('cancels a call that a client cancels, and lets a call run whose client leaves', () => {
    const began: string[] = [];
    const ended: string[] = [];
    const slow = reads('slow', async ({ key }, ctx) => {
      began.push(key);
      while (!ctx.signal.aborted && !released) await sleep(20);
      ended.push(`${key} ${ctx.signal.aborted ? 'cancelled' : 'done'}`);
      ctx.signal.throwIfAborted();
      return { key };
    });
    let released = false;
    const lee = someone();
    return withMcp({ people: [lee], tools: [slow] }, async ({ connect, client: holdfast }) => {
      const stop = new AbortController();
      const client = await connect(lee);
      const cancelled = client.callTool({ name: 'slow', arguments: { key: 'a' } }, undefined, { signal: stop.signal });
      await eventually('a runs', async () => began.includes('a'));
      stop.abort();
      await expect(cancelled).rejects.toThrow();
      await eventually('a has ended', async () => ended.includes('a cancelled'));

      const leaving = await connect(lee);
      const left = leaving.callTool({ name: 'slow', arguments: { key: 'b' } }).catch(() => 'gone');
      await eventually('b runs', async () => began.includes('b'));
      await (leaving.transport as any).terminateSession();
      await leaving.close();
      expect(await left).toBe('gone');
      released = true;
      await eventually('b has ended', async () => ended.includes('b done'));
      const states = await eventually('both have ended', async () => {
        const found: string[] = [];
        for await (const { requester, state } of holdfast.list({ limit: 1000 }))
          if (requester === lee.entry.principal) found.push(state);
        return found.length === 2 && !found.includes('running') && found;
      });
      expect(states.sort()).toEqual(['cancelled', 'completed']);
    });
  });
});
