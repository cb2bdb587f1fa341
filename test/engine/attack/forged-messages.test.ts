/**
 * An attacker who reaches Temporal's gRPC port starts the activities that notify people and programs in our name. He wants to send
 * approvers the card of one call with the digest of another, or a backend a signed callback about an event that never happened.
 * Each test is named after what it prevents.
 */
import type { CallbackMessage } from '../../../src/shared/wire/callback';
import type { NotifyInput } from '../../../src/shared/io/activities';
import { withEngine } from '../support/engine';
import { withForger } from '../support/forge';
import { contextOf } from '../support/made-up';
import { ask, say } from '../../support/scripted-model';
import { invoice } from '../support/scene';
import { pays } from '../../support/tools';

describe('an attacker who starts an activity cannot', () => {
  it('notify approvers of a call with another call’s card, or a backend of an end that never happened', async () => {
    const told: [NotifyInput, string | null][] = [];
    const sent: CallbackMessage[] = [];
    const notifier = { tell: async (question: NotifyInput, card: string | null) => void told.push([question, card]) };
    const callbacks = { send: async (_url: string, _id: string, message: CallbackMessage) => void sent.push(message) };
    const script = [ask(['pay', invoice]), say('done')];
    await withEngine({ tools: [pays('pay', [])], script, settings: { notifier, callbacks } }, async (engine) => {
      const { client, taskQueue, store } = engine;
      const callbackRef = await store.putPart('callback', { v: 'holdfast.callback/1', url: 'https://backend.example/told' });
      const turn = await engine.start('Pay it.', { requester: 'rita', callbackRef });
      const [{ digest }] = await turn.waitForPending();
      const context = await contextOf(turn);
      const at = new Date().toISOString();
      const { run_id: __, ...view } = await turn.status();
      const message = { type: 'turn.ended', timestamp: at, turn: { ...view, state: 'completed' } } as never as CallbackMessage;
      const question = { turn: context, call_id: '1.1', tool: 'pay', digest, expires_at: null, at };
      await withForger(
        client,
        taskQueue,
        async (forge) => {
          const card = { kind: 'in_doubt' as const, card_ref: null, card: 'Approve one coffee.' };
          await expect(forge('notify', { ...question, ...card })).rejects.toThrow('is not of turn');
          const ended = { turn: context, id: `cb_${'0'.repeat(32)}`, callback_ref: callbackRef, message };
          await expect(forge('deliverCallback', ended)).rejects.toThrow('is not of turn');
        },
        'stranger',
      );
      await turn.approve(digest, { by: 'ana' });
      await turn.result();
      expect(told.map(([{ kind }]) => kind)).toEqual(['approval']);
      expect(told[0]![1]).toContain(digest);
      expect(sent.map(({ type }) => type).filter((type) => type !== 'turn.ended')).toEqual(['approval.requested']);
      expect(sent.filter(({ turn: { state } }) => state === 'completed').length).toBeLessThan(2);
    });
  });
});
