/**
 * The bodies of blocks, kind by kind, as this build writes them (`write-block.ts`). What is read may come from an older build or
 * from a bundle that somebody has made up: `read-block.ts` gives each field a type, or nothing.
 */
import type { TurnContext } from '../shared/io/activities';
import type { ApprovalPolicy, Earlier, Decision, Settlement } from '../shared/approval/approval';
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
  /** Of the user's message; a direct call has `call` instead. */
  message_hash?: string;
  call?: { tool: string; asked_hash: string };
  /** Tools of MCP servers, `name@version`, and the servers that did not answer. Absent: the agent has no servers. */
  outside?: OfferedTools;
  /** The signed start, and what it was signed for where that is not the agent and the message above. */
  attestation?: string;
  signed_for?: { agent: string; message_hash: string };
}

export interface OfferedTools {
  tools: string[];
  missing: string[];
}

/** The first part of a message; each further part is one content block, as it goes over the wire. */
export interface MessageHead {
  role: 'user' | 'assistant';
  /** A message to the running turn: who has sent it, when and how. The text is content. */
  steer?: Omit<Steer, 'text'>;
  /** Turns of sub-agents whose answers stand in this message. */
  sub_turns?: AnsweringTurn[];
}

export interface AnsweringTurn {
  call_id: string;
  turn_id: string;
  workflow_id: string;
  first_execution_run_id: string;
  head: string | null;
}

/** The model request that an admission answers, and what the vendor's own tools did. */
export interface ModelRequest {
  message_id: string | null;
  request_id: string | null;
  model: string;
  stop_reason: string;
  usage: JsonObject;
  container?: JsonObject;
  /** What the vendor says that the window holds, tokens, where a request was too long for it. */
  context_window?: number;
  server_tools: JsonObject[];
  catalogue: { shown: string[] | null; tokens: number };
  definition_ref: string;
  subject: TurnSubject;
}

/** In the place of a model request, for a call that a backend asked for. */
export interface DirectRequest {
  direct: true;
  requester: string;
  definition_ref: string | null;
  subject: TurnSubject;
}

/** One call, as it was asked for and admitted. */
export interface AdmissionCall {
  call_id: string;
  tool_use_id: string;
  /** The model's own id, where another call has the same. */
  asked_id?: Json;
  tool: string;
  version: string;
  class: string;
  verdict: 'rejected' | 'allow' | 'ask';
  reason: string;
  error: CallError | null;
  /** As hooks left it. */
  input: JsonObject;
  /** What the model wrote. */
  asked: string;
  /** What rules looked at. */
  facts: JsonObject | null;
  target?: JsonObject;
  changes?: InputChangeRecord[];
  undecided?: true;
}

/** A hook, or a person, that changed a call's input. */
export interface InputChangeRecord {
  hook: string;
  why: string;
  before: JsonObject;
}

export type DecisionBody = (Decision | Omit<Earlier, 'revision'>) & { subject: CallSubject };

/** Written before a destructive call acts. */
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
  /** What approving it took. */
  approval: ApprovalPolicy;
  subject: CallSubject;
}

/** What became of a dispatch. */
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

/** What people found out about a call in doubt. */
export interface PersonSettlement extends SettlementOf, Pick<Settlement, 'by' | 'note' | 'identity'> {
  /** All of them, where several had to say so. */
  settlements?: Settlement[];
  /** What the effect's record says, where it was known better already. */
  recorded?: string;
}

/** What a tool's own probe found out. */
export interface ProbeSettlement extends SettlementOf {
  by: '';
  /** `name@version` */
  probe: string;
  evidence: string;
}

/** How room was made in a conversation. Both refs name the last message block that they are about; null: none. */
export interface SummaryBody {
  v: 'holdfast.summary/1';
  /** Long results up to there are replaced by a note. */
  cleared_to: string | null;
  /** `text` stands for everything up to there. */
  summarized_to: string | null;
  text: string | null;
  /** Of the context window, as the last answer's usage had it; for the record. */
  context_tokens: number;
}

export interface EndBody {
  state: string;
  reason: string | null;
}
