import { once } from 'node:events';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { signSteer } from '../../../src/client/approvals/attest';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { conversation, interrupted, recorded } from '../support/steering';
import { pays, reads } from '../../support/tools';

const look = reads('look', async () => ({ seen: true }));
const invoice = { invoice: 'INV-7', cents: 700 };
const fourEyes = { approvals: { fourEyes: true } };

const whyIgnored = (turn: TurnHandle, count = 1) =>
  eventually('it is ignored', async () => {
    const { ignored_signals } = await turn.status();
    return ignored_signals.count >= count && ignored_signals.last.map(({ signal, reason }) => `${signal}: ${reason}`);
  });

describe('a message to a turn while it runs', () => {
  it('is recorded as ignored if the step that should have read it is interrupted', () =>
    interrupted(
      { tools: [look], script: [ask(['look', {}]), say('done')] },
      {
        1: (turn) => turn.steer('Only euros.', { by: 'bob' }),
        2: async (turn, _, signal) => {
          await turn.interrupt({ by: 'ana' });
          if (!signal.aborted) await once(signal, 'abort');
          throw signal.reason;
        },
      },
      async ({ turn }) => {
        const view = await turn.result();
        expect(view).toMatchObject({ state: 'cancelled', reason: 'Interrupted by ana.' });
        expect(await whyIgnored(turn)).toEqual(['steer: the turn ended before a step could take it']);
      },
    ));

  it('is read before the next step, after the results; the record says who has sent it, and how', () =>
    interrupted(
      { tools: [look], script: [ask(['look', {}]), say('done')] },
      {
        1: async (turn) => {
          await turn.steer('Only euros.', { by: 'bob' });
        },
      },
      async ({ turn, requests, store, client }) => {
        const view = await turn.result();
        expect(view).toMatchObject({ state: 'completed', step: 2, steered_by: ['bob'] });
        expect(conversation(requests[0]!)).toEqual(['user: Look after it.']);
        expect(conversation(requests[1]!).slice(2)).toEqual(['user: [tool_result]', 'user: Only euros.']);
        const { identity } = client.temporal.options;
        const { steers } = await recorded(store, view.head);
        expect(steers).toEqual([{ by: 'bob', at: expect.any(String), channel: 'update', identity, text: 'Only euros.' }]);
      },
    ));

  it('keeps a turn going that has just given its final answer: it answers once more, and ends once', () =>
    interrupted(
      { script: [say('first'), say('second')] },
      { 1: (turn) => turn.steer('And in euros?', { by: 'rita' }) },
      async ({ turn, requests, store }) => {
        const view = await turn.result();
        expect(view).toMatchObject({ state: 'completed', step: 2, text: 'second' });
        expect(view.steered_by).toBeUndefined(); // she is its requester anyway
        expect(conversation(requests[1]!).slice(1)).toEqual(['assistant: first', 'user: And in euros?']);
        const { kinds } = await recorded(store, view.head);
        expect(kinds).toEqual(['start', 'message', 'message', 'admission', 'message', 'message', 'admission', 'end']);
      },
    ));

  it('keeps the order in which it came, as a signal or as an update', () =>
    interrupted(
      { tools: [look], script: [ask(['look', {}]), say('done')] },
      {
        1: async (turn, client) => {
          await turn.steer('first', { by: 'bob' });
          const handle = client.temporal.workflow.getHandle(turn.workflowId);
          await handle.signal('steer', { text: 'second', by: 'zoe' });
          await turn.steer('third', { by: 'mia' });
        },
      },
      async ({ turn, requests }) => {
        const view = await turn.result();
        const said = conversation(requests[1]!).slice(3);
        expect(said).toEqual(['first', 'second', 'third'].map((text) => `user: ${text}`));
        expect(view.steered_by).toEqual(['bob', 'zoe', 'mia']);
      },
    ));

  it('is not put between the halves of an answer that the vendor has paused', () =>
    interrupted(
      { script: [{ ...say('half'), stopReason: 'pause_turn' }, say('whole'), say('as you say')] },
      { 1: (turn) => turn.steer('Shorter.', { by: 'bob' }) },
      async ({ turn, requests }) => {
        expect((await turn.result()).text).toBe('as you say');
        expect(conversation(requests[1]!)).toEqual(['user: Look after it.', 'assistant: half']);
        expect(conversation(requests[2]!).slice(2)).toEqual(['assistant: whole', 'user: Shorter.']);
      },
    ));

  it('does not lift the turn’s limits, and is reported where no step could take it', () =>
    interrupted(
      { script: [say('first')], agent: { limits: { steps: 1 } } },
      { 1: (turn) => turn.steer('More.', { by: 'bob' }) },
      async ({ turn, store }) => {
        const view = await turn.result();
        expect(view).toMatchObject({ state: 'limit', text: 'first', reason: expect.stringContaining('limit of 1 steps') });
        expect(view.ignored_signals.last).toMatchObject([
          { signal: 'steer', reason: 'the turn ended before a step could take it' },
        ]);
        expect((await recorded(store, view.head)).kinds.filter((kind) => kind === 'end')).toHaveLength(1);
      },
    ));

  it('waits with nineteen others at most, of twenty people at most', () => {
    const refused: string[] = [];
    const sayMany = (names: (n: number) => string) => async (turn: TurnHandle) => {
      for (let n = 1; n <= 21; n++)
        await turn.steer(`${n}`, { by: names(n) }).catch((error: Error) => refused.push(`${n}: ${error.message}`));
    };
    const script = [ask(['look', {}]), ask(['look', { key: 'b' }]), say('done')];
    return interrupted(
      { tools: [look], script },
      { 1: sayMany(() => 'Bob'), 2: sayMany((n) => (n === 21 ? ' bob ' : `p${n}`)) },
      async ({ turn, requests }) => {
        const view = await turn.result();
        expect(refused).toEqual([
          expect.stringMatching(/^21: .*20 messages wait for the next step already/),
          expect.stringMatching(/^20: .*20 people have steered this turn already/),
        ]);
        expect(view.steered_by).toHaveLength(20);
        expect(conversation(requests[2]!)).toHaveLength(1 + 2 + 20 + 2 + 20);
      },
    );
  });

  it('changes nothing where it is malformed, too long, or too late, and is listed with the reason', async () => {
    await withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('done')] }, async ({ start, client }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      const junk: [unknown, string][] = [
        ['Stop.', 'one JSON object'],
        [{ by: 'bob' }, '"text" must be'],
        [{ text: ' \n', by: 'bob' }, '"text" must be'],
        [{ text: 'x'.repeat(4001), by: 'bob' }, '1 to 4000 characters'],
        [{ text: ['Stop.'], by: 'bob' }, '"text" must be'],
        [{ text: 'Stop.' }, '"by" must name'],
        [{ text: 'Stop.', by: '\u200b' }, '"by" must name'],
        [{ text: 'Stop.', by: 'b'.repeat(201) }, '"by" must name'],
        [{ text: 'Stop.', by: 'bob', role: 'system' }, 'a field "role"'],
        [{ text: 'Stop.', by: 'bob', attestation: 'not one' }, '"attestation" must be'],
      ];
      for (const [body] of junk) await handle.signal('steer', body);
      const reasons = await whyIgnored(turn, junk.length);
      junk.forEach(([, reason], index) => expect(reasons[index]).toContain(reason));
      for (const [body, reason] of junk) {
        const answer = await handle.executeUpdate('steer', { args: [body] }).catch((error: Error) => error.cause);
        expect((answer as Error).message).toContain(reason);
      }
      for (const text of ['\ud800', 'a\udfff']) await expect(turn.steer(text, { by: 'bob' })).rejects.toThrow('"text" must be');
      expect(await turn.status()).toMatchObject({ state: 'awaiting_approval', pending: [call.digest] });
      await turn.approve(call.digest, { by: 'ana' });
      expect(await turn.result()).not.toHaveProperty('steered_by');
      await expect(turn.steer('Too late.', { by: 'bob' })).rejects.toThrow('the turn has ended');
    });
  });

  it('is refused by a direct call, which has no model', async () => {
    await withEngine({ tools: [pays('pay', [])] }, async ({ call, client }) => {
      const { turn } = await call('pay', invoice);
      const [waiting] = await turn.waitForPending();
      await expect(turn.steer('Less.', { by: 'bob' })).rejects.toThrow('a direct call has no model');
      await client.temporal.workflow.getHandle(turn.workflowId).signal('steer', { text: 'Less.', by: 'bob' });
      expect(await whyIgnored(turn)).toEqual(['steer: a direct call has no model that could read it']);
      await turn.approve(waiting.digest, { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
    });
  });
});

