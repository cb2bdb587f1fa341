/** `POST /v1/ag-ui/:agent`: a run of a front end that speaks AG-UI, as server-sent events. */
import { z } from 'zod';
import { visibleTurn } from '../../gateway/auth/turn-session-access';
import { streamLimits, SseConnection, TOKEN_OVER } from '../../gateway/streams/connection';
import { STREAM_SETTINGS } from '../../gateway/streams/settings';
import { wrongOf, type Wrong } from '../../gateway/http/errors';
import type { GatewayParts, Route } from '../../gateway/route';
import { agentName, answers, body, jsonSchema, textAnswer } from '../../gateway/schemas/common';
import type { Json } from '../../shared/json/json';
import { CallDetails } from '../turns/call-details';
import { followTurn } from '../turns/follow-turn';
import { openRun, type RunOf } from './open-run';
import { RunEvents, withoutTurn } from './run-events';
import { readRun, runBody } from './run-input';
import { sdk, type AGUIEvent } from './sdk';

const params = z.object({ agent: agentName });

const schema = {
  summary: 'A run of an AG-UI front end',
  description:
    'The body is `RunAgentInput` of AG-UI 1.0, the answer its events. A thread is a session, a run with a message is a turn of it. What waits for a person ends the run with the outcome `interrupt`; the next run answers in `resume`, which takes the role `approver`. Tools, context and state of the client are not used. docs/ag-ui.md.',
  tags: ['protocols'],
  params: jsonSchema(params),
  body: body(runBody, {
    threadId: 'chat-1',
    runId: 'run-1',
    messages: [{ id: 'm-1', role: 'user', content: 'Pay INV-7' }],
    tools: [],
    context: [],
  }),
  response: answers({
    200: textAnswer(
      'The events of the run.',
      'text/event-stream',
      'data: {"type":"RUN_STARTED","threadId":"chat-1","runId":"run-1"}\n\n',
    ),
    501: { description: 'The package @ag-ui/core is not installed at this gateway.' },
  }),
};

export const agUi: Route = (app, parts) => {
  const settings = { ...STREAM_SETTINGS, ...parts.streams };
  const limits = streamLimits(parts);
  app.post<{ Params: z.infer<typeof params>; Body: Json }>(
    '/v1/ag-ui/:agent',
    { schema, config: { roles: ['starter', 'approver', 'admin'] } },
    async (request, reply) => {
      const { principal, params } = request;
      const run = { principal, agent: params.agent, input: readRun(request.body) };
      const leave = limits.take(principal.name);
      const connection = new SseConnection(reply, settings, app.draining);
      try {
        connection.open({ event: null, id: null, data: runError(TOKEN_OVER) });
        for await (const event of eventsOf(parts, run, connection.signal))
          await connection.send({ event: null, id: null, data: event });
      } finally {
        connection.end();
        leave();
      }
      return reply;
    },
  );
};

/** All events of a run. An error after the beginning is its last event. */
async function* eventsOf(parts: GatewayParts, run: RunOf, signal: AbortSignal): AsyncGenerator<AGUIEvent> {
  const { EventType, PROTOCOL_VERSION } = sdk.core();
  const { threadId, runId, unused } = run.input;
  yield { type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION };
  if (unused.tools + unused.context > 0 || unused.state)
    yield { type: EventType.CUSTOM, name: 'holdfast.not_used', value: unused };
  try {
    yield* turnEventsOf(parts, run, signal);
  } catch (error) {
    if (signal.aborted) return;
    yield runError(wrongOf(error) ?? unknownFault(parts, error));
  }
}

function runError({ reason, message, hint }: Wrong): AGUIEvent {
  const { EventType } = sdk.core();
  return { type: EventType.RUN_ERROR, code: reason, message: hint === undefined ? message : `${message} ${hint}` };
}

async function* turnEventsOf(parts: GatewayParts, run: RunOf, signal: AbortSignal): AsyncGenerator<AGUIEvent> {
  const { EventType } = sdk.core();
  const { input } = run;
  const { turn: begun, after, session } = await openRun(parts, run);
  const { id } = begun;
  const messages = withoutTurn(input.messages, id);
  yield { type: EventType.CUSTOM, name: 'holdfast.turn', value: { turn_id: id, events_url: `/v1/turns/${id}/events` } };
  // The turn is told from its beginning, to a client that has a part of it already.
  if (after === null && messages.length < input.messages.length)
    yield { type: EventType.MESSAGES_SNAPSHOT, messages: [...messages] };
  if (session !== null) await session.started(id, { signal });
  // A session that somebody made up can name any turn.
  const { turn, owner } = await visibleTurn(parts, run.principal, id);
  const history = after === null ? messages : [...input.messages];
  const { threadId, runId } = input;
  const events = new RunEvents(
    { threadId, runId, turnId: id, messages: history, after },
    new CallDetails(parts.store, turn, owner),
  );
  for await (const progress of followTurn(turn, { after, signal }))
    yield* 'rest' in progress ? events.end(progress.rest) : await events.of(progress.event);
}

function unknownFault({ log }: GatewayParts, error: unknown): Wrong {
  log.error({ err: error }, 'an AG-UI run failed');
  return {
    code: 'EXECUTION_ERROR',
    reason: 'gateway_failed',
    message: 'The run could not be answered; the log of the gateway says why.',
  };
}
