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

it('a principal may follow what waits in eight streams at once, and in another one once one of them has ended', async () => {
  const ned = person('ned', 'auditor');
  async function* follow({ signal }: { signal: AbortSignal }): AsyncGenerator<never> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  const app = gatewayApp(gatewayParts({ people: [olga, ned], client: async () => ({ inbox: { follow } }) as never }));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const closing: AbortController[] = [];
  const open = async (who: typeof olga) => {
    const controller = new AbortController();
    closing.push(controller);
    const response = await fetch(`${url}/v1/pending/events`, { headers: who.headers, signal: controller.signal });
    if (response.status !== 200) controller.abort();
    return response.status;
  };
  try {
    for (let count = 1; count <= 8; count++) expect(await open(olga)).toBe(200);
    expect(await open(olga)).toBe(429);
    expect(await open(ned)).toBe(200);
    closing[0]!.abort();
    for (let status = 429; status !== 200;) status = await open(olga);
    expect(await open(olga)).toBe(429);
  } finally {
    for (const controller of closing) controller.abort();
    await app.close();
  }
});
