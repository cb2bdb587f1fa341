/** Routes for tools: list, show, and call them without a model. A call passes the same checks as a call of a turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import { envelopeOf, type CallHandle } from '../../client/turns/direct-call';
import { ERROR_CODES } from '../../shared/wire/error-codes';
import { Refusal } from '../http/errors';
import { knownVersions } from '../tool-catalogue';
import type { Principal } from '../auth/principals';
import { toolSchemas as schemas, type CallTool, type ListTools, type ShowTool } from '../schemas/tools';
import { startCall, withFileContents } from '../tool-calls';
import { streamLimits } from '../streams/connection';
import { streamCall } from '../streams/tool-stream';
import type { GatewayParts, Route } from '../route';

const READERS = ['starter', 'approver', 'auditor', 'admin'] as const;
/** Shorter than the time limits of proxies and clients: the result of a longer call is fetched later. */
const ANSWER_WITHIN_MS = 25_000;
const LOOK_EVERY_MS = 500;
/** A longer call is streamed to clients that accept it. */
const STREAM_AFTER_MS = 1000;

export const tools: Route = (app, parts) => {
  const entries = async ({ name }: Principal) => [...((await parts.catalogue?.())?.callable(name) ?? [])];
  app.get<ListTools>('/tools', { schema: schemas.list, config: { roles: READERS } }, async ({ principal }, reply) =>
    reply.header('cache-control', 'no-store').send({ tools: await entries(principal) }),
  );

  app.get<ShowTool>('/tools/:toolName', { schema: schemas.show, config: { roles: READERS } }, async (request, reply) => {
    const versions = await knownVersions(parts, request.params.toolName);
    if (versions === null) throw notShown(request.params.toolName);
    return reply.header('cache-control', 'no-store').send({ versions: [...versions] });
  });

  app.post<CallTool>(
    '/tools/:toolName',
    { schema: schemas.call, config: { roles: ['starter', 'admin'], startsWork: true } },
    async (request, reply) => {
      const { toolName } = request.params;
      const call = await startCall(parts, request, toolName);
      const leave = takesEvents(request.headers.accept) ? placeFor(parts, request.principal) : null;
      try {
        const view = await waitForCall(call, app.draining, leave === null ? ANSWER_WITHIN_MS : STREAM_AFTER_MS);
        void reply.header('cache-control', 'no-store').header('x-holdfast-call', encodeURIComponent(call.id));
        if (view.ended_at !== null) {
          const result = await withFileContents(parts.store, envelopeOf(view));
          return await reply.code(result.success ? 200 : ERROR_CODES[result.error.code].httpStatus).send(result);
        }
        if (leave !== null && view.state === 'running') {
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
          ui_url: view.ui_url,
        });
      } finally {
        leave?.();
      }
    },
  );
};

/** The header must name the type: a client that accepts anything expects one answer. */
function takesEvents(accept: string | undefined): boolean {
  return accept?.split(',').some((one) => /^\s*text\/event-stream\s*(;(?!\s*q=0(\.0+)?\s*$)|$)/i.test(one)) ?? false;
}

/** A place among the open streams; null: there is none, and the call, which has begun, is answered without a stream. */
function placeFor(parts: GatewayParts, { name }: Principal): (() => void) | null {
  try {
    return streamLimits(parts).take(name);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The call's view once it has ended, waits for a person, ends later, or has taken too long. */
async function waitForCall(call: CallHandle, draining: AbortSignal, withinMs: number) {
  const until = Date.now() + withinMs;
  for (let pause = 20; ; pause = Math.min(pause * 2, LOOK_EVERY_MS)) {
    const view = await call.turn.status();
    const waits = view.pending.length > 0 || view.state === 'awaiting_completion';
    if (view.ended_at !== null || waits || Date.now() > until || draining.aborted) return view;
    await sleep(pause);
  }
}

function notShown(name: string): Refusal {
  const message = `Whether there is a tool ${JSON.stringify(name)} only the workers know: they are connected to the MCP servers.`;
  const hint = 'Call it with POST; `holdfast mcp list` shows what a server offers.';
  return new Refusal({ code: 'TOOL_NOT_FOUND', reason: 'not_known_here', message, hint });
}
