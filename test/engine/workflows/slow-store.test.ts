/** A database that answers late, before and after a payment: the attempt must not look dead meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileStore } from '../../../src/store/files/file-store';
import { HEARTBEAT_TIMEOUT_MS } from '../../../src/shared/turn/tool-class';
import { withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

// Both mostly wait, so they run at once.
it.concurrent.each(['claim', 'move'] as const)(
  'a %s that takes longer than the heartbeat allows leaves no call in doubt',
  async (slow) => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-slow-'));
    const store = await FileStore.open(directory);
    const asItIs = store.effects[slow].bind(store.effects) as (...args: unknown[]) => Promise<never>;
    let times = 0;
    store.effects[slow] = async (...args: unknown[]) => {
      if (times++ === 0) await sleep(HEARTBEAT_TIMEOUT_MS * 2);
      return asItIs(...args);
    };
    const effects: unknown[] = [];
    const script = [ask(['pay', { invoice: 'A', cents: 1 }]), say('done')];
    try {
      await withEngine({ tools: [pays('pay', effects)], script, store }, async ({ start, client }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await turn.approve(call.digest, { by: 'ana' });
        expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded', effect: 'applied' }] });
        expect(effects).toHaveLength(1);
        const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
        expect(events!.filter((event) => event.activityTaskTimedOutEventAttributes)).toEqual([]);
      });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
  90_000,
);
