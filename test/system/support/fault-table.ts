/** The table of a fault test: what must come of each fault, written down beforehand, and what came of it. */
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
  /** What the person answers who is asked what became of the call. */
  settle?: 'applied' | 'not_applied';
  /** Brings the turn to its barrier, does the damage, and starts what is needed to go on. */
  play(stage: Stage): Promise<void>;
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
export async function outcomeOf(stage: Stage, settle: Row['settle']): Promise<Expected> {
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

const observed = new Map<string, { expected: Expected; seen: Expected; seconds: number }>();

export function note(row: Pick<Row, 'name' | 'expected'>, seen: Expected, began: number): void {
  observed.set(row.name, { expected: row.expected, seen, seconds: (Date.now() - began) / 1000 });
}

/** Prints the table: a field that came otherwise than expected shows both. */
export function printTable(title: string, rows: Pick<Row, 'name' | 'expected'>[]): void {
  const fields = Object.keys(CLEAN) as (keyof Expected)[];
  const lines = rows.map((row) => {
    const found = observed.get(row.name);
    if (!found) return [row.name, ...fields.map((field) => `${row.expected[field]} / -`), '-'];
    const cell = (field: keyof Expected) =>
      found.seen[field] === row.expected[field] ? `${found.seen[field]}` : `${row.expected[field]} / ${found.seen[field]} !`;
    return [row.name, ...fields.map(cell), `${found.seconds.toFixed(1)} s`];
  });
  const table = [[title, ...fields, 'took'], ...lines];
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

const LIMIT = 300_000;

/** Gives up in time for the stage to be cleared: Jest's own limit would leave processes behind. */
export async function limited<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not come to its end within ${LIMIT} ms`)), LIMIT);
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
}
