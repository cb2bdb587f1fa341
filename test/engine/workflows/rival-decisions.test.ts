/** Rival decisions: at the same instant, twice, too late, or contradictory. One of them counts; the others are told why they do not. */
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { forEachConcurrent } from '../../../src/shared/turn/calls';
import type { CallView, TurnView } from '../../../src/shared/turn/turn-view';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { PlannedModel } from '../../support/planned-model';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { Barrier, pays, reads } from '../../support/tools';

interface Payment {
  invoice: string;
  cents: number;
}

/** Turns that pay, in one step, the invoices that their message lists; what was paid is in `effects`. */
function withPayments(setup: Setup, body: (engine: Engine, effects: Payment[]) => Promise<void>): Promise<void> {
  const effects: Payment[] = [];
  const model = new PlannedModel((message) => [
    ask(...message.split(' ').map((invoice): [string, any] => ['pay', { invoice, cents: 1 }])),
    say('done'),
  ]);
  return withEngine({ tools: [pays('pay', effects)], model, ...setup }, (engine) => body(engine, effects));
}

/** As the Web UI sends it. */
function signal(client: HoldfastClient, turn: TurnHandle, name: string, body: object): Promise<void> {
  return client.temporal.workflow.getHandle(turn.workflowId).signal(name, body);
}

/** The digests of the calls, in their order, once all of them wait. */
function waiting(turn: TurnHandle, count: number): Promise<[string, string, string]> {
  return eventually(`${count} calls wait`, async () => {
    const { calls, pending } = await turn.status();
    return pending.length === count && (calls.map(({ digest }) => digest) as [string, string, string]);
  });
}

function until(turn: TurnHandle, what: string, holds: (view: TurnView) => boolean): Promise<TurnView> {
  return eventually(what, async () => {
    const view = await turn.status();
    return holds(view) && view;
  });
}

const ignored = ({ ignored_signals }: TurnView) => ignored_signals.last.map(({ signal: name, reason }) => `${name}: ${reason}`);
const decided = ({ approval }: CallView) => approval.decisions.map(({ decision, by }) => `${decision} by ${by}`);
const paid = (effects: Payment[], turn: number) =>
  effects.map(({ invoice }) => invoice).filter((name) => name.startsWith(`${turn}`));

/** As many turns at once: enough to see more than one order in which two decisions arrive. */
const TURNS = [1, 2, 3, 4, 5, 6];

describe('an approval and a denial of one call at the same instant', () => {
  const who = { approve: 'ana', deny: 'bob' } as const;
  type Send = (client: HoldfastClient, turn: TurnHandle, call: string, kind: 'approve' | 'deny') => Promise<unknown>;

  const meet = (send: Send, setup: Setup): Promise<void> =>
    withPayments(setup, async ({ start, client }, effects) => {
      const one = async (nth: number) => {
        const turn = await start(`${nth}A ${nth}B`);
        const [a, b] = await waiting(turn, 2);
        const kinds = nth % 2 === 0 ? (['approve', 'deny'] as const) : (['deny', 'approve'] as const);
        await Promise.all(kinds.map((kind) => send(client, turn, a, kind)));
        const view = await until(turn, 'one wins, and one is ignored', ({ calls, ignored_signals: { count } }) => {
          return count === 1 && ['denied', 'succeeded'].includes(calls[0]!.state);
        });
        const winner = view.calls[0]!.state === 'denied' ? 'deny' : 'approve';
        const loser = winner === 'deny' ? 'approve' : 'deny';
        expect(decided(view.calls[0]!)).toEqual([`${winner} by ${who[winner]}`]);
        expect(ignored(view)).toEqual([`${loser}: call ${a} is decided already`]);
        expect(paid(effects, nth)).toEqual(winner === 'approve' ? [`${nth}A`] : []);
        expect(view.pending).toEqual([b]);
      };
      await forEachConcurrent(TURNS, TURNS.length, one);
    });

  it('leave one of them on record, and list the other as ignored', async () => {
    await meet((client, turn, call, kind) => signal(client, turn, kind, { call, by: who[kind] }), {});
  });

  it('do the same where both are signed, and a worker checks them first', async () => {
    const signers = new Signers();
    const settings = { approvals: 'attested' as const, trust: signers.trust };
    const send: Send = async (client, turn, call, kind) => {
      const attestation = await signers.signed(turn, call, who[kind], { decision: kind });
      await signal(client, turn, kind, { call, attestation });
    };
    try {
      await meet(send, { settings, signingKey: await signers.file(signers.gateway) });
    } finally {
      signers.remove();
    }
  });
});

