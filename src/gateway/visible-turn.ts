/** A turn as a principal may see it. What he may not see is answered as what is not there. */
import type { HoldfastClient, TurnSummary } from '../client';
import { idsFromKey } from '../client/by-key';
import { TurnNotFound } from '../client/errors';
import type { TurnHandle } from '../client/turn-handle';
import type { TurnView } from '../shared/turn-view';
import type { GatewayParts } from './app';
import { Refusal, unknownTurn } from './errors';
import { sees, type Principal } from './principals';

export interface VisibleTurn {
  turn: TurnHandle;
  /** As Temporal has it: no worker was asked. */
  summary: TurnSummary;
  /** Null: it was started by something else than this version. */
  traceId: string | null;
  /** How it stands, asked of whoever knows. */
  view(): Promise<TurnView>;
}

/** @throws Refusal 404: there is no such turn, or it is not his to see; ServerUnreachable */
export async function visibleTurn({ client }: GatewayParts, principal: Principal, id: string): Promise<VisibleTurn> {
  const holdfast = await client();
  const { summary, traceId, view } = await holdfast.look(id).catch((error: unknown) => {
    if (!(error instanceof TurnNotFound)) throw error;
    return ownByKey(holdfast, principal, id);
  });
  const turn = holdfast.turn(summary.turn_id);
  if (!sees(principal, summary.requester)) throw new Refusal(unknownTurn(id));
  return { turn, summary, traceId, view };
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
