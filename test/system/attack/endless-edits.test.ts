/** A turn that somebody makes grow by edits. */
import { insteadOf, scene } from '../../engine/support/scene';

it(
  'nobody can make a turn grow without end by edits: a call has a hundred revisions',
  () =>
    scene('any', {}, async ({ turn, digest, effects }) => {
      let waiting = digest;
      for (let cents = 1; cents < 100; cents++) {
        await turn.approve(waiting, { by: `editor-${cents % 3}`, input: { invoice: 'INV-7', cents } });
        waiting = (await insteadOf(turn, waiting)).digest;
      }
      const more = turn.approve(waiting, { by: 'ana', input: { invoice: 'INV-7', cents: 100 } });
      await expect(more).rejects.toThrow('it has been changed 100 times; deny it');
      await turn.approve(waiting, { by: 'ana' });
      await turn.result();
      expect(effects).toEqual([{ invoice: 'INV-7', cents: 99 }]);
    }),
  240_000,
);
