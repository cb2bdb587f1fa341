/** Types of a what-if: the proposal, and what it would have changed. */
import type { AgentPermissions, Approvals } from '../../rules';

/** The changes to compare with the record. An absent field stays as recorded. */
export interface Proposal {
  /** The agent that the proposal is for. Default: the agent of the bundle's first turn. */
  agent?: string;
  permissions?: Partial<AgentPermissions>;
  approvals?: Approvals;
  limits?: ProposedLimits;
}

export interface ProposedLimits {
  steps?: number;
  tokens?: number;
  costUsd?: number;
}

/** `not_reached`: the turn would have ended before the call, or not have started. */
export type Outcome = 'allowed' | 'asked' | 'refused' | 'not_reached' | 'cannot_tell';

/** The approvers' answer in the end. `open`: too few had decided. `answered`: the question of the model. */
export type Answer = 'approved' | 'answered' | 'denied' | 'expired' | 'edited' | 'superseded' | 'cancelled' | 'open';

export interface CallDecision {
  outcome: Outcome;
  /** Null: nobody was asked, or the answer is unknown. */
  answer: Answer | null;
  reason: string;
}

export interface CallDiff {
  callId: string;
  revision: number;
  tool: string;
  version: string;
  class: string;
  was: CallDecision;
  would: CallDecision;
  differs: boolean;
  /** An earlier step would have gone another way, so the model might not have proposed this call. */
  afterDifference: boolean;
}

/** Where a limit ends a turn. */
export interface Stop {
  /** The step that is not taken. */
  beforeStep: number;
  reason: string;
}

export interface TurnDiff {
  turnId: string;
  agent: string;
  /** Null: none of the compared limits ended it. `cannot_tell`: the record does not have all that the limits count. */
  wasStopped: Stop | null | 'cannot_tell';
  wouldStop: Stop | null | 'cannot_tell';
  differs: boolean;
  calls: CallDiff[];
  /** Number of calls of which nothing is known: their admission was left out, and there is no history. */
  hidden: number;
}

export interface WhatIf {
  agent: string;
  turns: TurnDiff[];
  /** Number of calls and of ends of turns that would have differed. */
  differences: number;
  /** Number of those for which this is unknown. */
  unknown: number;
}

/** The proposal does not fit the bundle. The message lists every fault. */
export class ProposalError extends Error {
  override readonly name = 'ProposalError';
}
