/**
 * Reads the bodies of a block field by field, with a type. A field is null if an older build did not write it, or if a bundle
 * has it redacted or of a wrong type.
 */
import type { ApprovalPolicy, EscalationRule, PolicyEntry } from '../shared/approval/policy';
import type { OuterMode, ParentTurn } from '../shared/turn/sub-turn';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { BlockKind } from '../shared/turn/transcript';
import { optional } from '../shared/json/optional';
import type { ModelOrigin, PassedModel } from '../shared/io/activities';
import { VENDOR_ANSWER } from './blocks';
import { list, number, object, objectOrNull, text, textOrNull } from './fields';

type Text = string | null;

export interface ReadStart {
  turn_id: Text;
  workflow_id: Text;
  first_execution_run_id: Text;
  session_id: Text;
  trace_id: Text;
  store_id: Text;
  requester: Text;
  /** The agent's name. */
  agent: Text;
  policy_ref: Text;
  definition_ref: Text;
  message_hash: Text;
  /** The parent, for a sub-agent's turn. */
  parent: ParentTurn | null;
  /** `name@version` of the tools of MCP servers. */
  outside: string[];
  attestation: Text;
  signed_for: { agent: string; message_hash: string } | null;
}

export interface ReadMessage {
  role: Text;
  /** The sender of a message to the running turn; null: no such message. */
  steer: { by: string; at: Text; attestation: Text } | null;
  /** Turns of sub-agents whose answers are in this message. */
  sub_turns: { call_id: Text; turn_id: Text; head: Text }[];
  content: JsonObject[];
  /** Who made an answer. Null: a message of a user, or an older build, which knew Anthropic's API alone. */
  origin: ModelOrigin | null;
  /** An answer in the vendor's own form. Absent: that is its content. */
  raw?: Json;
}

export interface ReadSubject {
  turn_id: Text;
  workflow_id: Text;
  agent: Text;
  requester: Text;
  call_id: Text;
  revision: number | null;
  tool: Text;
  version: Text;
  class: Text;
}

export interface ReadAdmission {
  direct: boolean;
  /** The vendor's ids of the model's answer and of the request. */
  message_id: Text;
  request_id: Text;
  model: Text;
  stop_reason: Text;
  usage: JsonObject | null;
  /** Tokens. */
  context_window: number | null;
  container: { id: Text; expires_at: Text } | null;
  /** Which model took the step. Null: an older build did not record it. */
  origin: ModelOrigin | null;
  /** Models before it in the agent's chain, and why each did not take the step. */
  passed: PassedModel[];
  definition_ref: Text;
  subject: ReadSubject | null;
  /** Without calls that were redacted. */
  calls: ReadAdmittedCall[];
}

export interface ReadAdmittedCall {
  call_id: Text;
  tool: Text;
  version: Text;
  class: Text;
  verdict: Text;
  /** Whether the conversation had read outsiders' text before; null: the rules were not asked. */
  untrusted: boolean | null;
}

export interface ReadDecision {
  decision: Text;
  digest: Text;
  by: Text;
  note: Text;
  at: Text;
  subject: ReadSubject | null;
}

export interface ReadDispatch {
  digest: Text;
  idempotency_key: Text;
  preview_ref: Text;
  /** The policy that the approval had to meet; null: an older build did not record it. */
  approval: ApprovalPolicy | null;
  subject: ReadSubject | null;
}

export interface ReadEffect {
  digest: Text;
  effect: Text;
  result_ref: Text;
  subject: ReadSubject | null;
}

export interface ReadSettlement extends ReadSettlementEntry {
  digest: Text;
  /** All settlements, if several people had to settle. */
  settlements: ReadSettlementEntry[] | null;
  subject: ReadSubject | null;
}

/** The settlement of one person, or of a probe. */
export interface ReadSettlementEntry {
  outcome: Text;
  by: Text;
  note: Text;
  at: Text;
}

export interface ReadSummary {
  cleared_to: Text;
  summarized_to: Text;
  text: Text;
}

export interface ReadEnd {
  state: Text;
  reason: Text;
  /** Digest of the call whose input is the turn's result; null: it has none. */
  result_of: Text;
}

export interface ReadEnrolmentBlock {
  /** Hash of the passkey's public key. */
  digest: Text;
  /** The `kid` of the key that signed it. */
  by: Text;
  subject: ReadSubject | null;
}

/** A use of the stop switch. */
export interface ReadStop {
  /** `frozen`, `unfrozen` or `approvals_withdrawn`. */
  act: Text;
  by: Text;
  reason: Text;
  subject: ReadSubject | null;
}

export type ReadBlock =
  | ({ kind: 'start' } & ReadStart)
  | ({ kind: 'message' } & ReadMessage)
  | ({ kind: 'admission' } & ReadAdmission)
  | ({ kind: 'decision' } & ReadDecision)
  | ({ kind: 'dispatch' } & ReadDispatch)
  | ({ kind: 'effect' } & ReadEffect)
  | ({ kind: 'settlement' } & ReadSettlement)
  | ({ kind: 'summary' } & ReadSummary)
  | ({ kind: 'end' } & ReadEnd)
  | ({ kind: 'enrolment' } & ReadEnrolmentBlock)
  | ({ kind: 'deputy' } & ReadEnrolmentBlock & { ended: boolean })
  | ({ kind: 'stop' } & ReadStop);

