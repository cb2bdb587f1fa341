import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { budgetWorkflowId, type Reservation } from '../../../src/shared/budget-book';
import type { Budget } from '../../../src/tools/limits/budgets';
import { ToolError } from '../../../src/tools/define/errors';
import { BUDGET_QUERY, RESERVE_UPDATE, SETTLE_UPDATE, type BudgetName, type BudgetView } from '../../../src/workflows/contract';
import { temporalBudgets } from '../../../src/temporal/entities';
import { eventually, withEngine, type Engine } from '../support/engine';
import { keepForReplay } from '../support/replays';
import { TestTime } from '../support/time-server';
import { ask, say, ScriptedModel } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const time = new TestTime();
const HOUR = 3_600_000;
/** A name of its own for each test: the books are on a server that tests share. */
const budget = (more: Partial<Budget> = {}): Budget => ({
  name: `b-${randomBytes(6).toString('hex')}`,
  tools: ['pay*'],
  per: 'agent',
  windowMs: HOUR,
  measure: 'input.cents',
  cap: '1000',
  ...more,
});
const freely = { permissions: { allow: ['pay'] } };
const eachFreely = { permissions: { allow: ['pay_agent', 'pay_session', 'pay_principal'] } };
const invoice = (cents: number, name = 'INV-7') => ({ invoice: name, cents });

/** Answers any number of turns at once: the call first, then the end. */
class OneCallEach extends ScriptedModel {
  constructor(private readonly call: ReturnType<typeof ask>) {
    super([]);
  }
  override async request(...[request, options]: Parameters<ScriptedModel['request']>) {
    const asked = request.messages.some(({ role }) => role === 'assistant');
    return new ScriptedModel([asked ? say('done') : this.call]).request(request, options);
  }
}

function look({ client }: Engine, { name, per }: Budget, of = ''): Promise<BudgetView> {
  const id = budgetWorkflowId({ agent: 'tester', budget: name, per, of });
  return client.temporal.workflow.getHandle(id).query<BudgetView, [number]>(BUDGET_QUERY, Date.now());
}

/** One turn with one call, to its end. */
async function pay(engine: Engine, more: object = {}) {
  const turn = await engine.start('Pay.', more);
  return (await turn.result()).calls.at(-1)!;
}

/** Has the book's own history replayed as it stands. */
function bookReplays({ client }: Engine, { name, per }: Budget, of = ''): Promise<void> {
  const workflowId = budgetWorkflowId({ agent: 'tester', budget: name, per, of });
  return keepForReplay(client.temporal, { workflowId });
}

