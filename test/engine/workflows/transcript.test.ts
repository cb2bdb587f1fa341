import type { Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import { startDevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { eventually, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const read = reads('lookup', ({ key }) => key);

async function blocks(store: Store, head: string | null): Promise<{ kind: string; bodies: any[] }[]> {
  return (await walk(store, head)).map(({ block, bodies }) => ({ kind: block.kind, bodies }));
}

describe('the transcript', () => {
  it('records the whole turn: who asked, what was admitted, decided, dispatched and done, and how it ended', () =>
    withEngine(
      { tools: [read, pays('pay', [])], script: [ask(['lookup', {}]), ask(['pay', invoice]), say('paid')] },
      async ({ start, client, store }) => {
        const turn = await start('Pay it.', { requester: 'ana' });
        const [call] = await turn.waitForPending();
        const shown = await client.temporal.workflow
          .getHandle(turn.workflowId)
          .query<{ currentDetails: string }>('__temporal_workflow_metadata');
        await turn.approve(call!.digest, { by: 'bob' });
        const view = await turn.result();
        const chain = await blocks(store, view.head);
        expect(chain.map((block) => block.kind)).toEqual([
          ...['start', 'message', 'message', 'admission'],
          ...['message', 'message', 'admission', 'decision', 'dispatch', 'effect'],
          ...['message', 'message', 'admission', 'end'],
        ]);
        const only = (kind: string) => chain.find((block) => block.kind === kind)!.bodies[0];
        expect(only('start')).toMatchObject({ requester: 'ana', turn_id: turn.id });
        expect(only('decision')).toMatchObject({
          decision: 'approve',
          by: 'bob',
          digest: call!.digest,
          run_id: view.run_id,
          channel: 'update',
        });
        expect(only('dispatch')).toMatchObject({ digest: call!.digest, idempotency_key: view.calls[1]!.idempotency_key });
        expect(only('effect')).toMatchObject({ effect: 'applied' });
        expect(only('end')).toMatchObject({ state: 'completed' });
        const card = (await store.getPart(only('decision').card_ref)) as { card: string };
        expect(shown.currentDetails).toBe(card.card); // the exact card is stored
      },
    ));

  it('contains a denial, though the denied call has written nothing itself', () =>
    withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('no')] }, async ({ start, store }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.deny(call!.digest, { by: 'bob', note: 'too much' });
      const view = await turn.result();
      const decision = (await blocks(store, view.head)).find((block) => block.kind === 'decision')!.bodies[0];
      expect(decision).toMatchObject({ decision: 'deny', by: 'bob', note: 'too much' });
    }));

  it('answers every call, also in a turn that was cancelled, so that a session can go on from its head', () =>
    withEngine(
      { tools: [read, pays('pay', [])], script: [ask(['lookup', {}], ['pay', invoice], ['lookup', { key: 'z' }])] },
      async ({ start, store }) => {
        const turn = await start();
        await turn.waitForPending();
        await turn.cancel();
        const chain = await blocks(store, (await turn.result()).head);
        const uses = chain.flatMap((block) => block.bodies.filter((body) => body.type === 'tool_use').map((body) => body.id));
        const answers = chain.flatMap((block) =>
          block.bodies.filter((body) => body.type === 'tool_result').map((body) => body.tool_use_id),
        );
        expect(answers).toEqual(uses);
        expect(chain.at(-1)).toMatchObject({ kind: 'end', bodies: [{ state: 'cancelled' }] });
      },
    ));
});

describe('a long turn', () => {
  it('continues as new between its steps, with its calls, its usage and its step numbers', async () => {
    const { path } = await findTemporalCli();
    const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 60 };
    const server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
    try {
      const steps = Array.from({ length: 14 }, (_, index) => ask(['lookup', { key: `k${index}` }]));
      await withEngine({ address: server.address, tools: [read], script: [...steps, say('long')] }, async ({ start, store }) => {
        const turn = await start();
        const first = await eventually('the first run is known', async () => (await turn.status()).run_id);
        const view = await turn.result();
        expect(view).toMatchObject({ state: 'completed', text: 'long', step: 15 });
        expect(view.run_id).not.toBe(first);
        expect(view.calls).toHaveLength(14);
        expect(view.usage.input_tokens).toBe(1500);
        expect(new Set(view.calls.map((call) => call.idempotency_key)).size).toBe(14);
        expect((await blocks(store, view.head)).filter((block) => block.kind === 'start')).toHaveLength(1);
        const seen: string[] = [];
        for await (const event of turn.watch()) seen.push(event.type);
        expect(seen.filter((type) => type === 'step_completed')).toHaveLength(15);
        expect(seen.at(-1)).toBe('turn_completed');
      });
    } finally {
      await server.stop();
    }
  });
});
