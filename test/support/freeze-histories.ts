/**
 * Writes the frozen histories of test/histories that it is told, or all, anew. One that is there already: only when a
 * change of the workflow is meant to break old histories, and say so in the changelog. Needs a Temporal server:
 * `HOLDFAST_TEST_ADDRESS=127.0.0.1:7233 npx tsx test/support/freeze-histories.ts [NAME…]`
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { ToolError } from '../../src/tools/errors';
import type { JsonObject } from '../../src/shared/json';
import { withEngine, type Engine, type Setup } from './engine';
import { ask, say } from './scripted-model';
import { pays, reads } from './tools';

const read = reads('lookup', ({ key }) => `value of ${key}`);
let failures = 0;
const flaky = reads('flaky', () => {
  if (failures++ < 2) throw new ToolError('NETWORK_ERROR', 'lost', 'connection lost', { retryAfterMs: 50 });
  return 'at last';
});

/** A turn, the direct call of one tool, or what is said in a session. */
type Run = Setup & { call?: { tool: string; input: JsonObject }; says?: string[] };

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
  session: { script: [say('One.'), say('Two.'), say('Three.')], says: ['First.', 'Second.', 'Third.'] },
};

const historyOf = ({ client }: Engine, workflowId: string) => client.temporal.workflow.getHandle(workflowId).fetchHistory();

/** Two messages wait, it is renamed and closed, a signal says nothing; all is run. */
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

async function turnHistory(engine: Engine, name: string, { call }: Run) {
  const turn = call ? (await engine.call(call.tool, call.input)).turn : await engine.start(`Freeze ${name}.`);
  const [waits] = await turn.waitForPending().catch((error: Error) => {
    if (error.name !== 'TurnEnded') throw error;
    return [];
  });
  if (waits) await turn.approve(waits.digest, { by: 'ana', note: 'frozen' });
  await turn.result();
  return historyOf(engine, turn.workflowId);
}

async function freeze(name: string, run: Run): Promise<void> {
  await withEngine(run, async (engine) => {
    const history = run.says ? await sessionHistory(engine, run.says) : await turnHistory(engine, name, run);
    const text = historyToJSON(history).replace(/"stackTrace": "[^"]*"/g, '"stackTrace": ""'); // paths of this machine
    await writeFile(join(__dirname, '..', 'histories', `${name}.json`), `${text}\n`);
    console.log(`${name}: ${history.events?.length} events`);
  });
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
