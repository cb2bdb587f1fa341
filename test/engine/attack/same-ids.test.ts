/** A model's ids are its own words: two calls under one id are two calls, each with its own input, question and answer. */
import type { JsonObject } from '../../../src/shared/json';
import { eventually, withEngine } from '../support/engine';
import { results, say, type Answer } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const A = { invoice: 'A', cents: 1 };
const B = { invoice: 'B', cents: 2 };

/** Each with its own text, as a stream brings it. */
function under(id: string, ...calls: [name: string, input: JsonObject][]): Answer {
  return { content: calls.map(([name, input]) => ({ type: 'tool_use', id, name, input })) };
}

describe('calls under one id', () => {
  it('each run with their own input, as people have decided on each', async () => {
    const effects: unknown[] = [];
    const script = [under('same', ['pay', A], ['pay', B]), say('paid')];
    await withEngine({ tools: [pays('pay', effects)], script }, async ({ start, model }) => {
      const turn = await start();
      const [first, second] = await eventually('both wait', async () => {
        const calls = await turn.waitForPending();
        return calls.length === 2 && calls;
      });
      await turn.approve(first!.digest, { by: 'ana' });
      await turn.deny(second!.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view.calls.map(({ state }) => state)).toEqual(['succeeded', 'denied']);
      expect(effects).toEqual([A]);

      // What goes back is legal: each call has an id of its own, and the answer to it.
      const sent = model.requests[1]!.messages.at(-2)!.content;
      expect(sent.map(({ id, input }) => [id, input])).toEqual([
        ['same', A],
        ['toolu_step1_2', B],
      ]);
      expect(results(model.requests[1]!).map(({ id, isError }) => [id, isError])).toEqual([
        ['same', false],
        ['toolu_step1_2', true],
      ]);
    });
  });

  it('of several steps are told apart too', async () => {
    const script = [under('same', ['look', { key: 'a' }]), under('same', ['look', { key: 'b' }]), say('done')];
    const look = reads('look', (input: unknown) => input);
    await withEngine({ tools: [look], script }, async ({ start, model }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'completed' });
      const last = model.requests[2]!.messages;
      const ids = last.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
      expect(ids).toEqual(['same', 'toolu_step2_1']);
      expect(results(model.requests[2]!)).toMatchObject([{ id: 'toolu_step2_1', body: { data: { key: 'b' } } }]);
    });
  });
});
