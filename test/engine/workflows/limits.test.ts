/** The cache, identical reads, and the limits of tools, as turns meet them. */
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { EnvelopeMetadata } from '../../../src/shared/wire/errors';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import type { Store } from '../../../src/store/store';
import { ToolError } from '../../../src/tools/define/errors';
import { capturedLog } from '../../support/captured-log';
import { eventually, withEngine } from '../support/engine';
import { ask, results, say, ScriptedModel } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

async function metadataOf(store: Store, view: TurnView, call = 0): Promise<EnvelopeMetadata> {
  const stored = (await store.getPart(view.calls[call]!.result_ref!)) as unknown as { envelope: { metadata: EnvelopeMetadata } };
  return stored.envelope.metadata;
}

describe('identical reads', () => {
  it('of two turns at once run once; each turn keeps its own ids, and one says that the result was shared', async () => {
    const { log, said } = capturedLog();
    const begun = () => said('activity began').filter(({ activity }) => activity === 'runCall').length;
    let ran = 0;
    const quote = reads(
      'quote',
      async () => {
        ran += 1;
        await eventually('both calls began', async () => begun() === 2);
        await new Promise((resolve) => setTimeout(resolve, 2000));
        return { close: 1 };
      },
      { cacheTtlMs: 60_000 },
    );
    // Both turns ask for the same, whichever request comes first.
    const model = new ScriptedModel([ask(['quote', {}]), ask(['quote', {}]), say('ok'), say('ok')]);
    await withEngine({ tools: [quote], model, log }, async ({ start, store }) => {
      const turns = [await start(), await start()];
      const views = await Promise.all(turns.map((turn) => turn.result()));
      expect(ran).toBe(1);
      const metadata = await Promise.all(views.map((view) => metadataOf(store, view)));
      expect(metadata.map(({ cache }) => cache).sort((a) => (a.shared ? 1 : -1))).toEqual([
        { hit: false },
        { hit: false, shared: true },
      ]);
      expect(metadata.map(({ trace_id }) => trace_id)).toEqual(views.map(({ trace_id }) => trace_id));
      expect(new Set(views.map(({ calls }) => calls[0]!.idempotency_key)).size).toBe(2);
    });
  });

  it('of two agents with a tool of one name run apart, each with its own account', async () => {
    const balanceOf = (account: string) => reads('balance', () => account, { cacheTtlMs: 60_000, target: { account } });
    const agent = (name: string, account: string) => defineAgent({ name, prompt: 'Test.', tools: [balanceOf(account)] });
    const app = defineApp({ agents: [agent('ours', 'DE-1'), agent('theirs', 'DE-2')] });
    const script = [ask(['balance', {}]), say('ok'), ask(['balance', {}]), say('ok')];
    await withEngine({ app, script }, async ({ start, model }) => {
      for (const name of ['ours', 'theirs']) await (await start('Ask.', { agent: name, requester: 'rita' })).result();
      const read = [1, 3].map((request) => results(model.requests[request]!)[0]!.body);
      expect(read).toMatchObject([{ data: 'DE-1' }, { data: 'DE-2' }]);
    });
  });

  it('that failed run again: a failure is never served', async () => {
    let ran = 0;
    const quote = reads(
      'quote',
      () => {
        if (++ran === 1) throw new ToolError('RESOURCE_NOT_FOUND', 'no_quote', 'none');
        return ran;
      },
      { cacheTtlMs: 60_000 },
    );
    const script = [ask(['quote', {}]), ask(['quote', {}]), ask(['quote', {}]), say('ok')];
    await withEngine({ tools: [quote], script }, async ({ start, store }) => {
      const view = await (await start()).result();
      expect(view.calls.map(({ state }) => state)).toEqual(['failed', 'succeeded', 'succeeded']);
      expect(ran).toBe(2);
      expect((await metadataOf(store, view, 1)).cache).toEqual({ hit: false });
      expect((await metadataOf(store, view, 2)).cache).toMatchObject({ hit: true, ttl_remaining: expect.any(Number) });
    });
  });
});

