import { ToolError } from '../../../src/tools/define/errors';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { eventually, listedAsWaiting, withEngine } from '../support/engine';
import { runForged } from '../support/forge';
import { recordedCalls } from '../../support/recompute-digests';
import { ask, results, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

function signal(client: HoldfastClient, turn: TurnHandle, name: string, ...args: unknown[]): Promise<void> {
  return client.temporal.workflow.getHandle(turn.workflowId).signal(name, ...args);
}

async function card(client: HoldfastClient, turn: TurnHandle): Promise<string> {
  const metadata = await client.temporal.workflow
    .getHandle(turn.workflowId)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails;
}

describe('a destructive call', () => {
  it('waits, shows its card, and runs once after approval', async () => {
    const effects: unknown[] = [];
    const pay = pays('pay', effects, { preview: (input: any) => `Pay ${input.cents} cents for ${input.invoice}` });
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('paid')] }, async ({ start, client, store }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      expect(effects).toEqual([]);
      expect((await turn.status()).state).toBe('awaiting_approval');
      const shown = await card(client, turn);
      expect(shown).toContain('Pay 700 cents for INV-7');
      expect(shown).toContain(`"${call!.digest}"`);
      const listed = await listedAsWaiting(client, turn.id);
      expect(listed.calls.map((waiting) => waiting.digest)).toEqual([call!.digest]);

      await turn.approve(call!.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'completed', text: 'paid' });
      expect(view.calls[0]).toMatchObject({
        state: 'succeeded',
        effect: 'applied',
        approval: { required: true, by: ['ana'], decision: 'approve' },
      });
      expect(effects).toEqual([invoice]);
      expect(await store.effects.latest(view.calls[0]!.idempotency_key!)).toMatchObject({ state: 'applied', dispatch: 1 });
    });
  });

  it('is refused by a denial, whose note the model reads; what it proposes instead is asked anew', async () => {
    const effects: unknown[] = [];
    const other = { invoice: 'INV-7', cents: 600 };
    await withEngine(
      { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), ask(['pay', other]), say('paid')] },
      async ({ start, model }) => {
        const turn = await start();
        const [first] = await turn.waitForPending();
        await turn.deny(first!.digest, { by: 'ana', note: 'only 600' });
        const [second] = await eventually('asks anew', async () => {
          const pending = await turn.pending();
          return pending.length > 0 && pending[0]!.digest !== first!.digest && pending;
        });
        expect(results(model.requests[1]!)[0]).toMatchObject({
          isError: true,
          body: { error: { kind: 'FATAL_ERROR', reason: 'denied', message: expect.stringContaining('only 600') } },
        });
        await turn.approve(second!.digest, { by: 'ana' });
        const view = await turn.result();
        expect(view.calls.map((call) => [call.state, call.effect])).toEqual([
          ['denied', 'refused'],
          ['succeeded', 'applied'],
        ]);
        expect(effects).toEqual([other]);
      },
    );
  });

  it('ends the turn refused when every destructive call was refused', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('not paid')] }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.deny(call!.digest, { by: 'ana' });
      expect((await turn.result()).state).toBe('refused');
      expect(effects).toEqual([]);
    });
  });

  it('expires when nobody decides, and is refused', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], agent: { approvalExpiryMs: 800 }, script: [ask(['pay', invoice]), say('expired')] },
      async ({ start, model }) => {
        const turn = await start();
        const view = await turn.result();
        expect(view.calls[0]).toMatchObject({ state: 'expired', effect: 'refused', approval: { decision: 'expired' } });
        expect(view.state).toBe('refused');
        expect(results(model.requests[1]!)[0]!.body.error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', reason: 'expired' });
        await expect(turn.approve(view.calls[0]!.digest!, { by: 'late' })).rejects.toThrow('Not accepted');
        expect(effects).toEqual([]);
      },
    );
  });

  it('cannot be approved by the model: a made-up confirmation is refused before anybody is asked', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], script: [ask(['pay', { ...invoice, confirmed: true }]), say('ok')] },
      async ({ start, model }) => {
        const view = await (await start()).result();
        expect(view.calls[0]).toMatchObject({ state: 'rejected', approval: { decision: null } });
        expect(results(model.requests[1]!)[0]!.body.error).toMatchObject({
          code: 'INVALID_PARAMS',
          hint: expect.stringContaining('person'),
        });
        expect(effects).toEqual([]);
      },
    );
  });

  it('can be one of several that wait at once; each is decided on its own, in any order, and they run in the order of the calls', async () => {
    const effects: { invoice: string }[] = [];
    const calls = ['A', 'B', 'C'].map((name): [string, any] => ['pay', { invoice: name, cents: 1 }]);
    await withEngine({ tools: [pays('pay', effects)], script: [ask(...calls), say('done')] }, async ({ start, model }) => {
      const turn = await start();
      const [a, b, c] = await eventually('all three wait', async () => {
        const pending = await turn.pending();
        return pending.length === 3 && pending;
      });
      await turn.approve(c!.digest, { by: 'ana' });
      await turn.deny(b!.digest, { by: 'ana' });
      expect(effects).toEqual([]);
      await turn.approve(a!.digest, { by: 'ana' });
      const view = await turn.result();
      expect(effects.map((effect) => effect.invoice)).toEqual(['A', 'C']);
      expect(view.calls.map((call) => call.state)).toEqual(['succeeded', 'denied', 'succeeded']);
      expect(results(model.requests[1]!).map((result) => result.isError)).toEqual([false, true, false]);
    });
  });

  it('lets no signal whatsoever fail or stall the turn, and counts what it ignored', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('paid')] },
      async ({ start, client }) => {
        const turn = await start();
        await signal(client, turn, 'approve', { call: 'abcdefabcdef', by: 'early' }); // before its question
        const [call] = await turn.waitForPending();
        const junk: [string, ...unknown[]][] = [
          ['approve'],
          ['approve', null],
          ['approve', 'approve'],
          ['approve', []],
          ['approve', { call: call!.digest }],
          ['approve', { call: call!.digest, by: 7 }],
          ['approve', { call: call!.digest, by: 'ana', extra: true }],
          ['approve', { call: call!.digest.slice(0, 11), by: 'ana' }],
          ['approve', { call: 'f'.repeat(64), by: 'ana' }],
          ['approve', { call: call!.digest, by: 'ana' }, 'second payload'],
          ['approve', { call: call!.digest, by: 'x'.repeat(1_000_000) }],
          ['deny', 42],
          ['settle', { call: call!.digest, by: 'ana', outcome: 'applied' }],
          ['settle', { call: call!.digest, by: 'ana', outcome: 'perhaps' }],
          ['__proto__', {}],
          ['no_such_signal', { call: call!.digest, by: 'ana' }],
        ];
        for (const [name, ...args] of junk) await signal(client, turn, name, ...args);
        await rawSignal(client, turn, 'approve', 'json/plain', '{not json');
        await rawSignal(client, turn, 'approve', 'binary/strange', 'x');
        await rawSignal(client, turn, 'deny', 'json/plain', '{"call":"a","call":"b"}');
        const view = await turn.status();
        expect(view.state).toBe('awaiting_approval');
        expect(view.ignored_signals.count).toBe(junk.length + 1 + 3);
        expect(view.ignored_signals.last.every((ignored) => ignored.reason.length > 0 && ignored.reason.length < 400)).toBe(true);

        await signal(client, turn, 'approve', { call: call!.digest.slice(0, 12), by: 'ana' });
        await signal(client, turn, 'approve', { call: call!.digest, by: 'ana' }); // sent twice
        await signal(client, turn, 'deny', { call: call!.digest, by: 'bob' }); // after it
        const done = await turn.result();
        expect(done.state).toBe('completed');
        expect(effects).toHaveLength(1);
      },
    );
  });

  it('is not run by an approval that is for another call, missing, or from another run', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('ok')] },
      async ({ start, client, taskQueue }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await turn.approve(call!.digest, { by: 'ana' });
        await turn.result();
        const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
        const genuine = recordedCalls(history)[0]!.input;
        for (const forged of [
          { ...genuine, approvals: [] },
          { ...genuine, approvals: [{ ...genuine.approvals[0]!, decision: 'deny' as const }] },
          { ...genuine, approvals: [{ ...genuine.approvals[0]!, digest: 'f'.repeat(64) }] },
          { ...genuine, call: { ...genuine.call, input: { invoice: 'INV-7', cents: 999_999 } } },
          genuine, // the same again, in another run: the effect record holds
        ]) {
          const outcome = await runForged(client, taskQueue, forged);
          expect(outcome.state === 'failed' || outcome.effect === 'applied').toBe(true);
        }
        expect(effects).toHaveLength(1);
      },
    );
  });

  it('is repeated after a failure that proves that nothing happened, under the same key', async () => {
    const keys: string[] = [];
    const pay = pays('pay', [], {
      run: (_input: unknown, ctx: any) => {
        keys.push(ctx.idempotencyKey);
        if (keys.length < 3)
          throw new ToolError('NETWORK_ERROR', 'refused', 'connection refused', { nothingHappened: true, retryAfterMs: 20 });
        return 'paid';
      },
    });
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('paid')] }, async ({ start }) => {
      await runsThreeTimesUnderOneKey(await start(), keys);
    });
  });

  it('is repeated after an ambiguous failure only if the tool declares that its upstream honours the key', async () => {
    const keys: string[] = [];
    const pay = pays('pay', [], {
      idempotent: true,
      run: (_input: unknown, ctx: any) => {
        keys.push(ctx.idempotencyKey);
        if (keys.length < 3) throw new ToolError('NETWORK_ERROR', 'connection_lost', 'lost after sending', { retryAfterMs: 20 });
        return 'paid';
      },
    });
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('paid')] }, async ({ start }) => {
      await runsThreeTimesUnderOneKey(await start(), keys);
    });
  });

  it('whose second attempt proves that it has done nothing is still in doubt: that proves nothing about the first attempt', async () => {
    let attempts = 0;
    const pay = pays('pay', [], {
      idempotent: true,
      run: () => {
        attempts += 1;
        if (attempts === 1) throw new ToolError('NETWORK_ERROR', 'connection_lost', 'lost after sending', { retryAfterMs: 20 });
        throw new ToolError('INVALID_PARAMS', 'refused', 'nothing is sent to this account any more', { nothingHappened: true });
      },
    });
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('end')] }, async ({ start, store }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      const asked = await eventually('it has ended, or a person is asked', async () => {
        const view = await turn.status();
        return (view.state === 'in_doubt' || view.ended_at !== null) && view;
      });
      expect(asked.calls).toMatchObject([{ state: 'in_doubt', effect: 'in_doubt' }]);
      expect(await store.effects.latest(call.idempotency_key!)).toMatchObject({ state: 'in_doubt', deadline: null });
      await turn.settle(call.digest, 'applied', { by: 'bob' });
      expect((await turn.result()).calls[0]).toMatchObject({ effect: 'applied' });
    });
  });

  it('is repeated too when an idempotent tool fails without saying whether it acted, but not for ever', async () => {
    const keys: string[] = [];
    let lastsUntil = 3;
    const pay = pays('pay', [], {
      idempotent: true,
      run: (_input: unknown, ctx: any) => {
        keys.push(ctx.idempotencyKey);
        if (keys.length < lastsUntil) throw new Error('unparsable answer');
        return 'paid';
      },
    });
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('paid')] }, async ({ start }) => {
      await runsThreeTimesUnderOneKey(await start(), keys);
    });
    keys.length = 0;
    lastsUntil = Infinity;
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('end')] }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
      expect(keys).toHaveLength(4);
      await turn.settle(call.digest, 'not_applied', { by: 'bob' });
      await turn.result();
    });
  });

  it.each([
    ['applied', 'succeeded', 'completed'],
    ['not_applied', 'failed', 'completed'],
  ] as const)(
    'is in doubt after an ambiguous failure, until a person settles it as %s',
    async (outcome, callState, turnState) => {
      let ran = 0;
      const pay = pays('pay', [], {
        run: () => {
          ran += 1;
          throw new ToolError('NETWORK_ERROR', 'connection_lost', 'the connection was lost after sending');
        },
      });
      await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('end')] }, async ({ start, client }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await turn.approve(call!.digest, { by: 'ana' });
        await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
        expect(await card(client, turn)).toContain('In doubt');
        await expect(turn.approve(call!.digest, { by: 'ana' })).rejects.toThrow('Not accepted');
        await turn.settle(call!.digest, outcome, { by: 'bob', note: 'looked it up' });
        const view = await turn.result();
        expect(view).toMatchObject({ state: turnState });
        expect(view.calls[0]).toMatchObject({ state: callState, effect: outcome });
        expect(ran).toBe(1);
      });
    },
  );

  it('runs to its end when the turn is cancelled meanwhile, and the turn says what was done', async () => {
    const effects: unknown[] = [];
    let release: () => void = () => undefined;
    let running = false;
    const pay = pays('pay', effects, {
      run: async (input: unknown) => {
        running = true;
        await new Promise<void>((resolve) => (release = resolve));
        effects.push(input);
      },
    });
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('never')] }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call!.digest, { by: 'ana' });
      await eventually('it runs', async () => running);
      await turn.cancel();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await turn.status()).ended_at).toBeNull();
      release();
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'cancelled', reason: expect.stringContaining('pay (call 1.1, applied)') });
      expect(effects).toHaveLength(1);
    });
  });

  it('is cancelled with the turn while it waits', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('never')] }, async ({ start }) => {
      const turn = await start();
      await turn.waitForPending();
      await turn.cancel();
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'cancelled', effect: 'refused' });
      expect(effects).toEqual([]);
    });
  });
});

async function rawSignal(client: HoldfastClient, turn: TurnHandle, name: string, encoding: string, data: string): Promise<void> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  await client.temporal.connection.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: turn.workflowId },
    signalName: name,
    input: { payloads: [{ metadata: { encoding: bytes(encoding) }, data: bytes(data) }] },
    identity: 'attacker',
    requestId: `${Date.now()}-${Math.random()}`,
  });
}

async function runsThreeTimesUnderOneKey(turn: TurnHandle, keys: string[]): Promise<void> {
  const [call] = await turn.waitForPending();
  await turn.approve(call.digest, { by: 'ana' });
  expect((await turn.result()).calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
}
