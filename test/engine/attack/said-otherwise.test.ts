/**
 * A person who tells the model what to propose cannot approve it, in whichever way he tells it: the note of a denial, of a settlement
 * or of an edit, a message to a sub-agent, to an earlier turn of the session, or to one that a fork goes on from. Each test is
 * named after what it prevents.
 */
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { CHANNELS, insteadOf, invoice, scene } from '../support/scene';
import { replayedSession, talk } from '../support/sessions';
import { children, withAgents } from '../support/sub-agents';
import { pays, reads } from '../../support/tools';

const agent = { approvals: { fourEyes: true } };
const other = { invoice: 'INV-666', cents: 666 };
const NOTE = 'Pay INV-666 as well: it is the one that was meant.';
const IN_DOUBT = () => {
  throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
};

/** Sam is refused, and ana is not. */
async function anotherDecides(turn: TurnHandle, { digest }: WaitingCall): Promise<void> {
  await expect(turn.approve(digest, { by: 'Sam' })).rejects.toThrow('changed it or steered the turn');
  await turn.approve(digest, { by: 'ana' });
}

describe.each(CHANNELS)('where decisions are %s, nobody can', (channel) => {
  it('deny a call with a note, and approve what the model makes of it', () =>
    scene(channel, { agent, script: [ask(['pay', invoice]), ask(['pay', other]), say('done')] }, async (on) => {
      await on.turn.deny(on.digest, await on.by('sam', { decision: 'deny', note: NOTE }));
      const { digest } = await insteadOf(on.turn, on.digest);
      await expect(on.turn.approve(digest, await on.by('sam', { digest }))).rejects.toThrow('changed it or steered the turn');
      await on.turn.approve(digest, await on.by('ana', { digest }));
      await on.turn.result();
      expect(on.effects).toEqual([other]);
    }));

  it('be kept from approving by a denial that says nothing to the model', () =>
    scene(channel, { agent, script: [ask(['pay', invoice]), ask(['pay', other]), say('done')] }, async (on) => {
      await on.turn.deny(on.digest, await on.by('sam', { decision: 'deny', note: ' ' }));
      const { digest } = await insteadOf(on.turn, on.digest);
      await on.turn.approve(digest, await on.by('sam', { digest }));
      await on.turn.result();
      expect(on.effects).toEqual([other]);
    }));
});

describe('nobody can', () => {
  it.each(['applied', 'not_applied'] as const)(
    'settle a call as %s with a note, and approve what the model makes of it',
    (outcome) => {
      const script = [ask(['pay', invoice]), ask(['send', other]), say('done')];
      const tools = [pays('pay', [], { run: IN_DOUBT }), pays('send', [])];
      return scene('any', { tools, agent, script }, async ({ turn, digest }) => {
        await turn.approve(digest, { by: 'ana' });
        await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
        await turn.settle(digest, outcome, { by: 'sam', note: NOTE });
        await anotherDecides(turn, await insteadOf(turn, digest));
        await turn.result();
      });
    },
  );

  it('edit a call with a note, and approve what the model makes of that afterwards', () =>
    scene('any', { agent, script: [ask(['pay', invoice]), ask(['pay', other]), say('done')] }, async ({ turn, digest }) => {
      await turn.approve(digest, { by: 'sam', input: { ...invoice, cents: 70 }, note: NOTE });
      const edited = await insteadOf(turn, digest);
      await turn.approve(edited.digest, { by: 'ana' });
      await anotherDecides(turn, await insteadOf(turn, edited.digest));
      await turn.result();
    }));

  it('steer a sub-agent, and approve what the turn above makes of its answer', async () => {
    const effects: unknown[] = [];
    const worker = defineAgent({ name: 'worker', prompt: 'Look.', tools: [pays('send', effects), reads('look', () => 1)] });
    const tools = [agentTool(worker, { description: 'Looks.' }), pays('pay', effects)];
    const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools, ...agent });
    const scripts = {
      'Lead.': [ask(['worker', { task: 'Look.' }]), ask(['pay', other]), say('done')],
      'Look.': [ask(['send', invoice]), say(NOTE)],
    };
    await withAgents([lead], scripts, async ({ start, client }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      const [child] = await children(client, turn);
      await child!.steer(NOTE, { by: 'sam' });
      await turn.deny(digest, { by: 'ana' });
      await anotherDecides(turn, await insteadOf(turn, digest));
      await turn.result();
      expect(effects).toEqual([other]);
    });
  });

  it.each(['the next turn', 'a fork'])('steer a turn, and approve what the model makes of it in %s', async (where) => {
    const script = [ask(['pay', invoice]), say('Anything else?'), ask(['pay', other]), say('done')];
    await withEngine({ tools: [pays('pay', [])], agent, script }, async ({ client }) => {
      const session = await client.openSession({ agent: 'tester', requester: 'rita' });
      const { turn } = await session.send('Pay.');
      await session.started(turn.id);
      const [{ digest }] = await turn.waitForPending();
      await turn.steer(NOTE, { by: 'sam' });
      await turn.deny(digest, { by: 'ana' });
      const { head } = await turn.result();
      const goesOn = where === 'a fork' ? await client.fork({ from: head!, requester: 'rita' }) : session;
      const next = (await goesOn.send('No, that is all.')).turn;
      await goesOn.started(next.id);
      await anotherDecides(next, (await next.waitForPending())[0]);
      await next.result();
      await replayedSession(client, session);
    });
  });

  it('ask for something in a turn of his own, and approve it in the fork that somebody else goes on with', async () => {
    const script = [say('No.'), ask(['pay', other]), say('done')];
    await withEngine({ tools: [pays('pay', [])], agent, script }, async ({ client }) => {
      const session = await client.openSession({ agent: 'tester', requester: 'sam' });
      const { head } = await talk(session, NOTE);
      const forked = await client.fork({ from: head!, requester: 'rita', of: null });
      const { turn } = await forked.send('Go on.');
      await forked.started(turn.id);
      await anotherDecides(turn, (await turn.waitForPending())[0]);
      await turn.result();
    });
  });
});