describe('a budget', () => {
  it('refuses what does not fit as QUOTA_EXCEEDED, with the hint when enough is free again; nothing is done', async () => {
    const effects: unknown[] = [];
    const daily = budget();
    const model = new OneCallEach(ask(['pay', invoice(600)]));
    await withEngine({ tools: [pays('pay', effects)], model, agent: { ...freely, budgets: [daily] } }, async (engine) => {
      expect(await pay(engine)).toMatchObject({ state: 'succeeded', effect: 'applied' });
      const refused = await pay(engine);
      expect(refused).toMatchObject({
        state: 'failed',
        effect: 'not_applied',
        error: { code: 'QUOTA_EXCEEDED', reason: 'budget_exhausted' },
      });
      expect(refused.error!.message).toContain('has 600 of 1000 used, and this call needs 600');
      expect(refused.error!.hint).toMatch(/Enough is free again at \d{4}-/);
      expect(effects).toHaveLength(1);
      expect(await look(engine, daily)).toMatchObject({ used: '600', left: '400', reserved: 0, in_doubt: 0, over: 0 });
      await bookReplays(engine, daily);
    });
  });

  it('cannot be exceeded by turns that race: of twelve at once only as many act as fit', async () => {
    const effects: unknown[] = [];
    const daily = budget({ cap: '3500' });
    const model = new OneCallEach(ask(['pay', invoice(700)]));
    await withEngine({ tools: [pays('pay', effects)], model, agent: { ...freely, budgets: [daily] } }, async (engine) => {
      const ended = await Promise.all(Array.from({ length: 12 }, () => pay(engine)));
      expect(effects).toHaveLength(5);
      expect(ended.filter(({ state }) => state === 'succeeded')).toHaveLength(5);
      expect(ended.filter(({ error }) => error?.code === 'QUOTA_EXCEEDED')).toHaveLength(7);
      expect(await look(engine, daily)).toMatchObject({ used: '3500', left: '0', reserved: 0 });
    });
  });

  it('asks where it is set to ask: an approval lets that one call exceed that budget, and the next call is asked about again', async () => {
    const effects: unknown[] = [];
    const daily = budget({ exhausted: 'ask' });
    const model = new OneCallEach(ask(['pay', invoice(600)]));
    await withEngine({ tools: [pays('pay', effects)], model, agent: { ...freely, budgets: [daily] } }, async (engine) => {
      await pay(engine);
      const turn = await engine.start('Pay.');
      const [call] = await turn.waitForPending();
      expect(effects).toHaveLength(1);
      expect(call.revision).toBe(2);
      const details = await eventually('the card is shown', async () => {
        const { currentDetails } = (await engine.client.temporal.workflow
          .getHandle(turn.workflowId)
          .query<{ currentDetails?: string }>('__temporal_workflow_metadata')) as { currentDetails?: string };
        return currentDetails?.includes('It goes beyond a budget') && currentDetails;
      });
      expect(details.replace(/\n↪ /g, '')).toContain(`budget ${daily.name}`);
      await turn.approve(call.digest, { by: 'ana' });
      expect((await turn.result()).calls.map(({ state }) => state)).toEqual(['superseded', 'succeeded']);
      expect(effects).toHaveLength(2);
      expect(await look(engine, daily)).toMatchObject({ used: '1200', left: '0', over: 1 });

      const next = await engine.start('Pay.');
      const [again] = await next.waitForPending();
      await next.deny(again.digest, { by: 'ana' });
      expect((await next.result()).calls.at(-1)).toMatchObject({ state: 'denied', effect: 'refused' });
      expect(effects).toHaveLength(2);
      expect(await look(engine, daily)).toMatchObject({ used: '1200', reserved: 0 });
    });
  });

  it('that people let a call exceed opens no other budget: each is asked about, and one that refuses still refuses', async () => {
    const effects: unknown[] = [];
    const first = budget({ exhausted: 'ask', cap: '0' });
    const second = budget({ exhausted: 'ask', cap: '1', measure: 'count' });
    const third = budget({ cap: '2', measure: 'count' });
    const budgets = [first, second, third];
    const model = new OneCallEach(ask(['pay', invoice(600)]));
    await withEngine({ tools: [pays('pay', effects)], model, agent: { ...freely, budgets } }, async (engine) => {
      const decided = async () => {
        const turn = await engine.start('Pay.');
        const digests = new Set<string>();
        for (;;) {
          const view = await eventually('it waits or ends', async () => {
            const now = await turn.status();
            return (now.state === 'completed' || now.pending.some((digest) => !digests.has(digest))) && now;
          });
          if (view.state === 'completed') return { asked: digests.size, call: view.calls.at(-1)! };
          digests.add(view.pending[0]!);
          await turn.approve(view.pending[0]!, { by: 'ana' });
        }
      };
      expect(await decided()).toMatchObject({ asked: 1, call: { state: 'succeeded' } });
      expect(await decided()).toMatchObject({ asked: 2, call: { state: 'succeeded' } });
      expect(await decided()).toMatchObject({ asked: 2, call: { state: 'failed', error: { code: 'QUOTA_EXCEEDED' } } });
      expect(effects).toHaveLength(2);
      // What the third turn had reserved in the first two budgets is given back: all or nothing.
      expect(await look(engine, first)).toMatchObject({ used: '1200', reserved: 0, over: 2 });
      expect(await look(engine, second)).toMatchObject({ used: '2', reserved: 0, over: 1 });
      expect(await look(engine, third)).toMatchObject({ used: '2', reserved: 0, over: 0 });
    });
  });

  it('is counted per agent, per session, per principal, or per tool', async () => {
    const effects: unknown[] = [];
    const one = (per: Budget['per']) => budget({ per, measure: 'count', cap: 1, tools: [`pay_${per}`] });
    const tools = ['pay_agent', 'pay_session', 'pay_principal'].map((name) => pays(name, effects));
    const each = { ...budget({ per: 'tool', measure: 'count', cap: 1 }), tools: ['pay_agent', 'pay_session'] };
    let call = ask(['pay_agent', invoice(1)]);
    const model = { name: 'scripted', request: (...given: any) => new OneCallEach(call).request(...(given as [any, any])) };
    const code = async (engine: Engine, tool: string, more: object) => {
      call = ask([tool, invoice(1)]);
      return (await pay(engine, more)).error?.code ?? 'paid';
    };
    const budgets = [one('agent'), one('session'), one('principal')];
    await withEngine({ tools, model: model as never, agent: { ...eachFreely, budgets } }, async (engine) => {
      expect(await code(engine, 'pay_agent', { requester: 'ana', sessionId: 's1' })).toBe('paid');
      expect(await code(engine, 'pay_agent', { requester: 'bob', sessionId: 's2' })).toBe('QUOTA_EXCEEDED');
      expect(await code(engine, 'pay_session', { requester: 'ana', sessionId: 's1' })).toBe('paid');
      expect(await code(engine, 'pay_session', { requester: 'bob', sessionId: 's1' })).toBe('QUOTA_EXCEEDED');
      expect(await code(engine, 'pay_session', { requester: 'bob', sessionId: 's2' })).toBe('paid');
      expect(await code(engine, 'pay_session', { requester: 'bob' })).toBe('paid'); // a turn without one is its own
      expect(await code(engine, 'pay_principal', { requester: 'ana' })).toBe('paid');
      expect(await code(engine, 'pay_principal', { requester: ' ANA ' })).toBe('QUOTA_EXCEEDED');
      expect(await code(engine, 'pay_principal', { requester: 'bob' })).toBe('paid');
    });
    await withEngine({ tools, model: model as never, agent: { ...eachFreely, budgets: [each] } }, async (engine) => {
      expect(await code(engine, 'pay_agent', {})).toBe('paid');
      expect(await code(engine, 'pay_session', {})).toBe('paid');
      expect(await code(engine, 'pay_agent', {})).toBe('QUOTA_EXCEEDED');
      expect(await code(engine, 'pay_principal', {})).toBe('paid'); // no budget names it
    });
  });

  it('gets back the amount of a call that had no effect', async () => {
    let broke = true;
    const run = () => {
      if (broke) throw new ToolError('EXECUTION_ERROR', 'closed', 'The bank is closed.', { nothingHappened: true });
      return { paid: true };
    };
    const daily = budget();
    const model = new OneCallEach(ask(['pay', invoice(1000)]));
    await withEngine({ tools: [pays('pay', [], { run })], model, agent: { ...freely, budgets: [daily] } }, async (engine) => {
      expect(await pay(engine)).toMatchObject({ state: 'failed', effect: 'not_applied', error: { reason: 'closed' } });
      expect(await look(engine, daily)).toMatchObject({ used: '0', reserved: 0 });
      broke = false;
      expect(await pay(engine)).toMatchObject({ state: 'succeeded' });
      expect(await look(engine, daily)).toMatchObject({ used: '1000' });
    });
  });

  it.each(['applied', 'not_applied'] as const)(
    'counts a call in doubt as spent; settled as %s it counts or not',
    async (outcome) => {
      const run = () => {
        throw new Error('The connection was lost.');
      };
      const daily = budget();
      const model = new OneCallEach(ask(['pay', invoice(1000)]));
      await withEngine({ tools: [pays('pay', [], { run })], model, agent: { ...freely, budgets: [daily] } }, async (engine) => {
        const turn = await engine.start('Pay.');
        const [call] = await turn.waitForPending();
        expect(call.state).toBe('in_doubt');
        expect(await look(engine, daily)).toMatchObject({ used: '1000', in_doubt: 1 });
        expect(await pay(engine)).toMatchObject({ error: { code: 'QUOTA_EXCEEDED' } });
        await turn.settle(call.digest, outcome, { by: 'bob' });
        await turn.result();
        expect(await look(engine, daily)).toMatchObject({ used: outcome === 'applied' ? '1000' : '0', in_doubt: 0, reserved: 0 });
      });
    },
  );

  it('refuses a call that cannot be measured', async () => {
    const effects: unknown[] = [];
    const daily = budget({ measure: 'input.cents - 10' });
    const model = new OneCallEach(ask(['pay', invoice(3)]));
    await withEngine({ tools: [pays('pay', effects)], model, agent: { ...freely, budgets: [daily] } }, async (engine) => {
      const call = await pay(engine);
      expect(call).toMatchObject({ effect: 'not_applied', error: { code: 'QUOTA_EXCEEDED', reason: 'not_measured' } });
      expect(effects).toEqual([]);
    });
  });

  it('frees spent amounts when their window is over', async () => {
    const effects: unknown[] = [];
    const windowMs = time.either('31 days', 6000);
    const brief = budget({ windowMs });
    const model = new OneCallEach(ask(['pay', invoice(1000)]));
    await withEngine({ time, tools: [pays('pay', effects)], model, agent: { ...freely, budgets: [brief] } }, async (engine) => {
      expect(await pay(engine)).toMatchObject({ state: 'succeeded' });
      expect(await look(engine, brief)).toMatchObject({ used: '1000' });
      await time.skip(windowMs / 2);
      expect(await look(engine, brief)).toMatchObject({ used: '1000' });
      await time.skip(windowMs * 0.52); // what was spent is summed in slices of a hundredth
      expect(await look(engine, brief)).toMatchObject({ used: '0' });
      expect(await pay(engine)).toMatchObject({ state: 'succeeded' });
      expect(effects).toHaveLength(2);
    });
  });

  it('is listed with what is used and left', async () => {
    const daily = budget();
    const model = new OneCallEach(ask(['pay', invoice(600)]));
    await withEngine({ tools: [pays('pay', [])], model, agent: { ...freely, budgets: [daily] } }, async (engine) => {
      await pay(engine);
      const [listed] = await eventually('it is listed', async () => {
        const found = [];
        for await (const one of engine.client.budgets({ budget: daily.name })) found.push(one);
        return found.length > 0 && found;
      });
      expect(listed).toMatchObject({ agent: 'tester', per: 'agent', unreachable: null, view: { used: '600', left: '400' } });
    });
  });
});

