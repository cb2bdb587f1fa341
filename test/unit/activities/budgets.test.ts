import type { EffectRecord } from '../../../src/record/effect';
import type { Budgets, Dependencies } from '../../../src/activities/ports';
import { callContext, type CallContext } from '../../../src/activities/call/call-context';
import { giveBack, settleBudgets, withinBudgets } from '../../../src/activities/effects/budgets';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { CallArguments, RunCallInput, TurnContext } from '../../../src/shared/io/activities';
import { EMPTY_BOOK, reserve, settle, usedAmount, type Book, type BudgetName } from '../../../src/shared/budget-book';
import type { JsonObject } from '../../../src/shared/json/json';
import { idempotencyKey } from '../../../src/shared/json/digests';
import type { Budget } from '../../../src/tools/limits/budgets';
import { Registry } from '../../../src/tools/catalogue/registry';
import { capturedLog } from '../../support/captured-log';
import { pays } from '../../support/tools';

const tool = pays('pay', []);
const turn: TurnContext = {
  turn_id: 't',
  workflow_id: 'turn/t',
  first_execution_run_id: 'run',
  agent: 'tester',
  requester: 'ana',
  session_id: null,
  trace_id: 'trace',
};
const callOf = (n: number, dispatch = 1): CallArguments => ({
  id: `1.${n}`,
  revision: 1,
  tool: 'pay',
  version: '1.0.0',
  class: 'destructive',
  input_hash: 'a'.repeat(64),
  input: null,
  input_ref: '',
  preview_ref: null,
  policy_ref: '',
  digest: n.toString(16).padStart(64, '0'),
  dispatch,
});
const keyOf = (n: number) => idempotencyKey({ ...turn, call_id: `1.${n}`, digest: callOf(n).digest });

/** Books in memory that can be out of reach, and effect records as a test sets them. */
class World {
  readonly books = new Map<string, Book>();
  readonly records = new Map<string, Pick<EffectRecord, 'dispatch' | 'state'>>();
  settlesFail = false;
  now = 0;
  readonly log = capturedLog();
  readonly deps: Dependencies;

  constructor(...budgets: Budget[]) {
    const registry = new Registry(
      defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools: [tool], budgets })] }),
    );
    const store = { effects: { latest: async (key: string) => this.records.get(key) ?? null } };
    this.deps = { registry, store, log: this.log.log, budgets: this.budgets() } as unknown as Dependencies;
  }

  private budgets(): Budgets {
    const bookOf = ({ budget }: BudgetName) => this.books.get(budget) ?? EMPTY_BOOK;
    return {
      reserve: async (name, asked) => {
        const { book, answer } = reserve(bookOf(name), asked, this.now);
        this.books.set(name.budget, book);
        return answer;
      },
      settle: async (name, said) => {
        if (this.settlesFail) throw new Error('no worker answers');
        this.books.set(name.budget, settle(bookOf(name), said, this.now));
      },
    };
  }

  used(budget: string): string {
    return String(usedAmount(this.books.get(budget) ?? EMPTY_BOOK, this.now));
  }

  run(call: CallArguments, input: JsonObject = {}): CallContext {
    return callContext(this.deps, { turn, call } as RunCallInput, tool, input);
  }

  pay(n: number, cents = 60, dispatch = 1) {
    const run = this.run(callOf(n, dispatch), { invoice: 'I', cents });
    return withinBudgets(run, { preview: null, held: [], makers: [], target: null });
  }

  ended(n: number, effect: 'applied' | 'in_doubt' | 'not_applied', dispatch = 1) {
    this.records.set(keyOf(n), { dispatch, state: effect });
    return settleBudgets(this.deps, { turn, call: callOf(n), key: keyOf(n), dispatch, effect });
  }
}

const daily: Budget = { name: 'daily', tools: ['pay'], per: 'agent', windowMs: 1000, measure: 'input.cents', cap: 100 };
const calls: Budget = { ...daily, name: 'calls', measure: 'count', cap: 1 };
const refusal = { refused: { code: 'QUOTA_EXCEEDED', reason: 'budget_exhausted' } };

describe('a settlement that was lost', () => {
  it('fails no call: it is logged, with what to do', async () => {
    const world = new World(daily);
    expect(await world.pay(1)).toBeNull();
    world.settlesFail = true;
    await world.ended(1, 'applied');
    expect(world.log.lines()).toEqual([
      expect.objectContaining({ msg: 'a budget was not settled', effect: 'applied', todo: expect.stringContaining('nothing') }),
    ]);
  });

  it('costs nothing once room is needed: what the effect record says had no effect is given back', async () => {
    const world = new World(daily);
    await world.pay(1);
    world.settlesFail = true;
    await world.ended(1, 'not_applied');
    world.settlesFail = false;
    expect(world.used('daily')).toBe('60');
    expect(await world.pay(2)).toBeNull();
    expect(world.used('daily')).toBe('60');
  });

  it.each(['applied', 'in_doubt', 'claimed'] as const)('frees nothing where the record says %s', async (state) => {
    const world = new World(daily);
    await world.pay(1);
    world.records.set(keyOf(1), { dispatch: 1, state });
    expect(await world.pay(2)).toMatchObject(refusal);
    expect(world.used('daily')).toBe('60');
  });

  it('frees nothing of a call that has not begun, because it may be about to begin', async () => {
    const world = new World(daily);
    await world.pay(1);
    expect(await world.pay(2)).toMatchObject(refusal);
  });

  it('of an earlier dispatch is sent again with the next dispatch of the same call', async () => {
    const world = new World(daily);
    await world.pay(1, 100);
    world.settlesFail = true;
    await world.ended(1, 'not_applied');
    expect(await world.pay(1, 100, 2)).toBeNull();
    expect(world.used('daily')).toBe('100');
  });
});

describe('a call of several budgets', () => {
  it('reserves in all of them or in none', async () => {
    const world = new World(daily, calls);
    expect(await world.pay(1, 10)).toBeNull();
    expect(await world.pay(2, 10)).toMatchObject(refusal);
    expect([world.used('daily'), world.used('calls')]).toEqual(['10', '1']);
  });
});

describe('a call that has reserved and is put off', () => {
  it('gives the reservation back, and reserves again when it comes again', async () => {
    const world = new World(daily);
    await world.pay(1, 100);
    await giveBack(world.run(callOf(1)), null);
    expect(world.used('daily')).toBe('0');
    expect(await world.pay(1, 100)).toBeNull();
    expect(world.used('daily')).toBe('100');
  });

  it('fails if the reservation cannot be given back, so that its record is closed and found later', async () => {
    const world = new World(daily);
    await world.pay(1, 100);
    world.settlesFail = true;
    await expect(giveBack(world.run(callOf(1)), null)).rejects.toThrow('no worker answers');
  });

  it('keeps the reservation if an earlier dispatch under the same claim is in doubt; a repetition counts once and is never refused', async () => {
    const world = new World(daily);
    await world.pay(1, 100);
    await world.ended(1, 'in_doubt');
    const record = world.records.get(keyOf(1)) as EffectRecord;
    expect(await world.pay(1, 100, 2)).toBeNull();
    await giveBack(world.run(callOf(1, 2)), record);
    expect(world.used('daily')).toBe('100');
    world.now = 100_000; // its window is over, and it is repeated all the same
    await world.pay(2, 100);
    expect(await world.pay(1, 100, 2)).toBeNull();
    expect(world.used('daily')).toBe('200');
  });
});
