/** The messages between the process that asks for replays and the one that replays: one JSON value a line. */
import type { JsonObject } from '../../shared/json/json';
import type { Difference } from './compare';

/** A request to the child, with either `events` (proto3 JSON) or `history` (a `History` message in base64). */
export interface ReplayRequest {
  workflow_id: string;
  /** The run's own id, if it is known. */
  run_id: string | null;
  events?: JsonObject[];
  history?: string;
}

/** The first line of the child, once it is ready. */
export interface ChildReady {
  ready: true;
  /** Whether the child can reach other machines. */
  network: boolean;
  /** Whether the replayed code records its commands; if not, only Temporal's own check is made. */
  records: boolean;
}

/** The answer to a request; one each, in order. */
export interface ReplayResult {
  workflow_id: string;
  run_id: string;
  /** `turn`, `session` …; empty: the history was not read. */
  workflow_type: string;
  events: number;
  /** `cannot`: the history could not be replayed; `why` gives the reason. */
  outcome: 'same' | 'differs' | 'cannot';
  why: string | null;
  /** Whether Temporal's own determinism check passed; null: it was not made. */
  temporal: boolean | null;
  differences: Difference[];
  /** Differences that are known to be harmless (known-changes.ts): reason → how many. */
  harmless: Record<string, number>;
}
