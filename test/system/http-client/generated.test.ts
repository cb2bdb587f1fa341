import { serveGateway } from '../../../src/gateway/serve';
import { httpClient } from '../../../src/http-client';
import { withEngine } from '../../engine/support/engine';
import { gatewayParts, person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

describe('the TypeScript client', () => {
  it('starts a turn, decides on a waiting call, and reads the turn’s end', async () => {
    const signers = new Signers();
    const [rita, ana] = [person('rita', 'starter'), person('ana', 'approver')];
    const effects: unknown[] = [];
    const script = [ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('paid')];
    const settings = { approvals: 'attested' as const, trust: signers.trust };
    const signingKey = await signers.file(signers.gateway);
    await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey }, async ({ client, store }) => {
      const parts = gatewayParts({ people: [rita, ana], store, key: signers.gateway, client: async () => client });
      const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
      try {
        const his = httpClient({ url: `${gateway.url}/`, token: rita.token });
        const hers = httpClient({ url: gateway.url, token: ana.token });
        const headers = { 'Idempotency-Key': 'inv-7' };
        const body = { agent: 'tester', message: 'Pay INV-7.' };
        const started = await his.POST('/v1/turns', { body, headers });
        const id = started.data!.turn_id;
        expect((await his.POST('/v1/turns', { body, headers })).data).toEqual(started.data);
        const [call] = await client.turn(id).waitForPending();
        const path = { id };
        const forbidden = await his.POST('/v1/turns/{id}/decisions', {
          params: { path },
          body: { decision: 'approve', call: call.digest },
        });
        expect(forbidden.response.status).toBe(403);
        expect(forbidden.error?.error.reason).toBe('role_missing');
        const decided = await hers.POST('/v1/turns/{id}/decisions', {
          params: { path },
          body: { decision: 'approve', call: call.digest },
        });
        expect(decided.data).toMatchObject({
          accepted: true,
          by: 'ana',
          calls: [call.digest],
          now: [{ digest: call.digest, approvals: 1, quorum: 1 }],
        });
        await client.turn(id).result();
        const { data } = await his.GET('/v1/turns/{id}', { params: { path } });
        expect(data).toMatchObject({ state: 'completed', text: 'paid', calls: [{ effect: 'applied' }] });
        expect(effects).toHaveLength(1);
      } finally {
        await gateway.close();
        signers.remove();
      }
    });
  });
});
