/**
 * Finds a turn or a session for a principal and checks access: 404 if the principal may not see it, 403 if only its requester or an
 * admin may change it. A turn is also found by its idempotency key; one that still waits in its session is answered with 409.
 */
import type { HoldfastClient } from '../../client';
import type { TurnSummary } from '../../shapes/turn-view';
import { TurnNotFound, SessionNotFound } from '../../client/errors';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { SessionHandle } from '../../client/sessions/session-handle';
import { idsFromKey, isSessionId, sessionOfTurn } from '../../shared/ids';
import type { TurnView } from '../../shared/turn/turn-view';
import type { SessionSummary } from '../../shapes/session';
import { Refusal, unknownTurn, type Wrong } from '../http/errors';
import type { GatewayParts } from '../route';
import { sees, type Principal } from './principals';

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

export interface VisibleSession {
  session: SessionHandle;
  /** As Temporal has it: no worker was asked. */
  summary: SessionSummary;
  holdfast: HoldfastClient;
}

/** @throws Refusal 404: there is none, or it is not his to see */
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

/** The same for whoever wants to stop, rename or close it: its requester, or an admin. @throws Refusal 404; 403 */
export async function changeableSession(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleSession> {
  const found = await visibleSession(parts, principal, id);
  if (found.summary.requester === principal.name || principal.roles.includes('admin')) return found;
  throw new Refusal(NOT_YOURS);
}

/** The same for whoever speaks in it: nobody but its requester. @throws Refusal 404; 403 */
export async function ownSession(parts: GatewayParts, principal: Principal, id: string): Promise<VisibleSession> {
  const found = await visibleSession(parts, principal, id);
  if (found.summary.requester === principal.name) return found;
  throw new Refusal(NOT_YOURS);
}

const NOT_YOURS: Wrong = {
  code: 'PERMISSION_DENIED',
  reason: 'not_requester',
  message: 'You did not open this session; only whoever did speaks in it.',
};
