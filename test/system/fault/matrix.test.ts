/**
 * Every kind of destructive tool × every fault × every moment. How many payments there must be in the end, what the call
 * ends as, and who found that out (the engine itself, the tool's probe, a person) stands here, cell by cell, before
 * anything is run. Processes are killed for a whole row of cells at once, each of which stands at a barrier of its own.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { startCounter, type Counter, type Failure, type Moment } from '../support/fault-counter';
import { Gates } from '../support/fault-gates';
import { KillableServer } from '../support/fault-server';
import { onceAnswered, openStage, type Stage } from '../support/fault-stage';
import { Turnstile } from '../support/fault-table';

const APP = join(__dirname, 'fixtures/counted.app.ts');
const LIMIT = 600_000;
const AT_ONCE = 8;

type Fault = 'kill -9 of the worker' | 'kill -9 of the Temporal server' | Failure;
const KINDS = ['once', 'once_probed', 'keyed', 'keyed_probed'] as const;
type Kind = (typeof KINDS)[number];

/** Who found out the outcome, the outcome, and the number of payments. */
type Outcome = `${'itself' | 'probe' | 'person'}: ${'applied' | 'not_applied'}, ${number}`;

const DONE: Outcome = 'itself: applied, 1';
/** once, once_probed, keyed, keyed_probed: an upstream that honours the key is simply asked again. */
const NOTHING_WAS_PAID: Outcome[] = ['person: not_applied, 0', 'probe: not_applied, 0', DONE, DONE];
const IT_WAS_PAID: Outcome[] = ['person: applied, 1', 'probe: applied, 1', DONE, DONE];
/** The worker lives and has its answer: it reports it when the Temporal server is back. */
const NOBODY_NOTICES: Outcome[] = [DONE, DONE, DONE, DONE];

/**
 * `before`: the tool has begun, and the other side has not acted, and will not. `during`: the request has arrived, and the
 * other side acts on it although the caller is gone. `after`: it has acted, and nobody has recorded that.
 */
const MATRIX: Record<Fault, Partial<Record<Moment, Outcome[]>>> = {
  'kill -9 of the worker': { before: NOTHING_WAS_PAID, during: IT_WAS_PAID, after: IT_WAS_PAID },
  'kill -9 of the Temporal server': { before: NOBODY_NOTICES, during: NOBODY_NOTICES, after: NOBODY_NOTICES },
  cut: { before: NOTHING_WAS_PAID, during: IT_WAS_PAID, after: IT_WAS_PAID },
  timeout: { before: NOTHING_WAS_PAID, during: IT_WAS_PAID, after: IT_WAS_PAID },
  // An answer comes before the effect or after it; one that comes during it is one of the two.
  'HTTP 500': { before: NOTHING_WAS_PAID, after: IT_WAS_PAID },
};

interface Cell {
  name: string;
  fault: Fault;
  moment: Moment;
  kind: Kind;
  expected: Outcome;
}

function cellsOf(...faults: Fault[]): Cell[] {
  return faults.flatMap((fault) =>
    Object.entries(MATRIX[fault]).flatMap(([moment, outcomes]) =>
      KINDS.map((kind, column) => ({
        name: `${fault} ${moment} ${kind}`,
        fault,
        moment: moment as Moment,
        kind,
        expected: outcomes[column]!,
      })),
    ),
  );
}

const seen = new Map<string, string>();

describe('for each fault at each moment: how often a payment is made, and what is known about it in the end', () => {
  afterAll(printMatrix);

  it(
    'when the worker is killed with -9',
    () => {
      const cells = cellsOf('kill -9 of the worker');
      return onStage(testAddress(), async (stage, counter, gates) => {
        const worker = await stage.startWorker(undefined, { FAULT_COUNTER: counter.url });
        const { turns, barriers } = await atBarriers(stage, gates, cells);
        expect(await worker.kill()).toBe('SIGKILL');
        barriers.forEach((barrier) => barrier.open());
        await stage.startWorker(undefined, { FAULT_COUNTER: counter.url });
        compare(cells, await outcomesOf(stage, counter, cells, turns));
        await eventually('each payment has its bundle', async () => (await bundlesOf(stage)).length === cells.length, 240_000);
        expect(stage.workers.flatMap(({ output }) => output.split('\n')).filter((line) => line.includes('contradict'))).toEqual(
          [],
        );
      });
    },
    LIMIT,
  );

  it(
    'when the Temporal server is killed with -9',
    async () => {
      const cells = cellsOf('kill -9 of the Temporal server');
      const server = await KillableServer.start();
      try {
        await onStage(server.address, async (stage, counter, gates) => {
          await stage.startWorker(undefined, { FAULT_COUNTER: counter.url });
          const { turns, barriers } = await atBarriers(stage, gates, cells);
          await server.kill();
          barriers.forEach((barrier) => barrier.open());
          await eventually('every payment is on record', async () => (await closedRecords(stage)) === cells.length);
          await server.up();
          await stage.reconnect();
          const there = turns.map(({ id }) => stage.client.turn(id));
          compare(cells, await outcomesOf(stage, counter, cells, there));
        });
      } finally {
        await server.close();
      }
      expect(new Set(server.pids).size).toBe(2);
    },
    LIMIT,
  );

  it(
    'when the other side breaks off, says nothing, or fails',
    () => {
      const cells = cellsOf('cut', 'timeout', 'HTTP 500');
      return onStage(testAddress(), async (stage, counter) => {
        await stage.startWorker(undefined, { FAULT_COUNTER: counter.url });
        for (const { name, fault, moment } of cells) counter.plan(name, fault as Failure, moment);
        // A machine that is busy with all of them at once runs into time limits that no cell is about.
        const few = new Turnstile(AT_ONCE);
        const outcomes = cells.map((cell) => few.run(async () => outcomeOf(stage, counter, cell, await begun(stage, cell))));
        compare(cells, await Promise.all(outcomes));
      });
    },
    LIMIT,
  );
});

