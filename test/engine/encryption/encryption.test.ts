/** Turns whose payloads and store are encrypted: nothing of their content is in Temporal, and everything else is as without keys. */
import { defaultPayloadConverter } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { temporal } from '@temporalio/proto';
import { SigningKey } from '../../../src/attestation/signing-key';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { rotate } from '../../../src/encryption/key-ring';
import { EncryptionCodec } from '../../../src/encryption/payload-codec';
import { SEALED_BY } from '../../../src/shared/wire/payload';
import { ToolError } from '../../../src/tools/define/errors';
import { fetchHistory } from '../../../src/temporal/history/read-history';
import { makeClient } from '../../../src/temporal/make-client';
import { bundleOf } from '../../support/bundle-of';
import { ringOf, ringService, without } from '../../support/encryption/ring';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import { connectionsTo } from '../support/connections';
import { eventually, testAddress, withEngine } from '../support/engine';
import { talk } from '../support/sessions';

const CANARY = 'canary4711';
const invoice = { invoice: `INV-${CANARY}`, cents: 700 };
const payment = (effects: unknown[]) => pays('pay', effects, { preview: (input: any) => `Pay ${CANARY} ${input.invoice}` });

/** A client of the same server that has no keys. */
async function plainClient(taskQueue: string): Promise<HoldfastClient> {
  const { client: connection } = await connectionsTo(testAddress());
  return new HoldfastClient(makeClient({ connection, namespace: 'default', codec: null }), { taskQueue, uiUrl: null });
}

/** Everything that Temporal has of a workflow, as JSON with payloads in base64; never decrypted. */
async function inTemporal(client: HoldfastClient, ...workflowIds: string[]): Promise<string[]> {
  const { client: connection } = await connectionsTo(testAddress());
  const texts = workflowIds.map(async (workflowId) => {
    const history = await client.temporal.workflow.getHandle(workflowId).fetchHistory();
    const request = { namespace: 'default', execution: { workflowId } };
    const described = await connection.workflowService.describeWorkflowExecution(request);
    return historyToJSON(history) + JSON.stringify(described.toJSON());
  });
  return Promise.all(texts);
}

/** The canary as text, and inside of base64 at each of its three offsets. */
function findings(texts: string[]): string[] {
  const encoded = [0, 1, 2].map((offset) => {
    const base64 = Buffer.from('x'.repeat(offset) + CANARY).toString('base64');
    return base64.slice(offset === 0 ? 0 : 4, -4);
  });
  return [CANARY, ...encoded].filter((needle) => texts.some((text) => text.includes(needle)));
}

const view = (turn: TurnHandle) => turn.status();

it('a turn with an approval, a note, a failure and a retry: nothing of it is readable in Temporal, all of it for a client with keys', async () => {
  const { keys } = await ringService(ringOf('one'));
  const effects: unknown[] = [];
  let attempts = 0;
  const flaky = reads('flaky', () => {
    attempts += 1;
    if (attempts === 1) throw new ToolError('NETWORK_ERROR', 'broken', `No answer for ${CANARY}`, { retryAfterMs: 100 });
    if (attempts === 2) throw new ToolError('RESOURCE_NOT_FOUND', 'no_such', `There is no ${CANARY}`);
    return { found: CANARY };
  });
  const script = [ask(['flaky', { key: CANARY }]), ask(['pay', invoice]), say(`paid ${CANARY}`)];
  const setup = { codecKeys: keys, tools: [payment(effects), flaky], script, agent: { prompt: `Think of ${CANARY}.` } };
  await withEngine(setup, async ({ start, client, store, taskQueue }) => {
    const requester = `rita-${taskQueue}`; // the server has turns of other tests
    const turn = await start(`Pay ${CANARY}.`, { id: 'key-1', requester });
    const [call] = await turn.waitForPending();
    expect(call!.digest).toHaveLength(64);
    await turn.approve(call!.digest, { by: 'ana', note: `Fine, ${CANARY}` });
    const ended = await turn.result();
    expect(ended).toMatchObject({ state: 'completed', text: `paid ${CANARY}` });
    expect(ended.calls.map(({ state }) => state)).toEqual(['failed', 'succeeded']);
    expect(effects).toEqual([invoice]);

    expect(findings(await inTemporal(client, turn.workflowId))).toEqual([]);
    const decrypted = historyToJSON(await fetchHistory(client.temporal, turn.workflowId));
    expect(decrypted).not.toContain(Buffer.from('binary/encrypted').toString('base64'));
    expect(decrypted).not.toContain('Encoded failure');
    const events = [];
    for await (const event of turn.watch()) events.push(JSON.stringify(event));
    expect(events.join('\n')).toContain(`paid ${CANARY}`);
    expect(await bundleOf(client.temporal, store, turn.id, SigningKey.generate())).toContain(CANARY);

    // A client without keys lists what search attributes say; memos are left out, and content is an error that says what to do.
    const plain = await plainClient(taskQueue);
    expect(await client.find(turn.id)).toMatchObject({ state: 'completed', requester });
    expect(await plain.find(turn.id)).toMatchObject({ state: 'completed', requester, key: null });
    await eventually('it is listed', async () => {
      for await (const { turn_id } of plain.list({ sight: { requester } })) if (turn_id === turn.id) return true;
      return false;
    });
    await expect(plain.turn(turn.id).result()).rejects.toThrow('set HOLDFAST_CODEC_KEYS');
    await expect(fetchHistory(plain.temporal, turn.workflowId)).rejects.toThrow('set HOLDFAST_CODEC_KEYS');
  });
});

