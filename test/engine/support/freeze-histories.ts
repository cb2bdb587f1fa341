/**
 * Writes the frozen histories of test/histories that are named, or all, anew. Replace one that exists only when a
 * change of the workflow is meant to break old histories, and say so in the changelog. Needs a Temporal server:
 * `HOLDFAST_TEST_ADDRESS=127.0.0.1:7233 npx tsx test/engine/support/freeze-histories.ts [NAME…]`
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { startDevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { budgetWorkflowId } from '../../../src/shared/budget-book';
import { intentHash, intentWorkflowId } from '../../../src/shared/intent';
import type { Budget } from '../../../src/tools/limits/budgets';
import { ToolError } from '../../../src/tools/define/errors';
import type { Json, JsonObject } from '../../../src/shared/json/json';
import { askPerson } from '../../../src/tools/people/ask-person';
import { waitUntil } from '../../../src/agents/wait-until';
import { allowed, Bank, completed, isPending, settledOn, transfer } from './bank';
import { eventually, withEngine, type Engine, type Setup } from './engine';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const read = reads('lookup', ({ key }) => `value of ${key}`);
let failures = 0;
const flaky = reads('flaky', () => {
  if (failures++ < 2) throw new ToolError('NETWORK_ERROR', 'lost', 'connection lost', { retryAfterMs: 50 });
  return 'at last';
});

/** A turn, the direct call of one tool, or the messages of a session; `of` is the workflow beside the turn that is frozen. */
type Run = Setup & {
  call?: { tool: string; input: JsonObject };
  says?: string[];
  toldAt?: string;
  /** The first of two approvals changes the input; then the turn goes on in another run, and is approved there. */
  continues?: true;
  /** The firing of a schedule at this time is frozen, not its turn. */
  fires?: string;
  /** What is answered to the question that waits first, instead of an approval. */
  answer?: Json;
  /** A message that wakes the turn in its second wait. */
  wakes?: string;
  /** Ends the call that is pending. */
  ends?: (engine: Engine) => Promise<void>;
  of?: (engine: Engine, turn: TurnHandle) => Promise<string> | string;
};

/** It says twice that a transfer is open. */
const bank = new Bank({ expiresMs: 86_400_000, poll: { everyMs: 1000 } });
const invoice = { invoice: 'INV-7', cents: 700 };
const freely = { permissions: { allow: ['pay'] } };
/** The same name each time it is frozen; use a new server. */
const BUDGET: Budget = { name: 'frozen', tools: ['pay'], per: 'agent', windowMs: 3_600_000, measure: 'input.cents', cap: '1000' };

/** The workflow that notifies of the turn's end. */
async function told(engine: Engine, { workflowId }: TurnHandle): Promise<string> {
  const { events } = await historyOf(engine, workflowId);
  const child = events!.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)!;
  return child.startChildWorkflowExecutionInitiatedEventAttributes!.workflowId!;
}

