/**
 * `kill -9` of the worker while it switches from one vendor to the other: the next worker takes the same step, by the second vendor,
 * and no step is twice in the transcript.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConversation } from '../../../src/model/rehearsal/conversation';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { JsonObject } from '../../../src/shared/json/json';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import type { WireAnswer, WireServer } from '../../../src/testing/model-conformance';
import { readBlock } from '../../../src/record/read-block';
import { FileStore } from '../../../src/store/files/file-store';
import { walk } from '../../../src/store/core/transcript';
import { eventually, testAddress } from '../../engine/support/engine';
import { chainFaults } from '../../engine/support/sessions';
import { MESSAGES } from '../../support/model/wires/messages';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer } from '../../support/model/wires/server';
import { runs } from '../../support/runs';
import { hearing, openStage, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/fallback.app.ts');
const OVERLOADED: WireAnswer = { fault: { kind: 'status', status: 529, message: 'Overloaded' } };

/** The first vendor is overloaded for so long at least. */
const OUTAGE_MS = runs(0, 60_000);

const servers: WireServer[] = [];
let stage: Stage;

afterEach(async () => {
  await stage.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test('killed between the tries of the first vendor, and again while the second answers: each step is there once', async () => {
  const [opus, gpt] = await Promise.all([startWireServer(MESSAGES), startWireServer(RESPONSES)]);
  servers.push(opus, gpt);
  opus.answer(...Array.from({ length: 100 }, () => OVERLOADED));
  gpt.answer(
    { text: 'Nobody reads this.', fault: { kind: 'silence' } },
    { calls: [{ id: 'call_1', name: 'look', json: '{"key":"a"}' }] },
    { text: 'Half of this', fault: { kind: 'silence' } },
    { text: 'Done.' },
  );
  stage = await openStage(testAddress(), { app: APP });
  const settings = { FAULT_OPUS: opus.baseUrl, FAULT_GPT: gpt.baseUrl };
  await hearing(stage, async () => {
    const kill = async (when: string, reached: () => boolean) => {
      await eventually(when, async () => reached(), 60_000);
      await stage.workers.at(-1)!.kill();
      await stage.startWorker(testAddress(), settings);
    };
    await stage.startWorker(testAddress(), settings);
    const turn = await stage.begin('two-vendors');
    await kill('two tries of the first vendor', () => opus.requests.length >= 2);
    await kill('the first answer of the second vendor has begun', () => gpt.requests.length === 1);
    await kill('the answer to the second step has begun', () => gpt.requests.length === 3);
    const view = await turn.result();
    expect(view).toMatchObject({ state: 'completed', text: 'Done.', step: 2 });
    expect(view.fallbacks).toMatchObject([
      { step: 1, model: 'gpt', passed: [{ model: 'opus', reason: 'model.overloaded', attempts: 3 }] },
      { step: 2, model: 'gpt', passed: [{ model: 'opus', reason: 'model.overloaded', attempts: 3 }] },
    ]);
    await hasEachStepOnce(view);
  });
});

test('while the first vendor is overloaded, turns go on by the second, through two kills of the worker; later by the first', async () => {
  let isDown = true;
  const opus = await startWireServer(MESSAGES, (heard) => (isDown ? OVERLOADED : looksThenEnds(heard)));
  const gpt = await startWireServer(RESPONSES, looksThenEnds);
  servers.push(opus, gpt);
  stage = await openStage(testAddress(), { app: APP });
  await hearing(stage, async () => {
    const startWorker = () => stage.startWorker(testAddress(), { FAULT_OPUS: opus.baseUrl, FAULT_GPT: gpt.baseUrl });
    const kill = async (when: string, reached: () => boolean) => {
      await eventually(when, async () => reached());
      await stage.workers.at(-1)!.kill();
      await startWorker();
    };
    await startWorker();
    const began = Date.now();
    const turns: TurnHandle[] = [];
    const beginning = (async () => {
      while (isDown) {
        turns.push(await stage.begin('two-vendors'));
        await sleep(500);
      }
    })();
    await kill('the first vendor is tried again', () => opus.requests.length >= 2);
    const asked = gpt.requests.length;
    await kill('the second is asked for one turn after another', () => gpt.requests.length > asked + 1);
    expect(await (await stage.begin('two-vendors')).result()).toMatchObject({
      state: 'completed',
      fallbacks: [
        { step: 1, model: 'gpt', passed: [{ model: 'opus' }] },
        { step: 2, model: 'gpt', passed: [{ model: 'opus' }] },
      ],
    });
    await sleep(Math.max(0, began + OUTAGE_MS - Date.now()));
    isDown = false;
    const outage = Math.round((Date.now() - began) / 1000);
    const refused = opus.requests.length;
    await beginning;
    const views = await Promise.all(turns.map((turn) => turn.result()));
    for (const view of views) {
      expect(view).toMatchObject({ state: 'completed', text: 'Done.', step: 2 });
      await hasEachStepOnce(view);
    }
    await eventually(
      'the first vendor takes steps again',
      async () => (await (await stage.begin('two-vendors')).result()).fallbacks === undefined,
      120_000,
    );
    const times = views
      .map(({ started_at, ended_at }) => (Date.parse(ended_at!) - Date.parse(started_at)) / 1000)
      .sort((x, y) => x - y);
    process.stderr.write(
      `${turns.length} turns in an outage of ${outage} s with two kills: median ${times[Math.floor(times.length / 2)]} s, longest ${times.at(-1)} s; the first vendor refused ${refused} requests\n`,
    );
  });
}, 400_000);

function looksThenEnds(heard: JsonObject): WireAnswer {
  const looked = readConversation(heard).calls.length > 0;
  return looked ? { text: 'Done.' } : { calls: [{ id: 'call_1', name: 'look', json: '{"key":"a"}' }] };
}

/** Of a turn of two steps, as its store has them. */
async function hasEachStepOnce({ head }: TurnView): Promise<void> {
  const store = await FileStore.open(join(stage.home, 'store'));
  const blocks = (await walk(store, head)).map(readBlock);
  expect(blocks.map((block) => (block?.kind === 'message' ? block.role : block?.kind))).toEqual([
    'start',
    'user',
    'assistant',
    'admission',
    'user',
    'assistant',
    'admission',
    'end',
  ]);
  expect(await chainFaults(store, head)).toEqual([]);
}
