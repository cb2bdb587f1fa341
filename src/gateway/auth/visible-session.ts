/** A session as a principal may see it. What he may not see is answered as what is not there. */
import type { HoldfastClient } from '../../client';
import { SessionNotFound } from '../../client/errors';
import type { SessionSummary } from '../../shapes/session';
import type { SessionHandle } from '../../client/sessions/session-handle';
import { Refusal, type Wrong } from '../http/errors';
import { sees, type Principal } from './principals';
import type { GatewayParts } from '../route';

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
