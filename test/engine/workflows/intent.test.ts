import { ToolError } from '../../../src/tools/define/errors';
import { intentHash, intentWorkflowId, type ClaimAnswer, type IntentOwner } from '../../../src/shared/intent';
import { shownCard } from '../../support/card';
import { eventually, withEngine, type Engine } from '../support/engine';
import { keepForReplay } from '../support/replays';
import { TestTime } from '../support/time-server';
import { resetTurn } from '../support/reset';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const time = new TestTime();
const invoice = { invoice: 'INV-7', cents: 700 };
const allowed = { permissions: { allow: ['pay'] } };
const intentKey = ({ invoice: number }: any) => ({ invoice: number });
const KEY = { invoice: 'INV-7' };

function entity({ client, taskQueue }: Engine) {
  return client.temporal.workflow.getHandle(intentWorkflowId(taskQueue, intentHash('pay', KEY)));
}

function owners(engine: Engine): Promise<IntentOwner[]> {
  return entity(engine).query<IntentOwner[]>('owners');
}

/** Has the entity replayed as it stands. */
function replayed(engine: Engine): Promise<void> {
  return keepForReplay(engine.client.temporal, entity(engine));
}

describe('the same action', () => {
  it('planned again in the same turn waits, though a rule allows it; the card shows the first one', async () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', invoice]), ask(['pay', { ...invoice, cents: 701 }]), say('paid once')];
    await withEngine({ tools: [pays('pay', effects, { intentKey })], agent: allowed, script }, async (engine) => {
      const turn = await engine.start('Pay.', { requester: 'rita' });
      const [call] = await turn.waitForPending();
      expect(call).toMatchObject({ id: '2.1', revision: 2 });
      expect(effects).toEqual([invoice]);
      const card = await shownCard(engine.client, turn);
      expect(card).toContain('done before');
      expect(card).toContain('call 1.1 of turn');
      expect(card).toContain('asked for by rita');
      expect(card).toContain('it was done');
      await turn.deny(call.digest, { by: 'ana' });
      await turn.result();
      expect(effects).toEqual([invoice]);
      expect(await owners(engine)).toMatchObject([{ call_id: '1.1', settled: true }]);
      await replayed(engine);
    });
  });

  it('in another turn, by another session and requester, waits too; approved, it is done once more', async () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', invoice]), say('paid'), ask(['pay', invoice]), say('paid again')];
    await withEngine({ tools: [pays('pay', effects, { intentKey })], agent: allowed, script }, async (engine) => {
      const first = await engine.start('Pay.', { requester: 'rita' });
      await first.result();
      const second = await engine.start('Pay.', { requester: 'otto' });
      const [call] = await second.waitForPending();
      expect(effects).toHaveLength(1);
      await second.approve(call.digest, { by: 'ana' });
      const view = await second.result();
      expect(effects).toHaveLength(2);
      expect(view.calls.map(({ state }) => state)).toEqual(['superseded', 'succeeded']);
      expect(await owners(engine)).toMatchObject([{ requester: 'rita' }, { requester: 'otto' }]);
      await replayed(engine);
    });
  });

  it('is named on the first card where a person is asked anyway, and is asked about once', async () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', invoice]), ask(['pay', invoice]), say('paid twice')];
    await withEngine({ tools: [pays('pay', effects, { intentKey })], script }, async (engine) => {
      const turn = await engine.start();
      const [first] = await turn.waitForPending();
      expect(await shownCard(engine.client, turn)).not.toContain('done before');
      await turn.approve(first.digest, { by: 'ana' });
      const second = await eventually('the second waits', async () => {
        const [call] = await turn.pending();
        return call?.id === '2.1' && call;
      });
      expect(second.revision).toBe(1);
      expect(await shownCard(engine.client, turn)).toContain('call 1.1 of turn');
      await turn.approve(second.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view.calls.map(({ revision, state }) => [revision, state])).toEqual([
        [1, 'succeeded'],
        [1, 'succeeded'],
      ]);
      expect(effects).toHaveLength(2);
    });
  });

  it('counts as another action after the window; the entity has ended', async () => {
    const effects: unknown[] = [];
    const intentWindowMs = time.either('7 days', 1000);
    const tool = pays('pay', effects, { intentKey, intentWindowMs });
    const script = [ask(['pay', invoice]), say('paid'), ask(['pay', invoice]), say('paid again')];
    await withEngine({ time, tools: [tool], agent: allowed, script }, async (engine) => {
      await (await engine.start()).result();
      await time.skip(intentWindowMs);
      await eventually('the entity ended', async () => (await entity(engine).describe()).status.name === 'COMPLETED');
      await replayed(engine);
      const view = await (await engine.start()).result();
      expect(view.calls).toHaveLength(1);
      expect(effects).toHaveLength(2);
    });
  });

  it('of calls at once is done by exactly one of them without a question', async () => {
    const effects: unknown[] = [];
    const turns = 4;
    const script = [
      ...Array.from({ length: turns }, () => ask(['pay', invoice])),
      ...Array.from({ length: turns }, () => say('ok')),
    ];
    await withEngine({ tools: [pays('pay', effects, { intentKey })], agent: allowed, script }, async (engine) => {
      const started = await Promise.all(Array.from({ length: turns }, () => engine.start()));
      const waiting = await eventually('all but one wait', async () => {
        const pending = await Promise.all(started.map(async (turn) => ({ turn, calls: await turn.pending() })));
        const asked = pending.filter(({ calls }) => calls.length === 1);
        return asked.length === turns - 1 && effects.length === 1 && asked;
      });
      for (const { turn, calls } of waiting) await turn.deny(calls[0]!.digest, { by: 'ana' });
      await Promise.all(started.map((turn) => turn.result()));
      expect(effects).toHaveLength(1);
      expect(await owners(engine)).toHaveLength(1);
      await replayed(engine);
    });
  });

  it('that was proven not to have happened may be asked for again without a question', async () => {
    const effects: unknown[] = [];
    let down = true;
    const run = (input: unknown) => {
      if (down) throw new ToolError('EXECUTION_ERROR', 'closed', 'the bank is closed', { nothingHappened: true });
      effects.push(input);
      return { paid: true };
    };
    const script = [ask(['pay', invoice]), say('not paid'), ask(['pay', invoice]), say('paid')];
    await withEngine({ tools: [pays('pay', effects, { intentKey, run })], agent: allowed, script }, async (engine) => {
      const failed = await (await engine.start()).result();
      expect(failed.calls[0]).toMatchObject({ effect: 'not_applied' });
      expect(await owners(engine)).toEqual([]);
      down = false;
      const paid = await (await engine.start()).result();
      expect(paid.calls).toHaveLength(1);
      expect(effects).toEqual([invoice]);
    });
  });

  it('keeps its own claim when its call is tried again', async () => {
    let tries = 0;
    const effects: unknown[] = [];
    const run = (input: unknown) => {
      tries += 1;
      if (tries === 1) throw new ToolError('NETWORK_ERROR', 'cut', 'no answer', { retryAfterMs: 10 });
      effects.push(input);
      return { paid: true };
    };
    const tool = pays('pay', effects, { intentKey, run, idempotent: true });
    await withEngine({ tools: [tool], agent: allowed, script: [ask(['pay', invoice]), say('paid')] }, async (engine) => {
      const view = await (await engine.start()).result();
      expect(tries).toBe(2);
      expect(view.calls).toMatchObject([{ state: 'succeeded', revision: 1 }]);
      expect(await owners(engine)).toMatchObject([{ settled: true }]);
    });
  });

  it('keeps its own claim when its turn is reset: nobody is asked, and nothing is done again', async () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', invoice]), say('paid'), say('paid')];
    await withEngine({ tools: [pays('pay', effects, { intentKey })], agent: allowed, script }, async (engine) => {
      const turn = await engine.start();
      await turn.result();
      await resetTurn(engine.client, turn, { before: 'runCall' });
      const view = await turn.result();
      expect(effects).toEqual([invoice]);
      expect(view.calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      expect(await owners(engine)).toHaveLength(1);
    });
  });

  it('waits while the first is in doubt, until a person has found out that it did not happen', async () => {
    const effects: unknown[] = [];
    let cut = true;
    const run = (input: unknown) => {
      if (cut) throw new ToolError('NETWORK_ERROR', 'cut', 'the connection was cut');
      effects.push(input);
      return { paid: true };
    };
    const intentWindowMs = time.either('7 days', 700);
    const tool = pays('pay', effects, { intentKey, run, intentWindowMs });
    const script = [
      ask(['pay', invoice]),
      ask(['pay', invoice]),
      say('not paid'),
      say('not paid'),
      ask(['pay', invoice]),
      say('paid'),
    ];
    await withEngine({ time, tools: [tool], agent: allowed, script }, async (engine) => {
      const first = await engine.start();
      const [doubt] = await first.waitForPending();
      expect(doubt.state).toBe('in_doubt');
      await time.skip(intentWindowMs); // its window is over, but nobody knows
      const second = await engine.start();
      const [call] = await second.waitForPending();
      expect(call.state).toBe('waiting');
      expect(await shownCard(engine.client, second)).toContain('not known whether it was done');
      await second.deny(call.digest, { by: 'ana' });
      await second.result();
      await first.settle(doubt.digest, 'not_applied', { by: 'ana' });
      await first.result();
      cut = false;
      const third = await (await engine.start()).result();
      expect(third.calls).toHaveLength(1);
      expect(effects).toEqual([invoice]);
      await replayed(engine);
    });
  });

  it('is not done if its intent key cannot be computed', async () => {
    const effects: unknown[] = [];
    const broken = () => {
      throw new Error('no payee');
    };
    const tool = pays('pay', effects, { intentKey: broken });
    await withEngine({ tools: [tool], agent: allowed, script: [ask(['pay', invoice]), say('not paid')] }, async (engine) => {
      const view = await (await engine.start()).result();
      expect(view.calls[0]).toMatchObject({ effect: 'not_applied', error: { reason: 'intent_key_failed' } });
      expect(effects).toEqual([]);
    });
  });
});

