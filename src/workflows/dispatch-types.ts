/** What the files of dispatch hand to each other. */
import type { CallArguments, CallOutcome, Decision, TurnContext } from '../shared/activity-io';
import type { Desk } from './desk';
import type { TurnData } from './state';

export interface Dispatch {
  turn: TurnContext;
  data: TurnData;
  desk: Desk;
}

export interface Ran {
  outcome: CallOutcome;
  /** Working time, ms. */
  took_ms: number;
}

export type Admission = { ok: true; args: CallArguments; decision: Decision | null } | { ok: false; outcome: CallOutcome };
