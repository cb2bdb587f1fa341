/**
 * `waitUntil`: the tool `wait_until`, with which a model lets its turn wait. The workflow waits by a timer of Temporal, without a
 * running activity. Afterwards an activity makes the call's result: what ended the wait, and when.
 */
import { z } from 'zod';
import { unknownFields } from '../shared/json/json';
import { durationText, inputFault, LONGEST_REASON, WAIT_UNTIL, type WaitInput } from '../shared/turn/turn-states';
import { defineBuiltIn } from '../tools/define/define';
import { ToolError } from '../tools/define/errors';
import type { Tool } from '../tools/define/tool';

export interface WaitUntilOptions {
  /** The longest time that one call may wait, ms. */
  longestMs: number;
}

/** A year: Temporal's timers are exact far beyond it. */
const MOST_MS = 365 * 24 * 3_600_000;

/**
 * Makes the tool `wait_until`, for `defineAgent({ tools: […] })`.
 * @throws Error that lists every fault
 * @example
 * defineAgent({ name: 'payables', prompt: 'Wait until a transfer settles.', tools: [findTransfer, waitUntil({ longestMs: 7 * 86_400_000 })] });
 */
export function waitUntil(options: WaitUntilOptions): Tool {
  const { longestMs } = options;
  const faults = [
    ...unknownFields(options, ['longestMs']),
    ...(Number.isSafeInteger(longestMs) && longestMs >= 1 && longestMs <= MOST_MS
      ? []
      : [`longestMs is ${longestMs}; it must be an integer from 1 to ${MOST_MS}`]),
  ];
  if (faults.length > 0) throw new Error(`waitUntil: ${faults.join('; ')}`);
  const tool = defineBuiltIn({
    name: WAIT_UNTIL,
    version: '1.0.0',
    class: 'read',
    description: {
      does: `Waits until a time, for ${durationText(longestMs)} at most. Other calls of the same answer run meanwhile, and not afterwards.`,
      returns:
        '{woke_by, at, until}: woke_by is "time", or says what ended the wait early: a "message" to you, or the "answer" to a question of the same answer of yours.',
      useWhen: 'there is nothing to do before a time, such as the day on which a payment settles.',
      dontUseFor: 'a pause between two tries of a call: tools wait by themselves.',
      example: '{"after": "3 days", "reason": "The transfer settles on Thursday."}',
    },
    input: INPUT,
    summarize: (data) => summary(data),
    check: (input) => inputFault(input as WaitInput, longestMs),
    run: doneByWorkflow,
  });
  return Object.freeze({ ...tool, wait: Object.freeze({ longestMs }) });
}

const INPUT = z.object({
  at: z
    .string()
    .max(40)
    .optional()
    .describe('A time with its offset, such as "2026-12-03T09:00:00+01:00". Not together with after.'),
  after: z.string().max(20).optional().describe('How long to wait from now: a text such as "30m", "2h" or "3 days".'),
  reason: z.string().min(1).max(LONGEST_REASON).describe('What you wait for, in one sentence: people read it.'),
});

function summary(data: unknown): string {
  const { woke_by, at } = data as { woke_by: string; at: string };
  return `waited until ${at}, ended by ${woke_by}`;
}

function doneByWorkflow(): never {
  throw new ToolError('EXECUTION_ERROR', 'not_a_function', 'The workflow of the turn does this call.');
}