describe('the entity of an intent', () => {
  const claim = (key: string) => ({
    owner: { key, digest: key, turn_id: 't', call_id: '1.1', requester: 'r' },
    window_ms: 60_000,
    accepted: [],
  });

  it('refuses malformed claims, is not wedged by them or by signals, and goes on in another run before its updates run out', async () => {
    await withEngine(
      { tools: [pays('pay', [], { intentKey })], agent: allowed, script: [ask(['pay', invoice]), say('ok')] },
      async (engine) => {
        await (await engine.start()).result();
        const handle = entity(engine);
        await handle.signal('approve', { junk: true });
        for (const junk of [null, 7, {}, { owner: {} }, { ...claim('a'), window_ms: -1 }, { ...claim('a'), accepted: [7] }]) {
          await expect(handle.executeUpdate('claim', { args: [junk] })).rejects.toThrow();
        }
        await expect(handle.executeUpdate('close', { args: [{ key: 'a', effect: 'maybe' }] })).rejects.toThrow();
        const { runId } = await handle.describe();
        for (let sent = 0; sent < 200; sent += 10) {
          const asked = Array.from({ length: 10 }, (_, index) => {
            const update = { args: [claim(`k${sent + index}`)] as [unknown] };
            return handle.executeUpdate<ClaimAnswer, [unknown]>('claim', update);
          });
          for (const answer of await Promise.all(asked)) expect(answer.granted).toBe(false);
        }
        await eventually('another run', async () => (await handle.describe()).runId !== runId);
        expect(await owners(engine)).toHaveLength(1);
        expect((await handle.executeUpdate<ClaimAnswer, [unknown]>('claim', { args: [claim('late')] })).granted).toBe(false);
        await replayed(engine);
      },
    );
  });
});
