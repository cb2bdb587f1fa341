/** The plan of the fleet's faults, and the judgement of a run: `npm run bench -- fleet`. */
import { FAULT_KINDS, planOf } from '../../../bench/fleet/plan';
import { brokenRules, verdictOf, type Sample } from '../../../bench/fleet/verdict';
import type { LedgerLine } from '../../../bench/fleet/ledger';
import type { FleetTurn } from '../../../bench/fleet/load';

const HALF_AN_HOUR = { seconds: 1800, every: 25, workers: 3, gateways: 2 };

describe('the plan of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    const plan = (seed: number) => JSON.stringify(planOf({ ...HALF_AN_HOUR, seed }));
    expect(plan(1)).toBe(plan(1));
    expect(plan(1)).not.toBe(plan(2));
  });

  it.each([1, 2, 3, 4, 5])('has at least 60 faults of all kinds in half an hour, seed %d', (seed) => {
    const plan = planOf({ ...HALF_AN_HOUR, seed });
    expect(plan.length).toBeGreaterThanOrEqual(60);
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
    expect(plan.every(({ at }) => at < 1800)).toBe(true);
  });

  it('never ends the first worker and the first gateway, whose memory is watched', () => {
    const ends = planOf({ ...HALF_AN_HOUR, seed: 7 }).filter(({ kind }) => /^(kill|stop)-(worker|gateway)$/.test(kind));
    expect(ends.length).toBeGreaterThan(10);
    expect(ends.filter(({ member }) => member!.endsWith('-1'))).toEqual([]);
  });

  it('leaves out what the machine cannot do', () => {
    const kinds = planOf({ ...HALF_AN_HOUR, seed: 7, without: ['fill-disk'] }).map(({ kind }) => kind);
    expect(kinds).not.toContain('fill-disk');
    expect(kinds.length).toBeGreaterThanOrEqual(60);
  });
});

const call = (effect: string | null) => ({ class: 'destructive', effect });
const turn = (number: number, more: Partial<FleetTurn> & { effect?: string | null; state?: string } = {}): FleetTurn => {
  const { effect = 'applied', state = 'completed', ...rest } = more;
  const end = { state, reason: null, calls: [call(effect)] } as unknown as FleetTurn['end'];
  return { number, will: 'approve', id: `t-${number}`, approvedAt: 1000, inDoubt: new Set(), end, isUnknown: false, ...rest };
};
const paid = (number: number, at = 2000, key = `k-${number}`): LedgerLine => ({ key, tool: 'pay', turn: number, at });

describe('the judgement of a run', () => {
  const judge = (turns: FleetTurn[], ledger: LedgerLine[], samples: Sample[] = []) => {
    const verdict = verdictOf(turns, ledger, samples);
    return { verdict, broken: brokenRules(verdict, 30) };
  };

  it('passes turns that were paid once, denied, cancelled, or never accepted', () => {
    const turns = [
      turn(1),
      turn(2, { will: 'deny', state: 'refused', effect: 'refused', approvedAt: null }),
      turn(3, { will: 'cancel', state: 'cancelled', effect: null, approvedAt: null }),
      turn(4, { id: null, end: null }),
    ];
    const { verdict, broken } = judge(turns, [paid(1), { ...paid(1), tool: 'note' }, { ...paid(1), tool: 'note' }]);
    expect(broken).toEqual([]);
    expect(verdict).toMatchObject({ started: 3, notStarted: 1, completed: 1, deniedOrCancelled: 2, effects: 1, inDoubt: 0 });
  });

  it.each<[string, FleetTurn, LedgerLine[]]>([
    ['turns lost: 1 (1)', turn(1, { end: null, isUnknown: true }), []],
    ['turns stuck: 1 (1)', turn(1, { end: null }), []],
    ['turns that failed: 1 (turn 1: failed, null)', turn(1, { state: 'failed', effect: null }), []],
    ['turns that failed: 1 (turn 1: completed, null)', turn(1, { will: 'deny', effect: 'refused', approvedAt: null }), []],
    ['effects twice: 1 (1)', turn(1), [paid(1), paid(1)]],
    ['effects twice: 1 (1)', turn(1), [paid(1), paid(1, 2000, 'another key')]],
    ['effects without approval: 1 (1)', turn(1, { approvedAt: null }), [paid(1)]],
    ['effects without approval: 1 (1)', turn(1), [paid(1, 999)]],
    ['turns recorded otherwise than the ledger has them: 1 (turn 1: applied, 0 in the ledger)', turn(1), []],
    [
      'turns recorded otherwise than the ledger has them: 1 (turn 1: not_applied, 1 in the ledger)',
      turn(1, { effect: 'not_applied' }),
      [paid(1)],
    ],
    [
      'turns recorded otherwise than the ledger has them: 1 (turn 1: in_doubt, 1 in the ledger)',
      turn(1, { effect: 'in_doubt' }),
      [paid(1)],
    ],
  ])('names %s', (rule, broken, ledger) => {
    expect(judge([broken, turn(2)], [...ledger, paid(2)]).broken).toEqual([rule]);
  });

  it('names a run in which nothing was started', () => {
    expect(judge([turn(1, { id: null, end: null })], []).broken).toEqual(['no turn was started']);
  });

  it('counts a start that was refused for a stepped clock, which the turn says, and which paid nothing', () => {
    const refused = turn(1, { approvedAt: null });
    refused.end = { state: 'failed', reason: 'it was signed in the future; compare the clocks', calls: [] };
    const { verdict, broken } = judge([refused, turn(2)], [paid(2)]);
    expect(broken).toEqual([]);
    expect(verdict.refusedForClock).toBe(1);
    expect(judge([refused, turn(2)], [paid(1), paid(2)]).broken).toHaveLength(2);
  });

  it('names memory that grows from the second third of the run to the last, and no caches that fill before', () => {
    const sample = (at: number, mb: number): Sample => ({ at, members: { 'worker-1': { mb, files: 40 } }, connections: 20 });
    const run = (figures: number[]) =>
      judge(
        [turn(1)],
        [paid(1)],
        figures.map((mb, at) => sample(at, mb)),
      ).broken;
    expect(run([100, 100, 300, 300, 310, 310])).toEqual([]);
    expect(run([300, 300, 300, 300, 400, 400])).toEqual(['worker-1, MB: from 300 to 400']);
  });
});