/** The fields of a block of one kind. */
export type ReadOf<K extends BlockKind> = Extract<ReadBlock, { kind: K }>;

/** The fields that a readable block needs, in a store or in a bundle. */
interface WithBodies {
  block: { kind: BlockKind };
  bodies: readonly Json[];
}

/** Blocks that cannot change any more: a step reads the whole transcript several times. */
const READ_BLOCKS = new WeakMap<readonly Json[], ReadBlock | null>();

/** Null: the first body was redacted or is no object, or the kind is unknown. */
export function readBlock(block: WithBodies): ReadBlock | null {
  const { bodies } = block;
  if (!Object.isFrozen(bodies)) return readFields(block);
  const entry = READ_BLOCKS.get(bodies);
  if (entry !== undefined) return entry;
  const read = readFields(block);
  READ_BLOCKS.set(bodies, read);
  return read;
}

function readFields({ block: { kind }, bodies }: WithBodies): ReadBlock | null {
  const [body = null, ...rest] = bodies;
  if (!isJsonObject(body)) return null;
  switch (kind) {
    case 'start':
      return { kind, ...readStart(body) };
    case 'message':
      return { kind, ...readMessage(body), content: messageContent(bodies), ...rawAnswer(bodies) };
    case 'admission':
      return { kind, ...readAdmission(body, rest) };
    case 'decision':
      return { kind, ...readDecision(body) };
    case 'dispatch':
      return { kind, ...readDispatch(body) };
    case 'effect':
      return { kind, ...texts(body, ['digest', 'effect', 'result_ref']), subject: readSubject(body) };
    case 'settlement':
      return { kind, ...readSettlement(body) };
    case 'summary':
      return { kind, ...texts(body, ['cleared_to', 'summarized_to', 'text']) };
    case 'end':
      return { kind, ...texts(body, ['state', 'reason', 'result_of']) };
    case 'enrolment':
      return { kind, ...texts(body, ['digest', 'by']), subject: readSubject(body) };
    case 'deputy':
      return { kind, ...texts(body, ['digest', 'by']), ended: body.ended === true, subject: readSubject(body) };
    case 'stop':
      return { kind, ...texts(body, ['act', 'by', 'reason']), subject: readSubject(body) };
    default: // in a forged bundle
      return null;
  }
}

/** The content of a message block, in wire format, from all of its bodies: also if its head was redacted. */
export function messageContent([, ...content]: readonly Json[]): JsonObject[] {
  return content.filter(isJsonObject).filter(({ type }) => type !== VENDOR_ANSWER);
}

function rawAnswer(bodies: readonly Json[]): Pick<ReadMessage, 'raw'> {
  const last = objectOrNull(bodies.at(-1));
  return last?.type === VENDOR_ANSWER ? optional({ raw: last.raw }) : {};
}

/** The blocks of one kind, in order, without those that cannot be read. */
export function blocksOf<K extends BlockKind>(kind: K, blocks: readonly WithBodies[]): ReadOf<K>[] {
  return ofKind(kind, blocks.filter(({ block }) => block.kind === kind).map(readBlock));
}

/** The last block of one kind; no other block is read. Null: there is none, or it cannot be read. */
export function lastOf<K extends BlockKind>(kind: K, blocks: readonly WithBodies[]): ReadOf<K> | null {
  const last = blocks.findLast(({ block }) => block.kind === kind);
  return ofKind(kind, last ? [readBlock(last)] : [])[0] ?? null;
}

/** The blocks of one kind, among blocks that have been read. */
export function ofKind<K extends BlockKind>(kind: K, blocks: readonly (ReadBlock | null)[]): ReadOf<K>[] {
  return blocks.filter((read): read is ReadOf<K> => read?.kind === kind);
}

function readStart(body: JsonObject): ReadStart {
  const { agent, parent, outside, signed_for } = body;
  const signedFor = objectOrNull(signed_for);
  return {
    ...texts(body, ['turn_id', 'workflow_id', 'first_execution_run_id', 'session_id', 'trace_id', 'store_id', 'requester']),
    ...texts(body, ['policy_ref', 'definition_ref', 'message_hash', 'attestation']),
    agent: textOrNull(object(agent).name),
    parent: isJsonObject(parent) ? readParent(parent) : null,
    outside: list(object(outside).tools).map(text),
    signed_for: signedFor && { agent: text(signedFor.agent), message_hash: text(signedFor.message_hash) },
  };
}

function readParent(parent: JsonObject): ParentTurn {
  return {
    turn_id: text(parent.turn_id),
    workflow_id: text(parent.workflow_id),
    first_execution_run_id: text(parent.first_execution_run_id),
    call_id: text(parent.call_id),
    digest: text(parent.digest),
    head: text(parent.head),
    within: list(parent.within).filter((mode): mode is OuterMode => mode === 'plan' || mode === 'locked'),
    untrusted: parent.untrusted === true,
    depth_left: number(parent.depth_left),
  };
}

