/** `GET /v1/pending` when the cards of all waiting calls do not fit into one answer. */
import { gatewayApp } from '../../../src/gateway/app';
import { examplePending } from '../../../src/gateway/schemas/examples';
import { gatewayParts, person } from '../../support/gateway';

const olga = person('olga', 'auditor');

let started = Date.parse(examplePending.started_at);
/** Each began before the one above it: the newest is listed first. */
const waiting = (turn_id: string, ...cards: number[]) => ({
  ...examplePending,
  turn_id,
  started_at: new Date((started -= 1000)).toISOString(),
  calls: cards.map((length) => ({
    ...examplePending.calls[0]!,
    card: { ...examplePending.calls[0]!.card, markdown: 'x'.repeat(length) },
  })),
});

it('no call is listed without its card: the turns with the longest cards are named, with the place to look', async () => {
  const turns = [waiting('long', 2_000_000, 1_500_000), waiting('short', 10), waiting('middle', 600_000), waiting('none')];
  const client = async () => ({ inbox: { pending: async () => turns } }) as never;
  const app = gatewayApp(gatewayParts({ people: [olga], client }));
  const { statusCode, body } = await app.inject({ url: '/v1/pending', headers: olga.headers });
  await app.close();
  const answered: typeof turns = JSON.parse(body).turns;
  expect(statusCode).toBe(200);
  expect(answered.map(({ turn_id, calls, unreachable }) => [turn_id, calls.length, unreachable])).toEqual([
    ['long', 0, expect.stringContaining('do not fit into one answer')],
    ['short', 1, null],
    ['middle', 1, null],
    ['none', 0, null],
  ]);
  expect(answered[2]!.calls[0]!.card.markdown).toHaveLength(600_000);
});
