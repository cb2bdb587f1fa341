/** Two decisions at once: exactly one of them decides. Each test is named after what it prevents. */
import type { By } from '../../../src/client/turns/turn-handle';
import { eventually } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { CHANNELS, insteadOf, invoice, scene } from '../support/scene';

/** Which of the decisions were taken. */
async function taken(decisions: Promise<void>[]): Promise<boolean[]> {
  return (await Promise.allSettled(decisions)).map(({ status }) => status === 'fulfilled');
}

describe.each(CHANNELS)('of decisions at once, where they are %s,', (channel) => {
  it('an approval and a denial never both count', () =>
    scene(channel, {}, async ({ turn, digest, by, effects }) => {
      const [ana, bob] = await Promise.all([by('ana'), by('bob', { decision: 'deny' })]);
      const [approved, denied] = await taken([turn.approve(digest, ana), turn.deny(digest, bob)]);
      expect(approved).toBe(!denied);
      const view = await turn.result();
      expect(view.calls[0]!.state).toBe(approved ? 'succeeded' : 'denied');
      expect(effects).toEqual(approved ? [invoice] : []);
      expect(view.calls[0]!.approval.decisions).toHaveLength(1);
    }));

  it('those of one person count once, however often he sends them', () =>
    scene(channel, { agent: { approvals: { quorum: 2 } } }, async ({ turn, digest, by, effects }) => {
      const sent = await Promise.all(['ana', 'Ana', 'ana '].map((name) => by(name)));
      const counted = await taken(sent.map((ana) => turn.approve(digest, ana)));
      expect(counted.filter(Boolean)).toHaveLength(1);
      expect(effects).toEqual([]);
      await turn.approve(digest, await by('bob'));
      await turn.result();
      expect(effects).toEqual([invoice]);
    }));

  it('those that each complete the quorum cause one effect', () =>
    scene(channel, { agent: { approvals: { quorum: 2 } } }, async ({ turn, digest, by, effects }) => {
      await turn.approve(digest, await by('ana'));
      const sent = await Promise.all(['bob', 'carl', 'dora'].map((name) => by(name)));
      expect((await taken(sent.map((one) => turn.approve(digest, one)))).filter(Boolean)).toHaveLength(1);
      expect((await turn.result()).calls[0]!.approval.by).toHaveLength(2);
      expect(effects).toEqual([invoice]);
    }));

  it('exactly one edit is taken, and one call with its input supersedes the first', () =>
    scene(channel, {}, async ({ turn, digest, by, effects }) => {
      const inputs = [1, 2, 3].map((cents) => ({ invoice: 'INV-7', cents }));
      const names = ['ana', 'bob', 'carl'];
      const edits: (By & { input: object })[] = await Promise.all(
        inputs.map(async (input, index) => ({ ...(await by(names[index]!, { decision: 'edit', input })), input })),
      );
      const counted = await taken(edits.map((edit) => turn.approve(digest, edit as never)));
      expect(counted.filter(Boolean)).toHaveLength(1);
      const next = await insteadOf(turn, digest);
      expect(await turn.pending()).toHaveLength(1);
      await turn.approve(next.digest, await by('zoe', { digest: next.digest }));
      await turn.result();
      expect(effects).toEqual([inputs[counted.indexOf(true)]]);
    }));

  it('an approval and an edit never both count, and what was approved is what runs', () =>
    scene(channel, {}, async ({ turn, digest, by, effects }) => {
      const input = { invoice: 'INV-7', cents: 1 };
      const [approval, edit] = await Promise.all([by('ana'), by('bob', { decision: 'edit', input })]);
      const [approved, edited] = await taken([turn.approve(digest, approval), turn.approve(digest, { ...edit, input })]);
      expect(approved).toBe(!edited);
      if (edited) {
        const next = await insteadOf(turn, digest);
        expect(effects).toEqual([]);
        await turn.approve(next.digest, await by('zoe', { digest: next.digest }));
      }
      await turn.result();
      expect(effects).toEqual([edited ? input : invoice]);
    }));

  it('one of two overlapping lists of calls is taken whole, the other not at all', () => {
    const two = ['A', 'B'].map((name): [string, any] => ['pay', { invoice: name, cents: 1 }]);
    return scene(channel, { script: [ask(...two), say('done')] }, async ({ turn, by, effects }) => {
      const digests = await eventually('both wait', async () => {
        const pending = await turn.pending();
        return pending.length === 2 && pending.map(({ digest }) => digest);
      });
      const sent = ['ana', 'bob'].map(async (name, index) => {
        const named = index === 0 ? digests : [...digests].reverse();
        const said = await Promise.all(named.map((digest) => by(name, { digest })));
        const attestation = said.flatMap((one) => one.attestation ?? []);
        return turn.approve(named, attestation.length > 0 ? { attestation } : { by: name });
      });
      expect((await taken(sent)).filter(Boolean)).toHaveLength(1);
      const view = await turn.result();
      const people = view.calls.map(({ approval }) => approval.by.join());
      expect(people[0]).toBe(people[1]);
      expect(effects).toHaveLength(2);
    });
  });
});
