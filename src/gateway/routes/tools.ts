/** Tools: listed, shown, and called without a model, through all that a call of a turn goes through. */
import { setTimeout as sleep } from 'node:timers/promises';
import { envelopeOf, type CallHandle } from '../../client/direct-call';
import { ERROR_CODES } from '../../shared/errors';
import { Refusal } from '../errors';
import { withFilesCarried } from '../carried-files';
import type { Principal } from '../principals';
import { startCall, type OfTool, type Call } from '../start-call';
import { streamLimits } from '../streams/limits';
import { streamCall } from '../streams/tool-stream';
import { answers, errorEnvelope, postHeaders } from '../schemas';
import { knownVersions, type ToolEntry } from '../tool-catalogue';
import type { GatewayParts, Route } from '../route';

const READERS = ['starter', 'approver', 'auditor', 'admin'] as const;
const tags = ['tools'];
/** Below what proxies and clients wait for: what takes longer is fetched later. */
const ANSWER_WITHIN_MS = 25_000;
const LOOK_EVERY_MS = 500;
/** What takes longer is told as it goes, to those who accept that. */
const STREAM_AFTER_MS = 1000;

export const toolParams = {
  type: 'object',
  required: ['toolName'],
  properties: { toolName: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } },
};
const toolEntry = {
  type: 'object',
  required: ['name', 'version', 'class', 'description', 'parameters', 'agents'],
  properties: {
    name: { type: 'string' },
    version: { type: 'string' },
    class: { type: 'string' },
    description: { type: 'string', description: 'What a model reads.' },
    parameters: { type: 'object', description: 'JSON Schema of its input.' },
    agents: { type: 'array', items: { type: 'string' } },
  },
};

const exampleTool = {
  name: 'calculate',
  version: '1.0.0',
  class: 'compute',
  description: 'Works out an expression.',
  parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
  agents: ['credit-analyst'],
};

const listSchema = {
  summary: 'List the tools',
  tags,
  response: answers({
    200: {
      description: 'Every tool and version.',
      type: 'object',
      required: ['tools'],
      properties: { tools: { type: 'array', items: toolEntry } },
      examples: [{ tools: [exampleTool] }],
    },
  }),
};
const showSchema = {
  summary: 'Show a tool',
  tags,
  params: toolParams,
  response: answers(
    {
      200: {
        description: 'Its versions.',
        type: 'object',
        required: ['versions'],
        properties: { versions: { type: 'array', minItems: 1, items: toolEntry } },
        examples: [{ versions: [exampleTool] }],
      },
    },
    404,
  ),
};

