/** The bundle of a turn that was reset does not contradict itself: what is decided and dispatched anew is compared with its own run. */
import { verifyBundle } from '../../../src/audit/verify';
import type { AgentDefinition } from '../../../src/agents/agent';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { StopRegister } from '../../../src/stop/register';
import type { BeforeHook } from '../../../src/tools/admit/hooks';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { bundleOf } from '../../support/bundle-of';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { resetTurn } from '../support/reset';

const invoice = { invoice: 'INV-7', cents: 700 };
const pay = ask(['pay', invoice]);
const answers = [pay, say('paid')];
const writes = pays('pay', [], { class: 'write' });

async function endOf(turn: TurnHandle, run: string): Promise<TurnView> {
  return eventually('the run has ended', async () => {
    const view = await turn.status();
    return view.run_id === run && view.ended_at !== null && view;
  });
}

async function approveIn(turn: TurnHandle, run: string, by: string): Promise<void> {
  const digest = await eventually('the run asks', async () => {
    const { run_id, calls } = await turn.status();
    return run_id === run && calls[0]?.state === 'waiting' && calls[0].digest!;
  });
  await turn.approve(digest, { by });
}

async function isIntact({ client, store }: Engine, turn: TurnHandle): Promise<void> {
  const text = await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY);
  expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'intact', complete: true, why: '' });
}

describe('after a reset to before it was decided, the input of a call is compared with its last decision:', () => {
  const verdicts = (...given: ('approve' | 'ask')[]): AgentDefinition['classifier'] => {
    let times = 0;
    return { name: 'small-model', decide: () => ({ verdict: given[times] ?? 'approve', reason: `answer ${++times}` }) };
  };

  it.each(['admitCall', 'takeStep'])('of a classifier, which gives another reason (before %s)', async (before) => {
    const agent = { permissions: { mode: 'auto' as const }, classifier: verdicts() };
    await withEngine({ tools: [writes], agent, script: [...answers, ...answers] }, async (engine) => {
      const turn = await engine.start();
      await turn.result();
      await endOf(turn, await resetTurn(engine.client, turn, { before }));
      await isIntact(engine, turn);
    });
  });

  it('of a classifier, which asks a person first and approves then', async () => {
    const agent = { permissions: { mode: 'auto' as const }, classifier: verdicts('ask') };
    await withEngine({ tools: [writes], agent, script: [...answers, ...answers] }, async (engine) => {
      const turn = await engine.start();
      const [waiting] = await turn.waitForPending();
      await turn.approve(waiting!.digest, { by: 'ana' });
      await turn.result();
      await endOf(turn, await resetTurn(engine.client, turn, { before: 'admitCall' }));
      await isIntact(engine, turn);
    });
  });

  it.each([true, false])('of a hook, which gives another reason (I/O: %s)', async (io) => {
    let times = 0;
    const cap: BeforeHook = { name: 'cap', io, run: () => ({ input: { ...invoice, cents: 1 }, why: `reason ${++times}` }) };
    const setup = { tools: [writes], agent: { permissions: { allow: ['pay'] }, hooks: { before: [cap] } } };
    await withEngine(setup, async (engine) => {
      const { turn } = await engine.call('pay', invoice);
      await turn.result();
      await endOf(turn, await resetTurn(engine.client, turn, { before: 'admitDirect' }));
      await isIntact(engine, turn);
    });
  });
});

describe('a dispatch after a reset is compared with the call of its own run, if a freeze put the call off before:', () => {
  const ALL = { scope: 'all', name: '' } as const;

  /** A payment that waits for the end of a freeze, and after a reset is dispatched. */
  async function dispatched(
    setup: Setup,
    { before, by = [] }: { before: string; by?: string[] },
    meanwhile: (turn: TurnHandle) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    await withEngine({ tools: [pays('pay', [])], ...setup }, async (engine) => {
      const stop = new StopRegister(engine.store);
      await stop.freeze(ALL, 'root', 'an incident');
      const turn = await engine.start();
      if (by[0] !== undefined) await approveIn(turn, (await turn.status()).run_id, by[0]);
      await eventually('the call waits for the freeze', async () => (await turn.status()).frozen);
      await meanwhile(turn);
      const run = await resetTurn(engine.client, turn, { before });
      if (by[1] !== undefined) await approveIn(turn, run, by[1]);
      await stop.unfreeze(ALL, 'root', '');
      expect(await endOf(turn, run)).toMatchObject({ state: 'completed', calls: [{ effect: 'applied' }] });
      await isIntact(engine, turn);
    });
  }

  it('the model gives the call another id', () => {
    const uses = [pay, pay].map(({ content }, index) => ({ content: content.map((use) => ({ ...use, id: `use_${index}` })) }));
    const setup = { agent: { permissions: { allow: ['pay'] } }, script: [...uses, say('paid')] };
    return dispatched(setup, { before: 'takeStep' });
  });

  it('somebody else approves the call', () => dispatched({ script: answers }, { before: 'admitCall', by: ['ana', 'bob'] }));
});

it('people who approved before a reset, when the call was denied, need not be those who approve it then', async () => {
  const setup = { tools: [pays('pay', [])], agent: { approvals: { quorum: 2 } }, script: [...answers, say('paid')] };
  await withEngine(setup, async (engine) => {
    const turn = await engine.start();
    const first = (await turn.status()).run_id;
    await approveIn(turn, first, 'ana');
    const [{ digest }] = await turn.waitForPending();
    await turn.deny(digest, { by: 'carl' });
    await turn.result();
    const run = await resetTurn(engine.client, turn, { before: 'admitCall' });
    await approveIn(turn, run, 'bob');
    await approveIn(turn, run, 'dan');
    expect(await endOf(turn, run)).toMatchObject({ state: 'completed', calls: [{ effect: 'applied' }] });
    await isIntact(engine, turn);
  });
});
