/** What anybody can send to a turn does not end it, and keeps nobody from deciding. Each test is named after what it prevents. */
import type { TurnHandle } from '../../src/client/turn-handle';
import { jsonBytes } from '../../src/shared/json-bytes';
import { eventually, withEngine } from '../support/engine';
import { fillRun } from '../support/fill-run';
import { ask, say } from '../support/scripted-model';
import { pays } from '../support/tools';

const CALLS = 40;
/** Each character is three bytes of UTF-8. */
const LONG_NOTE = '甲'.repeat(4000);
const TOO_LONG = 'x'.repeat(60_000);

function paying() {
  const calls = Array.from({ length: CALLS }, (_, n): [string, any] => ['pay', { invoice: `INV-${n}`, cents: 1 }]);
  return { tools: [pays('pay', [])], agent: { approvals: { quorum: 5 } }, script: [ask(...calls), say('done')] };
}

async function allWait(turn: TurnHandle): Promise<string[]> {
  return eventually('all payments wait', async () => {
    const pending = await turn.pending();
    return pending.length === CALLS && pending.map(({ digest }) => digest);
  });
}

describe('whoever can reach a turn cannot', () => {
  it('end it, or hide what waits in it, by long notes on many calls: it goes on in another run, and is decided there', () =>
    withEngine(paying(), async ({ start, client }) => {
      const turn = await start();
      const digests = await allWait(turn);
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      for (let n = 0; n < 9; n++) await handle.signal('approve', { calls: digests, by: `x${n}`, note: LONG_NOTE });
      const refused = await eventually('a note is refused', async () => (await turn.status()).ignored_signals.last.at(-1));
      expect(refused.reason).toContain('as much as a turn can');
      expect(refused.reason).toContain('shorter note');
      await fillRun(client, turn);
      const shown = await turn.status();
      expect(jsonBytes(shown)).toBeLessThan(1_000_000);
      expect(await allWait(turn)).toEqual(digests);
      await turn.deny(digests, { by: 'ana', note: 'None of these.' });
      const done = await turn.result();
      expect(done.state).toBe('refused');
      expect(done.calls.map(({ state }) => state)).toEqual(digests.map(() => 'denied'));
    }));

  it('end it by long messages to it: what does not fit is refused, with the reason, and what fits is read', () =>
    withEngine(paying(), async ({ start, client, model }) => {
      const turn = await start();
      const digests = await allWait(turn);
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      for (let n = 0; n < 40; n++)
        await handle.signal('steer', { text: `${'\u0001'.repeat(3_990)}${n}`, by: '甲'.repeat(190) + n });
      for (let n = 0; n < 40; n++) await handle.signal('steer', { text: TOO_LONG, by: 'mallory' });
      await turn.steer('Only what is due.', { by: 'mia' }).catch((error: unknown) => expect(String(error)).toContain('it again'));
      await fillRun(client, turn);
      expect(await allWait(turn)).toEqual(digests);
      await turn.deny(digests, { by: 'ana' });
      const done = await turn.result();
      expect(done.ignored_signals.count).toBeGreaterThan(40);
      const texts = model.requests[1]!.messages.flatMap(({ role, content }) =>
        role === 'user' ? content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])) : [],
      );
      expect(texts.map((text) => text.replace(/^\u0001+/, '')).slice(0, 4)).toEqual(['Do it.', '0', '1', 'Only what is due.']);
    }));

  it('end it by one huge decision: an update of 2 MB is refused before it is looked at', () =>
    withEngine(paying(), async ({ start }) => {
      const turn = await start();
      const [digest, ...others] = await allWait(turn);
      const input = { invoice: 'x'.repeat(2_096_300), cents: 1 };
      await expect(turn.approve(digest!, { by: 'mallory', input })).rejects.toThrow(/bytes/);
      await turn.deny([digest!, ...others], { by: 'ana' });
      expect((await turn.result()).state).toBe('refused');
    }));
});
