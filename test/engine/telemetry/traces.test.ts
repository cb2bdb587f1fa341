/** The spans of turns as a collector gets them: one tree, no content, nothing twice. */
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { openTraces, type ProcessTraces } from '../../../src/telemetry/traces/open';
import { ToolError } from '../../../src/tools/define/errors';
import { ModelFailure } from '../../../src/model/provider';
import { eventually } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { withMcp } from '../support/packs/mcp/mcp-engine';
import { children, withAgents } from '../support/sub-agents';
import { replayedSession, talk } from '../support/sessions';
import { otlpReceiver, treeOf, type OtlpReceiver, type ReceivedSpan } from '../../support/telemetry/otlp-receiver';
import { pays, reads } from '../../support/tools';

const CANARY = 'canary-7d41';
const ODD_SERVER = join(__dirname, '../../support/packs/mcp/fixtures/odd-server.mjs');
const invoice = { invoice: CANARY, cents: 700 };
const busy = () =>
  new ModelFailure(`busy ${CANARY}`, { type: 'model.overloaded', retryable: true, status: 529, retryAfterMs: 10 });

/** The first request to the model of the leading turn fails. */
function failsOnce() {
  let requests = 0;
  return async (message: string) => {
    if (message === 'Lead.' && ++requests === 1) throw busy();
  };
}

