/**
 * Tables as in fact-tables.ts, for facts of a turn's start, of its steps, of compaction, of people's decisions that the store keeps,
 * and of a result's envelope.
 */
import type { Envelope, EnvelopeMetadata } from '../../shared/wire/errors';
import type {
  CheckSteerInput,
  CheckSteerOutput,
  KeepSaidInput,
  KeepSaidOutput,
  ReadCardInput,
  ReadCardOutput,
  ReadSaidInput,
  ReadSaidOutput,
} from '../../shared/io/people';
import type { CompactInput, CompactOutput, TakeStepInput, TurnBegin } from '../../shared/io/step';
import type { CallInput, TurnInput, TurnPolicy } from '../../shared/io/turn';
import type { BundleBody } from '../format/lines';
import { TURN_CONTEXT, type Place, type Table } from './fact-tables';

/** The first line of a bundle. */
export const BUNDLE = {
  v: 'once.of the form',
  subject: 'rule.D1',
  namespace: 'once.only signatures of people name it (H5)',
  agent: 'turn.agent',
  tenant: 'turn.tenant',
  chained: 'once.of the chain',
  made_at: 'once.the exporter’s clock',
  made_by: 'once.of the exporter',
} as const satisfies Record<keyof BundleBody, Place>;

/** The workflow's argument. */
export const TURN_INPUT = {
  turn_id: 'turn.turn_id',
  agent: 'turn.agent',
  message: 'turn.message',
  requester: 'turn.requester',
  session_id: 'turn.session_id',
  trace_id: 'turn.trace_id',
  parent_head: 'rule.D1',
  attestation: 'turn.attestation',
  parent: 'turn.answers',
  session_workflow_id: 'rule.H8',
  context_full: 'rule.D1',
  callback_ref: 'rule.H8',
  resume: 'rule.D1',
} as const satisfies Record<keyof TurnInput, Place>;

export const CALL_INPUT = {
  turn_id: 'turn.turn_id',
  agent: 'turn.agent',
  tool: 'turn.tool',
  input_json: 'turn.input_json',
  requester: 'turn.requester',
  trace_id: 'turn.trace_id',
  options: 'rule.D1',
  attestation: 'turn.attestation',
  resume: 'rule.D1',
} as const satisfies Record<keyof CallInput, Place>;

/** The start block; that of a direct call has `call` and `signed_for`, too. */
export const START_BODY = {
  ...TURN_CONTEXT,
  agent: 'once.compared field by field',
  parent: 'once.an argument of any activity has it',
  policy_ref: 'turn.policy_ref',
  definition_ref: 'rule.D1',
  message_hash: 'turn.message_hash',
  outside: 'once.the definition has these tools, too, and where they come from stands here alone',
  attestation: 'turn.attestation',
} as const satisfies Table;

/**
 * The policy of a turn; the agent's definition has it too. Nothing else names the rules of a later step without calls: the verifier
 * checks only that the bundle has them.
 */
export const TURN_POLICY = {
  policy_ref: 'rule.D1',
  limits: 'rule.D1',
  max_parallel: 'rule.D1',
  sibling_abort: 'rule.D1',
  approval_expiry_ms: 'rule.D1',
  steer_supersedes: 'rule.D1',
} as const satisfies Record<keyof TurnPolicy, Place>;

export const TAKE_STEP_INPUT = {
  turn: 'once.compared field by field',
  step: 'rule.D1',
  at: 'rule.D1',
  head: 'rule.D1',
  message: 'turn.message',
  attestation: 'turn.attestation',
  outcomes: 'once.compared field by field',
  steers: 'once.compared field by field',
  all_refused: 'rule.D6',
} as const satisfies Record<keyof TakeStepInput, Place>;

/** What a turn without a successful step would have begun with. */
export const TURN_BEGIN = {
  message: 'turn.message',
  attestation: 'turn.attestation',
} as const satisfies Record<keyof TurnBegin, Place>;

export const COMPACT_INPUT = {
  turn: 'once.compared field by field',
  at: 'rule.D1',
  head: 'rule.D1',
  outcomes: 'once.compared field by field',
} as const satisfies Record<keyof CompactInput, Place>;

export const COMPACT_OUTPUT = {
  head: 'names.block',
  did: 'block.did',
  usage: 'rule.D1',
  took_ms: 'once.measured',
} as const satisfies Record<keyof CompactOutput, Place>;

export const KEEP_SAID_INPUT = {
  turn: 'once.compared field by field',
  said: 'said.said',
} as const satisfies Record<keyof KeepSaidInput, Place>;

export const KEEP_SAID_OUTPUT = {
  said_ref: 'names.said',
} as const satisfies Record<keyof KeepSaidOutput, Place>;

export const READ_SAID_INPUT = {
  turn: 'once.compared field by field',
  said_ref: 'names.said',
} as const satisfies Record<keyof ReadSaidInput, Place>;

export const READ_SAID_OUTPUT = {
  said: 'said.said',
} as const satisfies Record<keyof ReadSaidOutput, Place>;

export const READ_CARD_INPUT = {
  turn: 'once.compared field by field',
  card_ref: 'names.card',
} as const satisfies Record<keyof ReadCardInput, Place>;

export const READ_CARD_OUTPUT = {
  card: 'card.text',
  digest: 'card.digest',
  run_id: 'rule.D3',
} as const satisfies Record<keyof ReadCardOutput, Place>;

export const CHECK_STEER_INPUT = {
  turn: 'once.compared field by field',
  digest: 'rule.H9',
  attestation: 'rule.H9',
  at: 'rule.D1',
} as const satisfies Record<keyof CheckSteerInput, Place>;

export const CHECK_STEER_OUTPUT = {
  ok: 'rule.H9',
  principal: 'rule.H9',
} as const satisfies Record<keyof (CheckSteerOutput & { ok: true }), Place>;

/** The envelope in a result's part; the model receives its facts, and a direct call answers with it. */
export const ENVELOPE = {
  success: 'result.success',
  status: 'once.success says it',
  data: 'rule.D8',
  error: 'result.error',
  metadata: 'once.compared field by field',
  debug_info: 'once.of the worker',
} as const satisfies Record<keyof Envelope | 'data' | 'error', Place>;

export const ENVELOPE_METADATA = {
  tool_name: 'result.tool',
  tool_version: 'result.version',
  execution_time_ms: 'once.measured: of the tool, and not of its activity',
  timestamp: 'once.the worker’s clock',
  trace_id: 'turn.trace_id',
  performance: 'once.measured: what validation took has the second check in it',
  cache: 'once.of the worker',
  hooks: 'once.of the hooks; the model is told of it beside the result',
  metacognition: 'once.of a hook',
  debug: 'once.of the worker',
  deprecation: 'once.of the tool',
} as const satisfies Record<keyof EnvelopeMetadata, Place>;

/** The event with which a run continues as a new run; the first event of the new run has it too. */
export const CONTINUED_AS_NEW = {
  newExecutionRunId: 'rule.D1',
  workflowType: 'rule.D1',
  taskQueue: 'rule.D1',
  input: 'rule.D1',
  memo: 'rule.D1',
  searchAttributes: 'rule.D1',
} as const satisfies Table;
