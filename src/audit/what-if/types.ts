/** A what-if: what is proposed, and what it would have changed. */
import type { AgentPermissions, Approvals } from '../../rules';

/** What might have been. What is absent stays as it was recorded. */
export interface Proposal {
  /** Whose rules, limits and approvals they are. Default: the agent of the bundle's first turn. */
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

/** `notReached`: the turn would have ended before the call was asked for. */
export type Outcome = 'allowed' | 'asked' | 'refused' | 'not_reached' | 'cannot_tell';

/** What people had said in the end. `open`: not enough of them anything. */
export type Answer = 'approved' | 'denied' | 'expired' | 'edited' | 'superseded' | 'cancelled' | 'open';

export interface CallDecision {
  outcome: Outcome;
  /** Null: nobody was asked, or it cannot be told. */
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
  /** A step before it would have gone another way, so the model might not have asked for it. */
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
  /** Null: no limit that is looked at here ended it. `cannot_tell`: what the limit counts is not all recorded. */
  wasStopped: Stop | null | 'cannot_tell';
  wouldStop: Stop | null | 'cannot_tell';
  differs: boolean;
  calls: CallDiff[];
  /** Calls of which nothing is known: their admission was left out, and there is no history. */
  hidden: number;
}

export interface WhatIf {
  agent: string;
  turns: TurnDiff[];
  /** How many calls and ends of turns would have been others. */
  differences: number;
  /** Of how many it cannot be told. */
  unknown: number;
}

/** The proposal does not fit the bundle. The message lists every fault. */
export class ProposalError extends Error {
  override readonly name = 'ProposalError';
}
