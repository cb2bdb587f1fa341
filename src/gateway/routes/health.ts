/** `GET /healthz`, `/readyz` and `/metrics`: for load balancers and monitoring. */
import { z } from 'zod';
import { OpenTurns, openTurnSource } from '../../client/turns/open-turns';
import { PackageMissing } from '../../optional-package';
import { readStopFrom } from '../../record/stop';
import { recently, type Check } from '../../telemetry/readiness';
import { answer, answers, textAnswer } from '../schemas/common';
import type { Route, GatewayParts } from '../route';
import { startLimit } from '../http/before-routes';

const alive = z.object({ alive: z.literal(true), pid: z.number().int() });

const healthzSchema = {
  summary: 'Whether this process is alive',
  tags: ['operation'],
  response: {
    200: answer('It answers.', alive, { alive: true, pid: 4242 }),
  },
};

/** `GET /healthz`: answers while the event loop runs. */
export const healthz: Route = (app) => {
  app.get<{ Reply: z.infer<typeof alive> }>(
    '/healthz',
    { schema: healthzSchema, config: { roles: 'public', rateLimit: false } },
    async (_request, reply) => reply.header('cache-control', 'no-store').send({ alive: true, pid: process.pid }),
  );
};

// `GET /readyz`: whether requests should be sent here. The reasons are only in the log: anyone may send this request.

const readiness = z.object({ ready: z.boolean(), checks: z.array(z.object({ check: z.string(), ok: z.boolean() })) });

const answerOf = (description: string, ready: boolean) =>
  answer(description, readiness.extend({ ready: z.literal(ready) }), { ready, checks: [{ check: 'temporal', ok: ready }] });

const readyzSchema = {
  summary: 'Whether this process should be given requests',
  tags: ['operation'],
  response: {
    200: answerOf('It should.', true),
    503: answerOf('It should not: it is ending, or Temporal or the store do not answer, or no worker has polled yet.', false),
  },
};

export const readyz: Route = (app, parts) => {
  const findings = recently(checksOf(parts));
  app.get<{ Reply: z.infer<typeof readiness> }>(
    '/readyz',
    { schema: readyzSchema, config: { roles: 'public', rateLimit: false } },
    async (_request, reply) => {
      const results = app.draining.aborted ? [{ check: 'gateway', ok: false, detail: 'it is ending' }] : await findings();
      const ready = results.every(({ ok }) => ok);
      if (!ready) parts.log.warn({ findings: results }, 'not ready');
      const checks = results.map(({ check, ok }) => ({ check, ok }));
      return reply
        .code(ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ ready, checks });
    },
  );
};

function checksOf({ client, store }: GatewayParts): Check[] {
  const temporal = async () => {
    const { connection, options } = (await client()).temporal;
    await connection.workflowService.describeNamespace({ namespace: options.namespace });
  };
  let hasPoll = false;
  // Checked until the first poll only: a gateway stays ready while workers are exchanged.
  const worker = async () => {
    hasPoll ||= (await (await client()).lastPoll()) !== null;
    if (!hasPoll) throw new Error('No worker has polled the task queue yet.');
  };
  return [
    { name: 'temporal', look: temporal, todo: 'Is the Temporal server of the settings up?' },
    { name: 'store', look: () => store.registers.read('readiness'), todo: 'Can HOLDFAST_STORE be read?' },
    { name: 'worker', look: worker, todo: 'Is a worker of this task queue up? `holdfast worker` starts one.' },
  ];
}

const metricsSchema = {
  summary: 'Metrics of this process, for Prometheus',
  tags: ['operation'],
  response: answers({
    200: textAnswer('In the text format of Prometheus.', 'text/plain', 'holdfast_http_requests_total{status="200"} 1'),
  }),
};

/** `GET /metrics`: requires a token, unless HOLDFAST_HTTP_METRICS is open. */
export const metrics: Route = (app, parts) => {
  const { openMetrics = false, store, client } = parts;
  const starts = startLimit(parts);
  const roles = openMetrics ? 'public' : (['auditor', 'admin'] as const);
  const freezes = async () => (await readStopFrom(store.registers)).freezes;
  const openTurns = new OpenTurns(openTurnSource(async () => (await client()).temporal));
  app.get('/metrics', { schema: metricsSchema, config: { roles } }, async (_request, reply) => {
    const { metrics } = app;
    if (metrics === null) throw new PackageMissing('prom-client', 'GET /metrics');
    const [frozen, backlogs, open] = await Promise.all([freezes().catch(() => null), starts.backlogs(), openTurns.figures()]);
    metrics.setFreezes(frozen);
    metrics.setStarts(starts.refusals, backlogs);
    metrics.setTurns(open);
    return reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text());
  });
};
