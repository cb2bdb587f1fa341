/**
 * Schemas of the events of a turn that clients can follow. Durable events are read from history. Live events go from the worker
 * directly to clients, and may be lost on the way. A destructive call that is dispatched again is in history too.
 */
import { z } from 'zod';
import { card } from './card';
import { callError, errorEnvelope, json, jsonObject, successEnvelope } from './envelope';
import { modelWait, passedModel, usage } from './turn-view';

const at = z.string();
const count = z.number().int().min(1);
const ofCall = { at, call: z.string().describe('`<step>.<index>`.'), tool: z.string() };

export const textDelta = z.object({
  at,
  type: z.literal('text_delta'),
  step: count,
  attempt: count.describe("Counts the step's model requests, from 1: with the next one the text begins anew."),
  offset: z
    .number()
    .int()
    .min(0)
    .describe("Where this piece begins in the attempt's text, in UTF-16 units: what is missing before it shows."),
  text: z.string(),
});
export const toolProgress = z.object({
  at,
  type: z.literal('tool_progress'),
  call: z.string(),
  message: z.string(),
  fraction: z.number().min(0).max(1).nullable(),
});
/** Sent only if the app lets clients read the logs of its tools. */
export const toolLog = z.object({
  at,
  type: z.literal('tool_log'),
  call: z.string(),
  tool: z.string(),
  level: z.enum(['debug', 'info', 'warning', 'error']),
  text: z.string().describe('JSON, without secrets.'),
});
export const toolRetrying = z.object({
  at,
  type: z.literal('tool_retrying'),
  call: z.string(),
  attempt: count.describe('The one that follows.'),
  max_retries: count.nullable().describe('Null where only the server knows.'),
  code: z.string().nullable(),
  error: z.string(),
  next_attempt_at: z.string().nullable(),
});
/** A step waits for room within the limits of its model. It is sent again when that changes; the text of the answer ends it. */
export const modelWaiting = z.object({ at, type: z.literal('model_waiting'), step: count, ...modelWait.shape });
const liveEvent = z.discriminatedUnion('type', [textDelta, toolProgress, toolLog, toolRetrying, modelWaiting]);

const effect = z.string().nullable();
const approvalRequestedEvent = z.object({
  ...ofCall,
  type: z.literal('approval_requested'),
  digest: z.string(),
  expires_at: z.string().nullable(),
});
const approvalDecidedEvent = z.object({
  ...ofCall,
  type: z.literal('approval_decided'),
  digest: z.string(),
  decision: z.string(),
  by: z.string(),
  on_behalf_of: z.string().optional().describe('Whom a deputy decided for.'),
  note: z.string().nullable(),
});
const questionAskedEvent = z.object({
  ...ofCall,
  type: z.literal('question_asked'),
  digest: z.string(),
  expires_at: z.string().nullable(),
});
const questionAnsweredEvent = z.object({
  ...ofCall,
  type: z.literal('question_answered'),
  digest: z.string(),
  by: z.string().describe('Empty: nobody answered in time.'),
  value: json.nullable().describe('The answer. Null: nobody answered in time.'),
  note: z.string().nullable(),
  expired: z.boolean(),
});
const OTHER_DURABLE = [
  z.object({ at, type: z.literal('turn_started'), turn_id: z.string(), agent: z.string(), message: z.string() }),
  z.object({ at, type: z.literal('step_started'), step: z.number() }),
  z.object({
    at,
    type: z.literal('step_completed'),
    step: z.number(),
    text: z.string(),
    calls: z.array(z.object({ id: z.string(), tool: z.string(), verdict: z.string() })),
    model: z.string().optional().describe('The name of the model that took the step. Absent: a direct call, or an older build.'),
    passed: z.array(passedModel).optional().describe('Models before it in the chain that did not take the step. Absent: none.'),
    usage: usage.optional().describe('What the model request of this step took. Absent: a direct call asks no model.'),
  }),
  z.object({ ...ofCall, type: z.literal('tool_started') }),
  z
    .object({ ...ofCall, type: z.literal('call_pending'), expires_at: z.string() })
    .describe('The tool has returned, and the call ends later: somebody completes it, or its tool finds out.'),
  z.object({
    ...ofCall,
    type: z.literal('call_completed'),
    by: z.enum(['completion', 'poll', 'expiry', 'cancellation']).describe('What ended it. Its result or error follows.'),
  }),
  z.object({ ...ofCall, type: z.literal('tool_result'), summary: z.string(), effect }),
  z.object({ ...ofCall, type: z.literal('tool_error'), error: callError.nullable(), effect }),
  approvalDecidedEvent,
  questionAnsweredEvent,
  z
    .object({ at, type: z.literal('turn_reset'), reason: z.string().nullable() })
    .describe(
      'Somebody has reset the workflow through Temporal: what follows comes after an earlier moment. What was done stays done.',
    ),
  z.object({
    at,
    type: z.literal('turn_completed'),
    state: z.string(),
    reason: z.string().nullable(),
    text: z.string(),
    result: jsonObject.optional().describe('The data that the agent gave. Absent: none.'),
  }),
] as const;
const durableEvent = z.discriminatedUnion('type', [...OTHER_DURABLE, approvalRequestedEvent, questionAskedEvent]);

export const turnEvent = z.discriminatedUnion('type', [liveEvent, durableEvent]);

/** All but tool logs: only the MCP client that made the call reads those. */
const toldEvent = z.discriminatedUnion('type', [textDelta, toolProgress, toolRetrying, modelWaiting, durableEvent]);
const withCard = {
  card: card.nullable().describe('The card of the call. Null: it does not wait any more, or the card cannot be read.'),
};
const toldQuestion = approvalRequestedEvent.extend(withCard);
const toldModelQuestion = questionAskedEvent.extend(withCard);
const toldHow = z.object({
  durable: z.boolean().describe('It is in the history: a reader that comes back after its id is told what followed.'),
  seq: z.number().int().optional().describe('Of a durable event: from 1, without gaps.'),
});
/** The data of an event of `GET /v1/turns/:id/events`. */
export const streamedEvent = toldHow.and(
  z.discriminatedUnion('type', [
    textDelta,
    toolProgress,
    toolRetrying,
    modelWaiting,
    ...OTHER_DURABLE,
    toldQuestion,
    toldModelQuestion,
  ]),
);
/** The same for a question of a direct call, and for its answer. */
export const streamedQuestion = toldHow.and(z.discriminatedUnion('type', [toldQuestion, approvalDecidedEvent]));

export type LiveEvent = z.infer<typeof liveEvent>;
export type TurnEvent = z.infer<typeof turnEvent>;
export type ToldEvent = z.infer<typeof toldEvent>;
export type StreamedEvent = z.infer<typeof streamedEvent>;
export type ToldHow = z.infer<typeof toldHow>;

// The events of a direct call, as its stream sends them: name and data of each. Only its end is a `tool_result` or a
// `tool_error`.

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
