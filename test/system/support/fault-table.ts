/** The table of a fault test: the expected outcome of each fault, written down beforehand, and the actual one. */
import { keepForReplay } from '../../engine/support/replays';
import { reachesState, type Stage } from './fault-stage';

export interface Expected {
  /** State in which the turn ends. */
  turn: string;
  /** State and effect of the memo's call in the end. */
  call: string;
  /** The call was in doubt in between, and a person settled it. */
  doubt: boolean;
  /** Messages that the mail server took. */
  mails: number;
  /** Model requests that arrived. */
  requests: number;
  /** Runs of each read: a, b, c, d. */
  reads: string;
}

export interface Row {
  name: string;
  expected: Expected;
  /** The answer of the person who is asked about the call's outcome. */
  settle?: 'applied' | 'not_applied';
}

/** A row whose turn shares a stage with those of other rows: a process is killed for all of them at once. */
export interface SharedRow extends Row {
  /** Begins the turn, and brings it to its barrier. */
  reach(scene: Stage): Promise<unknown>;
  /** Right after the kill, before anything is started again. */
  dead?(scene: Stage): Promise<void>;
  /** Once other processes have replaced the killed ones. */
  goOn?(scene: Stage): Promise<void>;
}

/** Nothing was in doubt, and nothing was done twice. */
export const CLEAN: Expected = {
  turn: 'completed',
  call: 'succeeded applied',
  doubt: false,
  mails: 1,
  requests: 3,
  reads: '1 1 1 1',
};

/** Follows the turn to its end; settles what is in doubt; has the history replayed. */
export async function outcomeOf(stage: Stage, settle?: Row['settle']): Promise<Expected> {
  const ends = ['completed', 'refused', 'failed', 'limit', 'cancelled'];
  const state = await reachesState(stage, 'in_doubt', ...ends);
  const doubt = state === 'in_doubt';
  const mailsInDoubt = stage.post.mails.length;
  if (doubt) {
    const [call] = await stage.turn.waitForPending();
    await stage.turn.settle(call!.digest, settle ?? (mailsInDoubt > 0 ? 'applied' : 'not_applied'), { by: 'bob' });
    await reachesState(stage, ...ends);
  }
  const view = await stage.turn.result();
  await keepForReplay(stage.client.temporal, stage.turn);
  const memo = view.calls.find((call) => call.tool === 'send_credit_memo');
  return {
    turn: view.state,
    call: memo ? `${memo.state} ${memo.effect}` : 'none',
    doubt,
    mails: stage.post.mails.length,
    requests: stage.model.requests.length,
    reads: ['a', 'b', 'c', 'd'].map((key) => stage.backend.reads[key] ?? 0).join(' '),
  };
}

const observed = new Map<string, Expected>();

/** Follows a row's turn to its end, and compares its outcome with the expected one. */
export async function endsAsExpected(row: Row, stage: Stage): Promise<void> {
  const seen = await outcomeOf(stage, row.settle);
  observed.set(row.name, seen);
  expect(seen).toEqual(row.expected);
}

/** Prints the table: a field that differs from the expected value shows both. */
export function printTable(title: string, rows: Row[]): void {
  const fields = Object.keys(CLEAN) as (keyof Expected)[];
  const lines = rows.map((row) => {
    const seen = observed.get(row.name);
    const cell = (field: keyof Expected) =>
      seen?.[field] === row.expected[field] ? `${row.expected[field]}` : `${row.expected[field]} / ${seen?.[field] ?? '-'} !`;
    return [row.name, ...fields.map(cell)];
  });
  const table = [[title, ...fields], ...lines];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
  const text = table.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | '));
  process.stdout.write(`\n${text.join('\n')}\n(expected = observed where one value stands; else expected / observed)\n\n`);
}

/** Runs at most `most` at once. */
export class Turnstile {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
