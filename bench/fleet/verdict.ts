/** What a run of the fleet has shown: the ledger, the turns as the gateways show them, and memory and connections over time. */
import type { CallView } from '../../src/shapes/turn-view';
import { median } from '../support/quantile';
import type { LedgerLine } from './ledger';
import type { FleetTurn } from './load';
import { DESTRUCTIVE } from './model';

/** A measurement of processes that no fault ended. */
export interface Sample {
  /** Seconds after the start. */
  at: number;
  /** Resident MB and open files and sockets, by member. */
  members: Record<string, { mb: number; files: number }>;
  /** Of all processes to PostgreSQL; null: it did not answer. */
  connections: number | null;
}

export interface Verdict {
  started: number;
  /** Turns that no gateway has accepted: nobody was told that they run. */
  notStarted: number;
  completed: number;
  /** Denied, or cancelled, as people wanted. */
  deniedOrCancelled: number;
  /** Accepted, and no gateway knows them. */
  lost: number[];
  /** Known, and not ended when the run was over. */
  stuck: number[];
  /** Gateway and worker disagreed on the time when a start was signed, as a clock was stepped: the worker refuses it, and says so. */
  refusedForClock: number;
  /** Ended otherwise than people wanted, with the reason. */
  failed: string[];
  effects: number;
  effectsTwice: number[];
  effectsWithoutApproval: number[];
  /** Calls that were in doubt at some time. */
  inDoubt: number;
  /** Turns whose payment is recorded otherwise than the ledger has it. */
  otherThanLedger: string[];
  /** Growth of the members that no fault ended, and of connections: medians of the second third of the run, and of the last. */
  growth: Record<string, [second: number, last: number]>;
}

export function verdictOf(turns: readonly FleetTurn[], ledger: readonly LedgerLine[], samples: readonly Sample[]): Verdict {
  const effects = ledger.filter(({ tool }) => DESTRUCTIVE.includes(tool));
  const byTurn = new Map<number, LedgerLine[]>();
  for (const line of effects) byTurn.set(line.turn, [...(byTurn.get(line.turn) ?? []), line]);
  const linesOf = ({ number }: FleetTurn) => byTurn.get(number) ?? [];
  const started = turns.filter(({ id }) => id !== null);
  const ended = started.filter(({ end }) => end !== null);
  const open = started.filter(({ end }) => end === null);
  const numbers = (list: readonly FleetTurn[]) => list.map(({ number }) => number);
  return {
    started: started.length,
    notStarted: turns.length - started.length,
    completed: ended.filter(({ end }) => end!.state === 'completed').length,
    deniedOrCancelled: ended.filter(({ end, will }) => will !== 'approve' && ENDS[will].includes(end!.state)).length,
    lost: numbers(open.filter(({ isUnknown }) => isUnknown)),
    stuck: numbers(open.filter(({ isUnknown }) => !isUnknown)),
    refusedForClock: ended.filter((turn) => isRefusedForClock(turn)).length,
    failed: ended.flatMap((turn) => failureOf(turn)),
    effects: effects.length,
    effectsTwice: numbers(turns.filter((turn) => linesOf(turn).length > 1)),
    effectsWithoutApproval: numbers(
      turns.filter((turn) => linesOf(turn).some(({ at }) => turn.approvedAt === null || at < turn.approvedAt)),
    ),
    inDoubt: turns.reduce((sum, { inDoubt }) => sum + inDoubt.size, 0),
    otherThanLedger: ended.flatMap((turn) => disagreementOf(turn, linesOf(turn).length)),
    growth: growthOf(samples),
  };
}

/** A denial ends the turn as `refused`. */
const ENDS: Record<FleetTurn['will'], readonly string[]> = {
  approve: ['completed'],
  deny: ['refused'],
  cancel: ['cancelled'],
};

function isRefusedForClock({ end }: FleetTurn): boolean {
  return end!.state === 'failed' && /signed in the future|in force only from/.test(end!.reason ?? '');
}

function failureOf(turn: FleetTurn): string[] {
  const { state, reason } = turn.end!;
  return ENDS[turn.will].includes(state) || isRefusedForClock(turn) ? [] : [`turn ${turn.number}: ${state}, ${reason}`];
}

/** Of all revisions of the payment, the one that ran. */
function effectOf(calls: readonly CallView[]): string {
  const effects = calls.filter(({ class: toolClass }) => toolClass === 'destructive').map(({ effect }) => effect ?? 'none');
  return effects.find((effect) => effect === 'applied' || effect === 'in_doubt') ?? effects.at(-1) ?? 'none';
}

function disagreementOf({ number, end }: FleetTurn, lines: number): string[] {
  const effect = effectOf(end!.calls);
  return (effect === 'applied') === lines > 0 && effect !== 'in_doubt'
    ? []
    : [`turn ${number}: ${effect}, ${lines} in the ledger`];
}

function growthOf(samples: readonly Sample[]): Verdict['growth'] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return {};
  const [second, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const both = (read: (sample: Sample) => number | null | undefined): [number, number] => {
    const of = (list: readonly Sample[]) => median(list.map(read).filter((value) => typeof value === 'number'));
    return [of(second), of(last)];
  };
  const members = Object.keys(samples[0]!.members);
  return {
    ...Object.fromEntries(members.map((name) => [`${name}, MB`, both(({ members: all }) => all[name]?.mb)])),
    ...Object.fromEntries(
      members.map((name) => [`${name}, open files and sockets`, both(({ members: all }) => all[name]?.files)]),
    ),
    'connections to PostgreSQL': both(({ connections }) => connections),
  };
}

/** More than this from the second third of a run to the last is growth. */
const FLAT = 1.25;

/** The rules that the run has broken, in words; none: it passed. @param minutes below ten, growth is no rule: caches still fill */
export function brokenRules(verdict: Verdict, minutes: number): string[] {
  const rules: [string, readonly unknown[]][] = [
    ['turns lost', verdict.lost],
    ['turns stuck', verdict.stuck],
    ['turns that failed', verdict.failed],
    ['effects twice', verdict.effectsTwice],
    ['effects without approval', verdict.effectsWithoutApproval],
    ['turns recorded otherwise than the ledger has them', verdict.otherThanLedger],
  ];
  const broken = rules.filter(([, found]) => found.length > 0);
  const grown = Object.entries(verdict.growth).filter(([, [second, last]]) => minutes >= 10 && last > FLAT * second);
  return [
    ...(verdict.started === 0 ? ['no turn was started'] : []),
    ...broken.map(([name, found]) => `${name}: ${found.length} (${found.slice(0, 10).join('; ')})`),
    ...grown.map(([name, [second, last]]) => `${name}: from ${Math.round(second)} to ${Math.round(last)}`),
  ];
}
