/** `kill -9` of the worker between a budget's reservation and its settlement: the cap is one memo, so any part of it that is lost shows. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { budgetWorkflowId } from '../../../src/shared/budget-book';
import type { JsonObject } from '../../../src/shared/json/json';
import { BUDGET_QUERY, type BudgetView } from '../../../src/workflows/contract';
import { eventually, testAddress } from '../../engine/support/engine';
import {
  approve,
  closeRecordGate,
  hearing,
  memoOf,
  memoWaits,
  openStage,
  reachesState,
  sceneOf,
  type Stage,
} from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/budget.app.ts');
/** The memo, and then the end; the answer depends on the conversation alone. */
function answer(body: JsonObject) {
  const asked = (body.messages as JsonObject[]).some(({ role }) => role === 'assistant');
  return asked
    ? { content: [{ type: 'text', text: 'Done.' }] }
    : { content: [{ type: 'tool_use', name: 'send_credit_memo', input: memoOf(body) }] };
}

/** The agents, each with a book of its own, and where the call of its turn stands when the worker is killed. */
const POINTS = { reserved: 'before 1.1', claimed: 'after 1.1', done: 'after 1.2' } as const;
type Agent = keyof typeof POINTS;

describe('a budget whose worker is killed with -9', () => {
  let stage: Stage;
  const scenes = {} as Record<Agent, Stage>;
  const budget = `memos-${randomBytes(6).toString('hex')}`;
  const look = (agent: Agent) => {
    const id = budgetWorkflowId({ agent, budget, per: 'agent', of: '' });
    return stage.client.temporal.workflow.getHandle(id).query<BudgetView>(BUDGET_QUERY);
  };

  beforeAll(async () => {
    stage = await openStage(testAddress(), { app: APP, answer: answer as never });
    const settings = { FAULT_BUDGET: budget, FAULT_AGENTS: Object.keys(POINTS).join(' ') };
    await hearing(stage, async () => {
      const worker = await stage.startWorker(undefined, settings);
      const gates = Object.entries(POINTS).map(async ([agent, point]) => {
        const scene = (scenes[agent as Agent] = sceneOf(stage, agent));
        await scene.begin(agent);
        const gate = await closeRecordGate(scene, point);
        await approve(scene, await memoWaits(scene));
        await gate.reached();
        expect(await look(agent as Agent)).toMatchObject({ used: '1', reserved: 1 });
      });
      await Promise.all(gates);
      expect(await worker.kill()).toBe('SIGKILL');
      await stage.startWorker(undefined, settings);
    });
  });
  afterAll(() => stage.close());

  it('between the reservation and the claim: it is given back, so that the next dispatch fits under the same cap', () =>
    hearing(stage, async () => {
      await reachesState(scenes.reserved, 'completed');
      expect(scenes.reserved.post.mails).toHaveLength(1);
      expect(await look('reserved')).toMatchObject({ used: '1', left: '0', reserved: 0, in_doubt: 0, over: 0 });
    }));

  it('between the claim and the outcome: an amount in doubt counts, until a person has settled it as not applied', () =>
    hearing(stage, async () => {
      const { claimed } = scenes;
      await reachesState(claimed, 'in_doubt');
      expect(await look('claimed')).toMatchObject({ used: '1', left: '0', in_doubt: 1 });
      const [call] = await claimed.turn.waitForPending();
      await claimed.turn.settle(call.digest, 'not_applied', { by: 'bob' });
      await reachesState(claimed, 'completed');
      expect(claimed.post.mails).toHaveLength(0);
      await eventually('it is given back', async () => (await look('claimed')).used === '0');
    }));

  it('between the outcome and the settlement: the next worker settles it', () =>
    hearing(stage, async () => {
      await reachesState(scenes.done, 'completed');
      expect(scenes.done.post.mails).toHaveLength(1);
      expect(await look('done')).toMatchObject({ used: '1', reserved: 0, in_doubt: 0 });
    }));
});
