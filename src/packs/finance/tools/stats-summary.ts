import { z } from 'zod';
import { defineTool } from '../../../tools/define';
import { summarize } from '../stats';

/** `{values}` → `{n, mean, stdev, min, max, median}`. */
export function statsSummary() {
  return defineTool({
    name: 'stats_summary',
    version: '1.0.0',
    class: 'compute',
    description: {
      does: 'Summarises a list of numbers: how many, their centre, their spread and their range.',
      returns: 'n, mean, stdev (sample standard deviation with divisor n − 1; 0 for a single value), min, max, median.',
      useWhen:
        'You have several comparable figures, such as the P/E of peers or monthly closes, and need their range or volatility.',
      dontUseFor: 'Weighted averages or arithmetic on a few numbers (calculate).',
      example: '{"values": [28.5, 32.1, 25]}',
      warning: 'Every value weighs the same. Leave missing values out; do not send them as 0.',
    },
    input: z.object({ values: z.array(z.number()).min(1).max(10_000) }),
    run: ({ values }) => ({ ...summarize(values) }),
  });
}
