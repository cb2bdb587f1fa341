/** A tool's result that JSON cannot hold: the model reads which part that is, and no part is dropped without a message. */
import { withEngine } from '../support/engine';
import { ask, results, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const totals = () => ({ rows: [{ totals: new Map([['a', 1]]) }] });
const PLACE = 'rows[0].totals is a Map: return Object.fromEntries(map)';

it('a read fails, and its error names the part; content that a generator yields reaches the model', async () => {
  const sums = reads('sums', totals);
  const tells = reads('tells', async function* () {
    yield { type: 'content', data: 'First.' };
    yield { type: 'content', data: 'Second.' };
  });
  const script = [ask(['sums', { key: 'a' }], ['tells', { key: 'b' }]), say('done')];
  await withEngine({ tools: [sums, tells], script }, async ({ start, model }) => {
    const view = await (await start()).result();
    expect(view.calls.map(({ state }) => state)).toEqual(['failed', 'succeeded']);
    const [failed, told] = results(model.requests[1]!);
    expect(failed).toMatchObject({ isError: true, body: { success: false, error: { reason: 'result_not_json' } } });
    expect(failed!.body.error.message).toContain(PLACE);
    expect(JSON.stringify(told!.body.data)).toMatch(/First\..*Second\./);
  });
});

it('a payment that has happened is done, and the model reads which part of its answer could not be kept', async () => {
  const effects: unknown[] = [];
  const run = (input: unknown) => (effects.push(input), totals());
  const script = [ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('done')];
  await withEngine({ tools: [pays('pay', effects, { run })], script }, async ({ start, model }) => {
    const turn = await start();
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
    expect(results(model.requests[1]!)[0]!.body.data.unreadable_result).toContain(PLACE);
    expect(effects).toHaveLength(1);
  });
});
