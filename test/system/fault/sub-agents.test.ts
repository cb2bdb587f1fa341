/** `kill -9` of the worker in the middle of a sub-agent's turn: both turns go on, and each effect happens once. */
import { join } from 'node:path';
import type { ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
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

const APP = join(__dirname, 'fixtures/sub-agents.app.ts');

/** Depends on the conversation alone: a request that is repeated gets the same answer. */
function answer(body: JsonObject): ScriptedResponse {
  const [first, ...more] = body.messages as { role: string; content: unknown }[];
  const text = JSON.stringify(first!.content);
  const isChild = text.includes('Write it.');
  if (more.length > 0) return { content: [{ type: 'text', text: isChild ? 'Sent.' : 'It was sent.' }] };
  const task = `Write it. ${/Send the memo[^.]*\./.exec(text)![0]}`;
  const use = isChild ? { name: 'send_credit_memo', input: memoOf(body) } : { name: 'sender', input: { task } };
  return { content: [{ type: 'tool_use', ...use }] };
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
  let stage: Stage;
  let asks: Stage;
  let waits: Stage;
  let claims: Stage;

  /** One kill meets three turns: each stands where its test says. */
  beforeAll(async () => {
    stage = await openStage(testAddress(), { app: APP, answer });
    [asks, waits, claims] = ['asks', 'waits', 'claims'].map((name) => sceneOf(stage, name)) as [Stage, Stage, Stage];
    await hearing(stage, async () => {
      const worker = await stage.startWorker();
      const asked = asks.gates.close('model 2');
      for (const scene of [asks, waits, claims]) await scene.begin();
      const digest = await memoWaits(waits);
      const claimed = await closeRecordGate(claims, 'after 1.1');
      for (const scene of [asks, claims]) await approve(scene, await memoWaits(scene)); // through the parent
      await Promise.all([asked.reached(), claimed.reached()]);
      expect(await worker.kill()).toBe('SIGKILL');
      asked.open();
      for (const _ of ['once', 'and again']) await approve(waits, digest);
      await stage.startWorker();
    });
  });
  afterAll(() => stage.close());

  it('while a sub-agent asks its model repeats that request, and nothing else', () =>
    hearing(stage, async () => {
      const { below } = await ended(asks, 1);
      expect(below.calls).toMatchObject([{ tool: 'send_credit_memo', effect: 'applied' }]);
      expect(asks.model.requests).toHaveLength(5); // two of each turn, and the one that is repeated
    }));

  it('while a sub-agent’s call waits: a decision that is sent to the parent meanwhile counts, once', () =>
    hearing(stage, async () => {
      const { below } = await ended(waits, 1);
      expect(below.calls[0]!.approval).toMatchObject({ by: ['ana'] });
    }));

  it('between a sub-agent’s claim and its effect: it is in doubt in both turns, and settled through the parent', () =>
    hearing(stage, async () => {
      await reachesState(claims, 'in_doubt');
      const [doubt] = await claims.turn.pending();
      await claims.turn.settle(doubt!.digest, 'not_applied', { by: 'ana' });
      const { view, below } = await ended(claims, 0);
      expect(below.calls[0]).toMatchObject({ state: 'failed', effect: 'not_applied' });
      expect(view.text).toBe('It was sent.'); // the script does not read
    }));
});
