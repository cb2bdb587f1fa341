/**
 * Finds a turn or a session for a principal and checks access: 404 if the principal may not see it, 403 if only its requester or an
 * admin may change it. A turn is also found by its idempotency key; one that still waits in its session is answered with 409.
 */
import type { HoldfastClient } from '../../client/holdfast-client';
import type { TurnSummary } from '../../shapes/turn-view';
import { TurnNotFound, SessionNotFound } from '../../client/errors';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { SessionHandle } from '../../client/sessions/session-handle';
import { idsFromKey, isSessionId, sessionOfTurn } from '../../shared/ids';
import type { TurnView } from '../../shared/turn/turn-view';
import type { SessionSummary } from '../../shapes/session';
import type { Owner } from '../../record/owner';
import { Refusal, unknownTurn, type Wrong } from '../http/errors';
import type { GatewayParts } from '../route';
import { sees, type Principal } from './principals';

/** Time until a client asks again for a turn that has not begun, ms. */
const LATER_MS = 1000;

/** The turn waits in its session for earlier turns. */
export class NotBegun extends Refusal {
  constructor(
    id: string,
    readonly session: SessionHandle,
  ) {
    super({
      code: 'CONFIRMATION_REQUIRED',
      reason: 'not_begun',
      message: `The turn ${JSON.stringify(id)} has not begun: it waits for earlier turns of its session.`,
      hint: `GET /v1/sessions/${session.id} shows what runs and what waits; the stream of the turn's events begins with the turn.`,
      retryAfterMs: LATER_MS,
    });
  }
}

export interface VisibleTurn {
  turn: TurnHandle;
  /** As Temporal has it, without asking a worker. */
  summary: TurnSummary;
  /** Whose records of the store are shown for it: those that name this turn. */
  owner: Owner;
  /** Null: this version did not start the turn. */
  traceId: string | null;
  /** The turn's view, from its result or from a worker. */
  view(): Promise<TurnView>;
}

/** @throws Refusal 404: no such turn, or the principal may not see it; 409: its session has not begun it; ServerUnreachable */
export async function visibleTurn(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleTurn> {
  const holdfast = await parts.client();
  const { summary, traceId, owner, view } = await holdfast.look(id).catch(async (error: unknown) => {
    if (!(error instanceof TurnNotFound)) throw error;
    const session = await sessionToBegin(parts, principal, id);
    if (session !== null) throw new NotBegun(id, session);
    return ownByKey(holdfast, principal, id);
  });
  const turn = holdfast.turn(summary.turn_id, owner);
  if (!sees(principal, summary.requester)) throw new Refusal(unknownTurn(id));
  return { turn, summary, owner, traceId, view };
}

/** The visible session that has accepted the turn's message but has not begun the turn. Null: there is none. */
async function sessionToBegin(parts: GatewayParts, principal: Principal, turnId: string): Promise<SessionHandle | null> {
  const sessionId = sessionOfTurn(turnId);
  if (sessionId === null || !isSessionId(sessionId)) return null;
  const match = await visibleSession(parts, principal, sessionId).catch((error: unknown) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
  if (match === null) return null;
  const { running, queue } = await match.session.status();
  return [running, ...queue].some((turn) => turn?.turn_id === turnId) ? match.session : null;
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
 * Like `visibleTurn`, for a change: only the requester or an admin may make it.
 * @throws Refusal 404; 403 if the principal sees the turn, but did not start it
 */
export async function ownTurn(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleTurn> {
  const turn = await visibleTurn(parts, principal, id);
  if (turn.summary.requester === principal.name || principal.roles.includes('admin')) return turn;
  const message = `${principal.name} did not start this turn; only its requester or an admin may do this.`;
  throw new Refusal({ code: 'PERMISSION_DENIED', reason: 'not_requester', message });
}

export interface VisibleSession {
  session: SessionHandle;
  /** As Temporal has it, without asking a worker. */
  summary: SessionSummary;
  holdfast: HoldfastClient;
}

/** @throws Refusal 404: no such session, or the principal may not see it */
export async function visibleSession(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleSession> {
  const holdfast = await parts.client();
  const unknown: Wrong = {
    code: 'RESOURCE_NOT_FOUND',
    reason: 'unknown_session',
    message: `There is no session ${JSON.stringify(id.slice(0, 200))} that you may see.`,
  };
  try {
    const session = holdfast.session(id);
    const summary = await session.find();
    if (!sees(principal, summary.requester)) throw new Refusal(unknown);
    return { session, summary, holdfast };
  } catch (error) {
    throw error instanceof SessionNotFound ? new Refusal(unknown) : error;
  }
}

/** Like `visibleSession`, to stop, rename or close it: only its requester or an admin may. @throws Refusal 404; 403 */
export async function changeableSession(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleSession> {
  const session = await visibleSession(parts, principal, id);
  if (session.summary.requester === principal.name || principal.roles.includes('admin')) return session;
  throw new Refusal(NOT_YOURS);
}

/** Like `visibleSession`, to send messages: only its requester may. @throws Refusal 404; 403 */
export async function ownSession(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleSession> {
  const session = await visibleSession(parts, principal, id);
  if (session.summary.requester === principal.name) return session;
  throw new Refusal(NOT_YOURS);
}

const NOT_YOURS: Wrong = {
  code: 'PERMISSION_DENIED',
  reason: 'not_requester',
  message: 'You did not open this session; only its requester may send messages to it.',
};
