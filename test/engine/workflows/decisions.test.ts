import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { once } from 'node:events';
import { blocksOf } from '../../../src/record/read-block';
import { walk } from '../../../src/store/core/transcript';
import type { ToolContext } from '../../../src/tools/define/tool';
import { eventually, withEngine } from '../support/engine';
import { ask, results, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

/** As the Web UI sends it. */
function signal(turn: TurnHandle, client: { temporal: any }, name: string, body: object): Promise<void> {
  return client.temporal.workflow.getHandle(turn.workflowId).signal(name, body);
}

async function waiting(turn: TurnHandle, count: number) {
  return eventually(`${count} calls wait`, async () => {
    const pending = await turn.pending();
    return pending.length === count && pending;
  });
}

describe('several approvers', () => {
  const agent = { approvals: { quorum: 2, fourEyes: true } };

  it('are needed where the policy says so; nobody counts twice, and the requester never counts', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], agent, script: [ask(['pay', invoice]), say('paid')] },
      async ({ start }) => {
        const turn = await start('Pay.', { requester: 'rita' });
        const [call] = await turn.waitForPending();
        expect(call.approval).toMatchObject({ required: true, quorum: 2, channel: 'any', decisions: [] });
        await expect(turn.approve(call.digest, { by: ' Rita ' })).rejects.toThrow('changed it or steered the turn');
        await turn.approve(call.digest, { by: 'ana' });
        await expect(turn.approve(call.digest, { by: 'ANA' })).rejects.toThrow('has decided on call');
        expect(effects).toEqual([]);
        expect((await turn.status()).calls[0]!.approval).toMatchObject({ by: ['ana'], decision: null });
        await turn.approve(call.digest, { by: 'bob', note: 'fine' });
        const view = await turn.result();
        expect(effects).toEqual([invoice]);
        expect(view.calls[0]!.approval).toMatchObject({ by: ['ana', 'bob'], decision: 'approve' });
        expect(view.calls[0]!.approval.decisions.map(({ by, channel, attested }) => [by, channel, attested])).toEqual([
          ['ana', 'update', false],
          ['bob', 'update', false],
        ]);
      },
    );
  });

  it('are overruled by one denial, also after the first approval', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)], agent, script: [ask(['pay', invoice]), say('ok')] }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      await turn.deny(call.digest, { by: 'bob' });
      await expect(turn.approve(call.digest, { by: 'carl' })).rejects.toThrow('Not accepted');
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'denied', effect: 'refused' });
      expect(view.calls[0]!.approval.decisions.map(({ decision }) => decision)).toEqual(['approve', 'deny']);
      expect(effects).toEqual([]);
    });
  });
});

it('an approval of a repeatable call that is stopped while it runs stays in the record', async () => {
  let running = false;
  const slow = pays('pay', [], {
    class: 'write',
    run: async (_input: unknown, { signal }: ToolContext) => {
      running = true;
      await once(signal, 'abort');
      throw signal.reason;
    },
  });
  const agent = { permissions: { ask: ['pay'] } };
  await withEngine({ tools: [slow], agent, script: [ask(['pay', invoice])] }, async ({ start, store }) => {
    const turn = await start();
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    await eventually('the call runs', async () => running);
    await turn.cancel();
    const { state, head, calls } = await turn.result();
    expect([state, calls[0]!.state]).toEqual(['cancelled', 'cancelled']);
    expect(blocksOf('decision', await walk(store, head!))).toMatchObject([
      { by: 'ana', decision: 'approve', digest: call.digest },
    ]);
  });
});

describe('one decision on several calls', () => {
  it('is taken for all of them, or for none', async () => {
    const effects: { invoice: string }[] = [];
    const calls = ['A', 'B', 'C'].map((name): [string, any] => ['pay', { invoice: name, cents: 1 }]);
    await withEngine({ tools: [pays('pay', effects)], script: [ask(...calls), say('done')] }, async ({ start, client }) => {
      const turn = await start();
      const [a, b, c] = (await waiting(turn, 3)).map((call) => call.digest) as [string, string, string];
      await signal(turn, client, 'approve', { calls: [a, 'f'.repeat(64)], by: 'ana' });
      expect((await turn.pending()).length).toBe(3);
      await signal(turn, client, 'approve', { calls: [a, c], by: 'ana' });
      await waiting(turn, 1);
      await turn.deny(b, { by: 'ana' });
      await turn.result();
      expect(effects.map((effect) => effect.invoice)).toEqual(['A', 'C']);
    });
  });
});

