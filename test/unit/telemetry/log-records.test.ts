/** Lines of the log as log records of OpenTelemetry: the same fields, in the span in which they were written. */
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { InMemoryLogRecordExporter, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createLog } from '../../../src/telemetry/log';
import { LogRecords } from '../../../src/telemetry/log-records';
import { tracesTo } from '../../../src/telemetry/traces/open';

const exporter = new InMemoryLogRecordExporter();
const traces = tracesTo(new SimpleSpanProcessor(new InMemorySpanExporter()), { content: false }, 'test');
const records = new LogRecords(new SimpleLogRecordProcessor({ exporter }), 'test');
const log = createLog('debug', { write: (line) => records.write(line) });
afterEach(() => exporter.reset());
afterAll(async () => {
  await records.close();
  await traces.close();
  Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1')); // test files of one process share it
});

it('a record has level, time, message and fields of its line, redacted, and names the service', () => {
  const before = Date.now();
  log.warn({ tool: 'pay', attempt: 2, apiKey: 'sk-secret', err: new Error('down') }, 'attempt failed');
  const [record] = exporter.getFinishedLogRecords();
  expect(record).toMatchObject({ severityNumber: 13, severityText: 'warn', body: 'attempt failed' });
  expect(record!.attributes).toMatchObject({ tool: 'pay', attempt: 2, apiKey: '[redacted]', err: { message: 'down' } });
  expect(record!.resource.attributes).toMatchObject({ 'service.name': 'test' });
  const [seconds, nanoseconds] = record!.hrTime;
  expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThanOrEqual(before);
});

it('a line that is written in a span has its ids; one outside of all spans has none', async () => {
  const span = trace.getTracer('test').startSpan('work', {}, ROOT_CONTEXT);
  await context.with(trace.setSpan(ROOT_CONTEXT, span), async () => {
    await Promise.resolve();
    log.info('inside');
  });
  log.info('outside');
  const [inside, outside] = exporter.getFinishedLogRecords();
  expect(inside!.spanContext).toMatchObject({ traceId: span.spanContext().traceId, spanId: span.spanContext().spanId });
  expect(outside!.spanContext).toBeUndefined();
});
