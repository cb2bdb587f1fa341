/**
 * Types of the bodies of blocks, by kind, as this build writes them (`write-block.ts`). To read blocks, use `read-block.ts`: blocks
 * of an older build or of a forged bundle may differ from these types.
 */
import type { ModelOrigin, PassedModel, TurnContext } from '../shared/io/activities';
import type { Earlier, Decision, Settlement } from '../shared/approval/approval';
import type { ApprovalPolicy, PolicyEntry } from '../shared/approval/policy';
import type { CallError } from '../shared/wire/errors';
import type { Json, JsonObject } from '../shared/json/json';
import type { Steer } from '../shared/approval/decision';
import type { CallSubject, TurnSubject } from './subject';

/** How a turn or a direct call began. */
export interface StartBody extends Omit<TurnContext, 'agent'> {
  /** Null: no agent was found for a direct call. */
  agent: { name: string; prompt_hash: string; tools: string[] } | null;
  policy_ref: string | null;
  definition_ref: string | null;
  /** Hash of the user's message; a direct call has `call` instead. */
  message_hash?: string;
  call?: { tool: string; asked_hash: string };
  /** Tools of MCP servers, `name@version`, and the servers that did not answer. Absent: the agent has no servers. */
  outside?: OfferedTools;
  /** The signed start; `signed_for`: its agent and message, if they are not those above. */
  attestation?: string;
  signed_for?: { agent: string; message_hash: string };
}

export interface OfferedTools {
  tools: string[];
  missing: string[];
}

/** The first part of a message. Each further part is one content block in wire format. */
export interface MessageHead {
  role: 'user' | 'assistant';
  /** For a message to the running turn: who sent it, when, and over which channel. The text is content. */
  steer?: Omit<Steer, 'text'>;
  /** Turns of sub-agents whose answers are in this message. */
  sub_turns?: AnsweringTurn[];
  /** Who made an answer. Absent: a user's message, or an answer from the time when Anthropic's API was the only one. */
  origin?: ModelOrigin;
}

/** `type` of the part, the last of its message, that has an answer in the vendor's own form. It is no block of content. */
export const VENDOR_ANSWER = 'holdfast.vendor_answer';

export interface AnsweringTurn {
  call_id: string;
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  head: string | null;
}

/** The model request that proposed the admitted calls, and the use of the vendor's own tools. */
export interface ModelRequest {
  message_id: string | null;
  request_id: string | null;
  model: string;
  stop_reason: string;
  usage: JsonObject;
  container?: JsonObject;
  /** Size of the context window in tokens, as the vendor gave it when a request was too long. */
  context_window?: number;
  server_tools: JsonObject[];
  /** The model that took the step, and those before it in the agent's chain that did not. Absent: it was the first. */
  origin?: ModelOrigin;
  passed?: PassedModel[];
  catalogue: { shown: string[] | null; tokens: number };
  definition_ref: string;
  subject: TurnSubject;
}

/** Replaces the model request in the admission of a direct call. */
export interface DirectRequest {
  direct: true;
  requester: string;
  definition_ref: string | null;
  subject: TurnSubject;
}

/** One call, as it was proposed and as it was admitted. */
export interface AdmissionCall {
  call_id: string;
  tool_use_id: string;
  /** The id that the model gave, if another call has the same one. */
  asked_id?: Json;
  tool: string;
  version: string;
  class: string;
  verdict: 'rejected' | 'allow' | 'ask';
  reason: string;
  error: CallError | null;
  /** The input after the hooks. */
  input: JsonObject;
  /** The input as the model wrote it. */
  asked: string;
  /** The facts that the rules decided on. */
  facts: JsonObject | null;
  target?: JsonObject;
  changes?: InputChangeRecord[];
  undecided?: true;
  /** Which entry of the tool's approval rules applies. Absent: the tool has no list of them. */
  approval_entry?: PolicyEntry;
}

/** A change of a call's input, by a hook or a person. */
export interface InputChangeRecord {
  hook: string;
  why: string;
  before: JsonObject;
}

export type DecisionBody = (Decision | Omit<Earlier, 'revision'>) & { subject: CallSubject };

/** Written before a destructive call runs. */
export interface DispatchBody {
  call_id: string;
  tool: string;
  version: string;
  digest: string;
  dispatch: number;
  idempotency_key: string;
  input_ref: string;
  preview_ref: string | null;
  input_hash: string;
  policy_ref: string;
  definition_ref: string;
  verdict: string | null;
  revision: number;
  /** The policy that the approval had to meet. */
  approval: ApprovalPolicy;
  subject: CallSubject;
}

/** The outcome of a dispatch. */
export interface EffectBody {
  call_id: string;
  digest: string;
  dispatch: number;
  idempotency_key: string;
  effect: string;
  result_ref: string;
  subject: CallSubject;
}

interface SettlementOf {
  call_id: string;
  digest: string;
  outcome: 'applied' | 'not_applied';
  idempotency_key: string;
  result_ref: string | null;
  subject: CallSubject;
}

/** People's settlement of a call in doubt. */
export interface PersonSettlement extends SettlementOf, Pick<Settlement, 'by' | 'note' | 'identity'> {
  /** All settlements, if several people had to settle. */
  settlements?: Settlement[];
  /** State of the effect record, if it already recorded another outcome. */
  recorded?: string;
}

/** The settlement of a call in doubt by a tool's own probe. */
export interface ProbeSettlement extends SettlementOf {
  by: '';
  /** `name@version` */
  probe: string;
  evidence: string;
}

/** How a conversation was shortened. Each ref names the last message block that it concerns; null: none. */
export interface SummaryBody {
  v: 'holdfast.summary/1';
  /** Long results up to this block are replaced by a note. */
  cleared_to: string | null;
  /** `text` replaces everything up to this block. */
  summarized_to: string | null;
  text: string | null;
  /** Tokens of the context window in use, by the last answer's usage. For information only. */
  context_tokens: number;
}

export interface EndBody {
  state: string;
  reason: string | null;
  /** Digest of the call whose input is the turn's result. Absent: the turn has none. */
  result_of?: string;
}
