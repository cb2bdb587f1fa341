/** `POST /v1/completions/:token`: whoever has the secret token of a call completes it, once. */
import { allowed, Bank, isPending, settledOn, transfer } from '../support/bank';
import { eventually } from '../support/engine';
import { gatewayScene, rita } from '../support/gateway-scene';
import { ask, say } from '../../support/scripted-model';

const own = { agent: allowed };

describe('a completion over HTTP', () => {
  it('ends the call once, whoever sends it; the answer says nothing of the call', () => {
    const bank = new Bank();
    const setup = { ...own, tools: [bank.tool], script: [ask(['transfer', transfer]), say('done')] };
    return gatewayScene(setup, async ({ send, client }) => {
      const begun = await send(rita, 'POST', '/v1/turns', { agent: 'tester', message: 'Transfer it.' });
      const turn = client.turn(begun.body.turn_id);
      await isPending(turn);
      const url = new URL(bank.orders[0]!.url).pathname;
      expect(url).toBe(`/v1/completions/${bank.token}`);
      const { body: view } = await send(rita, 'GET', `/v1/turns/${turn.id}`);
      expect(view).toMatchObject({ state: 'awaiting_completion', calls: [{ state: 'pending' }] });

      for (const bad of [{}, { result: settledOn, error: 'x' }, { results: 1 }, []])
        expect((await send(null, 'POST', url, bad)).status).toBe(400);
      const unfit = await send(null, 'POST', url, { result: { settled_on: 7 } });
      expect(unfit).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('does not fit') } } });
      const foreign = await send(
        null,
        'POST',
        url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        { result: settledOn },
      );
      expect(foreign).toMatchObject({ status: 404, body: { error: { reason: 'unknown_token' } } });

      const all = await Promise.all(Array.from({ length: 10 }, () => send(null, 'POST', url, { result: settledOn })));
      expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
      expect(all.find(({ status }) => status === 200)!.body).toEqual({ accepted: true });
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      expect((await send(null, 'POST', url, { error: 'No.' })).status).toBe(409);
    });
  });

  it('ends a direct call, which had been answered with 202', () => {
    const bank = new Bank();
    return gatewayScene({ ...own, tools: [bank.tool] }, async ({ send }) => {
      const sent = await send(rita, 'POST', '/tools/transfer', { input: transfer });
      expect(sent).toMatchObject({ status: 202, body: { state: 'awaiting_completion', pending: [] } });
      const completion = new URL(bank.orders[0]!.url).pathname;
      expect((await send(null, 'POST', completion, { result: settledOn })).status).toBe(200);
      const { body } = await eventually('the call has ended', async () => {
        const view = await send(rita, 'GET', sent.body.view_url);
        return view.body.ended_at !== null && view;
      });
      expect(body).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded' }], envelope: { data: settledOn } });
    });
  });

  it('with unknown tokens is limited for each address', () =>
    gatewayScene({ tools: [] }, async ({ send }) => {
      const statuses = [];
      for (let n = 0; n < 62; n += 1) statuses.push((await send(null, 'POST', '/v1/completions/x', { error: 'x' })).status);
      expect([statuses[0], statuses.at(-1)]).toEqual([404, 429]);
    }));
});
