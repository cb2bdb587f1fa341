/** The card of a waiting call, as the gateway shows it in each place. */
import { ana, gatewayScene, invoice, rita } from '../support/gateway-scene';
import { TurnHandle } from '../../../src/client/turns/turn-handle';
import { eventually } from '../support/engine';

const start = { agent: 'tester', message: 'Pay it.' };

it('is in the list of what waits, in its turn and in the stream of its events, with the same facts', () =>
  gatewayScene({}, async ({ send, client, app }) => {
    const { turn_id } = (await send(rita, 'POST', '/v1/turns', start)).body;
    const [{ digest }] = await client.turn(turn_id).waitForPending();
    const shown = (await send(ana, 'GET', `/v1/turns/${turn_id}`)).body.waiting[0].card;
    expect(shown).toMatchObject({
      kind: 'approval',
      agent: 'tester',
      tool: 'pay',
      digest,
      input: invoice,
      requester: 'acme/rita',
      words: [{ from: 'requester', by: 'acme/rita', text: 'Pay it.', cut: false }],
      untrusted: false,
      reason: expect.any(String),
      policy: { quorum: 1 },
      markdown: expect.stringContaining(digest),
    });
    expect(shown).not.toHaveProperty('incomplete');
    expect(Date.parse(shown.expires_at)).toBeGreaterThan(Date.parse(shown.asked_at));

    const listed = await eventually('it is listed', async () => {
      const { turns } = (await send(ana, 'GET', '/v1/pending')).body;
      return turns.find((one: any) => one.turn_id === turn_id && one.unreachable === null);
    });
    expect(listed.calls[0].card).toEqual(shown);

    const looks = jest.spyOn(TurnHandle.prototype, 'waiting');
    const events = app.inject({ method: 'GET', url: `/v1/turns/${turn_id}/events`, headers: ana.headers });
    // The stream ends with the turn; the question is sent before.
    await eventually('the stream has read the card', async () => (await looks.mock.results[0]?.value) !== undefined);
    await send(ana, 'POST', `/v1/turns/${turn_id}/decisions`, { decision: 'deny', call: digest });
    await client.turn(turn_id).result();
    const asked = (await events).body.split('\n\n').find((event: string) => event.startsWith('event: approval_requested'))!;
    const { card } = JSON.parse(asked.split('data: ')[1]!);
    expect(card).toEqual(shown);
    looks.mockRestore();
    const later = (await send(ana, 'GET', `/v1/turns/${turn_id}`)).body;
    expect(later.waiting).toEqual([]);
  }));
