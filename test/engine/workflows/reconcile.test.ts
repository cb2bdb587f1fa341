import { z } from 'zod';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import { idempotencyKey } from '../../../src/shared/json/digests';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine, type Engine } from '../support/engine';
import { ask, results, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import type { ProbeAnswer, ToolContext, ToolDefinition } from '../../../src/tools/define/tool';

const invoice = { invoice: 'INV-7', cents: 700 };

type Probe = (input: any, ctx: ToolContext) => unknown;

/** A payment whose answer never comes, and a probe. */
function lost(probe: Probe, more: Partial<ToolDefinition<any>> & { keys?: string[] } = {}) {
  const { keys = [], ...fields } = more;
  return pays('pay', [], {
    run: (_input: unknown, ctx: ToolContext) => {
      keys.push(ctx.idempotencyKey);
      throw new ToolError('NETWORK_ERROR', 'connection_lost', 'the connection was lost after sending');
    },
    reconcile: probe as () => Promise<ProbeAnswer>,
    reconcileMs: 3000,
    ...fields,
  });
}

/** Approves the payment. It is dispatched, and its answer is lost. */
async function paid({ start }: Engine): Promise<TurnHandle> {
  const turn = await start();
  const [call] = await turn.waitForPending();
  await turn.approve(call.digest, { by: 'ana' });
  return turn;
}

async function isAsked(turn: TurnHandle): Promise<string> {
  return eventually('a person is asked what became of it', async () => {
    const { state, pending } = await turn.status();
    return state === 'in_doubt' && pending[0];
  });
}

async function card(client: HoldfastClient, turn: TurnHandle): Promise<string> {
  const handle = client.temporal.workflow.getHandle(turn.workflowId);
  return (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}

async function settlements(store: Store, head: string) {
  return (await walk(store, head)).filter(({ block }) => block.kind === 'settlement').flatMap(({ bodies }) => bodies);
}

const script = () => [ask(['pay', invoice]), say('end')];

describe('a probe that finds', () => {
  it('that the call was applied ends it as done: nobody is asked, and the model reads the tool’s own data', async () => {
    const keys: string[] = [];
    const asked: ToolContext[] = [];
    const found = { outcome: 'applied', evidence: 'payment 17 at 12:00', data: { paid: true, payment: 17 } };
    const tool = lost((_input, ctx) => (asked.push(ctx), found), { keys });
    await withEngine({ tools: [tool], script: script() }, async (engine) => {
      const turn = await paid(engine);
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied', error: null, attempts: 1 });
      expect(results(engine.model.requests[1]!)[0]!.body).toMatchObject({ success: true, data: found.data });
      expect(keys).toEqual([view.calls[0]!.idempotency_key]);
      expect(asked.map(({ idempotencyKey, signal }) => [idempotencyKey, signal.aborted])).toEqual([[keys[0], false]]);
      expect(await settlements(engine.store, view.head!)).toEqual([
        expect.objectContaining({ outcome: 'applied', by: '', probe: 'pay@1.0.0', evidence: found.evidence }),
      ]);
      expect(await engine.store.effects.latest(keys[0]!)).toMatchObject({ state: 'applied', dispatch: 1 });
    });
  });

  it('that nothing has happened ends the call as not applied; it is not dispatched again, and the model reads why', async () => {
    const keys: string[] = [];
    const tool = lost(() => ({ outcome: 'not_applied', evidence: 'the bank has no such payment' }), { keys });
    await withEngine({ tools: [tool], script: script() }, async (engine) => {
      const view = await (await paid(engine)).result();
      expect(view.calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied', error: { reason: 'not_applied' } });
      expect(view.calls).toHaveLength(1);
      expect(JSON.stringify(results(engine.model.requests[1]!))).toContain('the bank has no such payment');
      expect(keys).toHaveLength(1);
    });
  });

  it('the outcome only after a while is asked again and again', async () => {
    const answers: ProbeAnswer[] = ['unknown', { outcome: 'unknown', evidence: 'pending' }, 'applied'];
    const tool = lost(() => answers.shift(), { reconcileMs: 60_000 });
    await withEngine({ tools: [tool], script: script() }, async (engine) => {
      const view = await (await paid(engine)).result();
      expect(view.calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
      expect(answers).toEqual([]);
    });
  });

  it('data that the output schema does not allow hands them on with a mark', async () => {
    const output = z.object({ paid: z.boolean() });
    const tool = lost(() => ({ outcome: 'applied', data: { paid: 'yes' } }), { output });
    await withEngine({ tools: [tool], script: script() }, async (engine) => {
      const view = await (await paid(engine)).result();
      expect(view.calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
      const { data } = results(engine.model.requests[1]!)[0]!.body;
      expect(data).toMatchObject({ unreadable_result: expect.stringContaining('must be boolean'), result: { paid: 'yes' } });
    });
  });
});

// These mostly wait, so as many run at once as Jest allows.
describe('a probe that cannot tell', () => {
  it.concurrent.each<[string, Probe, string]>([
    ['says so', () => ({ outcome: 'unknown', evidence: 'the bank is <b>closed</b>' }), 'the bank is <b>closed</b>'],
    ['fails', () => Promise.reject(new Error('the bank is closed')), 'The probe failed: pay failed: the bank is closed'],
    ['answers something else', () => 'perhaps', 'The probe answered "perhaps"'],
    ['answers nothing', () => undefined, 'The probe answered null'],
    ['answers with another shape', () => [{ outcome: 'applied' }], 'it must be "applied"'],
    ['hangs', () => new Promise(() => undefined), 'The probe failed: pay did not answer within 700 ms'],
  ])('and %s leaves it to a person, who sees what it saw', async (_how, probe, shown) => {
    const keys: string[] = [];
    await withEngine({ tools: [lost(probe, { keys, reconcileMs: 700 })], script: script() }, async (engine) => {
      const turn = await paid(engine);
      const digest = await isAsked(turn);
      expect(await card(engine.client, turn)).toContain(shown);
      const { questions } = await turn.waiting();
      expect(questions[0]!.card).toMatchObject({ kind: 'in_doubt', evidence: expect.stringContaining(shown) });
      expect(questions[0]!.card.markdown).toContain('### In whose words'); // of the card that was approved
      await turn.settle(digest, 'not_applied', { by: 'bob' });
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied' });
      expect(keys).toHaveLength(1);
    });
  });

  it.concurrent('shows no more of what it saw than a card holds', async () => {
    const tool = lost(() => ({ outcome: 'unknown', evidence: `${'x'.repeat(9000)}the end` }), { reconcileMs: 2000 });
    await withEngine({ tools: [tool], script: script() }, async (engine) => {
      const turn = await paid(engine);
      const digest = await isAsked(turn);
      const shown = await card(engine.client, turn);
      expect([shown.includes('x'.repeat(50)), shown.includes('the end'), shown.length < 12_000]).toEqual([true, false, true]);
      await turn.settle(digest, 'applied', { by: 'bob' });
      await turn.result();
    });
  });

  it.concurrent('is asked by a cancelled turn too, which then waits for a person', async () => {
    let asked = 0;
    const tool = lost(() => (asked++, 'unknown'), { reconcileMs: 4000 });
    await withEngine({ tools: [tool], script: script() }, async (engine) => {
      const turn = await paid(engine);
      await eventually('it is asked', async () => asked > 0);
      await turn.cancel();
      const digest = await isAsked(turn);
      expect(asked).toBeGreaterThan(1);
      await turn.settle(digest, 'applied', { by: 'bob' });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'cancelled', calls: [{ effect: 'applied' }] });
    });
  });
});

describe('the attempt that was lost', () => {
  it.concurrent('may end while the probe looks: what the attempt has recorded stands, not what the probe saw', async () => {
    let store: Store;
    const probe: Probe = async (_input, { idempotencyKey }) => {
      await store.effects.move(idempotencyKey, 1, 'applied');
      return 'not_applied';
    };
    await withEngine({ tools: [lost(probe)], script: script(), madeUp: true }, async (engine) => {
      store = engine.store;
      const view = await (await paid(engine)).result();
      expect(view.calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
    });
  });

  const AT_MOST_APART = 5000;

  /** A worker claims the payment, and is never heard of again. @param actsFor absent: it writes down no deadline, like an older build */
  async function claimedAndLost({ start, store }: Engine, actsFor?: number) {
    const turn = await start();
    const [call] = await turn.waitForPending();
    const { run_id, head } = await turn.status();
    const identity = {
      turn_id: turn.id,
      workflow_id: turn.workflowId,
      first_execution_run_id: run_id,
      call_id: call.id,
      digest: call.digest,
    };
    const claim = { ...identity, idempotency_key: idempotencyKey(identity), dispatch: 1, tool: 'pay', run_id, attempt: 1 };
    const at = Date.now();
    const deadline = actsFor === undefined ? undefined : new Date(at + actsFor).toISOString();
    await store.effects.claim({ ...claim, head: head!, ...(deadline === undefined ? {} : { deadline }) });
    await turn.approve(call.digest, { by: 'ana' });
    return { turn, at, deadline };
  }

  it.concurrent.each([
    ['until its time limit, where it was claimed by an older build', undefined, 1000],
    ['until the deadline that it has written down, however long its tool takes', 6000, 6000],
  ])('may be alive %s: a probe that finds nothing does not count before', async (_how, actsFor, believedAfter) => {
    const looked: number[] = [];
    const effects: unknown[] = [];
    const reconcile = () => (looked.push(Date.now()), 'not_applied' as const);
    const tool = pays('pay', effects, { reconcile, reconcileMs: 1000, timeoutMs: 1000 });
    await withEngine({ tools: [tool], script: script(), madeUp: true }, async (engine) => {
      const { turn, at } = await claimedAndLost(engine, actsFor);
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied', error: { reason: 'not_applied' } });
      expect(effects).toEqual([]);
      expect(looked.length).toBeGreaterThan(1);
      expect(looked.at(-1)! - at).toBeGreaterThanOrEqual(believedAfter + AT_MOST_APART);
    });
  });

  it.concurrent('may be alive until its deadline, and the card says so to the person who is asked', async () => {
    await withEngine({ tools: [pays('pay', [])], script: script(), madeUp: true }, async (engine) => {
      const { turn, deadline } = await claimedAndLost(engine, 30_000);
      const digest = await isAsked(turn);
      expect(await card(engine.client, turn)).toContain(`Until ${deadline} it may still act.`);
      await turn.settle(digest, 'applied', { by: 'bob' });
      await turn.result();
    });
  });
});

it('a long wait between probes does not keep a full run from going on in another, which goes on asking', async () => {
  let answer: ProbeAnswer = 'unknown';
  const keys: string[] = [];
  const tool = lost(() => answer, { keys, reconcileMs: 600_000 });
  await withEngine({ tools: [tool], script: script() }, async (engine) => {
    const turn = await paid(engine);
    await eventually('in doubt', async () => (await turn.status()).calls[0]?.state === 'in_doubt');
    const first = (await turn.status()).run_id;
    const handle = engine.client.temporal.workflow.getHandle(turn.workflowId);
    const junk = 'x'.repeat(200_000);
    for (let n = 0; n < 25; n++) await handle.signal('junk', { junk }); // 5 MB: Temporal suggests another run at 4
    await eventually('another run', async () => (await turn.status()).run_id !== first);
    answer = 'applied';
    const view = await turn.result();
    expect(view.calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
    expect(keys).toHaveLength(1);
  });
});
