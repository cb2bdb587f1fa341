/** `POST /v1/turns/:id/answers`: a person answers a question of the model over HTTP, signed by the gateway in that person's name. */
import { ana, boss, eve, gatewayScene, rita, ron, type Scene } from '../support/gateway-scene';
import { eventually } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { askPerson } from '../../../src/tools/people/ask-person';

const which = { question: 'Which account shall pay the rent?', choices: ['operations', 'reserve'] };

/** A turn of rita's that waits for an answer. */
const asked = (input: object, body: (scene: Scene & { id: string; digest: string }) => Promise<void>) =>
  gatewayScene({ tools: [askPerson()], script: [ask(['ask_person', input as never]), say('done')] }, async (scene) => {
    const { send } = scene;
    const { turn_id: id } = (await send(rita, 'POST', '/v1/turns', { agent: 'tester', message: 'Pay the rent.' })).body;
    const digest = await eventually<string>('it asks', async () => (await send(ana, 'GET', `/v1/turns/${id}`)).body.pending[0]);
    await body({ ...scene, id, digest });
  });

describe('an answer over HTTP', () => {
  it('goes to the model, is recorded under the name of whoever gave it, and is taken once', () =>
    asked(which, async ({ send, client, id, digest, model }) => {
      const url = `/v1/turns/${id}/answers`;
      const answer = { call: digest.slice(0, 12), value: 'reserve', note: 'Operations is empty.' };
      const { status, body } = await send(ana, 'POST', url, answer);
      expect({ status, body }).toMatchObject({ status: 200, body: { accepted: true, by: ana.entry.principal, call: digest } });
      const view = await client.turn(id).result();
      expect(view).toMatchObject({ state: 'completed', calls: [{ tool: 'ask_person', state: 'succeeded' }] });
      expect(view.calls[0]!.approval).toMatchObject({ by: [ana.entry.principal], decision: 'answer' });
      expect(view.calls[0]!.approval.decisions).toMatchObject([{ by: ana.entry.principal, decision: 'answer', attested: true }]);
      const results = JSON.stringify(model.requests.at(-1)!.messages);
      expect(results).toContain('Operations is empty.');
      expect((await send(ana, 'POST', url, { ...answer, value: 'operations' })).status).toBe(409);
    }));

  it('comes from an approver, or from whoever started the turn, and from nobody else', () =>
    asked(which, async ({ send, client, id, digest }) => {
      const url = `/v1/turns/${id}/answers`;
      const answer = { call: digest, value: 'operations' };
      expect((await send(eve, 'POST', url, answer)).status).toBe(404);
      expect((await send(boss, 'POST', url, answer)).status).toBe(403);
      expect((await send(ron, 'POST', url, answer)).status).toBe(404);
      expect((await send(null, 'POST', url, answer)).status).toBe(401);
      expect((await client.turn(id).status()).state).toBe('awaiting_answer');
      expect((await send(rita, 'POST', url, answer)).status).toBe(200);
      expect((await client.turn(id).result()).calls[0]!.approval.by).toEqual([rita.entry.principal]);
    }));

  it('has to fit the question: otherwise it says why, and the question waits on', () =>
    asked(which, async ({ send, client, id, digest }) => {
      const url = `/v1/turns/${id}/answers`;
      const refused = await send(ana, 'POST', url, { call: digest, value: 'savings' });
      expect(refused.status).toBe(409);
      expect(refused.body.error.message).toContain('operations');
      expect((await send(ana, 'POST', url, { call: digest })).status).toBe(400);
      expect((await send(ana, 'POST', url, { call: 'no digest', value: 'reserve' })).status).toBe(400);
      expect((await send(ana, 'POST', url, { call: '0'.repeat(64), value: 'reserve' })).status).toBe(409);
      expect(await client.turn(id).status()).toMatchObject({ state: 'awaiting_answer', pending: [digest] });
      expect((await send(ana, 'POST', url, { call: digest, value: 'operations' })).status).toBe(200);
      expect((await client.turn(id).result()).state).toBe('completed');
    }));
});