describe('one denial among two approvals', () => {
  it('decides wherever it comes before the second of them, and is too late after it', async () => {
    const said = { ana: 'approve', bob: 'approve', carl: 'deny' } as const;
    const orders = [
      ['ana', 'bob', 'carl'],
      ['ana', 'carl', 'bob'],
      ['bob', 'ana', 'carl'],
      ['bob', 'carl', 'ana'],
      ['carl', 'ana', 'bob'],
      ['carl', 'bob', 'ana'],
    ] as const;
    await withPayments({ agent: { approvals: { quorum: 2 } } }, async ({ start, client }, effects) => {
      const one = async (order: (typeof orders)[number]) => {
        const nth = orders.indexOf(order);
        const at = order.indexOf('carl');
        const counted = at < 2 ? order.slice(0, at + 1) : order.slice(0, 2);
        const late = order.slice(counted.length);
        const turn = await start(`${nth}A ${nth}B`);
        const [a, b] = await waiting(turn, 2);
        for (const by of order) await signal(client, turn, said[by], { call: a, by });
        await until(turn, 'all are taken or ignored', ({ ignored_signals }) => ignored_signals.count === late.length);
        await turn.deny(b, { by: 'carl' });
        const view = await turn.result();
        expect(decided(view.calls[0]!)).toEqual(counted.map((by) => `${said[by]} by ${by}`));
        expect(view.calls[0]!.state).toBe(at < 2 ? 'denied' : 'succeeded');
        expect(ignored(view)).toEqual(late.map((by) => `${said[by]}: call ${a} is decided already`));
        expect(paid(effects, nth)).toEqual(at < 2 ? [] : [`${nth}A`]);
      };
      await forEachConcurrent(orders, orders.length, one);
    });
  });
});

describe('the same decision several times', () => {
  it('counts once, and runs the call once, however many arrive at the same instant', async () => {
    await withPayments({}, async ({ start, client }, effects) => {
      const turn = await start('A B');
      const [a, b] = await waiting(turn, 2);
      await Promise.all(Array.from({ length: 20 }, () => signal(client, turn, 'approve', { call: a, by: 'ana' })));
      await until(turn, 'nineteen are ignored', ({ ignored_signals }) => ignored_signals.count === 19);
      await turn.deny(b, { by: 'ana' });
      const view = await turn.result();
      expect(decided(view.calls[0]!)).toEqual(['approve by ana']);
      expect(new Set(ignored(view))).toEqual(new Set([`approve: call ${a} is decided already`]));
      expect(effects).toEqual([{ invoice: 'A', cents: 1 }]);
    });
  });

  it('by one person is no quorum, also at the same instant and in other spellings', async () => {
    await withPayments({ agent: { approvals: { quorum: 2 } } }, async ({ start, client }, effects) => {
      const turn = await start('A');
      const [a] = await waiting(turn, 1);
      const names = ['ana', 'Ana', ' ana ', 'ANA', 'ａｎａ'];
      await Promise.all(names.map((by) => signal(client, turn, 'approve', { call: a, by })));
      const view = await until(turn, 'four are ignored', ({ ignored_signals }) => ignored_signals.count === 4);
      expect(view.pending).toEqual([a]);
      expect(view.calls[0]!.approval.by).toHaveLength(1);
      expect(ignored(view).filter((text) => !text.endsWith(`has decided on call ${a} already`))).toEqual([]);
      expect(effects).toEqual([]);
      await turn.approve(a, { by: 'bob' });
      await turn.result();
      expect(effects).toHaveLength(1);
    });
  });
});

describe('a decision on a call that has ended', () => {
  it('changes nothing about a call that is done or denied, and is answered that it is too late', async () => {
    await withPayments({}, async ({ start, client }, effects) => {
      const turn = await start('A B C');
      const [a, b, c] = await waiting(turn, 3);
      await turn.approve(a, { by: 'ana' });
      await turn.deny(b, { by: 'ana' });
      await until(turn, 'the first is done', ({ calls }) => calls[0]!.state === 'succeeded');
      for (const call of [a, b]) for (const kind of ['approve', 'deny']) await signal(client, turn, kind, { call, by: 'bob' });
      await signal(client, turn, 'approve', { call: b, by: 'bob', input: { invoice: 'B', cents: 9 } });
      await signal(client, turn, 'settle', { call: a, by: 'bob', outcome: 'not_applied' });
      const view = await until(turn, 'six are ignored', ({ ignored_signals }) => ignored_signals.count === 6);
      expect(ignored(view)).toEqual([
        `approve: call ${a} is decided already`,
        `deny: call ${a} is decided already`,
        `approve: call ${b} is decided already`,
        `deny: call ${b} is decided already`,
        `approve: call ${b} is decided already`,
        `settle: no call ${a} is in doubt`,
      ]);
      expect(view.calls.map(({ state, revision }) => `${state} ${revision}`)).toEqual(['succeeded 1', 'denied 1', 'waiting 1']);
      await turn.approve(c, { by: 'ana' });
      await turn.result();
      await expect(turn.approve(c, { by: 'bob' })).rejects.toThrow('the turn has ended');
      expect(effects.map(({ invoice }) => invoice)).toEqual(['A', 'C']);
    });
  });

  it('does not bring back a call that has expired', async () => {
    const effects: Payment[] = [];
    let letGo: () => void = () => undefined;
    const held = new Promise<string>((resolve) => (letGo = () => resolve('read')));
    const tools = [pays('pay', effects), reads('look', () => held)];
    const script = [ask(['pay', { invoice: 'A', cents: 1 }], ['look', {}]), say('done')];
    await withEngine({ tools, script, agent: { approvalExpiryMs: 1500 } }, async ({ start, client }) => {
      const turn = await start();
      const { calls } = await until(turn, 'it expires', (view) => view.calls[0]?.state === 'expired');
      await signal(client, turn, 'approve', { call: calls[0]!.digest, by: 'ana' });
      const late = await until(turn, 'it is ignored', ({ ignored_signals }) => ignored_signals.count === 1);
      expect(ignored(late)).toEqual([`approve: call ${calls[0]!.digest} is decided already`]);
      letGo();
      expect(decided((await turn.result()).calls[0]!)).toEqual(['expired by ']);
      expect(effects).toEqual([]);
    });
  });
});

