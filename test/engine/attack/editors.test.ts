/** After somebody changes what a call does, he counts as a maker of it. Each test is named after what it prevents. */
import { ToolError } from '../../../src/tools/define/errors';
import { eventually } from '../support/engine';
import { approvalOf, runForged, runInput, waitingArguments } from '../support/forge';
import { CHANNELS, insteadOf, invoice, scene, type Scene } from '../support/scene';
import { pays } from '../../support/tools';

const half = { invoice: 'INV-7', cents: 350 };
const agent = { approvals: { fourEyes: true } };

/** Ana edits the call that waits. @returns the call that supersedes it */
async function edited({ turn, digest, by }: Scene, name = 'ana') {
  await turn.approve(digest, { ...(await by(name, { decision: 'edit', input: half })), input: half });
  return insteadOf(turn, digest);
}

describe.each(CHANNELS)('where decisions are %s, nobody can', (channel) => {
  it('approve his own edit', () =>
    scene(channel, { agent }, async (on) => {
      const next = await edited(on);
      const own = await on.by(' ANA', { digest: next.digest });
      await expect(on.turn.approve(next.digest, own)).rejects.toThrow('changed it or steered the turn');
      await on.turn.approve(next.digest, await on.by('bob', { digest: next.digest }));
      await on.turn.result();
      expect(on.effects).toEqual([half]);
    }));

  it('approve his own edit after the call was sent back to people once more', async () => {
    let price = 1;
    const effects: unknown[] = [];
    const tools = [pays('pay', effects, { preview: (input: any) => `Pay ${input.cents} at ${price}` })];
    await scene(channel, { agent, tools }, async (on) => {
      const next = await edited(on);
      price = 2; // so that the run finds another preview
      await on.turn.approve(next.digest, await on.by('bob', { digest: next.digest }));
      const again = await insteadOf(on.turn, next.digest);
      expect(again.revision).toBe(3);
      const own = await on.by('ana', { digest: again.digest });
      await expect(on.turn.approve(again.digest, own)).rejects.toThrow('changed it or steered the turn');
      expect(effects).toEqual([]);
      await on.turn.approve(again.digest, await on.by('bob', { digest: again.digest }));
      await on.turn.result();
      expect(effects).toEqual([half]);
    });
  });

  it('have his own edit run by an approval from him that answered no question', () =>
    scene(channel, { agent }, async (on) => {
      const { client, turn, by, taskQueue, effects } = on;
      const next = await edited(on);
      const { makers, ...call } = await waitingArguments(client, turn, next.digest);
      expect(makers).toEqual(['ana']); // an attacker who makes up arguments leaves this out
      const forged = { ...call, dispatch: 1 };
      const own = approvalOf(next, 'ana', await by('ana', { digest: next.digest }));
      const output = await runForged(client, taskQueue, await runInput(turn, forged, [own]));
      expect(output).toMatchObject({ state: 'failed', error: { reason: 'approval_by_maker' } });
      expect(effects).toEqual([]);
      const bobs = approvalOf(next, 'bob', await by('bob', { digest: next.digest }));
      expect(await runForged(client, taskQueue, await runInput(turn, forged, [bobs]))).toMatchObject({ state: 'succeeded' });
    }));

  it('edit an input into one that violates the schema, or that the rules deny: the call waits as it was', () => {
    const permissions = { ask: ['pay'], deny: [{ rule: 'pay', when: 'input.cents == 666' }] };
    return scene(channel, { agent: { ...agent, permissions } }, async ({ turn, digest, by, goesOn }) => {
      const tries: [Record<string, any>, string][] = [
        [{ invoice: 'INV-7', cents: -1 }, 'schema_violation'],
        [{ invoice: 'INV-7', cents: '700' }, 'schema_violation'],
        [{ ...half, confirmed: true }, 'INVALID_PARAMS'],
        [{}, 'schema_violation'],
        [{ invoice: 'INV-7', cents: 666 }, 'denied_by_rule'],
        [invoice, 'not_edited'],
      ];
      for (const [input, reason] of tries) {
        const edit = { ...(await by('ana', { decision: 'edit', input })), input };
        await expect(turn.approve(digest, edit)).rejects.toThrow(reason);
      }
      await goesOn();
    });
  });

  it('settle a call in doubt whose input he has changed', () => {
    const tools = [
      pays('pay', [], {
        run: () => {
          throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
        },
      }),
    ];
    return scene(channel, { agent, tools }, async (on) => {
      const { turn, by } = on;
      const { digest } = await edited(on);
      await turn.approve(digest, await by('bob', { digest }));
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      const settling = { digest, decision: 'settle' as const, outcome: 'not_applied' as const };
      for (const maker of ['ana', 'rita'])
        await expect(turn.settle(digest, 'not_applied', await by(maker, settling))).rejects.toThrow(
          'changed it or steered the turn',
        );
      await turn.settle(digest, 'not_applied', await by('bob', settling));
      expect((await turn.result()).calls.at(-1)).toMatchObject({ state: 'failed', effect: 'not_applied' });
    });
  });
});
