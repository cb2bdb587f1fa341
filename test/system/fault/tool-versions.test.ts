/**
 * Tools change while calls are under way, and the worker that admitted them is gone for good: one payment waits for a
 * person, one read has begun. The worker that comes next has the old versions still, or only the new ones.
 */
import { join } from 'node:path';
import type { ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { testAddress } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { openStage, type Stage } from '../support/fault-stage';

const FIRST: Record<string, JsonObject> = { pay: { invoice: 'INV-7', cents: 700 }, look_up: { key: 'a' } };
const AGAIN: Record<string, JsonObject> = { pay: { invoice: 'INV-7', euros: 7 }, look_up: { id: 1 } };

describe('a worker that is replaced by one with other versions of its tools', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage(testAddress(), { app: join(__dirname, 'fixtures/versions.app.ts'), answer });
  });
  afterEach(() => stage.close());

  /** A payment that waits, and a read that stands at its gate, both under 1.0.0; then their worker is gone. */
  async function leaveBehind() {
    const settings = { FAULT_VERSIONS: '1.0.0', HOLDFAST_DRAIN_SECONDS: '1' };
    const worker = await stage.startWorker(undefined, settings);
    const held = stage.gates.close('read look_up@1.0.0');
    const paying = await stage.client.start({ agent: 'payables', message: 'pay' });
    const looking = await stage.client.start({ agent: 'payables', message: 'look_up' });
    const [call] = await paying.waitForPending();
    expect(call).toMatchObject({ tool: 'pay', version: '1.0.0' });
    await held.reached();
    await worker.stop();
    return { paying, looking, digest: call!.digest };
  }

  /** By signal, as the Web UI does: that needs no worker. */
  const approve = (workflowId: string, digest: string) =>
    stage.client.temporal.workflow.getHandle(workflowId).signal('approve', { call: digest, by: 'ana' });

  it('runs each call under the version that it was admitted with, once, while the new worker has that version too', async () => {
    const { paying, looking, digest } = await leaveBehind();
    await approve(paying.workflowId, digest);
    await stage.startWorker(undefined, { FAULT_VERSIONS: '1.0.0 2.0.0' });
    const [paid, looked] = [await paying.result(), await looking.result()];
    expect(paid.calls).toMatchObject([{ tool: 'pay', version: '1.0.0', state: 'succeeded', effect: 'applied' }]);
    expect(looked.calls).toMatchObject([{ tool: 'look_up', version: '1.0.0', state: 'succeeded' }]);
    expect(stage.backend.reads).toEqual({ 'pay@1.0.0': 1, 'look_up@1.0.0': 2 }); // the read that was cut off, and its repetition
    for (const turn of [paying, looking]) await keepForReplay(stage.client.temporal, turn);
  });

  it('runs none of them if that version is gone, though a person approved: the model is told, and asks again under the new one', async () => {
    const { paying, looking, digest } = await leaveBehind();
    await approve(paying.workflowId, digest);
    await stage.startWorker(undefined, { FAULT_VERSIONS: '2.0.0' });
    const looked = await looking.result();
    expect(looked.calls).toMatchObject([
      { tool: 'look_up', version: '1.0.0', state: 'failed', error: { code: 'TOOL_NOT_FOUND', reason: 'tool_changed' } },
      { tool: 'look_up', version: '2.0.0', state: 'succeeded' },
    ]);

    const [again] = await paying.waitForPending();
    expect(again).toMatchObject({ tool: 'pay', version: '2.0.0' });
    expect(again!.digest).not.toBe(digest);
    expect(stage.backend.reads).toEqual({ 'look_up@1.0.0': 1, 'look_up@2.0.0': 1 });
    const told = stage.model.requests.map((body) => toolResult(body)).filter((text) => text.includes('tool_changed'));
    expect(told).toHaveLength(2);
    for (const text of told) expect(text).toContain('Ask for the call again');

    await paying.approve(again!.digest, { by: 'ana' });
    expect((await paying.result()).calls).toMatchObject([
      { version: '1.0.0', state: 'failed', effect: 'not_applied', error: { reason: 'tool_changed' } },
      { version: '2.0.0', state: 'succeeded', effect: 'applied' },
    ]);
    expect(stage.backend.reads).toEqual({ 'look_up@1.0.0': 1, 'look_up@2.0.0': 1, 'pay@2.0.0': 1 });
    for (const turn of [paying, looking]) await keepForReplay(stage.client.temporal, turn);
  });
});

/** The user's message names the tool; it is asked for anew where the version has changed. */
function answer(body: JsonObject): ScriptedResponse {
  const messages = body.messages as JsonObject[];
  const ask = (name: string, input: JsonObject) => ({ content: [{ type: 'tool_use' as const, name, input }] });
  const [name] = /pay|look_up/.exec(JSON.stringify(messages[0]))!;
  if (messages.length === 1) return ask(name, FIRST[name]!);
  return toolResult(body).includes('tool_changed') ? ask(name, AGAIN[name]!) : { content: [{ type: 'text', text: 'Done.' }] };
}

/** What the last message of a request says. */
function toolResult(body: JsonObject): string {
  return JSON.stringify((body.messages as JsonObject[]).at(-1));
}
