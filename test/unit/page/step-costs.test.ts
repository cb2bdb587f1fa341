import { stepCosts } from '../../../packages/page/src/lib/step-costs';
import type { StreamedEvent } from '../../../src/shapes/turn-event';

const at = '2026-01-31T10:00:00Z';
const usage = { input_tokens: 100, output_tokens: 10, cache_read_tokens: 0, cost_usd: 0.01 };
const step = (number: number, tools: string[], more: object = {}) =>
  ({
    ...{ at, type: 'step_completed', step: number, text: '', durable: true, seq: number },
    ...{ calls: tools.map((tool, index) => ({ id: `${number}.${index + 1}`, tool, verdict: 'allow' })), ...more },
  }) as StreamedEvent;

it('says what each step took and asked for; a direct call asks no model', () => {
  const other = { at, type: 'step_started', step: 1, durable: true, seq: 0 } as StreamedEvent;
  const events = [other, step(1, ['look', 'pay'], { usage }), step(2, [], { usage }), step(3, ['pay'])];
  expect(stepCosts(events)).toEqual([
    { step: 1, tools: ['look', 'pay'], usage },
    { step: 2, tools: [], usage },
  ]);
});
