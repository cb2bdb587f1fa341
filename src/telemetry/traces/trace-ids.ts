/**
 * Ids of spans. The ids of a turn, its steps and its calls follow from what names them, so that a span can name its parent before
 * that has ended, and in another process; and so that the trace of a turn goes on after a worker was killed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { stepOfCall, type CallOfTurn } from '../../shared/io/turn';

/** What names a turn or direct call. */
export type TurnName = Pick<CallOfTurn, 'workflow_id' | 'first_execution_run_id'>;

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

/** @param traceId ours (`trace_20260131_…`), which a turn and its sub-agents' turns share */
export function traceIdOf(traceId: string): string {
  return hex(['trace', traceId], TRACE_BYTES);
}

export function turnSpanId(turn: TurnName): string {
  return spanIdOf(turn, 'turn', '');
}

export function stepSpanId(turn: TurnName, step: number | string): string {
  return spanIdOf(turn, 'step', String(step));
}

export function callSpanId({ call_id, ...turn }: CallOfTurn): string {
  return spanIdOf(turn, 'call', call_id);
}

/** What a call is part of: its step, or the turn itself for a direct call. */
export function parentOfCall(turn: TurnName, callId: string, isDirect: boolean): string {
  return isDirect ? turnSpanId(turn) : stepSpanId(turn, stepOfCall(callId));
}

export function spanIdOf({ workflow_id, first_execution_run_id }: TurnName, kind: string, id: string): string {
  return hex(['span', workflow_id, first_execution_run_id, kind, id], SPAN_BYTES);
}

function hex(parts: readonly string[], bytes: number): string {
  return createHash('sha256')
    .update(JSON.stringify(parts))
    .digest('hex')
    .slice(0, bytes * 2);
}

/** Gives the SDK random ids, except for a span whose ids are known: set `next` right before it starts. */
export class TraceIds {
  next: { traceId: string; spanId: string } | null = null;

  readonly generateTraceId = (): string => this.next?.traceId ?? randomBytes(TRACE_BYTES).toString('hex');
  readonly generateSpanId = (): string => this.next?.spanId ?? randomBytes(SPAN_BYTES).toString('hex');
}