function readMessage(head: JsonObject): Omit<ReadMessage, 'content' | 'raw'> {
  const steer = objectOrNull(head.steer);
  return {
    role: textOrNull(head.role),
    steer: steer && { by: text(steer.by), ...texts(steer, ['at', 'attestation']) },
    sub_turns: list(head.sub_turns).map((turn) => texts(object(turn), ['call_id', 'turn_id', 'head'])),
    origin: readOrigin(head),
  };
}

function readAdmission(head: JsonObject, calls: Json[]): ReadAdmission {
  const container = objectOrNull(head.container);
  return {
    direct: head.direct === true,
    ...texts(head, ['message_id', 'request_id', 'model', 'stop_reason', 'definition_ref']),
    usage: objectOrNull(head.usage),
    context_window: typeof head.context_window === 'number' ? head.context_window : null,
    container: container && texts(container, ['id', 'expires_at']),
    origin: readOrigin(head),
    passed: list(head.passed).filter(isJsonObject).map(readPassedModel),
    subject: readSubject(head),
    calls: calls.filter(isJsonObject).map(readAdmittedCall),
  };
}

function readOrigin({ origin }: JsonObject): ModelOrigin | null {
  return isJsonObject(origin) ? { provider: text(origin.provider), model: text(origin.model) } : null;
}

function readPassedModel({ model, reason, attempts }: JsonObject): PassedModel {
  return { model: text(model), reason: text(reason), attempts: number(attempts) };
}

/** The inputs of the calls that a block admitted, by call id. Empty for a block of another kind. */
export function admittedInputs({ block, bodies }: WithBodies): Map<string, JsonObject> {
  const calls = block.kind === 'admission' ? bodies.slice(1).filter(isJsonObject) : [];
  return new Map(
    calls.flatMap(({ call_id, input }) => (typeof call_id === 'string' && isJsonObject(input) ? [[call_id, input]] : [])),
  );
}

function readAdmittedCall(call: JsonObject): ReadAdmittedCall {
  const { untrusted } = object(object(call.facts).turn);
  const fields = texts(call, ['call_id', 'tool', 'version', 'class', 'verdict']);
  return { ...fields, untrusted: typeof untrusted === 'boolean' ? untrusted : null };
}

function readDecision(body: JsonObject): ReadDecision {
  return { ...texts(body, ['decision', 'digest', 'by', 'note', 'at']), subject: readSubject(body) };
}

function readDispatch(body: JsonObject): ReadDispatch {
  const fields = texts(body, ['digest', 'idempotency_key', 'preview_ref']);
  return { ...fields, approval: isJsonObject(body.approval) ? readPolicy(body.approval) : null, subject: readSubject(body) };
}

function readPolicy({ channel, quorum, roles, four_eyes, remind_ms, notify, escalate, entry }: JsonObject): ApprovalPolicy {
  return {
    channel: channel === 'attested' ? 'attested' : 'any',
    quorum: number(quorum, 1),
    roles: list(roles).map(text),
    four_eyes: four_eyes === true,
    remind_ms: list(remind_ms).map((ms) => number(ms)),
    notify: notify === true,
    ...(Array.isArray(escalate) ? { escalate: escalate.filter(isJsonObject).map(readEscalation) } : {}),
    ...(isJsonObject(entry) ? { entry: readEntry(entry) } : {}),
  };
}

function readEscalation({ after_ms, roles }: JsonObject): EscalationRule {
  return { after_ms: number(after_ms), roles: list(roles).map(text) };
}

function readEntry({ index, when, result }: JsonObject): PolicyEntry {
  const outcome = result === 'matched' || result === 'failed' ? result : 'none';
  return { index: typeof index === 'number' ? index : null, when: textOrNull(when), result: outcome };
}

function readSettlement(body: JsonObject): ReadSettlement {
  const { settlements } = body;
  const entryOf = (one: JsonObject): ReadSettlementEntry => texts(one, ['outcome', 'by', 'note', 'at']);
  return {
    digest: textOrNull(body.digest),
    ...entryOf(body),
    settlements: Array.isArray(settlements) ? settlements.filter(isJsonObject).map(entryOf) : null,
    subject: readSubject(body),
  };
}

/** Null in blocks of older builds, which did not name their subject. */
function readSubject({ subject }: JsonObject): ReadSubject | null {
  if (!isJsonObject(subject)) return null;
  const { revision } = subject;
  return {
    ...texts(subject, ['turn_id', 'workflow_id', 'agent', 'requester', 'call_id', 'tool', 'version', 'class']),
    revision: typeof revision === 'number' ? revision : null,
  };
}

function texts<K extends string>(body: JsonObject, names: readonly K[]): Record<K, Text> {
  const fields = {} as Record<K, Text>;
  for (const name of names) fields[name] = textOrNull(body[name]);
  return fields;
}