const flag = (description: string) => ({ type: 'boolean', description });
const envelope = {
  type: 'object',
  required: ['success', 'status', 'metadata'],
  properties: {
    success: { type: 'boolean' },
    status: { enum: ['success', 'error'] },
    data: { description: 'What the tool gave.' },
    error: errorEnvelope.properties.error,
    metadata: { type: 'object' },
  },
};
export const later = {
  description: 'It goes on: it waits for a person, or takes longer. GET its view; its events are resumed by GET.',
  type: 'object',
  required: ['call_id', 'state', 'pending', 'view_url', 'events_url', 'decisions_url', 'ui_url'],
  properties: {
    call_id: { type: 'string' },
    state: { type: 'string' },
    pending: { type: 'array', items: { type: 'string' }, description: 'Digests that wait for a person.' },
    view_url: { type: 'string' },
    events_url: { type: 'string' },
    decisions_url: { type: 'string', description: 'Where an approver posts a decision.' },
    ui_url: { type: ['string', 'null'], description: 'Where a person approves in the Temporal Web UI.' },
  },
};
export const callSchema = {
  summary: 'Call a tool',
  description:
    'Durably, through admission, approval and the record. Answers its envelope, with the status of its error code; or 202 once it waits for a person, or takes longer than 25 s. With `Accept: text/event-stream` a call that runs for longer than a second is answered by its events. With `Idempotency-Key` it happens once.',
  tags,
  params: toolParams,
  headers: postHeaders,
  body: {
    type: 'object',
    required: ['input'],
    additionalProperties: false,
    properties: {
      input: { type: 'object', description: 'As the tool’s `parameters` say.' },
      agent: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
        description: 'Whose rules apply; needed when several agents have the tool.',
      },
      options: {
        type: 'object',
        additionalProperties: false,
        properties: {
          enable_cache: flag('false: a cached result is neither read nor written.'),
          enable_streaming: flag('false: no progress while it runs.'),
          enable_retry: flag('false: one attempt.'),
          debug: flag('true: `debug_info`, where the worker allows it.'),
        },
      },
    },
    examples: [{ input: { expression: '2 + 2' }, agent: 'credit-analyst' }],
  },
  response: answers(
    {
      200: {
        description: 'It succeeded; or the stream of its events, for those who accept one.',
        content: {
          'application/json': { schema: envelope },
          'text/event-stream': { schema: { type: 'string' }, example: 'event: tool_result\nid: once_1a:1-11-0\ndata: {…}\n\n' },
        },
      },
      202: later,
      410: { description: 'The tool is no more.', ...envelope },
      504: { description: 'It took too long.', ...envelope },
    },
    404,
    409,
  ),
};
export const tools: Route = (app, parts) => {
  const entries = async ({ name }: Principal): Promise<readonly ToolEntry[]> => (await parts.catalogue?.())?.callable(name) ?? [];
  app.get('/tools', { schema: listSchema, config: { roles: READERS } }, async ({ principal }, reply) =>
    reply.header('cache-control', 'no-store').send({ tools: await entries(principal) }),
  );

  app.get<OfTool>('/tools/:toolName', { schema: showSchema, config: { roles: READERS } }, async (request, reply) => {
    const versions = await knownVersions(parts, request.params.toolName);
    if (versions === null) throw notShown(request.params.toolName);
    return reply.header('cache-control', 'no-store').send({ versions });
  });

  app.post<Call>('/tools/:toolName', { schema: callSchema, config: { roles: ['starter', 'admin'] } }, async (request, reply) => {
    const { toolName } = request.params;
    const call = await startCall(parts, request, toolName);
    const leave = takesEvents(request.headers.accept) ? placeFor(parts, request.principal) : null;
    try {
      const view = await settled(call, app.draining, leave === null ? ANSWER_WITHIN_MS : STREAM_AFTER_MS);
      void reply.header('cache-control', 'no-store').header('x-holdfast-call', encodeURIComponent(call.id));
      if (view.ended_at !== null) {
        const result = await withFilesCarried(parts.store, envelopeOf(view));
        return await reply.code(result.success ? 200 : ERROR_CODES[result.error.code].httpStatus).send(result);
      }
      if (leave !== null && view.pending.length === 0) {
        await streamCall(reply, { parts, draining: app.draining }, { call, tool: toolName, traceId: view.trace_id });
        return await reply;
      }
      const base = `/v1/turns/${encodeURIComponent(call.id)}`;
      return await reply.code(202).send({
        call_id: call.id,
        state: view.state,
        pending: view.pending,
        view_url: base,
        events_url: `${base}/events`,
        decisions_url: `${base}/decisions`,
        ui_url: call.uiUrl,
      });
    } finally {
      leave?.();
    }
  });
};

/** It says so by name: what takes anything expects one answer. */
function takesEvents(accept: string | undefined): boolean {
  return accept?.split(',').some((one) => /^\s*text\/event-stream\s*(;(?!\s*q=0(\.0+)?\s*$)|$)/i.test(one)) ?? false;
}

/** A place among the open streams; null: there is none, and the call, which has begun, is answered without. */
function placeFor(parts: GatewayParts, { name }: Principal): (() => void) | null {
  try {
    return streamLimits(parts).take(name);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Its view once it has ended, waits for a person, or has taken too long. */
async function settled(call: CallHandle, draining: AbortSignal, withinMs: number) {
  const until = Date.now() + withinMs;
  for (let pause = 20; ; pause = Math.min(pause * 2, LOOK_EVERY_MS)) {
    const view = await call.turn.status();
    if (view.ended_at !== null || view.pending.length > 0 || Date.now() > until || draining.aborted) return view;
    await sleep(pause);
  }
}

function notShown(name: string): Refusal {
  const message = `Whether there is a tool ${JSON.stringify(name)} only the workers know: they are connected to the MCP servers.`;
  const hint = 'Call it with POST; `holdfast mcp list` shows what a server offers.';
  return new Refusal({ code: 'TOOL_NOT_FOUND', reason: 'not_known_here', message, hint });
}
