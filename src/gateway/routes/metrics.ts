import { answers, textAnswer } from '../schemas/answers';
import type { Route } from '../route';

const schema = {
  summary: 'Metrics of this process, for Prometheus',
  tags: ['operation'],
  response: answers({
    200: textAnswer('In the text format of Prometheus.', 'text/plain', 'holdfast_http_requests_total{status="200"} 1'),
  }),
};

/** `GET /metrics`: with a token, unless HOLDFAST_HTTP_METRICS is open. */
export const metrics: Route = (app, { openMetrics = false }) => {
  const roles = openMetrics ? 'public' : (['auditor', 'admin'] as const);
  app.get('/metrics', { schema, config: { roles } }, async (_request, reply) =>
    reply
      .type(app.metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await app.metrics.text()),
  );
};
