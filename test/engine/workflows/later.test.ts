/**
 * Calls that end later (`ctx.later`): by a completion, by the tool's poll, by expiry, or since the turn is cancelled; and what happens
 * meanwhile. For a destructive tool: one effect, in the right state.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { DecisionNotAccepted } from '../../../src/client/errors';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { Json } from '../../../src/shared/json/json';
import { defineTool } from '../../../src/tools/define/define';
import { ask, say } from '../../support/scripted-model';
import { allowed, Bank, completed, isPending, settledOn, transfer } from '../support/bank';
import { resetTurn } from '../support/reset';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';

const DAY = 86_400_000;

function pending(
  bank: Bank,
  body: (on: Engine & { turn: TurnHandle }) => Promise<void>,
  setup: Partial<Setup> = {},
  waits: (turn: TurnHandle) => Promise<unknown> = isPending,
): Promise<void> {
  const script = [ask(['transfer', transfer]), say('done')];
  return withEngine({ tools: [bank.tool], script, agent: allowed, ...setup }, async (engine) => {
    const turn = await engine.start('Transfer it.', { requester: 'rita' });
    await waits(turn);
    await body({ ...engine, turn });
  });
}

/** The call may have expired before somebody sees that it is pending. */
const soonOver = async () => undefined;

