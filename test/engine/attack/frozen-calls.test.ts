/**
 * What is frozen is not dispatched: not by an approval, by a direct call, by a reset, by another attempt, by a settlement, nor by an
 * attacker who has activities run. It is not lost either. And an approval that was withdrawn dispatches nothing.
 */
import { setTimeout } from 'node:timers/promises';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { StopRegister } from '../../../src/stop/register';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine } from '../support/engine';
import { approvalOf, runInput, waitingArguments, withForger } from '../support/forge';
import { CHANNELS, insteadOf, invoice, scene } from '../support/scene';
import { resetTurn } from '../support/reset';
import { ask, say } from '../../support/scripted-model';
import { loses, pays } from '../../support/tools';

const PATIENCE = 240_000;
const PAY = { scope: 'tool', name: 'pay' } as const;

const waits = (turn: TurnHandle) => eventually('its call waits for the freeze', async () => (await turn.status()).frozen);

describe.each(CHANNELS)('a frozen call (decisions: %s)', (channel) => {
  it(
    'is not dispatched by its approval, nor by an activity that an attacker schedules; it runs once when the freeze ends',
    () =>
      scene(channel, {}, async ({ client, taskQueue, store, turn, waiting, digest, by, effects }) => {
        const stop = new StopRegister(store);
        const { freeze } = await stop.freeze(PAY, 'root', 'wrong account');
        const call = await waitingArguments(client, turn, digest);
        const ana = await by('ana');
        await turn.approve(digest, ana);
        expect(await waits(turn)).toBe(`tool pay is frozen since ${freeze.at} by root: wrong account`);

        const input = await runInput(turn, call, [approvalOf(waiting, 'ana', ana)]);
        const forged = await withForger(client, taskQueue, (forge) => forge('runCall', input));
        expect(forged).toMatchObject({ state: 'failed', effect: 'not_applied', error: { reason: 'frozen' } });
        expect([effects, await store.effects.findByDigest(turn.id, digest)]).toEqual([[], null]);

        await stop.unfreeze(PAY, 'root', '');
        expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded', attempts: 1 }] });
        expect(effects).toEqual([invoice]);
      }),
    PATIENCE,
  );
});

