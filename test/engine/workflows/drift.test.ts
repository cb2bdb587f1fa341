import { ToolError } from '../../../src/tools/define/errors';
import { shownCard } from '../../support/card';
import { eventually, withEngine } from '../support/engine';
import { ask, results, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';

const invoice = { invoice: 'INV-7', cents: 700 };
const allowPay = { permissions: { allow: ['pay'] } };

/** A payment whose preview shows a price that moves. */
function market(first: number, more: object = {}) {
  const effects: unknown[] = [];
  const state = { price: first, previews: 0, down: false };
  const preview = () => {
    state.previews += 1;
    if (state.down) throw new ToolError('NETWORK_ERROR', 'market_down', 'the market does not answer');
    return { price: state.price };
  };
  return { state, effects, tool: pays('pay', effects, { preview, ...more }) };
}

function next(turn: TurnHandle, digest: string) {
  return eventually('it waits again', async () => {
    const [call] = await turn.pending();
    return call !== undefined && call.digest !== digest && call;
  });
}

describe('a preview that drifted before the effect', () => {
  it('sends the call back with both versions on the card; approved again, it runs once', async () => {
    const { state, effects, tool } = market(100);
    await withEngine({ tools: [tool], script: [ask(['pay', invoice]), say('paid')] }, async ({ start, client }) => {
      const turn = await start();
      const [first] = await turn.waitForPending();
      state.price = 137;
      await turn.approve(first.digest, { by: 'ana' });
      const second = await next(turn, first.digest);
      expect(effects).toEqual([]);
      expect(second).toMatchObject({ id: '1.1', revision: 2, state: 'waiting' });
      const card = await shownCard(client, turn);
      expect(card).toContain('what will happen has changed');
      expect(card).toContain('"price": 100');
      expect(card).toContain('"price": 137');
      await expect(turn.approve(first.digest, { by: 'ana' })).rejects.toThrow();
      await turn.approve(second.digest, { by: 'ana' });
      const view = await turn.result();
      expect(effects).toEqual([invoice]);
      expect(view.calls.map(({ revision, state: became, effect }) => [revision, became, effect])).toEqual([
        [1, 'superseded', null],
        [2, 'succeeded', 'applied'],
      ]);
    });
  });

  it('is not done when the second question is denied', async () => {
    const { state, effects, tool } = market(100);
    await withEngine({ tools: [tool], script: [ask(['pay', invoice]), say('not paid')] }, async ({ start }) => {
      const turn = await start();
      const [first] = await turn.waitForPending();
      state.price = 101;
      await turn.approve(first.digest, { by: 'ana' });
      const second = await next(turn, first.digest);
      await turn.deny(second.digest, { by: 'ana' });
      const view = await turn.result();
      expect(effects).toEqual([]);
      expect(view.calls.at(-1)).toMatchObject({ state: 'denied', effect: 'refused' });
    });
  });

  it('within the tool’s tolerance runs as it was approved; beyond it waits', async () => {
    const { state, effects, tool } = market(100, {
      previewTolerance: (asked: any, now: any) => Math.abs(asked.price - now.price) <= 5,
    });
    const script = [ask(['pay', invoice], ['pay', { invoice: 'INV-8', cents: 1 }]), say('done')];
    await withEngine({ tools: [tool], script }, async ({ start }) => {
      const turn = await start();
      const waiting = await eventually('both wait', async () => {
        const pending = await turn.pending();
        return pending.length === 2 && pending;
      });
      state.price = 104;
      await turn.approve(waiting[0]!.digest, { by: 'ana' });
      await eventually('the first is done', async () => effects.length === 1);
      state.price = 106;
      await turn.approve(waiting[1]!.digest, { by: 'ana' });
      const again = await next(turn, waiting[1]!.digest);
      expect(effects).toEqual([invoice]);
      await turn.deny(again.digest, { by: 'ana' });
      await turn.result();
    });
  });

  it('waits for a person where a rule had allowed the call', async () => {
    const effects: unknown[] = [];
    let price = 0;
    const tool = pays('pay', effects, {
      preview: () => `The price is ${(price += 10)}`,
      previewTolerance: (asked) => asked !== 'The price is 10',
    });
    await withEngine(
      { tools: [tool], agent: allowPay, script: [ask(['pay', invoice]), say('paid')] },
      async ({ start, client }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        expect(effects).toEqual([]);
        expect(call).toMatchObject({ revision: 2, approval: { required: true } });
        expect(await shownCard(client, turn)).toContain('The price is 10');
        await turn.approve(call.digest, { by: 'ana' });
        const view = await turn.result();
        expect(effects).toEqual([invoice]);
        expect(view.calls.at(-1)!.approval.by).toEqual(['ana']);
      },
    );
  });

  it('counts as drifted when the tool’s tolerance fails', async () => {
    const { state, effects, tool } = market(100, {
      previewTolerance: () => {
        throw new Error('no idea');
      },
    });
    await withEngine({ tools: [tool], script: [ask(['pay', invoice]), say('not paid')] }, async ({ start }) => {
      const turn = await start();
      const [first] = await turn.waitForPending();
      state.price = 101;
      await turn.approve(first.digest, { by: 'ana' });
      await turn.deny((await next(turn, first.digest)).digest, { by: 'ana' });
      await turn.result();
      expect(effects).toEqual([]);
    });
  });
});

describe('a preview before the effect', () => {
  it('that fails leaves the call undone, and says why', async () => {
    const { state, effects, tool } = market(100, { preview: undefined });
    const preview = () => {
      if (state.down) throw new ToolError('EXECUTION_ERROR', 'market_down', 'the market does not answer');
      return 'fine';
    };
    const script = [ask(['pay', invoice]), say('not paid')];
    await withEngine({ tools: [{ ...tool, preview } as never], script }, async ({ start, model }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      state.down = true;
      await turn.approve(call.digest, { by: 'ana' });
      const view = await turn.result();
      expect(effects).toEqual([]);
      expect(view.calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied' });
      const [told] = results(model.requests[1]!);
      expect(told!.body.error).toMatchObject({ reason: 'market_down' });
      expect(told!.body.error.message).toContain('its preview is made again before the run, and that failed');
    });
  });

  it('does not hold the repetition of an idempotent call that may have acted: what changed may be its own doing', async () => {
    const effects: string[] = [];
    let balance = 1000;
    const tool = pays('pay', effects, {
      idempotent: true,
      preview: () => `balance ${balance}`,
      run: (_input: unknown, ctx: any) => {
        if (!effects.includes(ctx.idempotencyKey)) {
          effects.push(ctx.idempotencyKey);
          balance -= 700;
          throw new ToolError('NETWORK_ERROR', 'cut', 'the answer was lost', { retryAfterMs: 10 });
        }
        return { paid: true };
      },
    });
    await withEngine({ tools: [tool], script: [ask(['pay', invoice]), say('paid')] }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      const view = await turn.result();
      expect(effects).toHaveLength(1);
      expect(view.calls).toHaveLength(1);
      expect(view.calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
    });
  });
});
