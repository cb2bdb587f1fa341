/**
 * Writes the frozen histories of test/histories anew: run it only when a change of the workflow is
 * meant to break old histories, and say so in the changelog. Needs a Temporal server:
 * `HOLDFAST_TEST_ADDRESS=127.0.0.1:7233 npx tsx test/support/freeze-histories.ts`
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { ToolError } from '../../src/tools/errors';
import { withEngine, type Setup } from './engine';
import { ask, say } from './scripted-model';
import { pays, reads } from './tools';

const read = reads('lookup', ({ key }) => `value of ${key}`);
let failures = 0;
const flaky = reads('flaky', () => {
  if (failures++ < 2) throw new ToolError('NETWORK_ERROR', 'lost', 'connection lost', { retryAfterMs: 50 });
  return 'at last';
});

const RUNS: Record<string, Setup> = {
  plain: { tools: [read], script: [ask(['lookup', { key: 'a' }], ['lookup', { key: 'b' }]), say('Done.')] },
  approval: {
    tools: [pays('pay', []), read],
    script: [ask(['lookup', { key: 'a' }], ['pay', { invoice: 'INV-7', cents: 700 }]), say('Paid.')],
  },
  retries: { tools: [flaky], script: [ask(['flaky', {}]), say('Done.')] },
};

async function freeze(name: string, setup: Setup): Promise<void> {
  await withEngine(setup, async ({ start, client }) => {
    const turn = await start(`Freeze ${name}.`);
    const [call] = await turn.waitForPending();
    if (call) await turn.approve(call.digest, { by: 'ana', note: 'frozen' });
    await turn.result();
    const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
    const text = historyToJSON(history).replace(/"stackTrace": "[^"]*"/g, '"stackTrace": ""'); // paths of this machine
    await writeFile(join(__dirname, '..', 'histories', `${name}.json`), `${text}\n`);
    console.log(`${name}: ${history.events?.length} events`);
  });
}

void (async () => {
  for (const [name, setup] of Object.entries(RUNS)) await freeze(name, setup);
  process.exit(0);
})();
