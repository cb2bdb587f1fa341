/** `kill -9` of a worker that holds a model's only place: the place comes free, and nobody who waits loses the turn. */
import { join } from 'node:path';
import { eventually, testAddress } from '../../engine/support/engine';
import { hearing, onceAnswered, openStage } from '../support/fault-stage';

jest.setTimeout(300_000);

it('the place of a killed worker goes to its own step again, or after its lease to the next turn', async () => {
  const app = join(__dirname, 'fixtures/limited.app.ts');
  const stage = await openStage(testAddress(), { app, answer: () => ({ content: [{ type: 'text', text: 'Done.' }] }) });
  try {
    await hearing(stage, async () => {
      const worker = await stage.startWorker();
      const held = stage.gates.close('model 1');
      const first = await stage.begin('limited');
      await held.reached();
      const second = await stage.begin('limited');
      await eventually('the second waits', async () => (await second.status()).waits_for?.why === 'concurrent');
      await worker.kill();
      const next = await stage.startWorker();
      expect((await onceAnswered(() => first.result())).text).toBe('Done.');
      expect((await onceAnswered(() => second.result())).text).toBe('Done.');
      expect(stage.model.requests).toHaveLength(3); // the one that was lost too

      const heldAgain = stage.gates.close('model 1');
      const third = await stage.begin('limited');
      await heldAgain.reached();
      await next.kill();
      // It never comes back: only the end of its lease frees the place.
      await stage.client.temporal.workflow.getHandle(third.workflowId).terminate('test');
      await stage.startWorker();
      const fourth = await stage.begin('limited');
      expect((await onceAnswered(() => fourth.result())).text).toBe('Done.');
    });
  } finally {
    await stage.close();
  }
});