const RUNS: Record<string, Run> = {
  plain: { tools: [read], script: [ask(['lookup', { key: 'a' }], ['lookup', { key: 'b' }]), say('Done.')] },
  approval: {
    tools: [pays('pay', []), read],
    script: [ask(['lookup', { key: 'a' }], ['pay', { invoice: 'INV-7', cents: 700 }]), say('Paid.')],
  },
  retries: { tools: [flaky], script: [ask(['flaky', {}]), say('Done.')] },
  call: {
    tools: [pays('pay', [], { preview: ({ cents }: any) => `Pay ${cents} cents` })],
    call: { tool: 'pay', input: { invoice: 'INV-7', cents: 700 } },
  },
  intent: {
    tools: [pays('pay', [], { intentKey: ({ invoice }: any) => ({ invoice }) })],
    agent: freely,
    script: [ask(['pay', invoice]), ask(['pay', invoice]), say('Paid twice.')],
    of: ({ taskQueue }) => intentWorkflowId(taskQueue, intentHash('pay', { invoice: invoice.invoice })),
  },
  budget: {
    tools: [pays('pay', [])],
    agent: { ...freely, budgets: [BUDGET] },
    script: [ask(['pay', invoice]), ask(['pay', { ...invoice, cents: 600 }]), say('Paid once.')],
    of: () => budgetWorkflowId({ agent: 'tester', budget: BUDGET.name, per: BUDGET.per, of: '' }),
  },
  callback: {
    script: [say('Done.')],
    settings: { callbacks: { send: async () => undefined } },
    toldAt: 'https://hooks.example/',
    of: told,
  },
  bound: {
    tools: [pays('pay', [], { preview: ({ cents }: any) => `Pay ${cents} cents` }), read],
    agent: { approvals: { quorum: 2 } },
    script: [ask(['lookup', { key: 'a' }], ['pay', invoice]), say('Paid.')],
    continues: true,
  },
  question: {
    tools: [askPerson(), read],
    script: [
      ask(['ask_person', { question: 'Which?', choices: ['a', 'b'], to: ['ana'], expires: '2h' }], ['lookup', { key: 'a' }]),
      ask(['ask_person', { question: 'Anybody?', expires: 300 }]),
      say('Asked.'),
    ],
    answer: 'b',
  },
  wait: {
    tools: [waitUntil({ longestMs: 86_400_000 }), read],
    script: [
      ask(['wait_until', { after: '1s', reason: 'It settles.' }], ['lookup', { key: 'a' }]),
      ask(['wait_until', { after: '1 day', reason: 'It is paid.' }]),
      say('Waited.'),
    ],
    wakes: 'It is paid.',
  },
  later: {
    tools: [bank.tool],
    agent: allowed,
    script: [ask(['transfer', transfer]), say('Settled.')],
    ends: async (engine) => {
      await completed(engine, bank.token, { result: { settled_on: 'Thursday' } }).catch(() => undefined);
      await completed(engine, bank.token, { result: settledOn });
    },
  },
  firing: { script: [say('Reported.')], fires: '2026-11-22T07:00:00Z' },
  session: { script: [say('One.'), say('Two.'), say('Three.')], says: ['First.', 'Second.', 'Third.'] },
};

const historyOf = ({ client }: Engine, workflowId: string) => client.temporal.workflow.getHandle(workflowId).fetchHistory();

/** Two messages wait, the session is renamed and closed, an empty signal comes; all messages are run. */
async function sessionHistory(engine: Engine, [first = '', ...others]: string[]) {
  const session = await engine.client.openSession({ agent: 'tester', title: 'Frozen' });
  const { turn } = await session.send(first);
  for (const message of others) await session.send(message);
  await session.rename('Thawed');
  await engine.client.temporal.workflow.getHandle(session.workflowId).signal('turn_done', { turn_id: 'another.1' });
  await (await session.started(turn.id)).result();
  await session.close({ by: 'ana' });
  await engine.client.temporal.workflow.getHandle(session.workflowId).result();
  return historyOf(engine, session.workflowId);
}

async function firingHistory({ client }: Engine, at: Date) {
  const cost = { windowMs: 3_600_000, costUsd: 5 };
  const definition = { name: 'frozen', cron: '0 7 * * *', agent: 'tester', message: 'Report.', budget: cost };
  await client.schedules.create(definition, 'frozen');
  await client.schedules.backfill('frozen', { from: at, until: at });
  const { action } = await eventually('it fires', async () => {
    const { info } = await client.temporal.schedule.getHandle('schedule/frozen').describe();
    return info.recentActions[0];
  });
  const firing = client.temporal.workflow.getHandle(action.workflow.workflowId);
  await firing.result();
  await client.schedules.delete('frozen');
  return firing.fetchHistory();
}

