/**
 * A worker that comes back from a crash can see apart what a replay sees at once: the end of a turn, from a query; then a
 * message, with its workflow task (temporal/executions.ts). What it did is in history in that order, and must be replayed.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { dataConverter } from '../../../src/temporal/data-converter';
import { workflowBundlePath } from '../../../src/worker/workflow-bundle';
import { withEngine } from '../support/engine';
import { say } from '../../support/scripted-model';
import { afterTurns, talk } from '../support/sessions';

interface Event {
  eventId: string;
  eventType: string;
}

const TASK = 'EVENT_TYPE_WORKFLOW_TASK_';

/** The workflow tasks between the end of the last look at a turn and the last message: as if both had come in one. */
function inOneTask(events: Event[]): Event[] {
  const message = events.findLastIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED');
  const looked = events.findLastIndex(({ eventType }, at) => at < message && eventType === 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED');
  const own = message - 3; // scheduled, started, completed
  const between = events.slice(looked + 1, own);
  if (between.length === 0 || events[own]?.eventType !== `${TASK}SCHEDULED`)
    throw new Error(`The end of the turn and the message were not apart: ${events.map(({ eventType }) => eventType).join()}`);
  return renumbered(events.filter((event, at) => at <= looked || at >= own || !event.eventType.startsWith(TASK)));
}

function renumbered(events: Event[]): Event[] {
  const now = new Map(events.map(({ eventId }, index) => [eventId, String(index + 1)]));
  // An id that is gone belongs to a task without consequences.
  return JSON.parse(JSON.stringify(events), (key, value: unknown) =>
    /[eE]ventId$/.test(key) ? (now.get(String(value)) ?? '0') : value,
  );
}

async function replay(events: Event[], workflowId: string, change: (code: string) => string = (code) => code): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-order-'));
  try {
    const codePath = join(folder, 'bundle.js');
    await writeFile(codePath, change(await readFile(workflowBundlePath(), 'utf8')));
    await Worker.runReplayHistory({ workflowBundle: { codePath }, dataConverter }, historyFromJSON({ events }), workflowId);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('a history in which the end of a turn and a message were taken one after the other, and which a replay takes at once', () => {
  it('replays, because the loop begins a turn after its message was answered; without that it would not', () =>
    withEngine({ script: [say('one'), say('two')] }, async ({ client }) => {
      const session = await client.openSession({ agent: 'tester', id: `o-${randomBytes(4).toString('hex')}` });
      await talk(session, 'First.');
      await afterTurns(session, 1); // only now: the look at its end has been taken
      await talk(session, 'Second.');
      await afterTurns(session, 2);
      const history = await client.temporal.workflow.getHandle(session.workflowId).fetchHistory();
      const { events } = JSON.parse(historyToJSON(history)) as { events: Event[] };
      const merged = inOneTask(events);
      expect(merged.length).toBeLessThan(events.length);

      await replay(events, session.workflowId); // as it was
      await replay(merged, session.workflowId);
      const atOnce = (code: string) => {
        if (!code.includes('await waitForActivation();'))
          throw new Error('The bundle has no waitForActivation(); mend this test');
        return code.replace('await waitForActivation();', '');
      };
      const other = replay(merged, session.workflowId, atOnce);
      await expect(other).rejects.toThrow('Child workflow machine does not handle this event');
    }));
});
