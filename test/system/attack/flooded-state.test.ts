/** Nothing that anybody can send to a turn ends it, or keeps people from deciding. Each test is named after what it prevents. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { walk } from '../../../src/store/core/transcript';
import { jsonBytes } from '../../../src/shared/json/json';
import { eventually, withEngine } from '../../engine/support/engine';
import { fillRun, FILLS_A_SHORT_RUN, sendJunk, shortRunServer } from '../../engine/support/fill-run';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

/** Four notes on each are more than there is room for. */
const CALLS = 12;
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

describe('somebody who can send to a turn cannot', () => {
  const server = shortRunServer();

  it('end it, or hide its waiting calls, by long notes on many calls: it goes on in another run, and is decided there', () =>
    withEngine({ ...paying(), address: server.address }, async ({ start, client }) => {
      const turn = await start();
      const digests = await allWait(turn);
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      for (let n = 0; n < 9; n++) await handle.signal('approve', { calls: digests, by: `x${n}`, note: LONG_NOTE });
      const refused = await eventually('a note is refused', async () => (await turn.status()).ignored_signals.last.at(-1));
      expect(refused.reason).toContain('as much as a turn can');
      expect(refused.reason).toContain('shorter note');
      await fillRun(client, turn, FILLS_A_SHORT_RUN);
      const shown = await turn.status();
      expect(jsonBytes(shown)).toBeLessThan(1_000_000);
      expect(await allWait(turn)).toEqual(digests);
      await turn.deny(digests, { by: 'ana', note: 'None of these.' });
      const done = await turn.result();
      expect(done.state).toBe('refused');
      expect(done.calls.map(({ state }) => state)).toEqual(digests.map(() => 'denied'));
    }));

  it('end it by long messages to it: a message that does not fit is refused, with the reason, and one that fits is read', () =>
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

  it('end it by long denials while another call of the step runs: they go on between two steps, and stand in the transcript', () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const slow = reads('slow', async () => {
      await gate;
      return { read: true };
    });
    const payments = Array.from({ length: 4 }, (_, n): [string, any] => ['pay', { invoice: `INV-${n}`, cents: 1 }]);
    const setup = {
      address: server.address,
      tools: [slow, pays('pay', [])],
      script: [ask(['slow', {}], ...payments), say('done')],
    };
    return withEngine(setup, async ({ start, client, store }) => {
      const turn = await start();
      const digests = await eventually('all payments wait', async () => {
        const pending = await turn.pending();
        return pending.length === 4 && pending.map(({ digest }) => digest);
      });
      for (const [n, digest] of digests.entries()) await turn.deny(digest, { by: 'ana', note: `${n}${LONG_NOTE.slice(1)}` });
      await sendJunk(client, turn, FILLS_A_SHORT_RUN);
      open();
      const done = await turn.result();
      expect(done.state).toBe('refused');
      expect(done.calls.map(({ state }) => state)).toEqual(['succeeded', 'denied', 'denied', 'denied', 'denied']);
      const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      const ran = events!.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
      expect(ran.slice(0, 2)).toEqual(['readSaid', 'takeStep']);
      const blocks = await walk(store, done.head!);
      const notes = blocks.flatMap(({ block, bodies }) =>
        block.kind === 'decision' ? [(bodies[0] as { note: string }).note] : [],
      );
      expect(notes).toEqual(digests.map((_, n) => `${n}${LONG_NOTE.slice(1)}`));
    });
  });

  it('keep a direct call from being decided by long notes', () =>
    withEngine(
      { address: server.address, tools: [pays('pay', [])], agent: { approvals: { quorum: 4 } } },
      async ({ call, client }) => {
        const { turn } = await call('pay', { invoice: 'INV-1', cents: 1 });
        const [{ digest }] = await turn.waitForPending();
        for (let n = 0; n < 3; n++) await turn.approve(digest, { by: `x${n}`, note: `${n}${LONG_NOTE.slice(1)}` });
        await fillRun(client, turn, FILLS_A_SHORT_RUN);
        await turn.waitForPending();
        await turn.approve(digest, { by: 'ana' });
        const { state, calls } = await turn.result();
        expect([state, calls[0]!.approval.by]).toEqual(['completed', ['x0', 'x1', 'x2', 'ana']]);
      },
    ));

  it('keep a call from running by half a character at the end of a client’s identity', () =>
    withEngine(
      { tools: [pays('pay', [])], script: [ask(['pay', { invoice: 'INV-1', cents: 1 }]), say('done')] },
      async (engine) => {
        const turn = await engine.start();
        const [{ digest }] = await turn.waitForPending();
        const { workflowService } = engine.client.temporal;
        await workflowService.signalWorkflowExecution({
          namespace: 'default',
          workflowExecution: { workflowId: turn.workflowId },
          signalName: 'approve',
          identity: `${'x'.repeat(199)}\u{1F600}`,
          input: { payloads: [defaultPayloadConverter.toPayload({ call: digest, by: 'ana' })!] },
        });
        expect((await turn.result()).calls[0]).toMatchObject({ state: 'succeeded' });
      },
    ));

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
