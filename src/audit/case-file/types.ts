/** A bundle as plain data for readers: what the report shows, and what a what-if asks about. Times are ISO 8601. */
import type { ReadBlock } from '../../record/read-block';
import type { Json, JsonObject } from '../../shared/json/json';
import type { BundleBody, EndBody } from '../format/lines';
import type { Signature } from './signatures';

export interface CaseFile {
  /** The first line; null: the file does not even have that. */
  bundle: BundleBody | null;
  /** In the order of the bundle: a sub-agent's turn after the one that it answers. */
  turns: TurnCase[];
  /** Rules by `policy_ref`, definitions of agents by `definition_ref`. */
  objects: Map<string, Json>;
  /** The trailer; null: the bundle was cut short. */
  end: EndBody | null;
  /** Where reading ended, if it did not come to the end. */
  fault: { n: number; reason: string } | null;
  leftOut: LeftOut;
}

export interface LeftOut {
  /** Parts and payloads that redaction has taken out. */
  parts: number;
  payloads: number;
  /** Parts that are too much for a report to hold: they are in the bundle. */
  tooLarge: number;
}

export interface TurnCase {
  turnId: string;
  workflowId: string;
  firstRunId: string;
  /** Of a sub-agent's turn. */
  parent: { turnId: string; callId: string } | null;
  /** A direct call: no model. */
  direct: boolean;
  agent: string;
  requester: string;
  /** Of who started it. */
  startSignature: Signature;
  sessionId: string | null;
  traceId: string | null;
  /** The user's message, or the direct call; null: left out, or never recorded. */
  asked: string | null;
  /** The answer. */
  answer: string | null;
  state: string;
  /** Why it ended so, where that is not plain. */
  reason: string | null;
  startedAt: string | null;
  /** Null: it has not ended, as far as the bundle tells. */
  endedAt: string | null;
  model: string | null;
  policyRef: string | null;
  definitionRef: string | null;
  limits: JsonObject | null;
  usage: Usage;
  runs: RunCase[];
  steps: StepCase[];
  calls: CallCase[];
  /** What people sent to it, in order. */
  messages: MessageCase[];
  ignored: { count: number; last: JsonObject[] };
  outsiders: Outsiders;
  effects: JsonObject[];
  /** From the conversation's first block; `own` from where this turn begins. */
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
}

export interface RunCase {
  runId: string;
  began: string;
  /** Of a run that a reset began: when it was reset. */
  startedAt: string | null;
  endedAt: string | null;
  /** How Temporal says that it ended: `completed`, `failed`, `cancelled`, `terminated`, `timed_out`, `continued`; null: it did not. */
  ended: string | null;
  /** What whoever reset or terminated it gave as the reason. */
  reason: string | null;
  /** Who terminated it or asked for the cancellation, as Temporal recorded it. */
  by: string | null;
  events: number;
}

/** An activity: its last attempt, and how many there were. */
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
  /** How the attempt before failed. */
  lastFailure: string | null;
  outcome: 'running' | 'completed' | 'failed' | 'timed_out' | 'cancelled';
  failure: string | null;
  /** A later reset has taken it back; what it did outside stays done. */
  takenBack: boolean;
}

export interface StepCase {
  step: number;
  /** A later reset has taken it back. */
  takenBack: boolean;
  activity: ActivityCase | null;
  at: string | null;
  model: string | null;
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
  /** By hooks, and by people. */
  changes: JsonObject[];
  digest: string | null;
  policyRef: string | null;
  /** The part of the admission block. Null: left out, or not recorded. */
  admission: JsonObject | null;
  /** What the rules were asked about, of this revision. Null: they were not asked, or it was left out, or not recorded. */
  facts: JsonObject | null;
  question: QuestionCase | null;
  decisions: DecisionCase[];
  /** Everything that ran for it, in order: `runCall`, `inspectEffect`, `reconcileEffect`, `settleEffect`, those of a sub-agent. */
  activities: ActivityCase[];
  settlements: JsonObject[];
  state: string | null;
  effect: string | null;
  error: JsonObject | null;
  summary: string | null;
  resultRef: string | null;
  /** What the store keeps of the result; null: left out, or there is none. */
  result: JsonObject | null;
  note: string | null;
  idempotencyKey: string | null;
  record: JsonObject | null;
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
  /** Why it was asked about again. */
  held: JsonObject[];
  makers: string[];
}

export interface DecisionCase {
  decision: string;
  by: string;
  note: string | null;
  at: string | null;
  channel: string | null;
  identity: string | null;
  cardRef: string | null;
  /** What was signed; null: a bare one, whose name nobody has proved. */
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
  /** What an update was answered; null: a signal, or no answer yet. */
  accepted: boolean | null;
  answer: string | null;
}

export interface BlockCase {
  ref: string;
  parent: string | null;
  kind: string;
  at: string | null;
  /** Of this turn; false: of the conversation that it continues. */
  own: boolean;
  /** On the way to the turn's head; false: on a branch that a reset has left. */
  onChain: boolean;
  /** Bodies of its parts; null: left out. */
  bodies: Json[];
  /** Null: it was redacted, or says nothing that can be read. */
  read: ReadBlock | null;
  /** Of who has said it to the running turn. */
  signature: Signature;
}

export interface Outsiders {
  /** Names of tools, the vendor's own too. */
  by: string[];
  /** Rules were told so, or the turn above had read such words. */
  told: boolean;
}
