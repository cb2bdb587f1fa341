import type { TurnContext } from '../../shared/activity-io';
import { asJson, type Json, type JsonObject } from '../../shared/json/json';
import { type Store, StoreError } from '../../store/store';
import { withoutBytes } from '../../tools/results/binary';
import { cursorsFor } from '../../tools/results/pages';
import type { GivenContext } from '../../tools/run/run';
import { ToolError } from '../../tools/define/errors';
import { readResultOrData } from '../../record/parts';
import type { Dependencies } from '../ports';
import type { ToolContext, ToolLogger } from '../../tools/define/tool';

/** Of the notes of a run; far fewer are shown (`debug-info.ts`). */
const MOST_NOTES = 1000;

/** What a run noted besides its result. */
export interface Noted {
  /** Time in `network()`, ms; calls that overlap count once. */
  networkMs(): number;
  debug: JsonObject[];
}

/** What a tool's function is given, except signal and deadline, which the runner makes; and what it notes on the way. */
export function toolContext(
  deps: Dependencies,
  turn: TurnContext,
  facts: {
    tool: string;
    callId: string;
    idempotencyKey: string;
    attempt: number;
    progress: ToolContext['progress'];
    /** Default: the worker's. */
    log?: ToolLogger;
  },
): { context: GivenContext; noted: Noted } {
  const { tool, callId, ...given } = facts;
  const clock = new NetworkClock();
  const debug: JsonObject[] = [];
  const context = {
    log: deps.log,
    ...given,
    traceId: turn.trace_id,
    principal: turn.requester,
    network: <T>(work: () => Promise<T>) => clock.measure(work),
    debug: (fields: JsonObject) => void (debug.length < MOST_NOTES && debug.push(fields)),
    cursors: cursorsFor(deps.store.derivedKey('cursors'), { tool, principal: turn.requester }),
    store: {
      readResult: (ref: string) => readResultOf(deps.store, turn, ref),
      keepResult: (data: Json) => keepResultOf(deps.store, turn, callId, data),
    },
  };
  return { context, noted: { networkMs: () => clock.total(), debug } };
}

/** A part that names its turn like a stored result, so that `read_result` gives it to nobody else. */
function keepResultOf(store: Store, turn: TurnContext, callId: string, data: Json): Promise<string> {
  const { turn_id, session_id } = turn;
  return store.putPart(turn.first_execution_run_id, { turn_id, session_id, call_id: callId, kept: data });
}

/** Data of a stored result of this turn, or of its session: a copy, which the tool may change. The part itself says whose it is. */
async function readResultOf(store: Store, turn: TurnContext, ref: string): Promise<Json> {
  const unknown = new ToolError('RESOURCE_NOT_FOUND', 'unknown_ref', `There is no result ${ref} in this conversation.`, {
    hint: 'Use the ref exactly as the result gave it.',
    nothingHappened: false, // the tool may have acted before it asked
  });
  const body = await store.getPart(ref).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'not_found') throw unknown;
    throw error;
  });
  const stored = readResultOrData(body);
  if (stored === null) throw unknown;
  const sameSession = turn.session_id !== null && stored.session_id === turn.session_id;
  if (stored.turn_id !== turn.turn_id && !sameSession) throw unknown;
  if ('kept' in stored) return structuredClone(stored.kept);
  const { envelope } = stored;
  // Without the bytes of files: what a tool reads here it may hand to the model.
  return structuredClone(envelope.success ? withoutBytes(envelope.data) : asJson(envelope.error));
}

/** How long at least one piece of upstream work was under way: what runs side by side counts once. */
export class NetworkClock {
  private running = 0;
  private since = 0;
  private sum = 0;

  async measure<T>(work: () => Promise<T>): Promise<T> {
    if (this.running++ === 0) this.since = Date.now();
    try {
      return await work();
    } finally {
      if (--this.running === 0) this.sum += Date.now() - this.since;
    }
  }

  /** Milliseconds so far. */
  total(): number {
    return this.sum + (this.running > 0 ? Date.now() - this.since : 0);
  }
}
