/** Tables as in fact-tables.ts, for facts of a whole turn that more than one record states. */
import type { EndTurnInput, EndTurnOutput } from '../../shared/io/step';
import type { Place, Table } from './fact-tables';

/** How a turn without a final answer was to end; the end block has it too. */
export const END_TURN_INPUT = {
  turn: 'once.compared field by field',
  at: 'block.at',
  head: 'rule.D1',
  outcomes: 'once.compared field by field',
  state: 'run.state',
  reason: 'block.reason',
  envelope: 'once.whether one is wanted',
  begin: 'once.compared field by field',
  result_of: 'rule.D6',
} as const satisfies Record<keyof EndTurnInput, Place>;

export const END_TURN_OUTPUT = {
  head: 'names.block',
  envelope: 'run.envelope',
  result: 'rule.D6',
} as const satisfies Record<keyof EndTurnOutput, Place>;

/** Search attributes of a turn's workflow, each cut to 255 bytes. */
export const SEARCH_ATTRIBUTES = {
  HoldfastAgent: 'turn.HoldfastAgent',
  HoldfastRequester: 'turn.HoldfastRequester',
  HoldfastSession: 'turn.HoldfastSession',
  HoldfastState: 'rule.D1',
  HoldfastTool: 'rule.D1',
} as const satisfies Table;

/** The agent in the start block; the object of its definition has it too. */
export const STARTING_AGENT = {
  name: 'turn.agent',
  prompt_hash: 'rule.D1',
  tools: 'rule.D1',
} as const satisfies Table;

/** A call in the model's answer; the part of the admission has it too. */
export const TOOL_USE = {
  type: 'once.it says what the others are',
  id: 'rule.D2',
  name: 'rule.D2',
  input: 'rule.D2',
} as const satisfies Table;
