/** Schema of a callback's body: enough to know what happened and to ask for the rest, and small, as Standard Webhooks asks. */
import { z } from 'zod';
import { messageCard } from './card';
import { jsonObject } from './envelope';
import { callView, turnView } from './turn-view';

const calledBack = callView
  .pick({ id: true, revision: true, tool: true, version: true, class: true, digest: true, state: true, effect: true })
  .extend({
    of: z
      .object({ turn_id: z.string(), agent: z.string() })
      .optional()
      .describe("For a sub-agent's call: the turn in which it waits. It can be decided there, or in this turn."),
  });

export const callbackMessage = z.object({
  type: z.enum(['approval.requested', 'effect.in_doubt', 'question.asked', 'turn.ended']),
  timestamp: z.string().describe('When it happened, ISO 8601.'),
  card: messageCard
    .nullable()
    .describe(
      'What the call that people are asked about would do, as in `GET /v1/pending`; fields that are too long are left out, and `incomplete` names them. Null: nobody is asked, or the store does not have the call.',
    ),
  link: z.string().nullable().describe('The call, or the turn, on the page. Null: HOLDFAST_PUBLIC_URL is not set.'),
  turn: turnView
    .pick({
      ...{ turn_id: true, workflow_id: true, run_id: true, agent: true, session_id: true, requester: true, trace_id: true },
      ...{ state: true, step: true, text: true, reason: true, usage: true, pending: true, started_at: true, ended_at: true },
    })
    .extend({
      text_truncated: z.boolean(),
      result: jsonObject.optional().describe('The data that the agent gave. Absent: none, or it is left out.'),
      result_left_out: z.literal(true).optional().describe('It has more than 32,000 bytes: `GET /v1/turns/:id` has it.'),
      calls: z
        .array(calledBack)
        .describe(
          "Waiting calls, also those in sub-agents' turns, and destructive calls: at most the latest 20. No inputs, no results; `card` has those of the call that is asked about.",
        ),
    }),
});
export type CallbackMessage = z.infer<typeof callbackMessage>;
