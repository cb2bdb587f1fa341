/** Somebody makes a session up in Temporal, which says that a turn of another tenant is the one that it runs. */
import { SigningKey } from '../../../src/attestation/signing-key';
import { gatewayApp } from '../../../src/gateway/app';
import { gatewayParts, person } from '../../support/gateway';

const rita = person('acme/rita', 'starter');

it('no message reaches a turn of another tenant through it', async () => {
  const sent: string[] = [];
  const session = {
    id: 's',
    find: async () => ({ requester: 'acme/rita', agent: 'clerk' }),
    status: async () => ({ running: { turn_id: 'theirs' }, queue: [] }),
  };
  const audience = async () => ({ namespace: 'default', workflow_id: 'turn/theirs', first_execution_run_id: 'r' });
  const status = async () => ({ head: null });
  const steer = async (text: string) => void sent.push(text);
  const turn = { id: 'theirs', audience, status, steer, named: () => turn };
  const owner = { turn_id: 'theirs', requester: 'globex/zoe' };
  const client = { session: () => session, turn: () => turn, look: async () => ({ summary: owner, owner }) };
  const app = gatewayApp(gatewayParts({ people: [rita], key: SigningKey.generate(), client: (async () => client) as never }));
  const request = { method: 'POST' as const, url: '/v1/sessions/s/steer', headers: rita.headers, payload: { text: 'Stop.' } };
  expect((await app.inject(request)).statusCode).toBe(404);
  expect(sent).toEqual([]);
  owner.requester = 'acme/rita';
  expect((await app.inject(request)).statusCode).toBe(202);
  expect(sent).toEqual(['Stop.']);
  await app.close();
});