describe('a person who has steered a turn, under four eyes', () => {
  it('cannot approve later calls, for the rest of the turn; a third person can', () => {
    const effects: unknown[] = [];
    const script = [ask(['look', {}]), ask(['look', { key: 'b' }]), ask(['pay', invoice]), say('done')];
    return interrupted(
      { tools: [look, pays('pay', effects)], agent: fourEyes, script },
      { 1: (turn) => turn.steer('Pay INV-7.', { by: 'Bob' }) },
      async ({ turn }) => {
        const [call] = await turn.waitForPending();
        expect((await turn.cards()).get(call.digest)).toContain('- changed or steered by: `Bob`');
        for (const maker of [' bob', 'rita'])
          await expect(turn.approve(call.digest, { by: maker })).rejects.toThrow('changed it or steered the turn');
        expect(effects).toEqual([]);
        await turn.approve(call.digest, { by: 'ana' });
        expect((await turn.result()).state).toBe('completed');
        expect(effects).toEqual([invoice]);
      },
    );
  });

  it('can approve a call that waited already when he wrote, but not the next one', async () => {
    const effects: unknown[] = [];
    const next = { invoice: 'INV-8', cents: 800 };
    const script = [ask(['pay', invoice]), ask(['pay', next]), say('done')];
    await withEngine({ tools: [pays('pay', effects)], agent: fourEyes, script }, async ({ start }) => {
      const turn = await start();
      const [first] = await turn.waitForPending();
      await turn.steer('INV-8 too.', { by: 'bob' });
      await turn.approve(first.digest, { by: 'bob' });
      const second = await eventually('the next one waits', async () => {
        const [call] = await turn.pending();
        return call !== undefined && call.digest !== first.digest && call;
      });
      await expect(turn.approve(second.digest, { by: 'bob' })).rejects.toThrow('changed it or steered the turn');
      await turn.deny(second.digest, { by: 'bob' }); // no matter who denies
      await turn.result();
      expect(effects).toEqual([invoice]);
    });
  });

  it('stays a maker of a call that comes back to people in another revision', () => {
    let price = 1;
    const effects: unknown[] = [];
    const tools = [look, pays('pay', effects, { preview: (input: any) => `Pay ${input.cents} at ${price}` })];
    return interrupted(
      { tools, agent: fourEyes, script: [ask(['look', {}]), ask(['pay', invoice]), say('done')] },
      { 1: (turn) => turn.steer('Pay INV-7.', { by: 'bob' }) },
      async ({ turn }) => {
        const [first] = await turn.waitForPending();
        price = 2; // so that the run finds another preview
        await turn.approve(first.digest, { by: 'ana' });
        const again = await eventually('it is asked again', async () => {
          const [call] = await turn.pending();
          return call?.revision === 2 && call;
        });
        await expect(turn.approve(again.digest, { by: 'bob' })).rejects.toThrow('changed it or steered the turn');
        await turn.approve(again.digest, { by: 'ana' });
        await turn.result();
        expect(effects).toEqual([invoice]);
      },
    );
  });

  it('cannot settle a call in doubt that a rule let run without a question', () => {
    const lost = pays('pay', [], {
      run: () => {
        throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
      },
    });
    return interrupted(
      {
        tools: [look, lost],
        agent: { ...fourEyes, permissions: { allow: ['pay'] } },
        script: [ask(['look', {}]), ask(['pay', invoice]), say('done')],
      },
      { 1: (turn) => turn.steer('Pay INV-7.', { by: 'bob' }) },
      async ({ turn }) => {
        await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
        const [call] = await turn.waitForPending();
        await expect(turn.settle(call.digest, 'not_applied', { by: 'bob' })).rejects.toThrow('changed it or steered the turn');
        await turn.settle(call.digest, 'not_applied', { by: 'ana' });
        expect((await turn.result()).calls.at(-1)).toMatchObject({ effect: 'not_applied' });
      },
    );
  });
});

