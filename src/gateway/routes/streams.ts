/** Routes for streams of turns and of direct calls, with common limits, and for the tickets that open them. */
import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import { streamLimits } from '../streams/connection';
import { STREAM_SETTINGS } from '../streams/settings';
import { toolEvents } from '../streams/tool-stream';
import { turnEvents } from '../streams/turn-events';
import { Refusal, type Wrong } from '../http/errors';
import type { Route } from '../route';
import { ROLES, STREAM_ADDRESS, TICKET_PARAMETER, ticketsOf } from '../auth/principals';
import { answer, answers, body } from '../schemas/common';

export const streams: Route = (app, parts) => {
  setMaxListeners(0, app.draining); // one for each open stream
  const settings = { ...STREAM_SETTINGS, ...parts.streams };
  const limits = streamLimits(parts);
  turnEvents(app, parts, limits, settings);
  toolEvents(app, parts, limits, settings);
};

// `POST /v1/tickets`: a ticket with which a browser's `EventSource` opens a stream.

const ticketRequest = z.strictObject({
  address: z.string().regex(new RegExp(STREAM_ADDRESS)).describe('Of the stream: path and query.'),
});
const ticket = z.object({ ticket: z.string(), expires_at: z.string().meta({ format: 'date-time' }) });

const schema = {
  summary: 'A ticket that opens one stream, for a minute',
  description: `For an \`EventSource\`, which cannot send a token: add \`${TICKET_PARAMETER}=TICKET\` to the address, as the last parameter of its query.`,
  tags: ['turns'],
  body: body(ticketRequest, { address: '/v1/turns/inv-7/events' }),
  response: answers({
    200: answer('The ticket.', ticket, { ticket: 'eyJ2Ijoi….h9A', expires_at: '2026-01-31T09:59:59.123Z' }),
  }),
};

export const tickets: Route = (app, { store }) => {
  const issuer = ticketsOf(store);
  app.post<{ Body: z.infer<typeof ticketRequest>; Reply: z.infer<typeof ticket> }>(
    '/v1/tickets',
    { schema, config: { roles: ROLES } },
    async (request, reply) => {
      if (request.signIn !== null) throw new Refusal(BY_COOKIE);
      return reply.header('cache-control', 'no-store').send(issuer.give(request.principal, request.body.address, Date.now()));
    },
  );
};

/** A ticket, and the stream that it opens, would outlive the sign-in. */
const BY_COOKIE: Wrong = {
  code: 'INVALID_PARAMS',
  reason: 'not_by_cookie',
  message: 'A person who is signed in at the page needs no ticket: the cookie opens streams.',
};