describe('a call that ends later', () => {
  it('is pending without a running activity, and ends with what completes it', () => {
    const bank = new Bank();
    return pending(bank, async (on) => {
      const { turn, client } = on;
      const { calls } = await turn.status();
      expect(calls).toMatchObject([{ state: 'pending', effect: null, pending_until: bank.orders[0]!.expires_at }]);
      const { raw } = await client.temporal.workflow.getHandle(turn.workflowId).describe();
      expect(raw.pendingActivities ?? []).toEqual([]);
      await completed(on, bank.token, { result: settledOn });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'completed', text: 'done' });
      expect(view.calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      expect(bank.orders).toHaveLength(1);
    });
  });

  it('is completed once: a second completion, an unfit one and one of another token change nothing, and say why', () => {
    const bank = new Bank();
    return pending(bank, async (on) => {
      const unfit = completed(on, bank.token, { result: { settled_on: 'Thursday' } });
      await expect(unfit).rejects.toThrow(/Not accepted: the result does not fit the tool/);
      const forged = `${bank.token.slice(0, -2)}${bank.token.endsWith('AA') ? 'BB' : 'AA'}`;
      for (const token of [forged, '', 'x', '../../etc'])
        await expect(completed(on, token, { result: settledOn })).rejects.toThrow('No call is completed with this token.');
      expect((await on.turn.status()).state).toBe('awaiting_completion');
      const both = await Promise.allSettled([1, 2].map(() => completed(on, bank.token, { result: settledOn })));
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect((await on.turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      await expect(completed(on, bank.token, { result: settledOn })).rejects.toThrow(DecisionNotAccepted);
    });
  });

  it('ends with an error that says that nothing was done', () => {
    const bank = new Bank();
    return pending(bank, async (on) => {
      await completed(on, bank.token, { error: 'The account is closed.' });
      const view = await on.turn.result();
      expect(view.calls).toMatchObject([
        { state: 'failed', effect: 'not_applied', error: { reason: 'completed_with_error', message: 'The account is closed.' } },
      ]);
    });
  });

  it('ends by the poll of its tool, which is asked at growing intervals', () => {
    const bank = new Bank({ expiresMs: DAY, poll: { everyMs: 1000 } }, (n) => (n < 3 ? 'pending' : { result: settledOn }));
    return pending(bank, async ({ turn }) => {
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      expect([bank.polled, bank.orders.length]).toEqual([3, 1]);
    });
  });

  it('is in doubt once it expires, and a person settles it; a completion is too late', () => {
    const bank = new Bank({ expiresMs: 3000 });
    return pending(bank, async (on) => {
      const { turn } = on;
      const [call] = await turn.waitForPending();
      expect(call).toMatchObject({ state: 'in_doubt', error: { reason: 'not_completed' } });
      await expect(completed(on, bank.token, { result: settledOn })).rejects.toThrow(/Not accepted: the call is in doubt/);
      await turn.settle(call.digest, 'applied', { by: 'ana' });
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
    }, {}, soonOver); // oxfmt-ignore
  });

  it('is in doubt once its turn is cancelled', () => {
    const bank = new Bank();
    return pending(bank, async (on) => {
      const { turn } = on;
      await turn.cancel();
      const [call] = await turn.waitForPending();
      await turn.settle(call.digest, 'not_applied', { by: 'ana' });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'cancelled', calls: [{ state: 'failed', effect: 'not_applied' }] });
    });
  });

  it('does not tell a sender that its result counts, if the call was in doubt before a reset', () => {
    const bank = new Bank();
    return pending(bank, async (on) => {
      const { turn, client } = on;
      const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      const task = events!.findLast((event) => event.workflowTaskCompletedEventAttributes)!.eventId!;
      await turn.cancel();
      await turn.waitForPending();
      await resetTurn(client, turn, { task });
      await isPending(turn);
      await expect(completed(on, bank.token, { result: settledOn })).rejects.toThrow('its effect is in_doubt already');
      const [call] = await turn.waitForPending();
      await turn.settle(call.digest, 'applied', { by: 'ana' });
      expect((await turn.result()).calls).toMatchObject([{ effect: 'applied' }]);
      expect(bank.orders).toHaveLength(1);
    });
  });

  it('without an effect fails when it expires, and is stopped by a cancel or an interruption', async () => {
    const short = new Bank({ expiresMs: 2000 });
    await pending(short, async ({ turn }) => {
      expect((await turn.result()).calls).toMatchObject([{ state: 'failed', error: { code: 'TIMEOUT', reason: 'not_completed' } }]);
    }, { tools: [short.toolOf('write')] }, soonOver); // oxfmt-ignore
    for (const how of ['cancel', 'interrupt'] as const) {
      const bank = new Bank();
      await pending(bank, async ({ turn }) => {
        await (how === 'cancel' ? turn.cancel() : turn.interrupt({ by: 'ana' }));
        expect(await turn.result()).toMatchObject({ state: 'cancelled', calls: [{ state: 'cancelled' }] });
      }, { tools: [bank.toolOf('write')] }); // oxfmt-ignore
    }
  });

  it('goes to nobody but the tool: history and bundle have the hash of its token', () => {
    const bank = new Bank();
    return pending(bank, async (on) => {
      await completed(on, bank.token, { result: settledOn });
      await on.turn.result();
      const history = await on.client.temporal.workflow.getHandle(on.turn.workflowId).fetchHistory();
      const text = JSON.stringify(history, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
      );
      expect(text).toContain('completeCall');
      expect(text).not.toContain(bank.token);
      const seen = [];
      for await (const event of on.turn.watch()) if (event.type.startsWith('call_')) seen.push(event);
      expect(seen).toMatchObject([
        { type: 'call_pending', call: '1.1', expires_at: bank.orders[0]!.expires_at },
        { type: 'call_completed', call: '1.1', by: 'completion' },
      ]);
    });
  });

  it('takes a long result, which is checked in a thread, by a completion and by a poll', () => {
    const rows = z.object({ id: z.uuid(), on: z.iso.date(), at: z.iso.datetime(), to: z.email(), cents: z.number().int() });
    const row = { id: randomUUID(), on: '2026-12-03', at: '2026-12-03T10:00:00Z', to: 'acme@example.com', cents: 700 };
    const result = { settled_on: '2026-12-03', rows: Array.from({ length: 60 }, () => row) };
    const output = z.object({ settled_on: z.iso.date(), rows: z.array(rows) });
    const [bank, polled] = [new Bank(), new Bank({ expiresMs: DAY, poll: { everyMs: 1000 } }, () => ({ result }))];
    const tools = [bank, polled].map((one, index) =>
      defineTool({ ...one.tool, name: ['transfer', 'polled'][index]!, output } as never),
    );
    const script = [ask(['transfer', transfer], ['polled', transfer]), say('done')];
    const agent = { permissions: { allow: ['transfer', 'polled'] } };
    return withEngine({ tools, script, agent }, async (engine) => {
      const turn = await engine.start();
      await isPending(turn);
      await completed(engine, bank.token, { result });
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }]);
    });
  });

  it('says to whom completes it that a result is nested too deep, and stays pending if its poll gives such a one', () => {
    let deep: Json = 'x';
    for (let level = 0; level < 195; level++) deep = [deep];
    const bank = new Bank({ expiresMs: 15_000, poll: { everyMs: 1000 } }, () => ({ result: deep }));
    return pending(bank, async (on) => {
      await expect(completed(on, bank.token, { result: deep })).rejects.toThrow('nested deeper than 190 levels');
      await eventually('it is polled', async () => bank.polled > 0);
      await eventually('its time is over', async () => (await on.turn.status()).calls[0]!.state === 'in_doubt');
    });
  });
});
