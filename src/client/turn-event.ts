/** What happens in a turn, as its watchers are told. */
import type { LiveEvent } from '../live/bus';
import type { CallError } from '../shared/errors';

/** Those of the live events are not durable; but a destructive call that is dispatched again is in the history too. */
export type TurnEvent = LiveEvent | DurableEvent;

export type DurableEvent = { at: string } & (
  | { type: 'turn_started'; turn_id: string; agent: string; message: string }
  | { type: 'step_started'; step: number }
  | { type: 'step_completed'; step: number; text: string; calls: { id: string; tool: string; verdict: string }[] }
  | { type: 'tool_started'; call: string; tool: string }
  | { type: 'tool_result'; call: string; tool: string; summary: string; effect: string | null }
  | { type: 'tool_error'; call: string; tool: string; error: CallError | null; effect: string | null }
  | { type: 'approval_requested'; call: string; tool: string; digest: string; expires_at: string | null }
  | { type: 'approval_decided'; call: string; tool: string; digest: string; decision: string; by: string; note: string | null }
  /** Somebody has reset the workflow through Temporal: what follows comes after an earlier moment. What was done stays done. */
  | { type: 'turn_reset'; reason: string | null }
  | { type: 'turn_completed'; state: string; reason: string | null; text: string }
);
