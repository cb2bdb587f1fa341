/**
 * `kill -9` of the worker while it switches from one vendor to the other: the next worker takes the same step, by the second vendor,
 * and no step is twice in the transcript.
 */
import { join } from 'node:path';
import type { WireAnswer, WireServer } from '../../../src/testing/model-conformance';
import { readBlock } from '../../../src/record/read-block';
import { FileStore } from '../../../src/store/files/file-store';
import { walk } from '../../../src/store/core/transcript';
import { eventually, testAddress } from '../../engine/support/engine';
import { chainFaults } from '../../engine/support/sessions';
import { MESSAGES } from '../../support/model/wires/messages';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer } from '../../support/model/wires/server';
import { hearing, openStage, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/fallback.app.ts');
const OVERLOADED: WireAnswer = { fault: { kind: 'status', status: 529, message: 'Overloaded' } };

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
    const store = await FileStore.open(join(stage.home, 'store'));
    const blocks = (await walk(store, view.head)).map(readBlock);
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
    expect(await chainFaults(store, view.head)).toEqual([]);
  });
}, 240_000);