it('a session, a sub-agent and a direct call are encrypted too', async () => {
  const { keys } = await ringService(ringOf('one'));
  const child = defineAgent({ name: 'helper', prompt: CANARY, tools: [] });
  const tester = defineAgent({
    name: 'tester',
    prompt: CANARY,
    tools: [agentTool(child, { description: 'Helps.' }), reads('look', () => ({ seen: CANARY }))],
  });
  const app = defineApp({ agents: [tester, child] });
  const script = [ask(['helper', { task: CANARY }]), say(CANARY), say(CANARY), say(CANARY)];
  await withEngine({ codecKeys: keys, app, script }, async ({ start, call, client }) => {
    const turn = await start(CANARY);
    expect(await turn.result()).toMatchObject({ state: 'completed', text: CANARY });
    const [sub] = (await turn.status()).sub_turns ?? [];
    const direct = await call('look', { key: CANARY });
    expect(JSON.stringify(await direct.result())).toContain(CANARY);
    const session = await client.openSession({ agent: 'tester', title: CANARY, requester: 'rita' });
    expect(await talk(session, CANARY)).toMatchObject({ text: CANARY });
    const ids = [turn.workflowId, `turn/${sub!.turn_id}`, direct.turn.workflowId, session.workflowId, `turn/${session.id}.1`];
    expect(findings(await inTemporal(client, ...ids))).toEqual([]);
  });
});

it('an encrypted signal that was moved from another turn, damaged or made up changes nothing and says so; one in plain JSON decides', async () => {
  const { keys } = await ringService(ringOf('one'));
  const stranger = await ringService(ringOf('one'));
  const effects: unknown[] = [];
  const script = [ask(['pay', invoice]), ask(['pay', invoice]), say('paid')];
  const model = { codecKeys: keys, tools: [payment(effects)], script };
  await withEngine(model, async ({ start, client }) => {
    const [turn, other] = [await start('Pay.'), await start('Pay too.')];
    const [[call]] = await Promise.all([turn.waitForPending(), other.waitForPending()]);
    const decision = { call: call!.digest, by: 'ana' };
    const signal = (payload: temporal.api.common.v1.IPayload) =>
      client.temporal.workflowService.signalWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: turn.workflowId },
        signalName: 'approve',
        input: { payloads: [payload] },
      });
    const json = defaultPayloadConverter.toPayload(decision)!;
    const sealedFor = async (workflowId: string, by = keys) =>
      (await new EncryptionCodec(by, 'default').encode([json], { type: 'workflow', namespace: 'default', workflowId }))[0]!;
    const own = await sealedFor(turn.workflowId);
    await signal(await sealedFor(other.workflowId));
    await signal({ ...own, data: Buffer.from(own.data!).fill(0, 40) });
    await signal(await sealedFor(turn.workflowId, stranger.keys));
    const ignored = await eventually('all three are ignored', async () => {
      const { ignored_signals } = await view(turn);
      return ignored_signals.count === 3 && ignored_signals.last;
    });
    expect(ignored.map(({ reason }) => reason)).toEqual([
      `it is encrypted for another workflow, "${other.workflowId}"`,
      'it is encrypted, and it is damaged',
      'it is encrypted with a key of another key ring',
    ]);
    expect(effects).toEqual([]);
    await signal(json);
    expect(await turn.result()).toMatchObject({ state: 'completed' });
    expect(effects).toEqual([invoice]);
    await other.cancel();
    await other.result();
  });
});

it('keys are rotated under a running turn; a worker that lost a key says so, and goes on once it is back', async () => {
  const first = ringOf('one');
  const { keys, set } = await ringService(first);
  const effects: unknown[] = [];
  const script = [ask(['pay', invoice]), ask(['pay', { ...invoice, cents: 800 }]), say('paid')];
  const setup = { codecKeys: keys, tools: [payment(effects)], script, worker: { maxCachedWorkflows: 0 } };
  await withEngine(setup, async ({ start, client }) => {
    const turn = await start();
    const [call] = await turn.waitForPending();
    const { ring } = rotate(first, { id: 'two', writes: true, now: new Date() });
    await set(ring);
    await turn.approve(call!.digest, { by: 'ana' });
    const [second] = await eventually('asks again', async () => {
      const pending = await turn.pending();
      return pending.length > 0 && pending[0]!.digest !== call!.digest && pending;
    });
    const raw = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
    const ids = [...JSON.stringify(raw.events).matchAll(new RegExp(`"${SEALED_BY.key}":"([^"]+)"`, 'g'))];
    expect(new Set(ids.map(([, id]) => Buffer.from(id!, 'base64').toString()))).toEqual(new Set(['one', 'two']));

    await set(without(ring, 'one'));
    await client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: second!.digest, by: 'ana' });
    await eventually('the task fails', async () => {
      const { events = [] } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      return events!.some(({ workflowTaskFailedEventAttributes }) => workflowTaskFailedEventAttributes);
    });
    expect(effects).toHaveLength(1);
    await set(ring);
    const { events } = await fetchHistory(client.temporal, turn.workflowId);
    const failed = events.find(({ workflowTaskFailedEventAttributes }) => workflowTaskFailedEventAttributes);
    expect(failed?.workflowTaskFailedEventAttributes?.failure?.message).toContain('This is encrypted with the key one');
    expect(await turn.result()).toMatchObject({ state: 'completed', text: 'paid' });
    expect(effects).toEqual([invoice, { ...invoice, cents: 800 }]);
  });
});
