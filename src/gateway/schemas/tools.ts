/** Schemas of the tool routes: requests and answers. */
import { z } from 'zod';
import { errorEnvelope, successEnvelope, type Envelope, jsonObject } from '../../shapes/envelope';
import { TOOL_CLASSES } from '../../shared/turn/tool-class';
import {
  answer,
  answers,
  errorAnswer,
  textAnswer,
  jsonSchema,
  agentName,
  body,
  lastEventIdHeader,
  postHeaders,
  toolParams,
} from './common';
import { exampleTool } from './examples';

const tags = ['tools'];

const toolEntry = z.object({
  name: z.string(),
  version: z.string(),
  class: z.enum(TOOL_CLASSES),
  description: z.string().describe('What a model reads.'),
  parameters: jsonObject.describe('JSON Schema of its input.'),
  agents: z.array(z.string()),
});
const list = z.object({ tools: z.array(toolEntry) });
const versions = z.object({ versions: z.array(toolEntry).min(1) });

const flag = (description: string) => z.boolean().optional().describe(description);
const callBody = z.strictObject({
  input: jsonObject.describe('As the tool’s `parameters` say.'),
  agent: agentName.optional().describe('Whose rules apply; needed when several agents have the tool.'),
  options: z
    .strictObject({
      enable_cache: flag('false: a cached result is neither read nor written.'),
      enable_streaming: flag('false: no progress while it runs.'),
      enable_retry: flag('false: one attempt.'),
      debug: flag('true: `debug_info`, where the worker allows it.'),
    })
    .optional(),
});
const later = z.object({
  call_id: z.string(),
  state: z.string(),
  pending: z.array(z.string()).describe('Digests that wait for a person.'),
  view_url: z.string(),
  events_url: z.string(),
  decisions_url: z.string().describe('Where an approver posts a decision.'),
  ui_url: z.string().nullable().describe('Where a person approves in the Temporal Web UI.'),
});
const laterAnswer = answer(
  'It goes on: it waits for a person, or takes longer. GET its view; its events are resumed by GET.',
  later,
);
const followQuery = z.looseObject({
  call: z.string().max(140).optional().describe('A call to follow: nothing is started.'),
  input: z.string().max(8000).optional().describe('The whole input as JSON, instead of a parameter for each field.'),
  agent: agentName.optional().describe('Whose rules apply.'),
});

export interface OfTool {
  Params: { toolName: string };
}
export interface ListTools {
  Reply: z.infer<typeof list>;
}
export interface ShowTool extends OfTool {
  Reply: z.infer<typeof versions>;
}
export interface Call extends OfTool {
  Body: z.infer<typeof callBody>;
}
export interface CallTool extends Call {
  Reply: Envelope | z.infer<typeof later>;
}
export interface StartCall extends Call {
  Reply: z.infer<typeof later>;
}

const call = {
  tags,
  params: toolParams,
  headers: postHeaders,
  body: body(callBody, { input: { expression: '2 + 2' }, agent: 'credit-analyst' }),
};

export const toolSchemas = {
  list: {
    summary: 'List the tools',
    tags,
    response: answers({ 200: answer('Every tool and version.', list, { tools: [exampleTool] }) }),
  },
  show: {
    summary: 'Show a tool',
    tags,
    params: toolParams,
    response: answers({ 200: answer('Its versions.', versions, { versions: [exampleTool] }) }, 404),
  },
  call: {
    ...call,
    summary: 'Call a tool',
    description:
      'Durably, through admission, approval and the record. Answers its envelope, with the status of its error code; or 202 once it waits for a person, or takes longer than 25 s. With `Accept: text/event-stream` a call that runs for longer than a second is answered by its events. With `Idempotency-Key` it happens once.',
    response: answers(
      {
        200: {
          description: 'It succeeded; or the stream of its events, for those who accept one.',
          content: {
            'application/json': { schema: jsonSchema(successEnvelope) },
            'text/event-stream': { schema: { type: 'string' }, example: 'event: tool_result\nid: once_1a:1-11-0\ndata: {…}\n\n' },
          },
        },
        202: laterAnswer,
        410: answer('The tool is no more.', errorEnvelope),
        504: answer('It took too long.', errorEnvelope),
      },
      404,
      409,
    ),
  },
  /** A call whose events GET streams. */
  start: {
    ...call,
    summary: 'Start a tool call to be followed',
    description: 'Answers at once; its events are told by GET. With `Idempotency-Key` it happens once.',
    response: answers({ 202: laterAnswer }, 404, 409),
  },
  follow: {
    summary: 'Call a tool, or follow a call',
    description:
      'Server-sent events `tool_progress`, `tool_retrying`, `tool_result`, `tool_error`. The query is the input; or `input` is, as JSON. Starts tools of class `compute` and `read` only; with `call` it tells the events of a call that POST has started. `Last-Event-ID` names call and position: a reader that comes back starts nothing.',
    tags,
    params: toolParams,
    headers: lastEventIdHeader,
    querystring: jsonSchema(followQuery),
    response: answers(
      {
        200: textAnswer(
          'The stream.',
          'text/event-stream',
          'event: tool_progress\nid: once_1a:1-5-0.1\ndata: {"progress":45,"message":"reading","durable":false,"metadata":{"tool_name":"get_quote","timestamp":"2026-11-21T09:30:00.000Z","trace_id":"trace_20261121_0123456789ab"}}\n\n',
        ),
        204: { description: 'It has ended, and all has been told.', type: 'null' },
        405: errorAnswer('Not a tool that GET starts: POST it.'),
      },
      404,
    ),
  },
};