describe('one decision on several calls', () => {
  it('is taken for none of them where one is decided already, or is named twice', async () => {
    await withPayments({}, async ({ start }, effects) => {
      const turn = await start('A B C');
      const [a, b, c] = await waiting(turn, 3);
      await turn.deny(b, { by: 'ana' });
      await expect(turn.approve([a, b, c], { by: 'ana' })).rejects.toThrow(`call ${b} is decided already`);
      await expect(turn.approve([a, a.slice(0, 12)], { by: 'ana' })).rejects.toThrow('twice');
      // In the order in which they were asked about, which is not always that of the calls.
      expect(new Set((await turn.status()).pending)).toEqual(new Set([a, c]));
      // The order of the list is not the order in which they run.
      await turn.approve([c, a], { by: 'ana' });
      await turn.result();
      expect(effects.map(({ invoice }) => invoice)).toEqual(['A', 'C']);
    });
  });

  it('is taken as a whole, and none of a rival list that names some of them at the same instant', async () => {
    await withPayments({}, async ({ start, client }, effects) => {
      const one = async (nth: number) => {
        const turn = await start(`${nth}A ${nth}B ${nth}C`);
        const [a, b, c] = await waiting(turn, 3);
        const approve = () => signal(client, turn, 'approve', { calls: [a, b], by: 'ana' });
        const deny = () => signal(client, turn, 'deny', { calls: [b, c], by: 'bob' });
        await Promise.all((nth % 2 === 0 ? [approve, deny] : [deny, approve]).map((send) => send()));
        const { pending } = await until(turn, 'one list is ignored', ({ ignored_signals }) => ignored_signals.count === 1);
        const approved = pending[0] === c;
        expect(pending).toEqual([approved ? c : a]);
        await turn.deny(pending[0]!, { by: 'carl' });
        const view = await turn.result();
        expect(view.calls.map(decided)).toEqual(
          approved
            ? [['approve by ana'], ['approve by ana'], ['deny by carl']]
            : [['deny by carl'], ['deny by bob'], ['deny by bob']],
        );
        expect(paid(effects, nth)).toEqual(approved ? [`${nth}A`, `${nth}B`] : []);
      };
      await forEachConcurrent(TURNS, TURNS.length, one);
    });
  });
});

describe('two edits of one call at the same instant', () => {
  it('leave the edit whose sender was told that it is taken', async () => {
    const barriers = new Map(TURNS.map((nth) => [nth, new Barrier(2)]));
    const preview = async ({ invoice, cents }: Payment) => {
      // Both are admitted, and neither is answered before the other.
      if (cents > 1) await barriers.get(Number(invoice[0]))!.pass();
      return `Pay ${cents}`;
    };
    const effects: Payment[] = [];
    await withPayments({ tools: [pays('pay', effects, { preview })] }, async ({ start }) => {
      const one = async (nth: number) => {
        const turn = await start(`${nth}A`);
        const [a] = await waiting(turn, 1);
        const edit = (by: string, cents: number) => turn.approve(a, { by, input: { invoice: `${nth}A`, cents } });
        const told = await Promise.allSettled([edit('ana', 10), edit('bob', 20)]);
        const taken = told[0].status === 'fulfilled' ? 10 : 20;
        expect(told.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const { pending } = await until(turn, 'the other call waits', (view) => view.pending.length === 1);
        await turn.approve(pending[0]!, { by: 'carl' });
        await turn.result();
        expect(effects.filter(({ invoice }) => invoice === `${nth}A`)).toEqual([{ invoice: `${nth}A`, cents: taken }]);
      };
      await forEachConcurrent(TURNS, TURNS.length, one);
    });
  });
});
