import { intentHash, intentWorkflowId } from '../../../src/shared/intent';
import { BUDGET_WORKFLOW } from '../../../src/workflows/contract';
import { eventually, withEngine, type Engine } from '../support/engine';
import { keepForReplay } from '../support/replays';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

const intentKey = ({ invoice: number }: any) => ({ invoice: number });
const allowed = { permissions: { allow: ['pay'] } };
const script = [ask(['pay', invoice]), say('so be it')];

interface Play extends Engine {
  effects: unknown[];
  /** Ends the workflow that has the place of the intent's entity, and answers no claim. */
  free(): Promise<void>;
}

async function withoutEntity(play: (engine: Play) => Promise<void>): Promise<void> {
  const effects: unknown[] = [];
  await withEngine({ tools: [pays('pay', effects, { intentKey })], agent: allowed, script }, async (engine) => {
    const other = await replaceEntity(engine);
    const free = () => other.terminate('test').then(() => undefined);
    await play({ ...engine, effects, free });
  });
}

/** A workflow of another type takes the place of the entity. */
function replaceEntity({ client, taskQueue }: Engine) {
  const workflowId = intentWorkflowId(taskQueue, intentHash('pay', { invoice: 'INV-7' }));
  const options = { workflowId, taskQueue, args: [{}], workflowIdConflictPolicy: 'TERMINATE_EXISTING' as const };
  return client.temporal.workflow.start(BUDGET_WORKFLOW, options);
}

describe('while nobody can tell whether an action was done before', () => {
  it('it is not done; once the entity answers, it is done once', async () => {
    await withoutEntity(async ({ client, start, effects, free }) => {
      const turn = await start('Pay.');
      await eventually('the first dispatch was refused, and the second waits', async () => {
        const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
        const ran = events!.findIndex((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'runCall');
        return ran >= 0 && events!.slice(ran).some((event) => event.timerStartedEventAttributes);
      });
      expect(effects).toEqual([]);
      await free();
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
      expect(effects).toEqual([invoice]);
      await keepForReplay(client.temporal, turn);
    });
  });

  it('the call fails with the reason if that lasts, and the turn goes on', async () => {
    await withoutEntity(async ({ start, effects }) => {
      const { calls, text } = await (await start('Pay.')).result();
      expect(calls).toMatchObject([{ state: 'failed', effect: 'not_applied', error: { reason: 'intent_unavailable' } }]);
      expect(text).toBe('so be it');
      expect(effects).toEqual([]);
    });
  });

  it('an action that was done is recorded as done, also where the entity cannot be told', async () => {
    let engine!: Engine;
    const run = async () => {
      await replaceEntity(engine);
      return { paid: true };
    };
    await withEngine({ tools: [pays('pay', [], { intentKey, run })], agent: allowed, script }, async (begun) => {
      engine = begun;
      const { calls } = await (await engine.start('Pay.')).result();
      expect(calls).toMatchObject([{ state: 'succeeded', effect: 'applied' }]);
    });
  });
});
