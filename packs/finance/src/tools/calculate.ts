/** The tool `calculate`: evaluates one arithmetic expression. */
import { z } from 'zod';
import { defineTool, inThread } from 'holdfast/tools';
import { calculateJob } from '../calc/calculate';

/** `{expression}` → `{expression, result}`; the result is a finite number. */
export function calculateTool() {
  return defineTool({
    name: 'calculate',
    version: '1.0.0',
    class: 'compute',
    description: {
      does: 'Evaluates one arithmetic expression exactly as written and gives one number.',
      returns: 'The expression and its result, a finite number (double precision, not rounded).',
      useWhen: 'You need a ratio, a difference, a percentage change or a growth rate. Prefer it to computing in your head.',
      dontUseFor: 'The mean or the spread of a list (stats_summary), equations with unknowns, or dates.',
      example: '{"expression": "(394328 - 365817) / 365817 * 100"}',
      warning:
        'Operators + - * / ^ ** and parentheses; functions abs, sqrt, cbrt, exp, ln, log(x, base), log10, log2, pow, mod, min, max, floor, ceil, sign, round(x, digits); constants pi, e. A per cent sign divides by 100: 100 + 10% is 100.1. No thousands separators.',
    },
    errors: [
      {
        code: 'INVALID_PARAMS',
        reason: 'calc_failed',
        when: 'The expression is malformed, or uses what is not allowed: write plain arithmetic.',
      },
    ],
    input: z.object({ expression: z.string().min(1).max(200).describe('One arithmetic expression') }),
    output: z.object({ expression: z.string(), result: z.number() }),
    run: async ({ expression }, { principal, signal }) => ({
      expression,
      result: await inThread(calculateJob, expression, { owner: principal, signal }),
    }),
  });
}