describe('the trace of a turn', () => {
  let receiver: OtlpReceiver;
  let traces: ProcessTraces;
  beforeAll(async () => {
    receiver = await otlpReceiver();
    traces = openTraces({ url: receiver.url, content: false }, 'test');
  });
  afterAll(async () => {
    await traces.close();
    await receiver.close();
  });

  /** The spans of a trace, once its turn has been reported; then no more come. */
  const spansOf = (traceId: string, turns: number): Promise<ReceivedSpan[]> =>
    eventually('its spans have come', async () => {
      await traces.flush();
      const spans = receiver.spans.filter((span) => span.traceId === traceId);
      return spans.filter(({ name }) => name.startsWith('invoke_agent')).length >= turns && spans;
    });

  /** Does something as a backend does it during a request. */
  const traced = async <T>(work: () => Promise<T>): Promise<{ traceId: string; result: T }> => {
    const span = trace.getTracer('backend').startSpan('POST /orders', {}, ROOT_CONTEXT);
    const result = await context.with(trace.setSpan(ROOT_CONTEXT, span), work);
    span.end();
    return { traceId: span.spanContext().traceId, result };
  };

  it('is one tree from the caller’s request down, with retries, a wait for approval and a sub-agent', async () => {
    let tries = 0;
    const flaky = reads('flaky', () => {
      if (++tries === 1) throw new ToolError('NETWORK_ERROR', 'no_route', `down ${CANARY}`, { retryAfterMs: 10 });
      return { found: CANARY };
    });
    const payer = defineAgent({ name: 'payer', prompt: 'Pay.', tools: [pays('pay', [])] });
    const lead = defineAgent({
      name: 'lead',
      prompt: 'Lead.',
      tools: [flaky, agentTool(payer, { description: 'Asks the payer.' })],
    });
    const scripts = {
      'Lead.': [ask(['flaky', { key: CANARY }]), ask(['payer', { task: 'Pay it.' }]), say(`done ${CANARY}`)],
      'Pay it.': [ask(['pay', invoice]), say('paid')],
    };
    await withAgents(
      [lead, payer],
      scripts,
      async ({ start, client }) => {
        const { traceId, result: turn } = await traced(() => start());
        const [child] = await children(client, turn);
        const [call] = await child!.waitForPending();
        await child!.approve(call!.digest, { by: 'zoe', note: CANARY });
        const view = await turn.result();
        const spans = await spansOf(traceId, 2);
        expect(treeOf(spans)).toEqual(TREE);
        expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
        expect(receiver.raw()).not.toContain(CANARY);

        const named = (name: string) => spans.filter((span) => span.name === name);
        expect(named('invoke_agent lead')[0]).toMatchObject({
          attributes: { 'gen_ai.agent.name': 'lead', 'holdfast.state': 'completed', 'holdfast.steps': '3' },
        });
        const [failed, again] = named('runCall').filter(({ attributes }) => attributes['gen_ai.tool.name'] === 'flaky');
        expect(failed).toMatchObject({ failure: 'holdfast.tool.NETWORK_ERROR', attributes: { 'holdfast.attempt': '1' } });
        expect(again).toMatchObject({ attributes: { 'holdfast.attempt': '2', 'holdfast.trace_id': view.trace_id } });
        expect(named('chat scripted')[0]).toMatchObject({ failure: 'model.overloaded' });
        expect(named('chat scripted')[1]).toMatchObject({
          attributes: { 'gen_ai.usage.input_tokens': '100', 'gen_ai.response.model': 'scripted' },
        });
        const [wait] = named('wait for approval');
        const [pay] = named('runCall').filter(({ attributes }) => attributes['gen_ai.tool.name'] === 'pay');
        expect(wait!.endMs).toBeLessThanOrEqual(pay!.startMs + 1000);
        expect(wait).toMatchObject({ attributes: { 'holdfast.end': 'approved', 'holdfast.call': '1.1' } });
      },
      { settings: { traces }, meanwhile: failsOnce() },
    );
  });

  it('of a caller without a trace follows from the turn’s own trace id', async () => {
    const agent = defineAgent({ name: 'plain', prompt: 'Answer.', tools: [] });
    await withAgents(
      [agent],
      { 'Lead.': [say('yes')] },
      async ({ start }) => {
        const turn = await context.with(ROOT_CONTEXT, () => start());
        const { trace_id } = await turn.result();
        const own = await eventually('its turn has been reported', async () => {
          await traces.flush();
          return receiver.spans.find(({ name }) => name === 'invoke_agent plain');
        });
        const step = (await spansOf(own.traceId, 1)).find(({ name }) => name === 'takeStep');
        expect(step!.attributes).toMatchObject({ 'holdfast.trace_id': trace_id });
      },
      { settings: { traces } },
    );
  });

  it('goes on in an MCP server, which gets the span of the request to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-traced-'));
    const ledger = join(folder, 'ledger');
    const server = { command: process.execPath, args: [ODD_SERVER], env: { LEDGER: ledger } };
    const script = [ask(['odd__look', { q: CANARY }]), say('seen')];
    const setup = { servers: { odd: server }, accept: { odd: { look: 'read' as const } }, script, settings: { traces } };
    try {
      await withMcp(setup, async ({ start }) => {
        const { traceId, result: turn } = await traced(() => start());
        expect(await turn.result()).toMatchObject({ state: 'completed' });
        const spans = await spansOf(traceId, 1);
        const request = spans.find(({ name }) => name === 'tools/call look')!;
        const attempt = spans.find(({ spanId }) => spanId === request.parentId);
        expect(attempt).toMatchObject({ name: 'runCall', attributes: { 'gen_ai.tool.name': 'odd__look' } });
        expect(await readFile(ledger, 'utf8')).toContain(`trace 00-${traceId}-${request.spanId}-01\n`);
        expect(receiver.raw()).not.toContain(CANARY);
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('of a session’s message is that of the message, and not that of the request that opened the session', async () => {
    const agent = defineAgent({ name: 'talker', prompt: 'Answer.', tools: [] });
    await withAgents(
      [agent],
      { One: [say('1'), say('2')] },
      async ({ client }) => {
        const opening = await traced(() => client.openSession({ agent: 'talker', requester: 'rita', id: `s-${Date.now()}` }));
        const session = opening.result;
        for (const message of ['One', 'Two']) {
          const { traceId } = await traced(() => talk(session, message));
          expect(treeOf(await spansOf(traceId, 1))).toEqual(SESSION_TREE);
        }
        const ofOpening = receiver.spans.filter((span) => span.traceId === opening.traceId);
        expect(ofOpening.map(({ name }) => name)).toEqual(['POST /orders']);
        await replayedSession(client, session);
      },
      { settings: { traces } },
    );
  });
});

const SESSION_TREE = ['POST /orders', '  invoke_agent talker', '    step 1', '      takeStep', '        chat scripted'];

const TREE = `
POST /orders
  start turn
    invoke_agent lead
      step 1
        takeStep
          chat scripted
        takeStep
          chat scripted
        execute_tool flaky
          runCall
          runCall
      step 2
        takeStep
          chat scripted
        execute_tool payer
          openSubTurn
          invoke_agent payer
            step 1
              takeStep
                chat scripted
              execute_tool pay
                wait for approval
                admitCall
                runCall
            step 2
              takeStep
                chat scripted
          closeSubTurn
      step 3
        takeStep
          chat scripted
`
  .trim()
  .split('\n');
