/** `GET /v1/pending`: what waits for a person. */
import { z } from 'zod';
import { pendingTurn, type PendingTurn } from '../../shapes/turn-list';
import { sightOf } from '../auth/principals';
import { answer, answers } from '../schemas/answers';
import { examplePending } from '../schemas/examples';
import type { Route } from '../route';

const pendingTurns = z.object({ turns: z.array(pendingTurn) });

const schema = {
  summary: 'What waits for a person',
  description:
    'Turns and direct calls in which a call waits for approval, or is in doubt. Their workers tell the calls; where none answers for five seconds, `unreachable` says why, and the rest is what Temporal knows.',
  tags: ['turns'],
  response: answers({ 200: answer('All that waits now.', pendingTurns, { turns: [examplePending] }) }),
};

export const pending: Route = (app, { client }) => {
  app.get<{ Reply: z.infer<typeof pendingTurns> }>(
    '/v1/pending',
    { schema, config: { roles: ['approver', 'auditor', 'admin'] } },
    async (request, reply) => {
      const turns = await (await client()).pending({ sight: sightOf(request.principal) });
      return reply.header('cache-control', 'no-store').send({ turns: within(MOST_CARDS, turns) });
    },
  );
};

/** Characters of all cards together: each may be long, and whoever starts turns decides how many there are. */
const MOST_CARDS = 4_000_000;

/** The short ones first: a few long ones must not hide all others. What does not fit is named, and not asked about. */
function within(most: number, turns: PendingTurn[]): PendingTurn[] {
  const length = ({ calls }: PendingTurn) => calls.reduce((sum, { card }) => sum + card.length, 0);
  const fit = new Set<PendingTurn>();
  let left = most;
  for (const turn of [...turns].sort((a, b) => length(a) - length(b))) if ((left -= length(turn)) >= 0) fit.add(turn);
  const unreachable =
    'Its cards do not fit into one answer beside the others: decide those first, or ask for it by `holdfast pending`.';
  return turns.map((turn) => (fit.has(turn) ? turn : { ...turn, calls: [], unreachable }));
}
