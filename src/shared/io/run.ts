/** One run of a call. */
import type { Decision, Held } from '../approval/approval';
import type { CallError } from '../wire/errors';
import type { Effect } from '../turn/turn-view';
import type { CallArguments } from './call';
import type { CallOptions, TurnContext } from './turn';

export interface RunCallInput {
  turn: TurnContext;
  call: CallArguments;
  at: string;
  /** Destructive calls write into the transcript themselves, after this head. */
  head: string;
  /** In the order in which they were given; empty where nobody was asked. */
  approvals: Decision[];
  /** Facts that the rules were asked about at admission. Absent in older histories. */
  untrusted?: boolean;
  /** What admission decided. */
  verdict?: 'allow' | 'ask';
  /** What admission took, ms, for the envelope; absent in old histories. */
  validation_ms?: number;
  /** Absent: all as by default. */
  options?: CallOptions;
}

/** Of a recorded argument: histories from before there could be several have one, or null. */
export function approvalsOf({ approvals, ...older }: RunCallInput & { approval?: Decision | null }): Decision[] {
  return approvals ?? (older.approval ? [older.approval] : []);
}

export interface RunCallOutput {
  state: 'succeeded' | 'failed' | 'in_doubt';
  effect: Effect | null;
  result_ref: string;
  summary: string;
  error: CallError | null;
  attempts: number;
  took_ms: number;
  /** New head, for calls that wrote into the transcript; else null. */
  head: string | null;
  /** Destructive, put off before it was dispatched: ask again after so long, ms. Absent: it was not. */
  busy_ms?: number;
  /** Not dispatched: a person has to look again, for these reasons. Absent: nothing held it. */
  held?: Held[];
}
