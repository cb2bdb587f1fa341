/** Types of a case file: a bundle as plain data, for the report and for a what-if. Times are ISO 8601. */
import type { FilePart } from '../../shared/turn/message';
import type { EffectRecordFacts } from '../../record/effect';
import type { ReadBlock } from '../../record/read-block';
import type { ModelOrigin, PassedModel } from '../../shared/io/activities';
import type { Json, JsonObject } from '../../shared/json/json';
import type { BundleBody, EndBody } from '../format/lines';
import type { Signature } from './signatures';

export interface CaseFile {
  /** The first line; null: the file has none. */
  bundle: BundleBody | null;
  /** In the order of the bundle: a sub-agent's turn comes after its parent. */
  turns: TurnCase[];
  /** Rules by `policy_ref`, definitions of agents by `definition_ref`. */
  objects: Map<string, Json>;
  /** The trailer; null: the bundle was cut short. */
  end: EndBody | null;
  /** The line at which reading failed, and why; null: the file was read to its end. */
  fault: { n: number; reason: string } | null;
  leftOut: LeftOut;
}

export interface LeftOut {
  /** Number of parts without a body, and of redacted payloads. */
  parts: number;
  payloads: number;
  /** Number of parts that are in the bundle, but too large for a report to hold. */
  tooLarge: number;
}

/** A file that a message names. */
export interface FileCase extends FilePart {
  /** Null: its part was left out. */
  sha256: string | null;
  /** Null: left out. */
  bytes: Buffer | null;
}

export interface TurnCase {
  turnId: string;
  workflowId: string;
  firstRunId: string;
  /** The parent turn and its call, for a sub-agent's turn. */
  parent: { turnId: string; callId: string } | null;
  /** A direct call: no model. */
  direct: boolean;
  agent: string;
  requester: string;
  /** The signature of the turn's start. */
  startSignature: Signature;
  sessionId: string | null;
  traceId: string | null;
  /** The user's message, or the direct call; null: left out, or never recorded. */
  asked: string | null;
  /** The answer. */
  answer: string | null;
  /** The data that its agent gave; null: none. */
  result: JsonObject | null;
  state: string;
  /** Why it ended in this state; null: no reason is recorded. */
  reason: string | null;
  startedAt: string | null;
  /** Null: the bundle records no end. */
  endedAt: string | null;
  model: string | null;
  policyRef: string | null;
  definitionRef: string | null;
  limits: JsonObject | null;
  usage: Usage;
  runs: RunCase[];
  steps: StepCase[];
  calls: CallCase[];
  /** Signals and updates that people sent to the turn, in order. */
  messages: MessageCase[];
  ignored: { count: number; last: JsonObject[] };
  outsiders: Outsiders;
  /** Files in messages and in results that the model saw. */
  files: FileCase[];
  effects: EffectRecordFacts[];
  /** From the conversation's first block on; blocks of this turn have `own`. */
  transcript: BlockCase[];
  head: string | null;
  /** Temporal's history is in the bundle. */
  hasHistory: boolean;
  complete: boolean;
  why: string | null;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
  costUsd: number;
  /** Tokens of models whose price is not known: what they cost is not in `costUsd`. */
  unpricedTokens: number;
}

export interface RunCase {
  runId: string;
  began: string;
  /** For a run that began with a reset: when the reset happened. */
  startedAt: string | null;
  endedAt: string | null;
  /** The end that Temporal recorded: `completed`, `failed`, `cancelled`, `terminated`, `timed_out`, `continued`; null: none. */
  ended: string | null;
  /** The reason that was given for a reset or a termination, or the failure. */
  reason: string | null;
  /** Who terminated it or asked for the cancellation, as Temporal recorded it. */
  by: string | null;
  events: number;
}

/** An activity: its last attempt, and the number of attempts. */
export interface ActivityCase {
  type: string;
  id: string;
  runId: string;
  eventId: number;
  /** Null: left out. */
  input: Json;
  output: Json;
  scheduledAt: string | null;
  /** Of the last attempt. */
  startedAt: string | null;
  endedAt: string | null;
  attempts: number;
  worker: string | null;
  /** The failure of the attempt before. */
  lastFailure: string | null;
  outcome: 'running' | 'completed' | 'failed' | 'timed_out' | 'cancelled';
  failure: string | null;
  /** A later reset took it back; what it did outside stays done. */
  takenBack: boolean;
}