describe('the book of a budget', () => {
  const asked = (n: number, more: Partial<Reservation> = {}): Reservation => ({
    key: `hf_${n.toString(16).padStart(40, '0')}`,
    dispatch: 1,
    amount: '1',
    cap: '2000',
    window_ms: HOUR,
    lasts_ms: 1000,
    proven: 0,
    accepted: false,
    ...more,
  });
  const book = (): BudgetName => ({ agent: 'tester', budget: budget().name, per: 'agent', of: '' });
  const withBook = (body: (temporal: Client, taskQueue: string) => Promise<void>) =>
    withEngine({ time }, ({ client, taskQueue }) => body(client.temporal, taskQueue));

  it('refuses what is malformed, ignores signals, and lives on', async () => {
    const name = book();
    await withBook(async (temporal, taskQueue) => {
      const budgets = temporalBudgets(temporal, taskQueue);
      await budgets.reserve(name, asked(1));
      const handle = temporal.workflow.getHandle(budgetWorkflowId(name));
      await handle.signal('approve', { call: 'x' });
      await handle.signal('junk', 7, 8);
      for (const junk of [
        asked(2, { amount: '-5' }),
        asked(2, { amount: 'x' }),
        asked(2, { key: 'k' }),
        { ...asked(2), dispatch: 0 },
        null,
        7,
      ]) {
        await expect(budgets.reserve(name, junk as Reservation)).rejects.toThrow();
      }
      await expect(handle.executeUpdate(SETTLE_UPDATE, { args: [{ ...asked(1), outcome: 'lost' }] })).rejects.toThrow();
      await expect(handle.executeUpdate(RESERVE_UPDATE, { args: [] })).rejects.toThrow();
      expect(await handle.query<BudgetView>(BUDGET_QUERY)).toMatchObject({ used: '1', reserved: 1 });
    });
  });

  it('ends once nothing in it counts any more; a later call begins another', async () => {
    const name = book();
    await withBook(async (temporal, taskQueue) => {
      const budgets = temporalBudgets(temporal, taskQueue);
      const window_ms = time.either('31 days', 500);
      await budgets.reserve(name, asked(1, { window_ms, lasts_ms: 100 }));
      await time.skip(window_ms);
      const handle = temporal.workflow.getHandle(budgetWorkflowId(name));
      await handle.result();
      await budgets.settle(name, { ...asked(1), outcome: 'applied' }); // too late to matter
      expect(await budgets.reserve(name, asked(2))).toEqual({ granted: true, used: '0', over: false });
    });
  });
});
