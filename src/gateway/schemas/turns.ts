/** Schemas of the turn routes: requests and answers. */
import { z } from 'zod';
import { shownTurn, turnSummary, type ShownTurn } from '../../shapes/turn-view';
import { messageInput } from '../../shapes/message';
import { TURN_STATES } from '../../shared/turn/turn-states';
import {
  acceptedAnswer,
  answer,
  answers,
  type Acceptance,
  jsonSchema,
  agentName,
  body,
  callbackUrl,
  postHeaders,
  servedAgent,
  turnParams,
} from './common';
import { exampleSummary, exampleView } from './examples';

const tags = ['turns'];
const DEFAULT_LIMIT = 50;

const startBody = z.strictObject({
  agent: servedAgent,
  message: messageInput,
  session_id: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{1,128}$/)
    .optional()
    .describe(
      'A session of yours that is open: the message waits there for its turn, after those before it, as with /v1/sessions/{id}/messages.',
    ),
  callback_url: callbackUrl,
});
const startReceipt = z.object({
  turn_id: z.string(),
  workflow_id: z.string(),
  ui_url: z.string().nullable().describe('In the Temporal Web UI.'),
  events_url: z.string().describe('Relative: the stream of its events.'),
});
const listQuery = z.strictObject({
  state: z.enum(TURN_STATES).optional(),
  agent: agentName.optional(),
  cursor: z.string().max(4000).optional().describe('`next_cursor` of the page before, for the same filter.'),
  limit: z.number().int().min(1).max(200).default(DEFAULT_LIMIT),
});
const page = z.object({ turns: z.array(turnSummary), next_cursor: z.string().nullable() });
const steerBody = z.strictObject({ text: z.string().min(1).max(4000) });
const steerReceipt = z.object({ accepted: z.literal(true), by: z.string() });

export interface StartTurn {
  Body: z.infer<typeof startBody>;
  Reply: z.infer<typeof startReceipt>;
}
export interface ListTurns {
  Querystring: z.infer<typeof listQuery>;
  Reply: z.infer<typeof page>;
}
export interface ShowTurn {
  Params: { id: string };
  Reply: ShownTurn;
}
export interface CancelTurn {
  Params: { id: string };
  Reply: Acceptance;
}
export interface SteerTurn {
  Params: { id: string };
  Body: z.infer<typeof steerBody>;
  Reply: z.infer<typeof steerReceipt>;
}

const ID = 'k_0f4c7b0b2d3e5a6978c1d2e3f4a5b6c7d8e9f0a1';

export const turnSchemas = {
  start: {
    summary: 'Start a turn',
    description:
      'Answers at once; the turn goes on by itself. With `Idempotency-Key` the same request again gives the same turn, for as long as Temporal retains it.',
    tags,
    headers: postHeaders,
    body: body(startBody, { agent: 'credit-analyst', message: 'Prepare a credit memo for AAPL.' }),
    response: answers(
      {
        202: answer('It is started.', startReceipt, {
          turn_id: ID,
          workflow_id: `turn/${ID}`,
          ui_url: null,
          events_url: `/v1/turns/${ID}/events`,
        }),
      },
      404,
      409,
    ),
  },
  list: {
    summary: 'List turns and direct calls',
    description:
      'Newest first. A new turn appears here some moments after its start. A page may hold fewer than `limit`; the last one has no `next_cursor`.',
    tags,
    querystring: jsonSchema(listQuery),
    response: answers({ 200: answer('One page.', page, { turns: [exampleSummary], next_cursor: null }) }),
  },
  show: {
    summary: 'Show a turn',
    tags,
    params: turnParams,
    response: answers({ 200: answer('How it stands.', shownTurn, exampleView) }, 404, 409),
  },
  cancel: {
    summary: 'Cancel a turn',
    description: 'Running tools first, then the turn; it answers before both have ended.',
    tags,
    params: turnParams,
    headers: postHeaders,
    response: answers({ 202: acceptedAnswer('It is asked to stop.') }, 404, 409),
  },
  steer: {
    summary: 'Say something to the model of a running turn',
    description:
      'The model reads it before its next step. The sender counts as a maker of later calls, and under four eyes may not approve them.',
    tags,
    params: turnParams,
    headers: postHeaders,
    body: body(steerBody, { text: 'Leave out the peers.' }),
    response: answers({ 200: answer('It is taken.', steerReceipt) }, 404, 409),
  },
};
