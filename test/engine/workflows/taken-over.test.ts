/**
 * A turn that is reset to before the model's answer: the model is asked anew, and gives its call another id. The call takes over what
 * became of its dispatch, in the transcript of the run that goes on.
 */
import { verifyBundle } from '../../../src/audit/verify';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { JsonObject } from '../../../src/shared/json/json';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { walk } from '../../../src/store/core/transcript';
import type { Store } from '../../../src/store/store';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { bundleOf } from '../../support/bundle-of';
import { ask, results, say, type Answer } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { allowed, Bank, completed, settledOn, transfer } from '../support/bank';
import { eventually, withEngine, type Engine } from '../support/engine';
import { resetTurn } from '../support/reset';

type Call = [tool: string, input: JsonObject];

const invoice = { invoice: 'INV-7', cents: 700 };
const other = { invoice: 'INV-8', cents: 800 };
const pay: Call = ['pay', invoice];
const order: Call = ['transfer', transfer];
const mayPay = { permissions: { allow: ['pay'] } };
const applied = { state: 'succeeded', effect: 'applied' };

/** Answers as vendors give them: no two of their calls have the same id. */
function answers(...script: (Call[] | string)[]): Answer[] {
  return script.map((one, index) => {
    if (typeof one === 'string') return say(one);
    const { content } = ask(...one);
    return { content: content.map((use) => ({ ...use, id: `${String(use.id)}_of_answer_${index + 1}` })) };
  });
}

const firstRun = async (turn: TurnHandle) => (await turn.status()).run_id;
const resetToAnswer = ({ client }: Engine, turn: TurnHandle) => resetTurn(client, turn, { before: 'takeStep' });

function viewOf(turn: TurnHandle, run: string, isThere: (view: TurnView) => boolean): Promise<TurnView> {
  return eventually('the turn is as far', async () => {
    const view = await turn.status();
    return view.run_id === run && isThere(view) && view;
  });
}

const endOf = (turn: TurnHandle, run: string) => viewOf(turn, run, ({ ended_at }) => ended_at !== null);
const isInDoubt = (turn: TurnHandle, run: string) => viewOf(turn, run, ({ state }) => state === 'in_doubt');
const isPendingIn = (turn: TurnHandle, run: string) => viewOf(turn, run, ({ state }) => state === 'awaiting_completion');

/** The digest that people of this run are asked about. */
async function questionIn(turn: TurnHandle, run: string, id = '1.1', revision = 1): Promise<string> {
  const isAsked = (call: TurnView['calls'][number]) =>
    call.id === id && call.revision === revision && (call.state === 'waiting' || call.state === 'in_doubt');
  return (await viewOf(turn, run, ({ calls }) => calls.some(isAsked))).calls.find(isAsked)!.digest!;
}

async function approveIn(turn: TurnHandle, run: string, by: string): Promise<string> {
  const digest = await questionIn(turn, run);
  await turn.approve(digest, { by });
  return digest;
}

/** The blocks of calls in the transcript: their kinds, and who decided. */
async function callBlocks(store: Store, { head }: TurnView): Promise<string[]> {
  const kinds = ['decision', 'dispatch', 'effect', 'settlement'];
  const blocks = (await walk(store, head)).filter(({ block }) => kinds.includes(block.kind));
  return blocks.map(({ block, bodies }) => {
    const { subject, by = '' } = bodies[0] as { subject: { call_id: string }; by?: string };
    return [subject.call_id, block.kind, by].join(' ').trim();
  });
}

/** The model reads a result of each call of its last answer, and the bundle is intact. */
async function readsResults({ model, client, store }: Engine, turn: TurnHandle, ids: string[]): Promise<void> {
  const request = model.requests.at(-1)!;
  const uses = request.messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_use');
  expect(uses.map(({ id }) => id)).toEqual(ids);
  expect(results(request)).toMatchObject(ids.map((id) => ({ id, isError: false })));
  const text = await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY);
  expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'intact', complete: true, why: '' });
}

