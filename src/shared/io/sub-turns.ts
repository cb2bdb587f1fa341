/** Inputs and outputs of the activities with which a turn opens, watches and closes a sub-agent's turn. */
import type { JsonObject } from '../json/json';
import type { OuterMode, SubTurnReport, TurnLimits } from '../turn/sub-turn';
import type { RunCallInput, RunCallOutput } from './call';
import type { TurnContext } from './turn';

/** Asks whether the call's sub-agent may begin, with what, and whether a turn with that id exists already. */
export interface OpenSubTurnInput extends RunCallInput {
  sub_turn_id: string;
}

export type OpenSubTurnOutput =
  | {
      open: true;
      agent: string;
      message: string;
      /** The sub-agent's own limits, narrowed by its tool's. */
      limits: TurnLimits;
      within: OuterMode[];
      depth_left: number;
      /** A turn with that id that was started before, e.g. by a run before a reset. Null: there is none. */
      existing: ExistingSubTurn | null;
    }
  | { open: false; refused: RunCallOutput };

export interface ExistingSubTurn {
  /** `same`: it answers exactly this call; `other`: another call of this turn; `foreign`: it does not belong to this turn. */
  whose: 'same' | 'other' | 'foreign';
  report: SubTurnReport | null;
}

export interface LookAtSubTurnInput {
  turn: TurnContext;
  workflow_id: string;
}

/** The child turn has ended: its answer becomes the call's result. */
export interface CloseSubTurnInput extends RunCallInput {
  sub_turn_id: string;
  report: SubTurnReport;
}

/** A decision on a question of the child turn. The child receives it and checks it like any other decision. */
export interface ForwardDecisionInput {
  turn: TurnContext;
  workflow_id: string;
  body: JsonObject;
  /** What the sender's client claimed to be. */
  identity: string;
}

export interface ForwardDecisionOutput {
  accepted: boolean;
  reason: string | null;
}