describe('a message to a turn whose decisions are signed', () => {
  it('is signed too: for this turn, this text and this principal, once', async () => {
    const signers = new Signers();
    const effects: unknown[] = [];
    const once = ask(['pay', invoice]);
    const setup = {
      tools: [pays('pay', effects)],
      script: [once, once, ask(['pay', { invoice: 'INV-8', cents: 8 }]), say('done')],
      settings: { approvals: 'attested' as const, trust: signers.trust },
      signingKey: await signers.file(signers.gateway),
    };
    const bob = signers.person('bob');
    try {
      await withEngine(setup, async ({ start, client, model, store }) => {
        const other = await start('Another one.');
        await other.waitForPending();
        const turn = await start();
        const [first] = await turn.waitForPending();
        const text = 'INV-8 too.';
        const sign = (on: TurnHandle, what = text, key = bob) => signSteer(on, key, { text: what, principal: 'bob', roles: [] });
        const refusals: [Parameters<TurnHandle['steer']>[1], string][] = [
          [{ by: 'bob' }, 'signed messages only'],
          [{ attestation: await sign(turn, 'INV-9 too.') }, 'for another message'],
          [{ attestation: await sign(other) }, 'for another turn'],
          [{ by: 'carol', attestation: await sign(turn) }, 'it is signed for bob, and says carol'],
          [{ attestation: await signers.signed(turn, first.digest, 'bob') }, 'for another message'],
          [{ attestation: await sign(turn, text, new Signers().gateway) }, 'is not trusted here'],
        ];
        for (const [said, reason] of refusals) await expect(turn.steer(text, said)).rejects.toThrow(reason);
        const handle = client.temporal.workflow.getHandle(turn.workflowId);
        await handle.signal('steer', { text, by: 'bob' });
        expect(await whyIgnored(turn)).toEqual([expect.stringContaining('steer: this turn takes signed messages only')]);

        const attestation = await sign(turn);
        await handle.signal('steer', { text, attestation });
        await expect(turn.steer(text, { attestation })).rejects.toThrow('it was sent before');
        const approve = async (digest: string, principal: string) =>
          turn.approve(digest, { attestation: await signers.signed(turn, digest, principal) });
        await approve(first.digest, 'bob'); // it waited already
        const second = await eventually('the next one waits', async () => {
          const [call] = await turn.pending();
          return call !== undefined && call.digest !== first.digest && call;
        });
        await expect(turn.steer(text, { attestation })).rejects.toThrow('it was sent before');
        await expect(approve(second.digest, 'bob')).rejects.toThrow('changed it or steered the turn');
        await approve(second.digest, 'carol');
        const view = await turn.result();
        expect(effects).toEqual([invoice, { invoice: 'INV-8', cents: 8 }]);
        expect(conversation(model.requests[2]!).at(-1)).toBe(`user: ${text}`);
        expect((await recorded(store, view.head)).steers).toMatchObject([{ by: 'bob', channel: 'signal', attestation, text }]);
        await other.cancel();
        await other.result();
      });
    } finally {
      signers.remove();
    }
  });
});