describe('a frozen call', () => {
  it(
    'is not dispatched by a reset of its workflow',
    () =>
      scene('any', { madeUp: true, script: [ask(['pay', invoice]), say('done'), say('done')] }, async (at) => {
        const { client, store, turn, digest, effects } = at;
        const stop = new StopRegister(store);
        await stop.freeze({ scope: 'agent', name: 'tester' }, 'root', 'x');
        await turn.approve(digest, { by: 'ana' });
        await waits(turn);
        await resetTurn(client, turn, { before: 'runCall' });
        const [again] = await turn.waitForPending();
        await turn.approve(again.digest, { by: 'ana' });
        await waits(turn);
        expect(effects).toEqual([]);
        await stop.unfreeze({ scope: 'agent', name: 'tester' }, 'root', '');
        await turn.result();
        expect(effects).toEqual([invoice]);
      }),
    PATIENCE,
  );

  it('is not dispatched by a direct call, and can be cancelled; a read goes on', async () => {
    const effects: unknown[] = [];
    const look = pays('look', [], { class: 'read' });
    await withEngine({ tools: [pays('pay', effects), look] }, async ({ call, store }) => {
      await new StopRegister(store).freeze({ scope: 'all', name: '' }, 'root', 'x');
      const made = await call('pay', invoice);
      const [waiting] = await made.turn.waitForPending();
      await made.turn.approve(waiting.digest, { by: 'ana' });
      await waits(made.turn);
      expect(await (await call('look', invoice)).result()).toMatchObject({ success: true });
      await made.turn.cancel();
      expect(await made.turn.result()).toMatchObject({ state: 'cancelled' });
      expect(effects).toEqual([]);
    });
  });

  it('is not run when somebody interrupted its turn, which ends at once', () =>
    scene('any', {}, async ({ store, turn, digest, effects }) => {
      const stop = new StopRegister(store);
      await stop.freeze(PAY, 'root', 'x');
      await turn.approve(digest, { by: 'ana' });
      await waits(turn);
      await turn.interrupt({ by: 'ana' });
      const result = await turn.result();
      expect(result).toMatchObject({ state: 'cancelled', reason: 'Interrupted by ana.' });
      expect(result.calls).toMatchObject([{ state: 'cancelled', effect: 'refused' }]);
      await stop.unfreeze(PAY, 'root', '');
      expect([effects, await store.effects.findByDigest(turn.id, digest)]).toEqual([[], null]);
    }));

  it('that was frozen after its claim does not begin: it is dispatched again when the freeze ends', () =>
    scene('any', {}, async ({ store, turn, digest, effects }) => {
      const stop = new StopRegister(store);
      const claim = store.effects.claim.bind(store.effects);
      jest.spyOn(store.effects, 'claim').mockImplementationOnce(async (...args) => {
        const claimed = await claim(...args);
        await stop.freeze(PAY, 'root', 'at the last moment');
        return claimed;
      });
      await turn.approve(digest, { by: 'ana' });
      await waits(turn);
      expect(effects).toEqual([]);
      expect(await store.effects.findByDigest(turn.id, digest)).toMatchObject({ state: 'not_applied', dispatch: 1 });
      await stop.unfreeze(PAY, 'root', '');
      expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded' }] });
      expect(effects).toEqual([invoice]);
    }));

  it('that was tried before ends with what that gave when somebody interrupts its turn, and is not run after the freeze', async () => {
    let stop!: StopRegister;
    let tries = 0;
    const run = async () => {
      tries += 1;
      await stop.freeze(PAY, 'root', 'x');
      throw new ToolError('NETWORK_ERROR', 'no_line', 'No line.', { nothingHappened: true });
    };
    await withEngine({ tools: [pays('pay', [], { run })], script: [ask(['pay', invoice])] }, async ({ start, store }) => {
      stop = new StopRegister(store);
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      await waits(turn);
      await turn.interrupt({ by: 'ana' });
      expect(await turn.result()).toMatchObject({
        state: 'cancelled',
        calls: [{ state: 'failed', effect: 'not_applied', error: { reason: 'no_line' } }],
      });
      await stop.unfreeze(PAY, 'root', '');
      expect(tries).toBe(1);
    });
  });

  it('is not tried again by its own retries', async () => {
    let stop!: StopRegister;
    let tries = 0;
    const run = async () => {
      tries += 1;
      if (tries > 1) return { paid: true };
      await stop.freeze(PAY, 'root', 'x');
      throw new ToolError('NETWORK_ERROR', 'no_line', 'No line.', { nothingHappened: true });
    };
    const script = [ask(['pay', invoice]), say('done')];
    await withEngine({ tools: [pays('pay', [], { run })], script }, async ({ start, store }) => {
      stop = new StopRegister(store);
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      await turn.approve(digest, { by: 'ana' });
      await waits(turn);
      expect(tries).toBe(1);
      await stop.unfreeze(PAY, 'root', '');
      expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded' }] });
      expect(tries).toBe(2);
    });
  });

  it('that is in doubt is settled as ever, and a settlement dispatches nothing', async () => {
    let runs = 0;
    const send = { ...loses('send'), run: async () => Promise.reject(new Error(`The line broke, run ${(runs += 1)}.`)) };
    await withEngine({ tools: [send], script: [ask(['send', { to: 'x' }]), say('done')] }, async ({ start, store }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      await turn.approve(digest, { by: 'ana' });
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      await new StopRegister(store).freeze({ scope: 'all', name: '' }, 'root', 'x');
      await turn.settle(digest, 'not_applied', { by: 'ana' });
      expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ effect: 'not_applied' }] });
      expect(runs).toBe(1);
    });
  });
});

describe.each(CHANNELS)('an approval that was withdrawn (decisions: %s)', (channel) => {
  it(
    'dispatches nothing: people are asked again, and a later approval of the same person counts',
    () =>
      scene(channel, {}, async ({ store, turn, digest, by, effects }) => {
        const stop = new StopRegister(store);
        await stop.freeze(PAY, 'root', 'while we look');
        await turn.approve(digest, await by('ana'));
        await waits(turn);
        await stop.withdraw('ana', 'root', 'a stolen key');
        await stop.unfreeze(PAY, 'root', '');
        const next = await insteadOf(turn, digest);
        const [card] = [...(await turn.cards()).values()];
        expect(card).toContain('### It is asked again: an approval was withdrawn');
        expect(card).toContain('root withdrew the approval of ana at ');
        expect(card).toMatch(/: a\s+(↪ )?stolen\s+(↪ )?key\./);
        expect(effects).toEqual([]);
        await turn.approve(next.digest, await by('ana', { digest: next.digest }));
        expect((await turn.result()).state).toBe('completed');
        expect(effects).toEqual([invoice]);
      }),
    PATIENCE,
  );
});

it(
  'an approval that was signed before its withdrawal dispatches nothing, though it comes later',
  () =>
    scene('attested', {}, async ({ store, turn, digest, by, effects }) => {
      const signed = await by('ana');
      await setTimeout(1100); // the signature names the second only
      await new StopRegister(store).withdraw('ana', 'root', 'a stolen key');
      await turn.approve(digest, signed);
      const next = await insteadOf(turn, digest);
      expect(effects).toEqual([]);
      await turn.approve(next.digest, await by('ana', { digest: next.digest }));
      expect((await turn.result()).state).toBe('completed');
      expect(effects).toEqual([invoice]);
    }),
  PATIENCE,
);