export interface StepCase {
  step: number;
  /** A later reset took it back. */
  takenBack: boolean;
  activity: ActivityCase | null;
  at: string | null;
  model: string | null;
  /** The model that took the step, as the agent names it; null: not recorded. */
  origin: ModelOrigin | null;
  /** Models before it in the agent's chain that did not take the step. */
  passed: PassedModel[];
  messageId: string | null;
  requestId: string | null;
  stopReason: string | null;
  usage: Usage;
  text: string | null;
}

export interface CallCase {
  /** `<step>.<index>`. */
  id: string;
  revision: number;
  takenBack: boolean;
  step: number;
  tool: string;
  version: string;
  class: string;
  /** The model's id for it: untrusted. */
  toolUseId: string | null;
  verdict: string | null;
  reason: string | null;
  /** What the model wrote as the input. */
  askedInput: string | null;
  /** The effective input; null: left out, or not recorded. */
  input: JsonObject | null;
  /** Changes of the input, by hooks and by people. */
  changes: JsonObject[];
  digest: string | null;
  policyRef: string | null;
  /** The call's part of the admission block. Null: left out, or not recorded. */
  admission: JsonObject | null;
  /** Facts that the rules decided on, for this revision. Null: the rules were not asked, or the facts are not in the bundle. */
  facts: JsonObject | null;
  question: QuestionCase | null;
  decisions: DecisionCase[];
  /** All activities of the call, in order: `admitCall`, `runCall`, `inspectEffect`, `settleEffect`, those of a sub-agent … */
  activities: ActivityCase[];
  settlements: JsonObject[];
  state: string | null;
  effect: string | null;
  error: JsonObject | null;
  summary: string | null;
  resultRef: string | null;
  /** The result as the store has it; null: left out, or there is none. */
  result: JsonObject | null;
  note: string | null;
  idempotencyKey: string | null;
  /** The effect record. */
  record: EffectRecordFacts | null;
  subTurnId: string | null;
}

/** What a person was asked. */
export interface QuestionCase {
  askedAt: string | null;
  expiresAt: string | null;
  /** Markdown, as shown; null: left out. */
  card: string | null;
  cardRef: string | null;
  preview: Json;
  policy: JsonObject | null;
  /** Why the question was asked again. */
  held: JsonObject[];
  makers: string[];
}

export interface DecisionCase {
  decision: string;
  by: string;
  /** Whom a deputy decided for; absent: nobody else. */
  onBehalfOf?: string;
  note: string | null;
  at: string | null;
  channel: string | null;
  identity: string | null;
  cardRef: string | null;
  /** The answer to a question of the model; absent: it is none. */
  value?: Json;
  /** The signed claims; null: the decision is not signed, so the name is not proved. */
  claims: JsonObject | null;
  signature: Signature;
}

export interface MessageCase {
  at: string | null;
  channel: 'signal' | 'update';
  name: string;
  /** Null: left out, or unreadable. */
  body: Json;
  identity: string | null;
  /** The answer to an update; null: a signal, or no answer yet. */
  accepted: boolean | null;
  answer: string | null;
}

export interface BlockCase {
  ref: string;
  parent: string | null;
  kind: string;
  at: string | null;
  /** True: a block of this turn; false: of the conversation that it continues. */
  own: boolean;
  /** True: on the chain to the turn's head; false: on a branch that a reset left. */
  onChain: boolean;
  /** Bodies of its parts; null: left out. */
  bodies: Json[];
  /** Null: the block was redacted, or cannot be read. */
  read: ReadBlock | null;
  /** The signature of a message to the running turn. */
  signature: Signature;
}

export interface Outsiders {
  /** Names of tools, including the vendor's own. */
  by: string[];
  /** The rules were told that such text was read, or the turn above had read some. */
  told: boolean;
}
