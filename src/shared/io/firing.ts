/** What the activities of a schedule's firing take and give. */
import type { FiringInput, FiringReport } from '../schedule/schedule';

/** Asks whether the turn of a firing may begin, and for the proof of who asks. */
export interface BeginFiringInput extends FiringInput {
  turn_id: string;
  /** ISO 8601 */
  scheduled_at: string;
}

export type BeginFiringOutput =
  /** `attestation`: the signed start; absent: this worker has no key, or its app does not define the schedule. */
  | { begin: true; attestation?: string }
  /** No turn begins; `reason` says why. */
  | { begin: false; reason: string };

/** Asks how the turn of a firing has ended, and counts what it cost. */
export interface EndFiringInput extends BeginFiringInput {
  /** How long to wait for its end, ms. */
  within_ms: number;
}

/** `running`: it goes on. */
export type EndFiringOutput = { state: 'running' } | Pick<FiringReport, 'state' | 'reason'>;
