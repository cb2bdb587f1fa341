import type { TurnContext } from '../shared/activity-io';
import { isJsonObject, type Json } from '../shared/json';
import { StoreError, type Store } from '../store/store';
import type { ToolContext } from '../tools/define';
import { ToolError } from '../tools/errors';
import type { StoredResult } from '../tools/shape';
import type { Dependencies } from './dependencies';

/** What a tool's function is given, except the signal, which the runner makes. */
export function toolContext(
  deps: Dependencies,
  turn: TurnContext,
  facts: { idempotencyKey: string; attempt: number; progress: ToolContext['progress'] },
): Omit<ToolContext, 'signal'> {
  return {
    ...facts,
    traceId: turn.trace_id,
    principal: turn.requester,
    log: deps.log,
    store: { readResult: (ref) => readResultOf(deps.store, turn, ref) },
  };
}

/** Data of a stored result of this turn, or of its session: a copy, which the tool may change. The part itself says whose it is. */
async function readResultOf(store: Store, turn: TurnContext, ref: string): Promise<Json> {
  const unknown = new ToolError('RESOURCE_NOT_FOUND', 'unknown_ref', `There is no result ${ref} in this conversation.`, {
    hint: 'Use the ref exactly as the result gave it.',
  });
  const body = await store.getPart(ref).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'not_found') throw unknown;
    throw error;
  });
  if (!isJsonObject(body) || !('envelope' in body)) throw unknown;
  const stored = body as unknown as StoredResult;
  const sameSession = turn.session_id !== null && stored.session_id === turn.session_id;
  if (stored.turn_id !== turn.turn_id && !sameSession) throw unknown;
  const { envelope } = stored;
  return structuredClone(envelope.success ? envelope.data : (envelope.error as unknown as Json));
}
