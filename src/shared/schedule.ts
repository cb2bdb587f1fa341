/** A schedule in its stored form, its names, and the input and report of its firings. Plain data: it travels through history. */
import type { TurnState } from './turn/turn-states';

/** At most 50 characters: with a time they make a turn id, with `schedule.` the name of a budget. */
export const SCHEDULE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

/** What happens when a firing is due while an earlier one still waits for its turn. */
export const OVERLAPS = ['skip', 'buffer_one', 'buffer_all', 'cancel_other', 'allow_all'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** The settings of a schedule, with all defaults filled in. */
export interface ScheduleSettings {
  name: string;
  /** Each of five fields, or a shorthand such as `@daily`; null: it has an interval. */
  cron: string[] | null;
  /** ms; null: it has cron expressions. */
  every_ms: number | null;
  /** IANA name. */
  timezone: string;
  agent: string;
  message: string;
  overlap: Overlap;
  /** A firing that the server could not start in time is started up to so much later, ms. */
  catchup_ms: number;
  /** Null: none. */
  cost: CostBudget | null;
}

/** A firing starts no turn while the turns that ended within the window cost this much together. */
export interface CostBudget {
  cost_usd: number;
  window_ms: number;
}

/** Whose definition it is: the app's, kept up to date by workers; or a command's, which workers leave alone. */
export type ScheduleOrigin = 'app' | 'command';

/** The argument of the workflow of one firing. The scheduled time is a search attribute, set by Temporal. */
export interface FiringInput {
  schedule: ScheduleSettings;
  origin: ScheduleOrigin;
}

/** How a firing ended. */
export interface FiringReport {
  schedule: string;
  /** ISO 8601 */
  scheduled_at: string;
  turn_id: string;
  /** `not_started`: no turn began; `elsewhere`: the turn was started before, by an earlier firing of the same time. */
  state: TurnState | 'not_started' | 'elsewhere';
  /** Why; null: the turn tells. */
  reason: string | null;
}

/** Of the schedule in Temporal; the same text is the requester of its turns. */
export function scheduleId(name: string): string {
  return `${SCHEDULE_PREFIX}${name}`;
}

export const SCHEDULE_PREFIX = 'schedule/';

/** Temporal adds `-` and the scheduled time. */
export function firingWorkflowId(name: string): string {
  return `firing/${name}`;
}

/**
 * `NAME-20261122T070000Z` (UTC): the same for the same time, however often a time is fired.
 * @param atMs the scheduled time, ms since 1970
 */
export function firingTurnId(name: string, atMs: number): string {
  return `${name}-${new Date(atMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** The register of the store with what the ended turns of a schedule cost. */
export function costRegister(name: string): string {
  return `kept/schedule/${name}/cost`;
}

// What the activities of a firing take and give.

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
