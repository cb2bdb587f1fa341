/**
 * An operator uses Temporal's own tools while a payment waits, runs, or is done. The other side counts the payments,
 * in a process that no worker shares.
 */
import { join } from 'node:path';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import { eventually, testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { startCounter, type Counter } from '../support/fault-counter';
import { openStage, type Stage } from '../support/fault-stage';
import { Gates } from '../support/fault-gates';
import { activityIdOf, reset, temporal, type ResetPoint } from '../support/temporal-cli';

const APP = join(__dirname, 'fixtures/held-payments.app.ts');
const WITHIN = 60_000;

jest.setTimeout(480_000);

let gates: Gates;
let counter: Counter;
let stage: Stage;

beforeAll(async () => {
  gates = new Gates();
  counter = await startCounter(gates);
  stage = await openStage(testAddress(), { app: APP });
  await startWorker();
});

afterAll(async () => {
  await stage.close();
  await counter.close();
});

const startWorker = () => stage.startWorker(undefined, { FAULT_COUNTER: counter.url });

/** A payment that is asked for, and its question. */
async function asked(cell: string, tool = 'pay_once'): Promise<{ turn: TurnHandle; call: WaitingCall }> {
  const { turn } = await stage.client.call({ agent: 'payer', tool, input: { cell } });
  const [call] = await turn.waitForPending();
  return { turn, call };
}

/** As the Web UI does it. */
function approve({ workflowId }: TurnHandle, { digest }: WaitingCall): Promise<void> {
  return stage.client.temporal.workflow.getHandle(workflowId).signal('approve', { call: digest, by: 'ana' });
}

/** The question that a reset has opened: another call than the one that was asked about. */
function askedAnew(turn: TurnHandle, { digest }: WaitingCall): Promise<WaitingCall> {
  const other = async () => (await turn.pending()).find((call) => call.state === 'waiting' && call.digest !== digest);
  return eventually('a new question', other, WITHIN);
}

/** Its one card, without the marks of wrapped lines. */
async function cardOf(turn: TurnHandle, { digest }: WaitingCall): Promise<string> {
  const card = await eventually('its card', async () => (await turn.cards()).get(digest), WITHIN);
  return card.replaceAll('\n↪ ', '');
}

/** Another workflow task, which changes nothing. */
async function nudge({ workflowId, ...turn }: TurnHandle): Promise<void> {
  await stage.client.temporal.workflow.getHandle(workflowId).signal('nothing', {});
  await eventually('it is ignored', async () => (await stage.client.turn(turn.id).status()).ignored_signals.count > 0, WITHIN);
}

async function ended(turn: TurnHandle) {
  const view = await turn.result();
  await keepForReplay(stage.client.temporal, turn);
  return view;
}

describe('temporal activity', () => {
  /** An approved payment that stands in the middle of its effect. */
  async function underWay(cell: string) {
    const gate = gates.close(`during ${cell}`);
    const { turn, call } = await asked(cell);
    await approve(turn, call);
    await gate.reached();
    const activity = ['--workflow-id', turn.workflowId, '--activity-id', await activityIdOf(stage.client, turn, 'runCall')];
    return { turn, gate, on: (command: string, ...more: string[]) => temporal('activity', command, ...activity, ...more) };
  }

  /** Its end, with the help of a person where nobody knows. */
  async function settledEnd(turn: TurnHandle, cell: string) {
    const view = await eventually(
      'it has ended, or is in doubt',
      async () => {
        const now = await turn.status();
        return (now.ended_at !== null || now.state === 'in_doubt') && now;
      },
      WITHIN,
    );
    const found = counter.effects(cell) > 0 ? 'applied' : 'not_applied';
    if (view.ended_at === null) await turn.settle(view.pending[0]!, found, { by: 'bob' });
    return ended(turn);
  }

  it.each([
    ['pause and unpause', [['pause'], ['unpause']]],
    ['pause and unpause --reset-attempts', [['pause'], ['unpause', '--reset-attempts']]],
    ['reset', [['reset']]],
    ['update-options and reset', [['update-options', '--retry-maximum-attempts', '5'], ['reset']]],
  ] as [string, [string, ...string[]][]][])('%s while a payment runs does not repeat it', async (name, commands) => {
    const { turn, gate, on } = await underWay(name);
    for (const [command, ...more] of commands) await on(command, ...more);
    await new Promise((resolve) => setTimeout(resolve, 3000)); // heartbeats tell the worker of it each second
    gate.open();
    const view = await ended(turn); // nobody had to settle it
    expect(view.calls.at(-1)).toMatchObject({ state: 'succeeded', effect: 'applied' });
    expect(counter.effects(name)).toBe(1);
  });

  it.each([
    ['pause and unpause', [['pause'], ['unpause', '--reset-attempts']]],
    ['reset', [['reset', '--reset-heartbeats']]],
  ] as [string, [string, ...string[]][]][])(
    'update-options to more attempts, and %s between them, leave a payment whose worker died in doubt, and paid once',
    async (name, commands) => {
      const cell = `between ${name}`;
      const { turn, gate, on } = await underWay(cell);
      await on('update-options', '--retry-maximum-attempts', '5', '--retry-initial-interval', '1h');
      await stage.workers.at(-1)!.kill();
      gate.open();
      await eventually('Temporal would try again', async () => (await attemptsOf(turn)).includes(2), WITHIN);
      await startWorker();
      for (const [command, ...more] of commands) await on(command, ...more);
      const view = await settledEnd(turn, cell);
      expect(counter.effects(cell)).toBe(1);
      expect(view.calls.at(-1)).toMatchObject({
        state: 'succeeded',
        effect: 'applied',
        result_summary: expect.stringContaining('bob'),
      });
    },
  );

  async function attemptsOf({ workflowId }: TurnHandle): Promise<number[]> {
    const { raw } = await stage.client.temporal.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).map(({ attempt }) => attempt ?? 0);
  }
});

