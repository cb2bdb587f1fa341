/**
 * Every order of decisions. A few lines here, which know nothing of the engine, work out the expected result of each before it runs;
 * the other side counts payments, and notices those that overlap.
 */
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { forEachConcurrent } from '../../../src/shared/turn/calls';
import type { JsonObject } from '../../../src/shared/json/json';
import type { CallView } from '../../../src/shared/turn/turn-view';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { eventually, withEngine, type Setup } from '../support/engine';
import { TestTime } from '../support/time-server';
import { PlannedModel } from '../../support/planned-model';
import { runs } from '../../support/runs';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const time = new TestTime();

const FATES = ['approve', 'deny', 'expire'] as const;
type Fate = (typeof FATES)[number];
const LETTERS = ['A', 'B', 'C'];

/** Payments asked for in one step, by a turn whose message is the name of the case. */
const payments = () =>
  new PlannedModel((name) => [
    ask(...LETTERS.map((letter): [string, JsonObject] => ['pay', { invoice: `${name}/${letter}`, cents: 1 }])),
    say('done'),
  ]);

/** Payments in the order in which they began, by case; two of one case at once are a fault. */
class Bank {
  readonly overlaps: string[] = [];
  private readonly begun: string[] = [];
  private readonly busy = new Set<string>();

  readonly pay = async ({ invoice }: { invoice: string }) => {
    const [name = ''] = invoice.split('/');
    if (this.busy.has(name)) this.overlaps.push(invoice);
    this.busy.add(name);
    this.begun.push(invoice);
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.busy.delete(name);
    return { paid: true };
  };

