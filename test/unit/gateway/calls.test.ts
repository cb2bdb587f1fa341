/** `GET /v1/turns/:id/calls/:digest`: the input of a call of this turn, and of no other. */
import { gatewayApp } from '../../../src/gateway/app';
import { gatewayParts, person } from '../../support/gateway';

const DIGEST = 'd'.repeat(64);
const rita = person('acme/rita', 'starter');

async function answerFor(requester: string, turn_id = 'x'): Promise<{ status: number; body: string }> {
  const call = { id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', digest: DIGEST };
  const view = async () => ({ calls: [call] });
  const owner = { turn_id: 'x', requester: 'acme/rita' };
  const client = async () => ({
    look: async () => ({ summary: owner, owner, traceId: null, view }),
    turn: () => ({}),
  });
  const getCall = async () => ({ record: { turn_id, requester }, input: { iban: 'DE-secret' }, target: null });
  const store = { derivedKey: () => Buffer.alloc(32), getCall };
  const app = gatewayApp(gatewayParts({ store: store as never, client: client as never, people: [rita] }));
  const { statusCode, body } = await app.inject({ url: `/v1/turns/x/calls/${DIGEST}`, headers: rita.headers });
  await app.close();
  return { status: statusCode, body };
}

it('is shown to those who see its turn', async () => {
  expect(await answerFor('acme/rita')).toMatchObject({ status: 200, body: expect.stringContaining('DE-secret') });
});

it('is not shown where a workflow names the digest of somebody else’s call', async () => {
  for (const { status, body } of [await answerFor('globex/zoe'), await answerFor('acme/rita', 'y')]) {
    expect(status).toBe(404);
    expect(body).not.toContain('DE-secret');
  }
});