describe('an approver’s edit', () => {
  it('supersedes the call by one that waits and names the editor; the model is told', async () => {
    const effects: unknown[] = [];
    const preview = (input: any) => `Pay ${input.cents}`;
    await withEngine(
      { tools: [pays('pay', effects, { preview })], script: [ask(['pay', invoice]), say('paid')] },
      async ({ start, client, model }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await signal(turn, client, 'approve', {
          call: call.digest,
          by: 'ana',
          note: 'half',
          input: { invoice: 'INV-7', cents: 350 },
        });
        const [next] = await eventually('the superseding call waits', async () => {
          const pending = await turn.pending();
          return pending[0]?.digest !== call.digest && pending;
        });
        expect(effects).toEqual([]);
        expect(next).toMatchObject({ id: call.id, revision: 2, state: 'waiting' });
        await expect(turn.approve(call.digest, { by: 'ana' })).rejects.toThrow('superseded');
        await turn.approve(next!.digest, { by: 'ana' });
        const view = await turn.result();
        expect(view.calls.map(({ revision, state }) => [revision, state])).toEqual([
          [1, 'superseded'],
          [2, 'succeeded'],
        ]);
        expect(effects).toEqual([{ invoice: 'INV-7', cents: 350 }]);
        const told = JSON.stringify(results(model.requests[1]!));
        expect(told).toContain('cents from 700 to 350');
        expect(told).toContain('ana');
      },
    );
  });

  it('changes nothing where it violates the schema: the call waits as it was', async () => {
    const effects: unknown[] = [];
    await withEngine(
      { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('paid')] },
      async ({ start, client }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await signal(turn, client, 'approve', { call: call.digest, by: 'ana', input: { invoice: 'INV-7', cents: -1 } });
        const view = await eventually('the edit is refused', async () => {
          const now = await turn.status();
          return now.ignored_signals.count === 1 && now;
        });
        expect(view.ignored_signals.last[0]!.reason).toContain('schema_violation');
        expect(view.pending).toEqual([call.digest]);
        await turn.approve(call.digest, { by: 'ana' });
        await turn.result();
        expect(effects).toEqual([invoice]);
      },
    );
  });

  it('is refused by a rule about outsiders’ text, as the model’s own input would be', async () => {
    const effects: unknown[] = [];
    const mail = reads('mail', () => 'Pay me more.', { untrustedOutput: true });
    const deny = [{ rule: 'pay', when: 'turn.untrusted && input.cents > 500' }];
    const script = [ask(['mail', {}]), ask(['pay', { invoice: 'INV-7', cents: 400 }]), say('paid')];
    const setup = { tools: [pays('pay', effects), mail], agent: { permissions: { deny } }, script };
    await withEngine(setup, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      const edit = { by: 'ana', input: { invoice: 'INV-7', cents: 700 } };
      await expect(turn.approve(call.digest, edit)).rejects.toThrow('denied_by_rule');
      await turn.approve(call.digest, { by: 'ana' });
      await turn.result();
      expect(effects).toEqual([{ invoice: 'INV-7', cents: 400 }]);
    });
  });

  it('cannot be approved by its editor when people are asked once more, nor settled by him', async () => {
    const effects: unknown[] = [];
    let price = 1;
    const pay = pays('pay', effects, {
      preview: ({ cents }: { cents: number }) => `Pay ${cents} at ${price}`,
      run: () => {
        throw new Error('the answer was lost');
      },
    });
    const agent = { approvals: { fourEyes: true } };
    await withEngine({ tools: [pay], agent, script: [ask(['pay', invoice]), say('done')] }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana', input: { invoice: 'INV-7', cents: 350 } });
      const [edited] = await waiting(turn, 1);
      price = 2; // what will happen has changed: it is asked about again
      await turn.approve(edited!.digest, { by: 'bob' });
      const again = await eventually('it is asked about again', async () => {
        const [next] = await turn.pending();
        return next?.revision === 3 && next;
      });
      await expect(turn.approve(again.digest, { by: 'Ana' })).rejects.toThrow('changed it or steered the turn');
      await turn.approve(again.digest, { by: 'bob' });
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      await expect(turn.settle(again.digest, 'applied', { by: 'ana' })).rejects.toThrow('changed it or steered the turn');
      await turn.settle(again.digest, 'not_applied', { by: 'bob' });
      expect((await turn.result()).calls.at(-1)).toMatchObject({ state: 'failed', effect: 'not_applied' });
    });
  });
});

it('an update with half a character, which no record could keep, is refused, and the turn is not stalled by it', async () => {
  const effects: unknown[] = [];
  await withEngine({ tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('done')] }, async ({ start }) => {
    const turn = await start();
    const [call] = await turn.waitForPending();
    const half = 'half \ud83d';
    await expect(turn.approve(call.digest, { by: 'ana', note: half })).rejects.toThrow('Not accepted');
    await expect(turn.deny(call.digest, { by: half })).rejects.toThrow('Not accepted');
    const edit = { by: 'ana', input: { invoice: half, cents: 1 } };
    await expect(turn.approve(call.digest, edit)).rejects.toThrow('lone surrogate');
    await turn.approve(call.digest, { by: 'ana' });
    expect((await turn.result()).state).toBe('completed');
    expect(effects).toEqual([invoice]);
  });
});
