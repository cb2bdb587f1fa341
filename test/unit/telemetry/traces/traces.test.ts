import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { defaultPayloadConverter } from '@temporalio/common';
import fastify from 'fastify';
import { traceRequests } from '../../../../src/gateway/http/observe';
import type { WorkflowSpan } from '../../../../src/shared/io/turn';
import { api, contentAttributes, inSpan, recordContent, traceFields } from '../../../../src/telemetry/traces/api';
import { fieldsIn, withTraceHeader } from '../../../../src/telemetry/traces/header';
import { tracesTo, type ProcessTraces } from '../../../../src/telemetry/traces/open';
import { callSpanId, stepSpanId, traceIdOf, turnSpanId } from '../../../../src/telemetry/traces/trace-ids';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const TURN = { workflow_id: 'turn/t1', first_execution_run_id: 'r1' };
const FACTS = { workflowId: 'turn/t1', firstExecutionRunId: 'r1', workflowType: 'turn', memo: { holdfast_trace: 'trace_1' } };
const header = (fields: object) => defaultPayloadConverter.toPayload(fields);

describe('without an SDK', () => {
  it('work runs as it is, and no header is added', async () => {
    expect(api()).toBeNull();
    expect(traceFields()).toEqual({});
    await expect(inSpan('work', {}, async (add) => (add({ a: 1 }), 7))).resolves.toBe(7);
    expect(withTraceHeader({}, traceFields())).toEqual({});
  });
});

describe('with an SDK', () => {
  const exporter = new InMemorySpanExporter();
  let traces: ProcessTraces;
  let ended: ProcessTraces['sinks']['holdfastTrace']['ended'];
  beforeAll(() => {
    traces = tracesTo(new SimpleSpanProcessor(exporter), { content: false }, 'test');
    ({ ended } = traces.sinks.holdfastTrace);
  });
  const spans = () => exporter.getFinishedSpans();
  beforeEach(() => exporter.reset());
  afterAll(() => traces.close());

  const span = (more: Partial<WorkflowSpan>): WorkflowSpan => ({
    kind: 'turn',
    id: '',
    subject: 'payer',
    start: 1000,
    end: 2000,
    attributes: {},
    ...more,
  });

  it('a turn is a child of the request that started it, and its steps and calls are below it', () => {
    const from = header({ traceparent: TRACEPARENT });
    const call = { state: 'succeeded', class: 'read', tool_use_id: 'toolu_1' };
    ended.fn(FACTS, span({ kind: 'call', id: '2.1', subject: 'pay', attributes: call }), from);
    ended.fn(FACTS, span({ kind: 'step', id: '2', subject: '' }), from);
    ended.fn(FACTS, span({ attributes: { state: 'completed', input_tokens: 5 } }), from);
    const found = spans().map((one) => [one.name, one.spanContext().spanId, one.parentSpanContext?.spanId]);
    expect(found).toEqual([
      ['execute_tool pay', callSpanId({ ...TURN, call_id: '2.1' }), stepSpanId(TURN, 2)],
      ['step 2', stepSpanId(TURN, 2), turnSpanId(TURN)],
      ['invoke_agent payer', turnSpanId(TURN), 'b7ad6b7169203331'],
    ]);
    for (const one of spans()) expect(one.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(spans()[2]!.attributes).toMatchObject({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 5 });
  });

  it('a turn that no request started is the first of a trace that follows from its own trace id', () => {
    ended.fn({ ...FACTS, firstExecutionRunId: 'r2' }, span({}), null);
    expect(spans()[0]!.spanContext().traceId).toBe(traceIdOf('trace_1'));
    expect(spans()[0]!.parentSpanContext).toBeUndefined();
  });

  it('a sub-agent’s turn is below the call that it answers, and a direct call below its workflow', () => {
    const parent = { ...TURN, call_id: '1.2' };
    ended.fn({ ...FACTS, firstExecutionRunId: 'r3' }, span({ parent }), null);
    ended.fn(
      { ...FACTS, firstExecutionRunId: 'r3', workflowType: 'call' },
      span({ kind: 'call', id: '1.1', subject: 'pay' }),
      null,
    );
    expect(spans().map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      callSpanId(parent),
      turnSpanId({ ...TURN, first_execution_run_id: 'r3' }),
    ]);
  });

  it('a span that a repeated workflow task reports again is written once', () => {
    const facts = { ...FACTS, firstExecutionRunId: 'r4' };
    for (const _ of ['first', 'again']) ended.fn(facts, span({ kind: 'step', id: '1' }), null);
    expect(spans()).toHaveLength(1);
  });

  it.each([
    ['junk', { data: new Uint8Array([255, 0]), metadata: {} }],
    ['another form', header(['x'])],
    ['no trace', header({ traceparent: 'nonsense' })],
  ])('a header with %s counts as none', (_what, payload) => {
    ended.fn({ ...FACTS, firstExecutionRunId: `junk ${_what}` }, span({}), payload);
    expect(spans()[0]!.spanContext().traceId).toBe(traceIdOf('trace_1'));
  });

  it('a header has the trace context alone', async () => {
    const caller = propagation.extract(ROOT_CONTEXT, { traceparent: TRACEPARENT, baggage: 'secret=1' });
    const headers = context.with(caller, () => withTraceHeader({}, traceFields()));
    expect(fieldsIn(headers['_tracer-data']!)).toEqual({ traceparent: TRACEPARENT });
  });

  it('a failure is recorded by its code, without its message', async () => {
    class Broken extends Error {
      override readonly name = 'Broken';
    }
    await expect(inSpan('work', {}, async () => Promise.reject(new Broken('secret')))).rejects.toThrow('secret');
    expect(spans()[0]).toMatchObject({
      status: { code: 2, message: 'Broken' },
      attributes: { 'error.type': 'Broken' },
      events: [],
    });
  });

  it('content is there only if it was asked for, and redacted then', () => {
    const values = () => ({ 'gen_ai.tool.call.arguments': { text: 'hello', password: 'hunter2' } });
    expect(contentAttributes(values)).toEqual({});
    recordContent(true);
    expect(contentAttributes(values)).toEqual({
      'gen_ai.tool.call.arguments': '{"text":"hello","password":"[redacted]"}',
    });
    recordContent(false);
  });

  it('a request to the gateway goes on the caller’s trace, and what it does is below it', async () => {
    const app = fastify();
    traceRequests(app);
    app.post('/v1/things/:id', async () => inSpan('inside', {}, async () => traceFields()));
    app.get('/healthz', async () => 'ok');
    const headers = { traceparent: TRACEPARENT, baggage: 'secret=1' };
    const answer = await app.inject({ method: 'POST', url: '/v1/things/private', headers, payload: { a: 1 } });
    await app.inject({ method: 'GET', url: '/healthz' });
    await app.close();
    const [inside, request] = spans();
    expect(spans()).toHaveLength(2);
    expect(request).toMatchObject({ name: 'POST /v1/things/:id', parentSpanContext: { spanId: 'b7ad6b7169203331' } });
    expect(inside!.parentSpanContext!.spanId).toBe(request!.spanContext().spanId);
    expect(answer.json()).toEqual({ traceparent: `00-0af7651916cd43dd8448eb211c80319c-${inside!.spanContext().spanId}-01` });
    expect(JSON.stringify(request!.attributes)).not.toContain('private');
    expect(trace.getSpan(context.active())).toBeUndefined();
  });
});
