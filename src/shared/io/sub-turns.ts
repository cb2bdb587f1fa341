/** A sub-agent's turn, from the turn that asked for it. */
import type { JsonObject } from '../json/json';
import type { OuterMode, SubTurnReport, TurnLimits } from '../turn/sub-turn';
import type { RunCallInput, RunCallOutput } from './call';
import type { TurnContext } from './turn';

/** May the call's sub-agent begin, with what, and is there a turn of that id already? */
export interface OpenSubTurnInput extends RunCallInput {
  sub_turn_id: string;
}

export type OpenSubTurnOutput =
  | {
      open: true;
      agent: string;
      message: string;
      /** The sub-agent's own, and what its tool allows. */
      limits: TurnLimits;
      within: OuterMode[];
      depth_left: number;
      /** A turn of that id that was started before, e.g. by a run before a reset. Null: there is none. */
      existing: ExistingSubTurn | null;
    }
  | { open: false; refused: RunCallOutput };

export interface ExistingSubTurn {
  /** `same`: it answers exactly this call; `other`: another call of this turn; `foreign`: it is not this turn's at all. */
  whose: 'same' | 'other' | 'foreign';
  report: SubTurnReport | null;
}

export interface LookAtSubTurnInput {
  turn: TurnContext;
  workflow_id: string;
}

/** The child has ended: its answer becomes the call's result. */
export interface CloseSubTurnInput extends RunCallInput {
  sub_turn_id: string;
  report: SubTurnReport;
}

/** A decision on a question of the child's: given to the child, which looks at it as at any other. */
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
