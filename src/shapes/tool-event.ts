/** What happens in a direct call, as its stream tells it: name and data of each event. Only its end is a `tool_result` or a `tool_error`. */
import { z } from 'zod';
import { errorEnvelope, successEnvelope } from './envelope';
import { streamedQuestion } from './turn-event';

const metadata = z.object({ tool_name: z.string(), timestamp: z.string(), trace_id: z.string().optional() });
const durable = z.boolean();

const progress = z.object({
  progress: z.number().nullable().describe('Percent; null: nobody knows.'),
  message: z.string(),
  effect: z.literal('in_doubt').optional().describe('Nobody knows what became of the call.'),
  durable,
  call_id: z.string().optional().describe('Of the first event: the call that is followed.'),
  metadata,
});
const retrying = z.object({
  retry_count: z.number().int(),
  max_retries: z.number().int().nullable().describe('Null where only the server knows.'),
  error: z.object({ code: z.string(), message: z.string() }),
  next_attempt_at: z.string().nullable(),
  durable,
  metadata,
});
const question = streamedQuestion.and(z.object({ call_id: z.string(), metadata }));

export const toolEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('tool_progress'), data: progress }),
  z.object({ event: z.literal('tool_retrying'), data: retrying }),
  z.object({ event: z.literal('approval_requested'), data: question }),
  z.object({ event: z.literal('approval_decided'), data: question }),
  z.object({ event: z.literal('tool_result'), data: successEnvelope }),
  z.object({ event: z.literal('tool_error'), data: errorEnvelope }),
]);
export type ToolEvent = z.infer<typeof toolEvent>;
