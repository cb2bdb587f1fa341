/** Which turn is being worked for: whatever is logged meanwhile, by whichever part or tool, carries these fields. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface TurnFields {
  trace_id?: string;
  turn_id?: string;
  session_id?: string;
  call_id?: string;
  tool?: string;
}

const scope = new AsyncLocalStorage<TurnFields>();

export function withTurn<R>(fields: TurnFields, work: () => R): R {
  return scope.run(fields, work);
}

/** For lines that only happen to be written while a turn is worked for. */
export function outsideTurns<R>(work: () => R): R {
  return scope.exit(work);
}

export function turnFields(): Partial<TurnFields> {
  return scope.getStore() ?? {};
}
