/** Who has sent what to a turn, as Temporal has recorded it with the event. */
import { timeOf, type RunEvent } from '../../temporal/history';

export interface Sent {
  run_id: string;
  event_id: string;
  /** ISO 8601, the server's clock. */
  at: string;
  kind: 'start' | 'signal' | 'update' | 'cancel' | 'terminate';
  /** Of the signal or the update; else empty. */
  name: string;
  /** What the sender's client claims to be. */
  identity: string;
  /**
   * Who the server found the sender to be, `<type>/<name>`: from what it authenticated, so no client can choose it.
   * Null where the server records none: Temporal 1.32 and later do, with `frontend.enablePrincipalPropagation` and an authorizer.
   */
  principal: string | null;
}

/** Null: the event was not sent by anybody. Of a run that continues another, the start neither. */
export function sentOf({ runId, event }: Pick<RunEvent, 'runId' | 'event'>): Sent | null {
  const found = senderOf(event);
  if (found === null) return null;
  const { type, name } = event.principal ?? {};
  const principal = name ? `${type ?? ''}/${name}` : null;
  return { run_id: runId, event_id: String(event.eventId), at: timeOf(event), ...found, principal };
}

function senderOf(event: RunEvent['event']): Pick<Sent, 'kind' | 'name' | 'identity'> | null {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) return started.continuedExecutionRunId ? null : { kind: 'start', name: '', identity: started.identity ?? '' };
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) return { kind: 'signal', name: signal.signalName ?? '', identity: signal.identity ?? '' };
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
  if (update) return { kind: 'update', name: update.input?.name ?? '', identity: update.meta?.identity ?? '' };
  const cancel = event.workflowExecutionCancelRequestedEventAttributes;
  if (cancel) return { kind: 'cancel', name: '', identity: cancel.identity ?? '' };
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  return terminated ? { kind: 'terminate', name: '', identity: terminated.identity ?? '' } : null;
}
