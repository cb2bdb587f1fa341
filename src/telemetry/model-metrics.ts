/** Metrics of requests to models, through the SDK's meter. Models are labelled by their name in the app. */
import type { MetricMeter } from '@temporalio/common';
import type { TurnUsage } from '../shared/turn/turn-view';

export interface ModelMetrics {
  /** A request has begun; `waitedMs` for room within the limits of its model, in all attempts together. */
  began(model: string, waitedMs: number): void;
  /** A step that waits for room has given its slot back. */
  waited(model: string): void;
  /** A request was answered. */
  used(model: string, usage: Pick<TurnUsage, 'input_tokens' | 'output_tokens' | 'cost_usd'>): void;
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
  tokens: { name: 'holdfast_model_tokens_total', help: 'Tokens of answered requests, by kind: input or output' },
  /** Whole numbers, since the counters of Temporal's core know no others. */
  cost: {
    name: 'holdfast_model_cost_microdollars_total',
    help: 'What answered requests cost, millionths of a US dollar; a model without a known price counts as 0',
  },
} as const;

export function sdkModelMetrics(meter: MetricMeter): ModelMetrics {
  const { requests, waits, wait, tokens, cost } = MODEL_METRICS;
  const requestCounter = meter.createCounter(requests.name, '', requests.help);
  const waitCounter = meter.createCounter(waits.name, '', waits.help);
  const tokenCounter = meter.createCounter(tokens.name, '', tokens.help);
  const costCounter = meter.createCounter(cost.name, '', cost.help);
  const waitHistogram = meter.createHistogram(wait.name, 'int', '', wait.help);
  return {
    began(model, waitedMs) {
      requestCounter.add(1, { model });
      waitHistogram.record(Math.max(0, Math.round(waitedMs)), { model });
    },
    waited: (model) => waitCounter.add(1, { model }),
    used(model, { input_tokens, output_tokens, cost_usd }) {
      tokenCounter.add(input_tokens, { model, kind: 'input' });
      tokenCounter.add(output_tokens, { model, kind: 'output' });
      costCounter.add(Math.round(cost_usd * 1_000_000), { model });
    },
  };
}
