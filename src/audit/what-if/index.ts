/** Compares a recorded turn with what other rules, limits or approver policies would have decided. */
export { whatIf } from './what-if';
export { readProposal, type ProposalText } from './read-proposal';
export { ProposalError, type CallDiff, type CallDecision, type Proposal, type Stop, type TurnDiff, type WhatIf } from './types';
