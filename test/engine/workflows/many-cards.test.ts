/** More cards than the Web UI's page of a turn holds: a client gets all of them. */
import type { JsonObject } from '../../../src/shared/json/json';
import { eventually, listedAsWaiting, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

/** A card of this takes 200 KB in the Web UI's address; the page of a turn has 500 KB. */
const invoice = (n: number) => `INV-${n} ${'甲'.repeat(23_000)}`;
const calls = Array.from({ length: 8 }, (_, n): [string, JsonObject] => ['pay', { invoice: invoice(n), cents: 700 + n }]);

describe('calls whose cards do not fit onto one page', () => {
  it('can all be asked about at once, each with its own card', () =>
    withEngine(
      {
        tools: [pays('pay', [])],
        script: [ask(...calls), say('ok')],
      },
      async ({ client, start }) => {
        const turn = await start();
        await eventually('all wait', async () => (await turn.pending()).length === calls.length);
        const { questions, unread } = await turn.waiting();
        expect(unread).toEqual([]);
        expect(questions.map(({ id }) => id)).toEqual(calls.map((_, n) => `1.${n + 1}`));
        for (const [n, { card, digest }] of questions.entries()) {
          expect(card.markdown).toContain(digest);
          expect(card.markdown).toContain(`INV-${n} `);
          expect(card).toMatchObject({ digest, input: { invoice: expect.stringContaining(`INV-${n} `) } });
        }
        const listed = await listedAsWaiting(client, turn.id);
        expect(listed).toMatchObject({ unreachable: null, calls: questions.map(({ digest }) => ({ digest })) });
        await turn.deny(
          questions.map(({ digest }) => digest),
          { by: 'ana' },
        );
        await turn.result();
      },
    ));
});
