/** A turn as a principal may see it. What he may not see is answered as what is not there. */
import type { HoldfastClient } from '../../client';
import type { TurnSummary } from '../../shapes/turn-list';
import { TurnNotFound } from '../../client/errors';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { SessionHandle } from '../../client/sessions/session-handle';
import { idsFromKey, isSessionId, sessionOfTurn } from '../../shared/ids';
import type { TurnView } from '../../shared/turn/turn-view';
import { Refusal, unknownTurn } from '../http/errors';
import { sees, type Principal } from './principals';
import { visibleSession } from './visible-session';
import type { GatewayParts } from '../route';

/** How long to leave a turn alone that has not begun. */
const LATER_MS = 1000;

/** The turn waits in its session for those before it. */
export class NotBegun extends Refusal {
  constructor(
    id: string,
    readonly session: SessionHandle,
  ) {
    super({
      code: 'CONFIRMATION_REQUIRED',
      reason: 'not_begun',
      message: `The turn ${JSON.stringify(id)} has not begun: those before it in its session come first.`,
      hint: `GET /v1/sessions/${session.id} shows what runs and what waits; the stream of the turn's events begins with the turn.`,
      retryAfterMs: LATER_MS,
    });
  }
}

export interface VisibleTurn {
  turn: TurnHandle;
  /** As Temporal has it: no worker was asked. */
  summary: TurnSummary;
  /** Null: it was started by something else than this version. */
  traceId: string | null;
  /** How it stands, asked of whoever knows. */
  view(): Promise<TurnView>;
}

/** @throws Refusal 404: there is no such turn, or it is not his to see; 409: its session has not begun it; ServerUnreachable */
export async function visibleTurn(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleTurn> {
  const holdfast = await parts.client();
  const { summary, traceId, view } = await holdfast.look(id).catch(async (error: unknown) => {
    if (!(error instanceof TurnNotFound)) throw error;
    const session = await sessionToBegin(parts, principal, id);
    if (session !== null) throw new NotBegun(id, session);
    return ownByKey(holdfast, principal, id);
  });
  const turn = holdfast.turn(summary.turn_id);
  if (!sees(principal, summary.requester)) throw new Refusal(unknownTurn(id));
  return { turn, summary, traceId, view };
}

/** The session that has taken the turn's message and has not begun the turn, where he may see it. Null: there is none. */
async function sessionToBegin(parts: GatewayParts, principal: Principal, turnId: string): Promise<SessionHandle | null> {
  const sessionId = sessionOfTurn(turnId);
  if (sessionId === null || !isSessionId(sessionId)) return null;
  const found = await visibleSession(parts, principal, sessionId).catch((error: unknown) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
  if (found === null) return null;
  const { running, queue } = await found.session.status();
  return [running, ...queue].some((turn) => turn?.turn_id === turnId) ? found.session : null;
}

/** What the principal has started under this idempotency key. @throws TurnNotFound */
async function ownByKey(holdfast: HoldfastClient, { name }: Principal, key: string): ReturnType<HoldfastClient['look']> {
  for (const own of idsFromKey(name, key)) {
    try {
      return await holdfast.look(own);
    } catch (error) {
      if (!(error instanceof TurnNotFound)) throw error;
    }
  }
  throw new TurnNotFound(key);
}

/**
 * The same for whoever wants to change what goes on: the requester himself, or an admin.
 * @throws Refusal 404; 403 where he sees it, and it is another one's
 */
export async function ownTurn(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleTurn> {
  const found = await visibleTurn(parts, principal, id);
  if (found.summary.requester === principal.name || principal.roles.includes('admin')) return found;
  const message = `${principal.name} did not start this turn; whoever did, or an admin, may do this.`;
  throw new Refusal({ code: 'PERMISSION_DENIED', reason: 'not_requester', message });
}
