/** The tool `stats_summary`: summarises a list of numbers. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import { summarize } from '../stats';

/** Largest value: the spread of larger values may exceed the range of a double. */
const LARGEST = 1e300;

/** `{values}` → `{n, mean, stdev, min, max, median}`. */
export function statsSummary() {
  return defineTool({
    name: 'stats_summary',
    version: '1.0.1',
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
    errors: [
      {
        code: 'INVALID_PARAMS',
        reason: 'schema_violation',
        when: 'The list is empty, too long, or holds something that is not a number.',
      },
    ],
    input: z.object({
      values: z.array(z.number().min(-LARGEST).max(LARGEST)).min(1).max(10_000).describe('The figures, all of one unit'),
    }),
    output: z.object({
      n: z.number().int(),
      mean: z.number(),
      stdev: z.number(),
      min: z.number(),
      max: z.number(),
      median: z.number(),
    }),
    run: ({ values }) => ({ ...summarize(values) }),
  });
}