describe('the times of a call', () => {
  it('say what validation, the network and the rest took, and add up', async () => {
    const slow = reads('slow', (_input, ctx) => ctx.network(() => new Promise((resolve) => setTimeout(() => resolve(1), 100))));
    await withEngine({ tools: [slow], script: [ask(['slow', {}]), say('ok')] }, async ({ start, store }) => {
      const { performance, execution_time_ms } = await metadataOf(store, await (await start()).result());
      const { validation_ms, network_ms, processing_ms } = performance;
      expect(network_ms).toBeGreaterThanOrEqual(90);
      expect(Math.min(validation_ms, processing_ms)).toBeGreaterThanOrEqual(0);
      expect(validation_ms + network_ms + processing_ms).toBe(execution_time_ms);
    });
  });
});

describe('the limits of a tool', () => {
  it('keep calls of one step from running at once', async () => {
    let inside = 0;
    let most = 0;
    const single = reads(
      'single',
      async ({ key }) => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, 100));
        inside -= 1;
        return key;
      },
      { limits: { concurrency: 1 } },
    );
    const script = [ask(['single', { key: 'a' }], ['single', { key: 'b' }], ['single', { key: 'c' }]), say('ok')];
    await withEngine({ tools: [single], script }, async ({ start, model }) => {
      await (await start()).result();
      expect(most).toBe(1);
      expect(results(model.requests[1]!).map(({ body }) => body.data)).toEqual(['a', 'b', 'c']);
    });
  });

  // These two mostly wait, so they run at once.
  it.concurrent('delay a destructive call before it counts as dispatched; it happens once', async () => {
    const effects: unknown[] = [];
    const pay = pays('pay', effects, { limits: { rate: { calls: 1, perMs: 12_000 } } });
    const script = [ask(['pay', { invoice: 'a', cents: 1 }], ['pay', { invoice: 'b', cents: 2 }]), say('ok')];
    const permissions = { allow: ['pay'] };
    await withEngine({ tools: [pay], agent: { permissions }, script }, async ({ start, store, client }) => {
      const turn = await start();
      const view = await turn.result();
      expect(effects).toEqual([{ invoice: 'a', cents: 1 }, { invoice: 'b', cents: 2 }]); // oxfmt-ignore
      expect(view.calls.map(({ effect }) => effect)).toEqual(['applied', 'applied']);
      for (const { digest } of view.calls)
        expect(await store.effects.findByDigest(turn.id, digest!)).toMatchObject({ dispatch: 1, state: 'applied' });
      const { events = [] } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      const runs = (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'runCall');
      expect(runs.length).toBeGreaterThan(2); // it was asked for again
    });
  });

  it.concurrent("hold all calls of a tool for its upstream's Retry-After, and no other tool's", async () => {
    const begun: { key: string; at: number }[] = [];
    let store: Store;
    const holdUntil = async () => ((await store.registers.read('tool/busy')).value as { hold_until: number } | null)?.hold_until;
    const busy = reads('busy', ({ key }) => {
      begun.push({ key, at: Date.now() });
      if (begun.length === 1) throw new ToolError('RATE_LIMITED', 'slow_down', 'wait', { retryAfterMs: 4000 });
      return key;
    });
    const other = reads('other', async () => {
      await eventually('the hold', async () => ((await holdUntil()) ?? 0) > 0);
      return 'not held';
    });
    const script = [ask(['busy', { key: 'a' }], ['other', {}], ['busy', { key: 'b' }]), say('ok')];
    await withEngine({ tools: [busy, other], agent: { maxParallel: 2 }, script }, async (engine) => {
      store = engine.store;
      const view = await (await engine.start()).result();
      expect(view.calls.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
      expect(begun.map(({ key }) => key).sort()).toEqual(['a', 'a', 'b']); // b never ran into it
      const until = (await holdUntil())!;
      for (const { at } of begun.slice(1)) expect(at).toBeGreaterThanOrEqual(until);
      expect(view.calls[2]!.attempts).toBeGreaterThan(1);
    });
  });
});
