/** Compares a recorded turn with what other rules, limits or approver policies would have decided. */
export { whatIf } from './what-if';
export { parseProposal, readProposal, type ProposalText } from './read-proposal';
export { whatIfView, type WhatIfView } from './view';
export { ProposalError, type CallDiff, type CallDecision, type Proposal, type Stop, type TurnDiff, type WhatIf } from './types';