  of(name: string): string[] {
    return this.begun.filter((invoice) => invoice.startsWith(`${name}/`)).map((invoice) => invoice.slice(name.length + 1));
  }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

const ASSIGNMENTS: Fate[][] = FATES.flatMap((a) => FATES.flatMap((b) => FATES.map((c) => [a, b, c])));

/** The fate of each call, and the order in which people decide. */
interface Case {
  name: string;
  fates: Fate[];
  order: number[];
}

const ALL_CASES: Case[] = ASSIGNMENTS.flatMap((fates) =>
  permutations([0, 1, 2].filter((index) => fates[index] !== 'expire')).map((order) => ({
    name: `${fates.join('-')}:${order.map((index) => index + 1).join('')}`,
    fates,
    order,
  })),
);

/** True of nine assignments, in which each two calls have all nine pairs of fates. */
const isPairwise = (fates: Fate[]) => fates.reduce((sum, fate) => sum + FATES.indexOf(fate), 0) % FATES.length === 0;

/** Each pair of outcomes in the order of the calls, and three approvals in each order; in long runs each outcome in every order. */
const CASES = runs(
  ALL_CASES.filter(
    ({ fates, order }) =>
      fates.every((fate) => fate === 'approve') || (isPairwise(fates) && `${order}` === `${order.toSorted()}`),
  ),
  ALL_CASES,
);

/** The expected result: approved calls are paid in the order of the calls, in whichever order people decide. */
function foreseen({ fates }: Case) {
  const ends = {
    approve: { state: 'succeeded', effect: 'applied', attempts: 1 },
    deny: { state: 'denied', effect: 'refused', attempts: 0 },
    expire: { state: 'expired', effect: 'refused', attempts: 0 },
  } as const;
  return {
    turn: fates.includes('approve') ? 'completed' : 'refused',
    paid: LETTERS.filter((_, index) => fates[index] === 'approve'),
    calls: fates.map((fate) => ends[fate]),
    decisions: fates.map((fate) => [fate === 'expire' ? 'expired' : fate]),
  };
}

/** The digests of a turn's calls, in their order, once all of them wait. */
async function waiting(turn: TurnHandle, count = LETTERS.length): Promise<string[]> {
  return eventually(`${count} calls wait`, async () => {
    const { calls, pending } = await turn.status();
    return pending.length === count && calls.map(({ digest }) => digest!);
  });
}

/** As the Web UI sends it. */
function signal(client: HoldfastClient, turn: TurnHandle, name: string, body: object): Promise<void> {
  return client.temporal.workflow.getHandle(turn.workflowId).signal(name, body);
}

const saidOn = ({ approval }: CallView) => approval.decisions.map(({ decision }) => decision);

describe('three calls of one step that wait together', () => {
  /** Waited for, it is long enough for the decisions on one turn, also on a machine that has much else to do. */
  const HASTE_MS = time.either('2 days', 15_000);
  const AT_ONCE = 6;

  it(`run as they were approved, once each, in the order of the calls: ${ASSIGNMENTS.length} outcomes in every order of the decisions`, async () => {
    expect(ALL_CASES).toHaveLength(8 * 6 + 12 * 2 + 6 * 1 + 1);
    expect(CASES).toHaveLength(runs(9 + 5, ALL_CASES.length));
    const bank = new Bank();
    const tools = [pays('pay', [], { run: bank.pay as never })];
    const common = { prompt: 'Pay.', tools };
    const app = defineApp({
      agents: [
        defineAgent({ ...common, name: 'patient' }),
        defineAgent({ ...common, name: 'hasty', approvalExpiryMs: HASTE_MS }),
      ],
    });
    await withEngine({ time, app, model: payments() }, async ({ start, client }) => {
      const decide = async (it: Case, nth: number): Promise<TurnHandle> => {
        const turn = await start(it.name, { agent: it.fates.includes('expire') ? 'hasty' : 'patient' });
        const digests = await waiting(turn);
        for (const which of it.order) {
          const [decision, digest] = [it.fates[which] as 'approve' | 'deny', digests[which]!];
          // By update and by signal, alternately.
          if ((nth + which) % 2 === 0) await turn[decision](digest, { by: 'ana' });
          else await signal(client, turn, decision, { call: digest, by: 'ana' });
        }
        return turn;
      };
      const outcome = async (it: Case, turn: TurnHandle) => {
        const view = await turn.result();
        return {
          turn: view.state,
          paid: bank.of(it.name),
          calls: view.calls.map(({ state, effect, attempts }) => ({ state, effect, attempts })),
          decisions: view.calls.map(saidOn),
          ignored: view.ignored_signals.last.map(({ reason }) => reason),
        };
      };
      // Those that expire take their time: they begin first. Only what people do is done by few at once.
      const cases = CASES.toSorted((a, b) => Number(b.fates.includes('expire')) - Number(a.fates.includes('expire')));
      const outcomes = new Map<string, Promise<unknown>>();
      await forEachConcurrent(cases, AT_ONCE, async (it) => {
        const turn = decide(it, outcomes.size);
        outcomes.set(
          it.name,
          turn.then((decided) => outcome(it, decided)).catch((error: unknown) => String(error)),
        );
        await turn.catch(() => undefined);
      });
      await time.skip(HASTE_MS);
      const lived = await Promise.all(cases.map(async ({ name }) => [name, await outcomes.get(name)] as const));
      expect(Object.fromEntries(lived)).toEqual(
        Object.fromEntries(cases.map((it) => [it.name, { ...foreseen(it), ignored: [] }])),
      );
      expect(bank.overlaps).toEqual([]);
    });
  }, 900_000);

  it('do not dispatch a later, approved one until the earlier ones are decided', async () => {
    const bank = new Bank();
    const setup = { tools: [pays('pay', [], { run: bank.pay as never })], model: payments() };
    await withEngine(setup, async ({ start, client }) => {
      const turn = await start('late');
      const [a, b, c] = (await waiting(turn)) as [string, string, string];
      /** Calls that were handed to a worker so far: an accepted decision has had all its consequences in the workflow. */
      const dispatched = async () => {
        const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
        return events!.flatMap(({ activityTaskScheduledEventAttributes: it }) =>
          it?.activityType?.name === 'runCall' ? [it.activityId!.split(':')[0]] : [],
        );
      };
      await turn.approve(c, { by: 'ana' });
      expect((await turn.status()).calls.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'approved']);
      await turn.deny(b, { by: 'ana' });
      expect(await dispatched()).toEqual([]);
      await turn.approve(a, { by: 'ana' });
      await turn.result();
      expect(await dispatched()).toEqual(['1.1', '1.3']);
      expect(bank.of('late')).toEqual(['A', 'C']);
    });
  });

  it('run by signed approvals too where an earlier one expired: a signature outlasts the wait', async () => {
    const signers = new Signers();
    const bank = new Bank();
    const setup: Setup = {
      time,
      tools: [pays('pay', [], { run: bank.pay as never })],
      model: payments(),
      agent: { approvalExpiryMs: HASTE_MS },
      settings: { approvals: 'attested', trust: signers.trust },
      signingKey: await signers.file(signers.gateway),
    };
    try {
      await withEngine(setup, async ({ start }) => {
        const turn = await start('signed');
        const [, b, c] = (await waiting(turn)) as [string, string, string];
        for (const call of [c, b]) await turn.approve(call, { attestation: await signers.signed(turn, call, 'ana') });
        // They expire within the same second, and the worker looks at the signatures after that.
        signers.now = () => Date.now() + 5000;
        await time.skip(HASTE_MS);
        const { calls } = await turn.result();
        expect(calls.map(({ state, error }) => [state, error?.message ?? null])).toEqual([
          ['expired', expect.any(String)],
          ['succeeded', null],
          ['succeeded', null],
        ]);
        expect(bank.of('signed')).toEqual(['B', 'C']);
      });
    } finally {
      signers.remove();
    }
  });
});
