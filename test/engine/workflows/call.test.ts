import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { CallHandle } from '../../../src/client/turns/direct-call';
import { IdempotencyConflict, InvalidRequest, TurnEnded } from '../../../src/client/errors';
import { walk } from '../../../src/store/core/transcript';
import { defineTool } from '../../../src/tools/define/define';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, listedAsWaiting, withEngine } from '../support/engine';
import { pays, reads } from '../../support/tools';
import type { TurnEvent } from '../../../src/shapes/turn-event';

const invoice = { invoice: 'INV-7', cents: 700 };

async function eventsOf(call: CallHandle): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = [];
  for await (const event of call.turn.watch()) seen.push(event);
  return seen;
}

describe('a direct call', () => {
  it('of a read gives the envelope, without a model; its transcript has start, admission, result and end', async () => {
    const look = reads('look', ({ key }) => ({ found: key }));
    await withEngine({ tools: [look] }, async ({ call, store, model }) => {
      const made = await call('look', { key: 'a' });
      const envelope = await made.result();
      expect(envelope).toMatchObject({
        success: true,
        status: 'success',
        data: { found: 'a' },
        metadata: { tool_name: 'look', tool_version: '1.0.0', trace_id: expect.stringMatching(/^trace_\d{8}_[0-9a-f]{12}$/) },
      });
      expect(envelope).not.toHaveProperty('debug_info');
      const view = await made.turn.status();
      expect(view).toMatchObject({
        turn_id: made.id,
        workflow_id: made.id,
        agent: 'tester',
        state: 'completed',
        step: 1,
        calls: [{ id: '1.1', tool: 'look', state: 'succeeded' }],
      });
      expect(made.id).toMatch(/^call\//);
      const kinds = (await walk(store, view.head)).map(({ block }) => block.kind);
      expect(kinds).toEqual(['start', 'admission', 'message', 'end']);
      expect(model.requests).toEqual([]);
      expect((await eventsOf(made)).map(({ type }) => type)).toEqual([
        ...['turn_started', 'step_completed', 'tool_started', 'tool_result', 'turn_completed'],
      ]);
    });
  });

  it('of a destructive tool waits for a person, and runs once after the approval', async () => {
    const effects: unknown[] = [];
    const pay = pays('pay', effects, { preview: (input: any) => `Pay ${input.cents} cents` });
    await withEngine({ tools: [pay] }, async ({ call, client, store }) => {
      const made = await call('pay', invoice, { requester: 'bo' });
      const [waiting] = await made.turn.waitForPending();
      expect(effects).toEqual([]);
      const listed = await listedAsWaiting(client, made.id);
      expect(listed).toMatchObject({ agent: 'tester', requester: 'bo', calls: [{ digest: waiting.digest }] });
      await client.turn(made.id).approve(waiting.digest, { by: 'ana' });
      expect(await made.result()).toMatchObject({ success: true, data: { paid: true } });
      expect(effects).toEqual([invoice]);
      const view = await made.turn.status();
      expect(view.calls[0]).toMatchObject({ effect: 'applied', approval: { by: ['ana'], decision: 'approve' } });
      const kinds = (await walk(store, view.head)).map(({ block }) => block.kind);
      expect(kinds).toEqual(['start', 'admission', 'decision', 'dispatch', 'effect', 'message', 'end']);
    });
  });

  it('that is denied ends refused, with the person’s note in the envelope', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)] }, async ({ call }) => {
      const made = await call('pay', invoice);
      const [waiting] = await made.turn.waitForPending();
      await made.turn.deny(waiting.digest, { by: 'ana', note: 'too much' });
      expect(await made.result()).toMatchObject({
        success: false,
        error: { code: 'CONFIRMATION_REQUIRED', reason: 'denied', message: expect.stringContaining('too much') },
      });
      expect((await made.turn.status()).state).toBe('refused');
      expect(effects).toEqual([]);
    });
  });

  it('in doubt is settled by a person like any other', async () => {
    const lost = pays('pay', [], {
      run: () => {
        throw new ToolError('NETWORK_ERROR', 'lost', 'The answer was lost.');
      },
    });
    await withEngine({ tools: [lost] }, async ({ call }) => {
      const made = await call('pay', invoice);
      const [waiting] = await made.turn.waitForPending();
      await made.turn.approve(waiting.digest, { by: 'ana' });
      await eventually('in doubt', async () => (await made.turn.status()).state === 'in_doubt');
      await made.turn.settle(waiting.digest, 'applied', { by: 'ana' });
      expect(await made.result()).toMatchObject({ success: true, data: { settled: 'applied', by: 'ana' } });
    });
  });

  it('that is cancelled while it waits has an envelope that says so', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)] }, async ({ call }) => {
      const made = await call('pay', invoice);
      await made.turn.waitForPending();
      await made.turn.cancel();
      expect(await made.result()).toMatchObject({ success: false, error: { reason: 'turn_cancelled' } });
      expect((await made.turn.status()).state).toBe('cancelled');
      await expect(made.turn.waitForPending()).rejects.toThrow(TurnEnded);
      expect(effects).toEqual([]);
    });
  });

  it.each([
    ['a tool that nobody has', 'nothing', {}, { code: 'TOOL_NOT_FOUND', reason: 'unknown_tool' }],
    ['an input that breaks the schema', 'pay', { invoice: 7 }, { code: 'INVALID_PARAMS', reason: 'schema_violation' }],
  ])('of %s is answered, and asks nobody', async (_what, tool, input, error) => {
    await withEngine({ tools: [pays('pay', [])] }, async ({ call }) => {
      const made = await call(tool, input);
      expect(await made.result()).toMatchObject({ success: false, status: 'error', error });
      const view = await made.turn.status();
      expect(view).toMatchObject({ state: 'failed', calls: [{ state: 'rejected' }] });
      const errors = (await eventsOf(made)).filter(({ type }) => type === 'tool_error');
      expect(errors).toHaveLength(1);
    });
  });

  it('of a tool that the rules deny ends refused', async () => {
    await withEngine({ tools: [reads('look', () => 1)], agent: { permissions: { deny: ['look'] } } }, async ({ call }) => {
      const made = await call('look');
      expect(await made.result()).toMatchObject({ error: { code: 'PERMISSION_DENIED', reason: 'denied_by_rule' } });
      expect((await made.turn.status()).state).toBe('refused');
    });
  });

  it('may be of a tool that no model is shown', async () => {
    const hidden = reads('hidden', () => 'seen', { internalOnly: true });
    await withEngine({ tools: [hidden] }, async ({ call }) => {
      expect(await (await call('hidden')).result()).toMatchObject({ success: true, data: 'seen' });
    });
  });

  it('of a tool that several agents have needs the agent’s name', async () => {
    const look = reads('look', () => 'seen');
    const agents = ['first', 'second'].map((name) => defineAgent({ name, prompt: 'Test.', tools: [look] }));
    await withEngine({ app: defineApp({ agents }) }, async ({ call }) => {
      const message = expect.stringContaining('first, second');
      expect(await (await call('look')).result()).toMatchObject({
        error: { code: 'INVALID_PARAMS', reason: 'ambiguous_agent', message },
      });
      expect(await (await call('look', {}, { agent: 'second' })).result()).toMatchObject({ success: true });
      const unknown = await (await call('look', {}, { agent: 'third' })).result();
      expect(unknown).toMatchObject({ error: { code: 'INVALID_PARAMS', reason: 'unknown_agent' } });
    });
  });

  it('with an id happens once; another input under that id is refused', async () => {
    let runs = 0;
    const look = reads('look', () => (runs += 1));
    await withEngine({ tools: [look] }, async ({ call, client }) => {
      const id = `once-${Date.now()}`;
      const first = await call('look', { key: 'a' }, { id });
      expect(first.id).toBe(`call/${id}`);
      await first.result();
      expect(await (await call('look', { key: 'a' }, { id })).result()).toMatchObject({ data: 1 });
      expect(runs).toBe(1);
      await expect(client.call({ tool: 'look', input: { key: 'b' }, id })).rejects.toThrow(IdempotencyConflict);
      await expect(client.call({ tool: '', input: {} })).rejects.toThrow(InvalidRequest);
      await expect(client.call({ tool: 'look', input: { half: '\ud800' } })).rejects.toThrow(InvalidRequest);
    });
  });

  it('with a large input and a large result keeps both out of history', async () => {
    const echo = reads('echo', ({ key }) => key.repeat(4));
    await withEngine({ tools: [echo] }, async ({ call }) => {
      const short = await (await call('echo', { key: 'x'.repeat(10_000) })).result();
      expect(short).toMatchObject({ success: true, data: 'x'.repeat(40_000) });
      const long = await (await call('echo', { key: 'y'.repeat(60_000) })).result();
      expect(long).toMatchObject({ success: true, data: { filename: 'echo.json', size: 240_002 } });
    });
  });

  it('keeps a result for itself: another call cannot read it', async () => {
    const keep = defineTool({
      name: 'keep',
      version: '1.0.0',
      class: 'read',
      description: 'Keeps a text.',
      input: z.object({}),
      run: (_input, ctx) => ctx.store.keepResult('secret'),
    });
    const peek = reads('peek', ({ key }, ctx) => ctx.store.readResult(key));
    await withEngine({ tools: [keep, peek] }, async ({ call }) => {
      const kept = await (await call('keep')).result();
      const ref = kept.success ? String(kept.data) : '';
      expect(await (await call('peek', { key: ref })).result()).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
    });
  });
});
