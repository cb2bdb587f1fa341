/** What outsiders see of a turn: query `status`, the workflow's result, `holdfast show`. Types alone: workflows load no zod. */
export type {
  ApprovalView,
  CallView,
  DecisionView,
  DirectCallView,
  EarlierCalls,
  IgnoredSignal,
  SubTurnView,
  SurfacedCall,
  TurnView,
} from '../../shapes/turn-view';
export type { TurnUsage } from '../../shapes/usage';
export type { CallState, Effect, TurnState } from './turn-states';
