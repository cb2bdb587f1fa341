/** `kill -9` of the worker in the middle of a sub-agent's turn: both turns go on, and what was done is done once. */
import { join } from 'node:path';
import type { ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { approve, memoWaits, openStage, reachesState, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/sub-agents.app.ts');
const MEMO = {
  recipient: 'credit@example.com',
  subject: 'Credit memo: a company',
  body_md: `# Credit memo\n\n${'Every figure in it was read before. '.repeat(5)}`,
};

/** Follows from the conversation alone: a request that is repeated gets the same answer. */
function answer({ messages }: JsonObject): ScriptedResponse {
  const [first, ...more] = messages as { role: string; content: unknown }[];
  const isChild = JSON.stringify(first!.content).includes('Write and send it.');
  if (more.length > 0) return { content: [{ type: 'text', text: isChild ? 'Sent.' : 'It was sent.' }] };
  const use = isChild ? { name: 'send_credit_memo', input: MEMO } : { name: 'sender', input: { task: 'Write and send it.' } };
  return { content: [{ type: 'tool_use', ...use }] };
}

async function play(body: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage(testAddress(), { app: APP, answer });
  try {
    await body(stage);
  } catch (error) {
    const said = stage.workers.map((worker) => worker.output).join('\n');
    throw new Error(`${String(error)}\nThe workers said:\n${said}`, { cause: error });
  } finally {
    await stage.close();
  }
}

async function killed(stage: Stage): Promise<void> {
  expect(await stage.workers[0]!.kill()).toBe('SIGKILL');
}

/** The turn's end, and that of its sub-agent; both replay. */
async function ended(stage: Stage, mails: number) {
  const view = await stage.turn.result();
  const child = stage.client.turn(`${stage.turn.id}~1.1`);
  const below = await child.result();
  for (const turn of [stage.turn, child]) await keepForReplay(stage.client.temporal, turn);
  expect(stage.post.mails).toHaveLength(mails);
  expect(view).toMatchObject({ state: 'completed', sub_turns: [{ turn_id: child.id, head: below.head }] });
  return { view, below };
}

describe('a worker that is killed with -9', () => {
  it(
    'while a sub-agent asks its model repeats that request, and nothing else',
    () =>
      play(async (stage) => {
        const asked = stage.gates.close('model 2');
        await stage.startWorker();
        await stage.begin();
        await approve(stage, await memoWaits(stage)); // through the parent
        await asked.reached();
        await killed(stage);
        asked.open();
        await stage.startWorker();
        const { below } = await ended(stage, 1);
        expect(below.calls).toMatchObject([{ tool: 'send_credit_memo', effect: 'applied' }]);
      }),
    180_000,
  );

  it(
    'while a sub-agent’s call waits: a decision that the parent is sent meanwhile counts, once',
    () =>
      play(async (stage) => {
        await stage.startWorker();
        await stage.begin();
        const digest = await memoWaits(stage);
        await killed(stage);
        await approve(stage, digest);
        await approve(stage, digest);
        await stage.startWorker();
        const { below } = await ended(stage, 1);
        expect(below.calls[0]!.approval).toMatchObject({ by: ['ana'] });
      }),
    180_000,
  );

  it(
    'between a sub-agent’s claim and its effect: it is in doubt in both turns, and settled through the parent',
    () =>
      play(async (stage) => {
        const claimed = stage.gates.close('after 1.1');
        await stage.startWorker();
        await stage.begin();
        await approve(stage, await memoWaits(stage));
        await claimed.reached();
        await killed(stage);
        await stage.startWorker();
        await reachesState(stage, 'in_doubt');
        const [doubt] = await stage.turn.pending();
        await stage.turn.settle(doubt!.digest, 'not_applied', { by: 'ana' });
        const { view, below } = await ended(stage, 0);
        expect(below.calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied' });
        expect(view.text).toBe('It was sent.'); // the script does not read
      }),
    180_000,
  );
});
