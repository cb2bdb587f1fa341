/** A decision that looks signed has to be checked, and that costs an activity: junk must not keep out valid approvals that way. */
import { DecisionNotAccepted } from '../../../src/client/errors';
import { eventually } from '../support/engine';
import { afterFlood, flood, FLOOD_MS } from '../support/flood';
import { CHANNELS, invoice, scene } from '../support/scene';
import { runs } from '../../support/runs';

/** Far more than are checked at once; in long runs more than the 2,000 activities that Temporal lets a workflow have at a time. */
const MANY = runs(300, 2200);

function notYet(error: unknown): false {
  if (error instanceof DecisionNotAccepted) return false;
  throw error;
}

describe.each(CHANNELS)('where decisions are %s, signals that have to be checked', (channel) => {
  it(
    'do not keep a valid approval from running the call once',
    async () => {
      await scene(channel, {}, async ({ turn, digest, signal, by, effects }) => {
        // Signatures that nobody made, and edits that do not fit the schema: each needs an activity.
        const junk = (n: number) =>
          n % 2
            ? { call: digest, attestation: `${'A'.repeat(200 + (n % 50))}.${'A'.repeat(86)}` }
            : { call: digest, by: `x${n}`, input: { cents: -n } };
        await flood((n) => signal('approve', junk(n)), MANY);
        const view = await afterFlood(turn, (now) => now.ignored_signals.count >= MANY);
        expect(view).toMatchObject({ state: 'awaiting_approval', pending: [digest] });
        expect(view.ignored_signals.last).toHaveLength(50);
        // Where the flood has made the turn go on in a new run, nothing waits until that run has read the card again.
        const approval = await eventually('somebody can sign', () => by('zoe').catch(notYet));
        await turn.approve(digest, approval);
        expect((await turn.result()).state).toBe('completed');
        expect(effects).toEqual([invoice]);
      });
    },
    FLOOD_MS,
  );
});