describe('temporal workflow reset while a payment runs', () => {
  /** `in the history`: the history that is kept has the running attempt, and Temporal starts it again by itself. */
  it.each(['cut off', 'in the history'])('(its attempt %s) asks people again, and does not repeat it', async (where) => {
    const cell = `running ${where}`;
    const gate = gates.close(`during ${cell}`);
    const { turn, call } = await asked(cell);
    await approve(turn, call);
    await gate.reached();
    if (where === 'in the history') await nudge(turn);
    await reset(stage.client, turn, 'LastWorkflowTask');
    const anew = await askedAnew(turn, call);
    expect(await cardOf(turn, anew)).toMatch(/the workflow was reset[^]*It is still running, or its worker died\./);
    expect(counter.effects(cell)).toBe(0);
    gate.open();
    await eventually('it is paid', async () => counter.effects(cell) === 1, WITHIN);
    await turn.approve(anew.digest, { by: 'bob' });
    const settle = async () => {
      const { state, pending, ended_at } = await turn.status();
      if (state === 'in_doubt') await turn.settle(pending[0]!, 'applied', { by: 'bob' });
      return ended_at !== null;
    };
    await eventually('its end', settle, WITHIN);
    expect((await ended(turn)).calls.at(-1)).toMatchObject({ state: 'succeeded', effect: 'applied' });
    expect(counter.effects(cell)).toBe(1);
  });

  it('and an approval that comes too early do not repeat it: it is in doubt until a person settles it', async () => {
    const cell = 'approved too early';
    const gate = gates.close(`during ${cell}`);
    const { turn, call } = await asked(cell);
    await approve(turn, call);
    await gate.reached();
    await reset(stage.client, turn, 'LastWorkflowTask');
    const anew = await askedAnew(turn, call);
    await turn.approve(anew.digest, { by: 'bob' });
    await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt', WITHIN);
    gate.open();
    await eventually('it is paid', async () => counter.effects(cell) === 1, WITHIN);
    await turn.settle(anew.digest, 'applied', { by: 'bob' });
    expect((await ended(turn)).calls.at(-1)).toMatchObject({ state: 'succeeded', effect: 'applied' });
    expect(counter.effects(cell)).toBe(1);
  });

  it('lets one of two runs pay, also if the first had not made its claim when the second was approved', async () => {
    const cell = 'late claim';
    const claim = stage.gates.close('before 1.1');
    const { turn, call } = await asked(cell);
    await approve(turn, call);
    await claim.reached();
    await reset(stage.client, turn, 'LastWorkflowTask');
    const anew = await askedAnew(turn, call);
    expect(await cardOf(turn, anew)).toContain('It was not dispatched before.');
    await turn.approve(anew.digest, { by: 'bob' });
    expect((await ended(turn)).calls.at(-1)).toMatchObject({
      state: 'succeeded',
      effect: 'applied',
      idempotency_key: anew.idempotency_key,
    });
    const givenWay = stage.gates.close('after 1.2');
    claim.open();
    await givenWay.reached(); // it has closed its own claim again: it has not acted, and will not
    givenWay.open();
    expect(counter.effects(cell)).toBe(1);
  });
});