describe('after a reset to before the answer, the model reads the result under its new id', () => {
  it('of a call that a rule allows', async () => {
    const effects: unknown[] = [];
    const script = answers([pay], 'paid', [pay], 'paid');
    await withEngine({ tools: [pays('pay', effects)], script, agent: mayPay }, async (engine) => {
      const turn = await engine.start();
      await turn.result();
      const view = await endOf(turn, await resetToAnswer(engine, turn));
      expect(view.calls).toMatchObject([applied]);
      expect(effects).toHaveLength(1);
      expect(await callBlocks(engine.store, view)).toEqual(['1.1 effect']);
      await readsResults(engine, turn, ['use_1_of_answer_3']);
    });
  });

  it('of a call that people approve again; their decisions are in the transcript and the trail', async () => {
    const effects: unknown[] = [];
    const script = answers([pay], 'paid', [pay], 'paid', [pay], 'paid');
    await withEngine({ tools: [pays('pay', effects)], script }, async (engine) => {
      const turn = await engine.start();
      const digests = [await approveIn(turn, await firstRun(turn), 'ana')];
      await turn.result();
      for (const [by, id] of [
        ['bob', 'use_1_of_answer_3'],
        ['carl', 'use_1_of_answer_5'],
      ] as const) {
        const run = await resetToAnswer(engine, turn);
        digests.push(await approveIn(turn, run, by));
        expect(await callBlocks(engine.store, await endOf(turn, run))).toEqual([`1.1 decision ${by}`, '1.1 effect']);
        await readsResults(engine, turn, [id]);
      }
      const { entries } = await engine.store.trail.query({ turn: turn.id, state: 'approved' });
      expect(entries.map(({ digest }) => digest)).toEqual(digests);
      expect(entries.map(({ by }) => by)).toEqual(['ana', 'bob', 'carl']);
      expect(effects).toHaveLength(1);
    });
  });

  it('of an approved call, although the attempt that took over its outcome was lost', async () => {
    const script = answers([pay], 'paid', [pay], 'paid');
    await withEngine({ tools: [pays('pay', [])], script }, async (engine) => {
      const turn = await engine.start();
      await approveIn(turn, await firstRun(turn), 'ana');
      await turn.result();
      const run = await resetToAnswer(engine, turn);
      const digest = await questionIn(turn, run);
      jest.spyOn(engine.store.effects, 'findByAct').mockRejectedValueOnce(new Error('the worker is gone'));
      await turn.approve(digest, { by: 'bob' });
      expect(await callBlocks(engine.store, await endOf(turn, run))).toEqual(['1.1 decision bob', '1.1 effect']);
      await readsResults(engine, turn, ['use_1_of_answer_3']);
    });
  });

  it('of a pending call that a rule allows', async () => {
    const bank = new Bank();
    const script = answers([order], [order], 'ordered');
    await withEngine({ tools: [bank.tool], agent: allowed, script }, async (engine) => {
      const turn = await engine.start();
      await isPendingIn(turn, await firstRun(turn));
      const run = await resetToAnswer(engine, turn);
      await isPendingIn(turn, run);
      await completed(engine, bank.token, { result: settledOn });
      const view = await endOf(turn, run);
      expect(view.calls).toMatchObject([applied]);
      expect(bank.orders).toHaveLength(1);
      expect(await callBlocks(engine.store, view)).toEqual(['1.1 effect']);
      await readsResults(engine, turn, ['use_1_of_answer_2']);
    });
  });

  it('of a pending call that people approve again; their decisions are in the transcript', async () => {
    const bank = new Bank();
    const script = answers([order], [order], 'ordered');
    await withEngine({ tools: [bank.tool], script }, async (engine) => {
      const turn = await engine.start();
      const first = await firstRun(turn);
      await approveIn(turn, first, 'ana');
      await isPendingIn(turn, first);
      const run = await resetToAnswer(engine, turn);
      await approveIn(turn, run, 'bob');
      await isPendingIn(turn, run);
      await completed(engine, bank.token, { result: settledOn });
      expect(await callBlocks(engine.store, await endOf(turn, run))).toEqual(['1.1 decision bob', '1.1 effect']);
      expect(bank.orders).toHaveLength(1);
      await readsResults(engine, turn, ['use_1_of_answer_2']);
    });
  });

  it('of a call in doubt, once a person has settled it', async () => {
    const lose = jest.fn(() => {
      throw new Error('the line went dead');
    });
    const script = answers([pay], [pay], 'paid');
    await withEngine({ tools: [pays('pay', [], { run: lose })], script, agent: mayPay }, async (engine) => {
      const turn = await engine.start();
      await questionIn(turn, await firstRun(turn));
      const run = await resetToAnswer(engine, turn);
      await turn.settle(await questionIn(turn, run), 'applied', { by: 'ana' });
      expect(await callBlocks(engine.store, await endOf(turn, run))).toEqual(['1.1 effect', '1.1 settlement ana']);
      expect(lose).toHaveBeenCalledTimes(1);
      await readsResults(engine, turn, ['use_1_of_answer_2']);
    });
  });

  it('of an approved call in doubt whose tool is idempotent: the transcript says once that it is in doubt', async () => {
    const lose = () => Promise.reject(new Error('the line went dead'));
    const script = answers([pay], [pay], 'paid');
    await withEngine({ tools: [pays('pay', [], { run: lose, idempotent: true })], script }, async (engine) => {
      const turn = await engine.start();
      const first = await firstRun(turn);
      await approveIn(turn, first, 'ana');
      await isInDoubt(turn, first);
      const run = await resetToAnswer(engine, turn);
      const digest = await approveIn(turn, run, 'bob');
      await isInDoubt(turn, run);
      await turn.settle(digest, 'applied', { by: 'carl' });
      const blocks = await callBlocks(engine.store, await endOf(turn, run));
      expect(blocks).toEqual(['1.1 decision bob', '1.1 effect', '1.1 settlement carl']);
      await readsResults(engine, turn, ['use_1_of_answer_2']);
    });
  });
});