async function onStage(address: string, play: (stage: Stage, counter: Counter, gates: Gates) => Promise<void>): Promise<void> {
  const gates = new Gates();
  const counter = await startCounter(gates);
  const stage = await openStage(address, { app: APP });
  try {
    await play(stage, counter, gates);
  } catch (error) {
    const said = stage.workers.map((worker) => worker.output).join('\n');
    throw new Error(`${String(error)}\nThe workers said:\n${said}`, { cause: error });
  } finally {
    await stage.close();
    await counter.close();
  }
}

/** Asked for, and approved. */
async function begun({ client }: Stage, { name, fault, kind }: Cell): Promise<TurnHandle> {
  const tool = fault === 'timeout' ? `pay_${kind}_in_haste` : `pay_${kind}`;
  const { turn } = await client.call({ agent: 'payer', tool, input: { cell: name } });
  const [call] = await turn.waitForPending();
  await turn.approve(call.digest, { by: 'ana' });
  return turn;
}

/** All of them approved, and each standing at its own barrier. */
async function atBarriers(stage: Stage, gates: Gates, cells: Cell[]) {
  const barriers = cells.map(({ moment, name }) => gates.close(`${moment} ${name}`));
  const turns = await Promise.all(cells.map((cell) => begun(stage, cell)));
  await Promise.all(barriers.map((barrier) => barrier.reached()));
  return { turns, barriers };
}

/** Effect records with the outcome of a first dispatch. */
async function closedRecords({ home }: Stage): Promise<number> {
  return (await readdir(home, { recursive: true })).filter((path) => path.endsWith('/1.2.json')).length;
}

/** Files of the bundles that the workers have made. */
async function bundlesOf({ home }: Stage): Promise<string[]> {
  const files = await readdir(join(home, 'bundles'), { recursive: true }).catch(() => []);
  return files.filter((path) => path.endsWith('.jsonl') && !path.endsWith('tombstones.jsonl'));
}

function outcomesOf(stage: Stage, counter: Counter, cells: Cell[], turns: TurnHandle[]): Promise<string[]> {
  return Promise.all(cells.map((cell, index) => outcomeOf(stage, counter, cell, turns[index]!)));
}

function compare(cells: Cell[], outcomes: string[]): void {
  outcomes.forEach((outcome, index) => seen.set(cells[index]!.name, outcome));
  const named = (values: string[]) => Object.fromEntries(cells.map(({ name }, index) => [name, values[index]]));
  expect(named(outcomes)).toEqual(named(cells.map(({ expected }) => expected)));
}

/** Follows a call to its end; a person who is asked looks at the other side, and states what he finds. */
async function outcomeOf(stage: Stage, counter: Counter, { name }: Cell, turn: TurnHandle): Promise<string> {
  const asked = await eventually(
    `${name} has ended, or a person is asked`,
    async () => {
      const view = await onceAnswered(() => turn.status());
      return (view.ended_at !== null || view.state === 'in_doubt') && view;
    },
    240_000, // what a probe does not find counts once the call's own time limit is over
  );
  const person = asked.ended_at === null;
  if (person) await turn.settle(asked.pending[0]!, counter.effects(name) > 0 ? 'applied' : 'not_applied', { by: 'bob' });
  const { calls } = await turn.result();
  const history = await stage.client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
  const types = history.events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name) ?? [];
  const who = person ? 'person' : types.includes('reconcileEffect') ? 'probe' : 'itself';
  await keepForReplay(stage.client.temporal, turn);
  return `${who}: ${calls[0]!.effect}, ${counter.effects(name)}`;
}

/** A cell with an unexpected outcome shows both. */
function printMatrix(): void {
  const faults = Object.keys(MATRIX) as Fault[];
  const rows = faults.flatMap((fault) =>
    (['before', 'during', 'after'] as const).map((moment) => {
      const cells = cellsOf(fault).filter((cell) => cell.moment === moment);
      if (cells.length === 0) return [fault, moment, ...KINDS.map(() => 'cannot be')];
      const text = ({ name, expected }: Cell) =>
        seen.get(name) === expected ? expected : `${expected} / ${seen.get(name) ?? '-'} !`;
      return [fault, moment, ...cells.map(text)];
    }),
  );
  const table = [['fault', 'the effect', ...KINDS], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | '));
  process.stdout.write(`\n${lines.join('\n')}\n(who found out: what, payments; expected, then observed where they differ)\n\n`);
}
