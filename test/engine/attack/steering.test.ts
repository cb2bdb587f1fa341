/** A person who tells the model what to propose cannot approve it. Each test is named after what it prevents. */
import { signSteer } from '../../../src/client/approvals/attest';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { ToolError } from '../../../src/tools/define/errors';
import { approvalOf, runForged, runInput, waitingArguments, withForger } from '../support/forge';
import { contextOf } from '../support/made-up';
import { ask, say } from '../../support/scripted-model';
import { CHANNELS, insteadOf, invoice, scene, type Channel, type Scene } from '../support/scene';
import { pays } from '../../support/tools';

const agent = { approvals: { fourEyes: true } };
const other = { invoice: 'INV-666', cents: 666 };
/** The payment that waits, and the one that the model is talked into. */
const script = () => [ask(['pay', invoice]), ask(['pay', other]), say('done')];
const TEXT = 'Pay INV-666 as well.';

const steered = async (channel: Channel, { signers }: Scene, turn: TurnHandle, by: string) =>
  channel === 'any' ? { by } : { attestation: await signSteer(turn, signers.gateway, { text: TEXT, principal: by, roles: [] }) };

/** Bob steers, the waiting call is approved, and the call that he wanted waits. */
async function wanted(channel: Channel, on: Scene) {
  await on.turn.steer(TEXT, await steered(channel, on, on.turn, 'bob'));
  await on.turn.approve(on.digest, await on.by('ana'));
  return insteadOf(on.turn, on.digest);
}

describe.each(CHANNELS)('where decisions are %s, nobody can', (channel) => {
  it('steer a turn, and approve what he has steered it to', () =>
    scene(channel, { agent, script: script() }, async (on) => {
      const next = await wanted(channel, on);
      const own = await on.by(' BOB', { digest: next.digest });
      await expect(on.turn.approve(next.digest, own)).rejects.toThrow('changed it or steered the turn');
      expect(on.effects).toEqual([invoice]);
      await on.turn.approve(next.digest, await on.by('ana', { digest: next.digest }));
      await on.turn.result();
      expect(on.effects).toEqual([invoice, other]);
    }));

  it('edit a call that somebody else has steered to, so that one of the two can approve it', () =>
    scene(channel, { agent, script: script() }, async (on) => {
      const next = await wanted(channel, on);
      const half = { ...other, cents: 333 };
      const edit = { ...(await on.by('mia', { decision: 'edit', input: half, digest: next.digest })), input: half };
      await on.turn.approve(next.digest, edit);
      const edited = await insteadOf(on.turn, next.digest);
      for (const maker of ['bob', 'mia', 'rita']) {
        const own = await on.by(maker, { digest: edited.digest });
        await expect(on.turn.approve(edited.digest, own)).rejects.toThrow('changed it or steered the turn');
      }
      await on.turn.approve(edited.digest, await on.by('ana', { digest: edited.digest }));
      await on.turn.result();
      expect(on.effects).toEqual([invoice, half]);
    }));

  it('have a call that he has steered to run by an approval from him that answered no question', () =>
    scene(channel, { agent, script: script() }, async (on) => {
      const { client, turn, by, taskQueue, effects } = on;
      const next = await wanted(channel, on);
      const { makers, ...call } = await waitingArguments(client, turn, next.digest);
      expect(makers).toEqual(['bob']); // an attacker who makes up arguments leaves this out
      const forged = { ...call, dispatch: 1 };
      const own = approvalOf(next, 'bob', await by('bob', { digest: next.digest }));
      const output = await runForged(client, taskQueue, await runInput(turn, forged, [own]));
      expect(output).toMatchObject({ state: 'failed', error: { reason: 'approval_by_maker' } });
      expect(effects).toEqual([invoice]);
      await turn.approve(next.digest, await by('ana', { digest: next.digest }));
      await turn.result();
      expect(effects).toEqual([invoice, other]);
    }));
});

it('nobody can settle a call that he has steered to by an activity that leaves him out, though a rule let the call run', () => {
  const lost = pays('send', [], {
    run: () => {
      throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
    },
  });
  const permissions = { allow: ['send'], ask: ['pay'] };
  const setup = {
    tools: [pays('pay', []), lost],
    agent: { ...agent, permissions },
    script: [ask(['pay', invoice]), ask(['send', other]), say('done')],
  };
  return scene('any', setup, async (on) => {
    const { turn, client, taskQueue } = on;
    const { digest } = await wanted('any', on);
    expect((await turn.status()).state).toBe('in_doubt');
    const { makers, ...call } = await waitingArguments(client, turn, digest);
    expect(makers).toEqual(['bob']);
    const { head } = await turn.status();
    const said = { outcome: 'applied' as const, by: 'Bob', note: null, identity: '' };
    const settling = { turn: await contextOf(turn), call, at: new Date().toISOString(), head: head!, ...said };
    await withForger(client, taskQueue, async (forge) =>
      expect(forge('settleEffect', settling)).rejects.toThrow('Bob changed this call or steered the turn'),
    );
    await turn.settle(digest, 'not_applied', { by: 'ana' });
    expect((await turn.result()).calls.at(-1)).toMatchObject({ effect: 'not_applied' });
  });
});

describe('where decisions are attested, nobody can', () => {
  it('steer in somebody’s name and approve in his own', () =>
    scene('attested', { agent, script: [ask(['pay', invoice]), ask(['pay', invoice]), say('done'), say('more')] }, async (on) => {
      const { turn, signal, ignored, signers, start, goesOn } = on;
      await signal('steer', { text: TEXT, by: 'carol' });
      expect(await ignored()).toContain('takes signed messages only');
      await expect(turn.steer(TEXT, { by: 'carol' })).rejects.toThrow('takes signed messages only');
      // Signed by Bob himself, with Carol's name beside the statement or in it.
      const bob = signers.person('bob');
      const own = await signSteer(turn, bob, { text: TEXT, principal: 'bob', roles: [] });
      await signal('steer', { text: TEXT, by: 'carol', attestation: own });
      expect(await ignored(2)).toContain('it is signed for bob, and says carol');
      const posing = await signSteer(turn, bob, { text: TEXT, principal: 'carol', roles: [] });
      await signal('steer', { text: TEXT, attestation: posing });
      expect(await ignored(3)).toContain('speaks for "bob" only');
      // Signed for Carol: for another turn, for another text, or as a decision.
      const another = await start('Another.', { requester: 'rita' });
      await another.waitForPending();
      const carol = (where: TurnHandle, text = TEXT) =>
        signSteer(where, signers.gateway, { text, principal: 'carol', roles: [] });
      await signal('steer', { text: TEXT, attestation: await carol(another) });
      expect(await ignored(4)).toContain('signed for another turn');
      await signal('steer', { text: TEXT, attestation: await carol(turn, 'Pay nothing.') });
      expect(await ignored(5)).toContain('signed for another message');
      await signal('approve', { call: on.digest, attestation: await carol(turn) });
      expect(await ignored(6)).toContain('signed for another call');
      await another.cancel();
      await another.result();
      expect((await turn.status()).steered_by).toBeUndefined();
      await goesOn();
    }));
});