describe('temporal workflow reset of a payment that is made', () => {
  const POINTS: [string, ResetPoint, string[]][] = [
    ['before the approval, which is re-applied', 'before the approval', []],
    ['before the approval, without its signals', 'before the approval', ['--reapply-exclude', 'Signal']],
    ['to its beginning', 'FirstWorkflowTask', []],
  ];

  it.each(
    POINTS.flatMap(
      (point) =>
        [
          [...point, false],
          [...point, true],
        ] as const,
    ),
  )('%s: asks people again with what was done, and an approval takes that over', async (name, to, more, nudged) => {
    const cell = `${name} ${nudged}`;
    const { turn, call } = await asked(cell);
    if (nudged) await nudge(turn); // so that the question stands in the history that is kept
    await approve(turn, call);
    await turn.result();
    expect(counter.effects(cell)).toBe(1);

    const runId = await reset(stage.client, turn, to, ...more);
    const anew = await askedAnew(turn, call);
    expect(await cardOf(turn, anew)).toMatch(/the workflow was reset[^]*It is applied\.[^]*does not repeat it/);
    expect(anew).toMatchObject({ id: call.id, effect: 'applied', approval: { by: [] } });
    await expect(turn.approve(call.digest, { by: 'ana' })).rejects.toThrow('Not accepted');
    expect(counter.effects(cell)).toBe(1);

    await turn.approve(anew.digest, { by: 'bob' });
    const view = await ended(turn);
    expect(view).toMatchObject({ run_id: runId, state: 'completed' });
    expect(view.calls.at(-1)).toMatchObject({ state: 'succeeded', effect: 'applied', approval: { by: ['bob'] } });
    expect(counter.effects(cell)).toBe(1);
    if (more.length === 0) expect(view.ignored_signals.last.map(({ signal }) => signal)).toContain('approve');
  });

  it('a changed input is another act: its card says that it is run in addition', async () => {
    const { turn, call } = await asked('first');
    await approve(turn, call);
    await turn.result();
    await reset(stage.client, turn, 'before the approval');
    const anew = await askedAnew(turn, call);
    await turn.approve(anew.digest, { by: 'bob', input: { cell: 'second' } });
    const edited = await askedAnew(turn, anew);
    expect(await cardOf(turn, edited)).toMatch(/It is applied\.[^]*Approving runs the call again, with the new input\./);
    await turn.approve(edited.digest, { by: 'ana' });
    await ended(turn);
    expect([counter.effects('first'), counter.effects('second')]).toEqual([1, 1]);
  });
});

describe('temporal workflow terminate', () => {
  it('ends a turn for good: the same id starts nothing, and a payment under way is made once', async () => {
    const cell = 'terminated';
    const gate = gates.close(`during ${cell}`);
    const start = () => stage.client.call({ agent: 'payer', tool: 'pay_once', input: { cell }, id: 'terminated-1' });
    const { turn } = await start();
    const [call] = await turn.waitForPending();
    await approve(turn, call);
    await gate.reached();
    await temporal('workflow', 'terminate', '--workflow-id', turn.workflowId, '--reason', 'test');
    gate.open();
    await eventually('it is paid', async () => counter.effects(cell) === 1, WITHIN);
    const before = await turn.result();
    const { turn: again } = await start();
    expect(again.id).toBe(turn.id);
    expect(await again.result()).toMatchObject({ run_id: before.run_id, state: before.state });
    expect(counter.effects(cell)).toBe(1);
  });

  it('and a start by hand under the same id repeat nothing, and ask nobody', async () => {
    const cell = 'started by hand';
    const { turn, call } = await asked(cell);
    await approve(turn, call);
    await turn.result();
    const { events } = await stage.client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
    const { input } = events![0]!.workflowExecutionStartedEventAttributes!;
    const json = Buffer.from(input!.payloads![0]!.data!).toString();
    const named = ['--workflow-id', turn.workflowId, '--task-queue', stage.taskQueue, '--type', 'call', '--input', json];
    await temporal('workflow', 'start', ...named, '--id-reuse-policy', 'AllowDuplicate');
    expect(await ended(turn)).toMatchObject({
      state: 'failed',
      calls: [{ state: 'rejected', error: { reason: 'key_forgotten' } }],
    });
    expect(counter.effects(cell)).toBe(1);
  });
});

describe('temporal workflow cancel while a payment runs', () => {
  it('waits for the payment’s end, and reports it', async () => {
    const cell = 'cancelled';
    const gate = gates.close(`during ${cell}`);
    const { turn, call } = await asked(cell);
    await approve(turn, call);
    await gate.reached();
    await temporal('workflow', 'cancel', '--workflow-id', turn.workflowId);
    gate.open();
    expect(await ended(turn)).toMatchObject({ calls: [{ state: 'succeeded', effect: 'applied' }] });
    expect(counter.effects(cell)).toBe(1);
  });
});

describe('a batch, temporal workflow reset --query', () => {
  it('asks people about each payment again, and repeats none', async () => {
    const cells = ['batch 1', 'batch 2'];
    const made = await Promise.all(cells.map((cell) => asked(cell)));
    for (const { turn, call } of made) await approve(turn, call);
    await Promise.all(made.map(({ turn }) => turn.result()));
    const ids = made.map(({ turn }) => `'${turn.workflowId}'`).join(', ');
    const query = `WorkflowId IN (${ids}) AND ExecutionStatus = 'Completed'`;
    const { temporal: server } = stage.client;
    await eventually('both are listed', async () => (await server.workflow.count(query)).count === 2, WITHIN);
    await temporal('workflow', 'reset', '--query', query, '--type', 'FirstWorkflowTask', '--reason', 'test', '--yes');
    for (const { turn, call } of made) {
      const anew = await askedAnew(turn, call);
      expect(anew).toMatchObject({ effect: 'applied' });
      // A batch that is slow resets a turn again; then it asks again.
      const declined = async () => {
        const { ended_at, pending } = await turn.status();
        for (const digest of pending) await turn.deny(digest, { by: 'bob' });
        return ended_at !== null;
      };
      await eventually('its end', declined, WITHIN);
      expect((await ended(turn)).calls.at(-1)).toMatchObject({ state: 'denied', effect: 'applied' });
    }
    expect(cells.map((cell) => counter.effects(cell))).toEqual([1, 1]);
  });
});
