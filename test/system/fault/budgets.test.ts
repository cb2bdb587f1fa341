/** `kill -9` of the worker between a budget's reservation and its settlement: the cap is one memo, so whatever is lost of it shows. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { budgetWorkflowId } from '../../../src/shared/budget-book';
import type { JsonObject } from '../../../src/shared/json/json';
import { BUDGET_QUERY, type BudgetView } from '../../../src/workflows/contract';
import { eventually, testAddress } from '../../engine/support/engine';
import { approve, memoWaits, openStage, reachesState, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/budget.app.ts');
const MEMO = {
  recipient: 'credit@example.com',
  subject: 'Credit memo: a company',
  body_md: `# Credit memo\n\n${'Every figure in it was read before. '.repeat(5)}`,
};

/** The memo, and then the end; it follows from the conversation alone. */
function answer(body: JsonObject) {
  const asked = (body.messages as JsonObject[]).some(({ role }) => role === 'assistant');
  return asked
    ? { content: [{ type: 'text', text: 'Done.' }] }
    : { content: [{ type: 'tool_use', name: 'send_credit_memo', input: MEMO }] };
}

/** Kills the worker at a gate, starts another, and follows the turn to its end or its doubt. */
async function killedAt(point: string, then: (stage: Stage, look: () => Promise<BudgetView>) => Promise<void>): Promise<void> {
  const stage = await openStage(testAddress(), { app: APP, answer: answer as never });
  const budget = `memos-${randomBytes(6).toString('hex')}`;
  const id = budgetWorkflowId({ agent: 'memo', budget, per: 'agent', of: '' });
  const look = () => stage.client.temporal.workflow.getHandle(id).query<BudgetView>(BUDGET_QUERY);
  try {
    const gate = stage.gates.close(point);
    const worker = await stage.startWorker(testAddress(), { FAULT_BUDGET: budget });
    await stage.begin();
    await approve(stage, await memoWaits(stage));
    await gate.reached();
    expect(await look()).toMatchObject({ used: '1', reserved: 1 });
    expect(await worker.kill()).toBe('SIGKILL');
    await stage.startWorker(testAddress(), { FAULT_BUDGET: budget });
    await then(stage, look);
  } catch (error) {
    throw new Error(`${String(error)}\nThe workers said:\n${stage.workers.map(({ output }) => output).join('\n')}`, {
      cause: error,
    });
  } finally {
    await stage.close();
  }
}

describe('a budget whose worker is killed with -9', () => {
  it('between the reservation and the claim: it is given back, so that the next dispatch fits under the same cap', async () => {
    await killedAt('before 1.1', async (stage, look) => {
      await reachesState(stage, 'completed');
      expect(stage.post.mails).toHaveLength(1);
      expect(await look()).toMatchObject({ used: '1', left: '0', reserved: 0, in_doubt: 0, over: 0 });
    });
  }, 180_000);

  it('between the claim and the outcome: what is in doubt counts, until a person has settled it as not applied', async () => {
    await killedAt('after 1.1', async (stage, look) => {
      await reachesState(stage, 'in_doubt');
      expect(await look()).toMatchObject({ used: '1', left: '0', in_doubt: 1 });
      const [call] = await stage.turn.waitForPending();
      await stage.turn.settle(call!.digest, 'not_applied', { by: 'bob' });
      await reachesState(stage, 'completed');
      expect(stage.post.mails).toHaveLength(0);
      await eventually('it is given back', async () => (await look()).used === '0');
    });
  }, 180_000);

  it('between the outcome and the settlement: the next worker settles it', async () => {
    await killedAt('after 1.2', async (stage, look) => {
      await reachesState(stage, 'completed');
      expect(stage.post.mails).toHaveLength(1);
      expect(await look()).toMatchObject({ used: '1', reserved: 0, in_doubt: 0 });
    });
  }, 180_000);
});