async function started(engine: Engine, name: string, { call, toldAt }: Run): Promise<TurnHandle> {
  if (call) return (await engine.call(call.tool, call.input)).turn;
  const address = { v: 'holdfast.callback/1', url: toldAt ?? '' };
  const more = toldAt === undefined ? {} : { callbackRef: await engine.store.putPart('frozen', address) };
  return engine.start(`Freeze ${name}.`, more);
}

async function turnHistory(engine: Engine, name: string, run: Run) {
  const turn = await started(engine, name, run);
  if (run.wakes !== undefined) {
    await eventually('it sleeps again', async () => (await turn.status()).sleep?.call_id === '2.1');
    await turn.steer(run.wakes, { by: 'ana' });
  }
  if (run.ends) {
    await isPending(turn);
    await eventually('it was asked twice', async () => bank.polled === 2);
    await run.ends(engine);
  }
  const [waits] = await turn.waitForPending().catch((error: Error) => {
    if (error.name !== 'TurnEnded') throw error;
    return [];
  });
  const by = { by: 'ana', note: 'frozen' };
  if (waits && run.answer !== undefined) await turn.answer(waits.digest, run.answer, by);
  else if (waits) await turn.approve(waits.digest, by);
  await turn.result();
  const frozen = await run.of?.(engine, turn);
  if (run.toldAt !== undefined) await engine.client.temporal.workflow.getHandle(frozen!).result();
  return historyOf(engine, frozen ?? turn.workflowId);
}

/** Both runs of a turn that goes on in another one. */
async function continuedHistories(engine: Engine, name: string) {
  const turn = await started(engine, name, {});
  const handle = engine.client.temporal.workflow.getHandle(turn.workflowId);
  const [asked] = await turn.waitForPending();
  const first = (await turn.status()).run_id;
  await handle.signal('approve', { call: asked.digest, by: 'ana', note: 'less', input: { ...invoice, cents: 600 } });
  const edited = await eventually('it is asked about anew', async () => {
    const [waits] = await turn.waitForPending();
    return waits.digest !== asked.digest && waits;
  });
  await turn.approve(edited.digest, { by: 'ana', note: 'frozen' });
  await eventually('another run', async () => {
    await handle.signal('nothing', {});
    return (await turn.status()).run_id !== first;
  });
  const [waits] = await turn.waitForPending();
  await turn.approve(waits.digest, { by: 'bob' });
  await turn.result();
  const before = await engine.client.temporal.workflow.getHandle(turn.workflowId, first).fetchHistory();
  return { [name]: before, [`${name}_continued`]: await historyOf(engine, turn.workflowId) };
}

async function histories(engine: Engine, name: string, run: Run) {
  if (run.continues) return continuedHistories(engine, name);
  if (run.fires) return { [name]: await firingHistory(engine, new Date(run.fires)) };
  return { [name]: run.says ? await sessionHistory(engine, run.says) : await turnHistory(engine, name, run) };
}

async function freeze(name: string, run: Run): Promise<void> {
  const wanted = run.continues ? await serverOfShortRuns() : null;
  try {
    await withEngine({ ...run, ...(wanted ? { address: wanted.address } : {}) }, async (engine) => {
      for (const [file, history] of Object.entries(await histories(engine, name, run))) {
        const text = historyToJSON(history).replace(/"stackTrace": "[^"]*"/g, '"stackTrace": ""'); // paths of this machine
        await writeFile(join(__dirname, '../../histories', `${file}.json`), `${text}\n`);
        console.log(`${file}: ${history.events?.length} events`);
      }
    });
  } finally {
    await wanted?.stop();
  }
}

/** A server that soon tells a run to go on in another one. */
async function serverOfShortRuns() {
  const { path } = await findTemporalCli();
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 50 };
  return startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
}

void (async () => {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RUNS);
  for (const name of names) {
    const run = RUNS[name];
    if (!run) throw new Error(`There is no run ${name}; there are ${Object.keys(RUNS).join(', ')}.`);
    await freeze(name, run);
  }
  process.exit(0);
})();