describe('after a reset to before the approval, the decision is in the transcript', () => {
  it('of a call that was made', async () => {
    await withEngine({ tools: [pays('pay', [])], script: answers([pay], 'paid', 'paid') }, async (engine) => {
      const turn = await engine.start();
      await approveIn(turn, await firstRun(turn), 'ana');
      await turn.result();
      const run = await resetTurn(engine.client, turn, { before: 'admitCall' });
      await approveIn(turn, run, 'bob');
      expect(await callBlocks(engine.store, await endOf(turn, run))).toEqual(['1.1 decision bob', '1.1 effect']);
      await readsResults(engine, turn, ['use_1_of_answer_1']);
    });
  });

  it('of a call that is pending', async () => {
    const bank = new Bank();
    await withEngine({ tools: [bank.tool], script: answers([order], 'ordered') }, async (engine) => {
      const turn = await engine.start();
      const first = await firstRun(turn);
      await approveIn(turn, first, 'ana');
      await isPendingIn(turn, first);
      const run = await resetTurn(engine.client, turn, { before: 'admitCall' });
      await approveIn(turn, run, 'bob');
      await isPendingIn(turn, run);
      await completed(engine, bank.token, { result: settledOn });
      expect(await callBlocks(engine.store, await endOf(turn, run))).toEqual(['1.1 decision bob', '1.1 effect']);
      await readsResults(engine, turn, ['use_1_of_answer_1']);
    });
  });
});

it('a call that takes over an outcome keeps what the call before it has written since the reset', async () => {
  const effects: unknown[] = [];
  const script = answers([pay, ['pay', other]], 'paid', 'paid');
  await withEngine({ tools: [pays('pay', effects)], script }, async (engine) => {
    const turn = await engine.start();
    const first = await firstRun(turn);
    for (const id of ['1.1', '1.2']) await turn.approve(await questionIn(turn, first, id), { by: 'ana' });
    await turn.result();
    const run = await resetTurn(engine.client, turn, { before: 'admitCall' });
    const input = { ...invoice, cents: 1 };
    await turn.approve(await questionIn(turn, run), { by: 'bob', input });
    await turn.approve(await questionIn(turn, run, '1.1', 2), { by: 'bob' });
    await turn.approve(await questionIn(turn, run, '1.2'), { by: 'carl' });
    const view = await endOf(turn, run);
    expect(effects).toEqual([invoice, other, input]);
    expect(await callBlocks(engine.store, view)).toEqual([
      ...['1.1 decision bob', '1.1 decision bob', '1.1 dispatch', '1.1 effect'],
      ...['1.2 decision carl', '1.2 effect'],
    ]);
    await readsResults(engine, turn, ['use_1_of_answer_1', 'use_2_of_answer_1']);
  });
});
