/** Tables as in `fact-tables.ts`, for messages to a running turn and for sub-agents' turns. A new field needs an entry to compile. */
import type { CloseSubTurnInput, ForwardDecisionInput, OpenSubTurnInput, OpenSubTurnOutput } from '../../shared/io/sub-turns';
import type { Steer } from '../../shared/approval/decision';
import type { SubTurnReport, SubTurnStart } from '../../shared/turn/sub-turn';
import type { SubTurnView } from '../../shared/turn/turn-view';
import type { Place } from './fact-tables';
import { RUN_CALL_INPUT } from './fact-tables-decisions';

/** A message that a step was given; a signal or update, and the transcript, have it too. */
export const STEER = {
  text: 'rule.H9',
  by: 'rule.H9',
  at: 'rule.H9',
  channel: 'rule.H9',
  identity: 'rule.H9',
  attestation: 'rule.H9',
} as const satisfies Record<keyof Steer, Place>;

export const OPEN_SUB_TURN_INPUT = {
  ...RUN_CALL_INPUT,
  sub_turn_id: 'rule.D1',
} as const satisfies Record<keyof OpenSubTurnInput, Place>;

/** How a sub-agent's turn was opened; the argument that it is started with has it too. */
export const OPEN_SUB_TURN_OUTPUT = {
  open: 'rule.D1',
  agent: 'rule.D1',
  message: 'rule.D1',
  limits: 'once.an upper bound of what is reserved for it',
  within: 'rule.D1',
  depth_left: 'rule.D1',
  existing: 'once.of the moment; what it becomes is looked at once more',
} as const satisfies Record<keyof (OpenSubTurnOutput & { open: true }), Place>;

/** `parent` in the argument of a sub-agent's turn. */
export const SUB_TURN_START = {
  turn_id: 'rule.D1',
  workflow_id: 'rule.D1',
  first_execution_run_id: 'rule.D1',
  call_id: 'rule.D1',
  digest: 'rule.D1',
  head: 'rule.D1',
  within: 'rule.D1',
  untrusted: 'rule.D1',
  depth_left: 'rule.D1',
  limits: 'rule.D1',
  makers: 'rule.D1',
} as const satisfies Record<keyof SubTurnStart, Place>;

/** The last report on a sub-agent's turn. The call is answered with this report, and the turn's own result has it too. */
export const SUB_TURN_REPORT = {
  first_execution_run_id: 'rule.D6',
  agent: 'rule.D6',
  state: 'rule.D6',
  ended: 'rule.D6',
  head: 'rule.D6',
  reason: 'rule.D6',
  spent: 'rule.D6',
  waiting: 'rule.D6',
  said_by: 'once.asked each time, and not kept',
} as const satisfies Record<keyof SubTurnReport, Place>;

/**
 * The call is the one that the turn was opened for (D6). Its `dispatch` has no meaning here, and is nowhere else: `dispatch` of an
 * `openSubTurn` counts the names that were tried.
 */
export const CLOSE_SUB_TURN_INPUT = {
  turn: 'once.compared field by field',
  call: 'once.compared field by field',
  at: 'once.the workflow’s clock',
  head: 'once.its block is never written',
  approvals: 'once.those that it was opened by',
  untrusted: 'once.that of its call is compared where it was opened',
  verdict: 'once.that of its call is compared where it was opened',
  validation_ms: 'once.that of its call is compared where it was opened',
  options: 'once.a sub-agent has none',
  sub_turn_id: 'rule.D6',
  waited: 'once.a sub-agent’s call is no wait',
  report: 'rule.D6',
} as const satisfies Record<keyof CloseSubTurnInput, Place>;

/** The same in the result of the parent turn. */
export const SUB_TURN_VIEW = {
  call_id: 'rule.D6',
  turn_id: 'rule.D6',
  workflow_id: 'rule.D6',
  agent: 'rule.D6',
  state: 'rule.D6',
  head: 'rule.D6',
  usage: 'rule.D6',
  waiting: 'rule.D6',
} as const satisfies Record<keyof SubTurnView, Place>;

/** A decision that is passed on to a sub-agent's turn, which receives it as an update. */
export const FORWARD_DECISION_INPUT = {
  turn: 'once.compared field by field',
  workflow_id: 'rule.H9',
  body: 'rule.H9',
  identity: 'rule.H9',
} as const satisfies Record<keyof ForwardDecisionInput, Place>;
