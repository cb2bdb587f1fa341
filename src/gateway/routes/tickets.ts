/** `POST /v1/tickets`: how a browser's `EventSource` comes to open a stream. */
import { ROLES } from '../principals';
import { answers } from '../schemas';
import { STREAM_ADDRESS, TICKET_PARAMETER, ticketsOf } from '../tickets';
import type { Route } from '../route';

const schema = {
  summary: 'A ticket that opens one stream, for a minute',
  description: `For an \`EventSource\`, which cannot send a token: add \`${TICKET_PARAMETER}=TICKET\` to the address, as the last parameter of its query.`,
  tags: ['turns'],
  body: {
    type: 'object',
    required: ['address'],
    additionalProperties: false,
    properties: {
      address: {
        type: 'string',
        pattern: STREAM_ADDRESS,
        description: 'Of the stream: path and query.',
      },
    },
    examples: [{ address: '/v1/turns/inv-7/events' }],
  },
  response: answers({
    200: {
      description: 'The ticket.',
      type: 'object',
      required: ['ticket', 'expires_at'],
      properties: { ticket: { type: 'string' }, expires_at: { type: 'string', format: 'date-time' } },
      examples: [{ ticket: 'eyJ2Ijoi….h9A', expires_at: '2026-01-31T09:59:59.123Z' }],
    },
  }),
};

export const tickets: Route = (app, { store }) => {
  const made = ticketsOf(store);
  app.post<{ Body: { address: string } }>('/v1/tickets', { schema, config: { roles: ROLES } }, async (request, reply) =>
    reply.header('cache-control', 'no-store').send(made.give(request.principal, request.body.address, Date.now())),
  );
};
