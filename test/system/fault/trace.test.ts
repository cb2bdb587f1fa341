/** `kill -9` of a worker in the middle of a traced turn: its trace is one tree all the same, with the spans of both workers. */
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { join } from 'node:path';
import type { ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import { openTraces, type ProcessTraces } from '../../../src/telemetry/traces/open';
import { eventually, testAddress } from '../../engine/support/engine';
import { otlpReceiver, treeOf, type OtlpReceiver } from '../../support/telemetry/otlp-receiver';
import { approve, hearing, memoOf, memoWaits, openStage, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/trace.app.ts');

function answer(body: JsonObject): ScriptedResponse {
  const [first, ...more] = body.messages as { role: string; content: unknown }[];
  const isChild = JSON.stringify(first!.content).includes('Write it.');
  const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });
  const use = (name: string, input: object) => ({ content: [{ type: 'tool_use' as const, name, input }] }) as ScriptedResponse;
  if (isChild) return more.length > 0 ? say('Sent.') : use('send_credit_memo', memoOf(body));
  if (more.length === 0) return use('quote', {});
  return more.length === 2 ? use('sender', { task: 'Write it.' }) : say('It was sent.');
}

describe('a worker that is killed with -9', () => {
  let receiver: OtlpReceiver;
  let traces: ProcessTraces;
  let stage: Stage;
  let traceId: string;

  beforeAll(async () => {
    receiver = await otlpReceiver();
    traces = openTraces({ url: receiver.url, content: false }, 'backend');
    stage = await openStage(testAddress(), { app: APP, answer });
    const settings = { HOLDFAST_OTLP: receiver.url, HOLDFAST_LOG_LEVEL: 'info', OTEL_BSP_SCHEDULE_DELAY: '100' };
    await hearing(stage, async () => {
      const worker = await stage.startWorker(undefined, settings);
      const request = trace.getTracer('backend').startSpan('POST /memos', {}, ROOT_CONTEXT);
      ({ traceId } = request.spanContext());
      await context.with(trace.setSpan(ROOT_CONTEXT, request), () => stage.begin());
      request.end();
      await traces.flush();
      const digest = await memoWaits(stage);
      const asked = stage.gates.close('model 2');
      await approve(stage, digest); // through the parent
      await asked.reached();
      await eventually('what has ended was sent', async () =>
        receiver.spans.some(
          ({ name, attributes }) => name === 'runCall' && attributes['gen_ai.tool.name'] === 'send_credit_memo',
        ),
      );
      expect(await worker.kill()).toBe('SIGKILL');
      asked.open();
      await stage.startWorker(undefined, settings);
      await stage.turn.result();
      await eventually('the spans of both turns have come', async () => {
        const turns = receiver.spans.filter((span) => span.traceId === traceId && span.name.startsWith('invoke_agent'));
        return turns.length === 2;
      });
    });
  });
  afterAll(async () => {
    await stage?.close();
    await traces?.close();
    await receiver?.close();
  });

  it('leaves one tree, with its retry, its wait and its sub-agent, and the attempt that the second worker made', () => {
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    const attempt = ({ name, attributes }: (typeof spans)[number]) =>
      Number(attributes['holdfast.attempt'] ?? 1) > 1 ? `${name}, attempt ${attributes['holdfast.attempt']}` : name;
    expect(treeOf(spans, attempt)).toEqual(TREE);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  it('the collector has the log of both workers too, with the spans in which its lines were written, and their metrics', async () => {
    const spans = new Set(receiver.spans.map(({ spanId }) => spanId));
    const retried = receiver.records.find(({ body }) => body === 'attempt failed, will be retried')!;
    expect(retried).toMatchObject({ service: 'holdfast-worker', severity: 'warn', severityNumber: 13, traceId });
    expect(retried.attributes).toMatchObject({ tool: 'quote', code: 'holdfast.tool.NETWORK_ERROR', turn_id: stage.turn.id });
    expect(spans).toContain(retried.spanId);
    expect(receiver.records.filter(({ body }) => body === 'worker started')).toHaveLength(2);
    const expected = ['temporal_workflow_completed', 'holdfast_model_requests_total'];
    await eventually('metrics have come', async () => {
      const sent = new Set([...receiver.metrics.values()].flatMap((names) => [...names]));
      return expected.every((name) => sent.has(name));
    });
  });
});

const TREE = `
POST /memos
  start turn
    invoke_agent memo
      step 1
        takeStep
          chat claude-sonnet-4-6
        execute_tool quote
          runCall
          runCall, attempt 2
      step 2
        takeStep
          chat claude-sonnet-4-6
        execute_tool sender
          openSubTurn
          invoke_agent sender
            step 1
              takeStep
                chat claude-sonnet-4-6
              execute_tool send_credit_memo
                wait for approval
                admitCall
                runCall
            step 2
              takeStep, attempt 2
                chat claude-sonnet-4-6
          closeSubTurn
      forwardDecision
      step 3
        takeStep
          chat claude-sonnet-4-6
`
  .trim()
  .split('\n');
