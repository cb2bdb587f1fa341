/** A decision is for one call of one turn, once, and while it waits. Each test is named after what it prevents. */
import { callDigest, hashJson } from '../../../src/shared/json/digests';
import { attestDecision } from '../../../src/attestation/bundle-signer';
import type { By, TurnHandle } from '../../../src/client/turns/turn-handle';
import { eventually } from '../support/engine';
import { waitingArguments } from '../support/forge';
import { contextOf } from '../support/made-up';
import { CHANNELS, insteadOf, invoice, scene } from '../support/scene';
import { ask, say, ScriptedModel } from '../../support/scripted-model';
import { pays } from '../../support/tools';

describe.each(CHANNELS)('where decisions are %s, nobody can', (channel) => {
  it('use a decision again for an equal call of the same turn, or of another turn', () => {
    const script = [ask(['pay', invoice]), ask(['pay', invoice]), say('done'), ask(['pay', invoice]), say('done')];
    return scene(channel, { script }, async ({ start, turn, digest, by, signal, ignored, effects }) => {
      const used = { call: digest, ...(await by('ana')) };
      await signal('approve', used);
      const next = await insteadOf(turn, digest);
      expect(effects).toEqual([invoice]);
      await signal('approve', used);
      expect(await ignored()).toContain('decided already');
      await signal('approve', { ...used, call: next.digest });
      if (channel === 'attested') expect(await ignored(2)).toContain('it was signed for another call');
      else await turn.result(); // without a signature this is a new decision of its sender
      if (channel === 'attested') await turn.approve(next.digest, await by('ana', { digest: next.digest }));
      await turn.result();
      expect(effects).toEqual([invoice, invoice]);

      const other = await start('Pay it.', { requester: 'rita' });
      const [call] = await other.waitForPending();
      expect(call.digest).not.toBe(digest); // the same tool, input and place in the turn
      await expect(other.approve(digest, await heldOver(used))).rejects.toThrow('no call');
      if (channel === 'attested')
        await expect(other.approve(call.digest, await heldOver(used))).rejects.toThrow('for another turn');
      await other.deny(call.digest, await by('ana', { turn: other, digest: call.digest, decision: 'deny' }));
      await other.result();
      expect(effects).toHaveLength(2);
    });
  });

  it('use a decision on a call for the one that superseded it', () => {
    let price = 1;
    const effects: unknown[] = [];
    const tools = [pays('pay', effects, { preview: () => `at ${price}` })];
    return scene(channel, { tools }, async ({ turn, digest, by, signal, ignored }) => {
      const first = { call: digest, ...(await by('ana')) };
      price = 2;
      await signal('approve', first);
      const next = await insteadOf(turn, digest);
      await signal('approve', first);
      expect(await ignored()).toMatch(/superseded|decided already/);
      expect((await turn.status()).pending).toEqual([next.digest]);
      expect(effects).toEqual([]);
      await turn.deny(next.digest, await by('ana', { digest: next.digest, decision: 'deny' }));
      await turn.result();
      expect(effects).toEqual([]);
    });
  });

  it('decide before the question is asked, even if the digest is already known', async () => {
    // A turn's history contains all parts of a digest but the id of the other turn, which its starter chooses.
    let early: () => Promise<void> = async () => undefined;
    const script = [ask(['pay', invoice]), say('done'), ask(['pay', invoice]), say('done')];
    const model = new ScriptedModel(script, (index) => (index === 2 ? early() : Promise.resolve()));
    const effects: unknown[] = [];
    const tools = [pays('pay', effects)];
    await scene(channel, { model, tools }, async ({ client, start, turn, digest, by, signers }) => {
      const call = await waitingArguments(client, turn, digest);
      expect(call.preview_ref).toBeNull();
      const { store_id } = await turn.audience();
      const known = async (of: TurnHandle) =>
        callDigest({ ...(await contextOf(of)), store_id: store_id! }, { ...call, input_hash: hashJson(invoice) });
      expect(await known(turn)).toBe(digest);
      await turn.deny(digest, await by('ana', { decision: 'deny' }));
      await turn.result();

      let begun: (turn: TurnHandle) => void = () => undefined;
      const begins = new Promise<TurnHandle>((resolve) => (begun = resolve));
      early = async () => {
        const other = await begins;
        const guessed = await known(other);
        const claims = { digest: guessed, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
        const aud = await other.audience();
        const own: By =
          channel === 'any' ? { by: 'ana' } : { attestation: attestDecision(signers.gateway, { aud, ...claims }, null) };
        await client.temporal.workflow.getHandle(other.workflowId).signal('approve', { call: guessed, ...own });
      };
      const other = await start('Pay it.', { requester: 'rita' });
      begun(other);
      const [waiting] = await other.waitForPending();
      expect(waiting.digest).toBe(await known(other)); // the guess was right
      const view = await eventually('the early decision is ignored', async () => {
        const now = await other.status();
        return now.ignored_signals.count === 1 && now;
      });
      expect(view.ignored_signals.last[0]!.reason).toContain('waits for approval');
      expect(view.pending).toEqual([waiting.digest]);
      await other.deny(waiting.digest, await by('ana', { turn: other, digest: waiting.digest, decision: 'deny' }));
      await other.result();
      expect(effects).toEqual([]);
    });
  });

  it('approve one call twice with one decision that names it twice', () =>
    scene(channel, { agent: { approvals: { quorum: 2 } } }, async ({ turn, digest, by, effects }) => {
      const signed = [await by('ana'), await by('ana')].flatMap(({ attestation }) => attestation ?? []) as string[];
      const said: By = signed.length > 0 ? { attestation: signed } : { by: 'ana' };
      await expect(turn.approve([digest, digest.slice(0, 12)], said)).rejects.toThrow('twice');
      await expect(turn.approve([digest, digest], said)).rejects.toThrow('each once');
      expect((await turn.status()).calls[0]!.approval.by).toEqual([]);
      for (const name of ['ana', 'bob']) await turn.approve(digest, await by(name));
      await turn.result();
      expect(effects).toEqual([invoice]);
    }));

  it('decide after the question has expired', () =>
    scene(channel, { agent: { approvalExpiryMs: 1500 } }, async ({ turn, waiting, digest, signers, signal, effects }) => {
      const aud = await turn.audience();
      const claims = { aud, digest, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
      const own: By = channel === 'any' ? { by: 'ana' } : { attestation: attestDecision(signers.gateway, claims, null) };
      const late = { call: digest, ...own };
      await eventually('it expires', async () => Date.now() > Date.parse(waiting.approval.expires_at!) + 500);
      await signal('approve', late).catch(() => undefined); // the turn may have ended
      expect((await turn.result()).calls[0]).toMatchObject({ state: 'expired', effect: 'refused' });
      expect(effects).toEqual([]);
    }));

  it('decide under two names that look the same: they are one person', () =>
    scene(channel, { agent: { approvals: { quorum: 2, fourEyes: true } } }, async ({ turn, digest, by, effects }) => {
      await turn.approve(digest, await by('ana'));
      for (const alike of ['ANA', ' ana ', 'ａｎａ', 'a\u200bna', 'ana\u2060', '\ufeffana', 'a\u00adna', 'an\u0000a'])
        await expect(turn.approve(digest, await by(alike))).rejects.toThrow('has decided on call');
      await expect(turn.approve(digest, await by('ri\u200dta'))).rejects.toThrow('changed it or steered the turn');
      expect(effects).toEqual([]);
      await turn.approve(digest, await by('bob'));
      await turn.result();
      expect(effects).toEqual([invoice]);
    }));
});

/** The decision as it is in history, for somebody else to send. */
async function heldOver({ call: _, ...rest }: { call: string } & By): Promise<By> {
  return rest as By;
}
