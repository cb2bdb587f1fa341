/** Metrics of requests to models, through the SDK's meter. Models are labelled by their name in the app. */
import type { MetricMeter } from '@temporalio/common';

export interface ModelMetrics {
  /** A request has begun; `waitedMs` for room within the limits of its model, in all attempts together. */
  began(model: string, waitedMs: number): void;
  /** A step that waits for room has given its slot back. */
  waited(model: string): void;
}

export const MODEL_METRICS = {
  requests: { name: 'holdfast_model_requests_total', help: 'Requests to a model' },
  waits: {
    name: 'holdfast_model_waits_total',
    help: 'Times that a step gave its slot back, to wait for the limits of its model',
  },
  wait: {
    name: 'holdfast_model_wait_milliseconds',
    help: 'How long a request waited for room within the limits of its model, milliseconds',
  },
} as const;

export function sdkModelMetrics(meter: MetricMeter): ModelMetrics {
  const { requests, waits, wait } = MODEL_METRICS;
  const requestCounter = meter.createCounter(requests.name, '', requests.help);
  const waitCounter = meter.createCounter(waits.name, '', waits.help);
  const waitHistogram = meter.createHistogram(wait.name, 'int', '', wait.help);
  return {
    began(model, waitedMs) {
      requestCounter.add(1, { model });
      waitHistogram.record(Math.max(0, Math.round(waitedMs)), { model });
    },
    waited: (model) => waitCounter.add(1, { model }),
  };
}
