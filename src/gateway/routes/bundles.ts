/** Routes for audit bundles of a turn or a session. A bundle is made as fast as the client reads it. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { BundleOf, HoldfastClient } from '../../client/holdfast-client';
import { answers, textAnswer, sessionParams, turnParams } from '../schemas/common';
import { visibleSession, visibleTurn } from '../auth/turn-session-access';
import type { Route } from '../route';

const AUDITORS = ['auditor', 'admin'] as const;
const CONTENT_TYPE = 'application/jsonl; charset=utf-8';

type One = { Params: { id: string } };

const bundleSchema = (summary: string, params: object, ...errors: number[]) => ({
  summary,
  description:
    'JSON Lines, as docs/bundle-format.md says. The last line is the signature: an answer that was cut short has none. Of what runs still it is as far as that has come, and says so.',
  tags: ['audit'],
  params,
  response: answers(
    {
      200: textAnswer('The bundle.', 'application/jsonl', '{"body":{"v":"holdfast.bundle/3"},"kind":"bundle","n":0,"prev":null}'),
    },
    404,
    ...errors,
  ),
});

export const bundles: Route = (app, parts) => {
  // Without HEAD: it would make a bundle that nobody reads.
  const config = { config: { roles: AUDITORS }, exposeHeadRoute: false };

  app.get<One>(
    '/v1/turns/:id/bundle',
    { schema: bundleSchema('The audit bundle of a turn, or of a direct call', turnParams, 409), ...config },
    async ({ principal, params: { id } }, reply) => {
      await visibleTurn(parts, principal, id);
      return streamBundle(reply, await parts.client(), { turn: id });
    },
  );

  app.get<One>(
    '/v1/sessions/:id/bundle',
    { schema: bundleSchema('The audit bundle of a session', sessionParams, 409), ...config },
    async ({ principal, params: { id } }, reply) => {
      const { holdfast } = await visibleSession(parts, principal, id);
      return streamBundle(reply, holdfast, { session: id });
    },
  );
};

/** The first line is made before the answer begins, so that an error at the start is answered as an error. */
async function streamBundle(reply: FastifyReply, holdfast: HoldfastClient, of: BundleOf): Promise<FastifyReply> {
  // Reading changes nothing: only a bundle that is stored becomes a link of the chain.
  const lines = holdfast.bundle(of, { chained: false });
  const first = await lines.next();
  const all = async function* () {
    try {
      if (!first.done) yield first.value;
      yield* lines;
    } finally {
      await lines.return(undefined);
    }
  };
  const name = ('session' in of ? `session-${of.session}` : of.turn).replace(/[^A-Za-z0-9._-]/g, '_');
  return reply
    .type(CONTENT_TYPE)
    .header('content-disposition', `attachment; filename="${name}.jsonl"`)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-store')
    .send(Readable.from(all(), { objectMode: false }));
}
