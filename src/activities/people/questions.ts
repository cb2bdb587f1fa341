/**
 * Keeps in the store what people were asked about a call, and their signed statements, since history and the arguments of an
 * activity are not trusted. One run asks about a call, under its digest, until a time; the question closes when the turn takes an
 * answer other than approval, or the outcome. A statement that was valid when it came stays valid while the question is open: a
 * signature lasts a day at most, and the last of several approvers may take longer. Also sends notifications and callbacks.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { CheckDecisionInput, NotifyInput, TurnContext } from '../../shared/io/activities';
import { samePerson, type Settlement } from '../../shared/approval/approval';
import { boundedCard } from '../../cards/message-card';
import { ASK_PERSON } from '../../shared/approval/person-question';
import { escalationsFrom, rolesAt, stricter, type ApprovalPolicy } from '../../shared/approval/policy';
import { hashJson } from '../../shared/json/digests';
import { asJson, isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { CallbackInput, CallbackMessage } from '../../shared/wire/callback';
import { publicLink } from '../../shared/wire/links';
import { CLOCKS_APART_MS } from '../../shared/wire/waits';
import { messageCard } from '../../record/cards/message-card';
import { readCardPart } from '../../record/parts';
import { endedDeputyship, readDeputyshipEnd } from '../../record/deputies';
import { isOfScope } from '../../store/core/identity';
import { StoreError, type Store } from '../../store/store';
import type { Delivery, Dependencies, TrustAnswer } from '../ports';
import { checkOwnTurn, checkTurnsOwn } from '../checks/own-turn';

type Registers = Pick<Store, 'registers'>;

/** A signed statement, with the time when a worker first found it valid. */
interface VerifiedStatement {
  hash: string;
  by: string;
  /** ISO 8601 */
  at: string;
}

export interface QuestionEntry {
  /** The run that asks. */
  run: string;
  expires_at: string;
  closed: boolean;
  approvals: VerifiedStatement[];
  /** What an approval requires, and since when people have been asked. Absent: an older build asked. */
  policy?: ApprovalPolicy;
  asked_at?: string;
}

/** What people are asked, besides the call. */
export interface QuestionTerms {
  expires_at: string;
  policy: ApprovalPolicy;
}

export interface OpenedQuestion {
  /** The run that asked it before, if it is another. */
  earlierRun: string | null;
  /** Since when people have been asked, ms, by the clock of the store: that of a worker may be wrong. */
  askedMs: number;
}

type SettlementRecord = VerifiedStatement & Pick<Settlement, 'outcome'>;

/** Maximum statements of one person about one call. More approvals are not recorded; more settlements are refused. */
const MOST_OF_ONE = 20;

/** Opens the question of this run. */
export function openQuestion({ registers }: Registers, digest: string, terms: QuestionTerms): Promise<OpenedQuestion> {
  const run = ownRun();
  return registers.update<OpenedQuestion>(questionName(digest), (entry, now) => {
    const question = questionIn(entry);
    if (question === null) {
      const opened = { run, ...terms, asked_at: iso(now), closed: false, approvals: [] };
      return { value: asJson(opened), answer: { earlierRun: null, askedMs: now } };
    }
    const earlierRun = question.run === run ? null : question.run;
    return { answer: { earlierRun, askedMs: question.asked_at === undefined ? now : Date.parse(question.asked_at) } };
  });
}

/** The time by the clock of the store. */
export async function storeTime({ registers }: Registers): Promise<number> {
  return (await registers.read('time')).now;
}

function ownRun(): string {
  return Context.current().info.workflowExecution?.runId ?? '';
}

/** A question as the store has it, with the time of its clock. */
export type StoredQuestion = QuestionEntry & { over: boolean; now: number };

/** The question about a call. Null: there was none, or an older build asked it. */
export async function findStoredQuestion({ registers }: Registers, digest: string): Promise<StoredQuestion | null> {
  const { value, now } = await registers.read(questionName(digest));
  const question = questionIn(value);
  return question && { ...question, over: isOver(question, now), now };
}

/** What an approval of the call requires: no less than when people were asked. */
export function policyOf(question: QuestionEntry | null, present: ApprovalPolicy): ApprovalPolicy {
  return question?.policy ? stricter(question.policy, present) : present;
}

/**
 * The roles that count under a policy for a decision that came at these times, by the store and by history: an escalation is due only
 * by both, since history is not trusted. Empty: any.
 */
export function rolesThen(question: QuestionEntry | null, policy: ApprovalPolicy, times: readonly number[]): string[] {
  const askedMs = Date.parse(question?.asked_at ?? '');
  const escalations = Number.isNaN(askedMs) ? [] : escalationsFrom(policy, askedMs);
  return rolesAt(policy.roles, escalations, Math.min(...times));
}

export function closeQuestion({ registers }: Registers, digest: string): Promise<void> {
  return registers.update(questionName(digest), (entry) => {
    const question = questionIn(entry);
    if (question === null || question.closed) return { answer: undefined };
    return { value: asJson({ ...question, closed: true }), answer: undefined };
  });
}

/** Records a signed statement that was just found valid. @returns why it does not count anyway, or null */
export async function recordStatement(store: Registers, statement: CheckDecisionInput, by: string): Promise<string | null> {
  if (statement.decision === 'settle') return noteSettlement(store, statement, by);
  if (statement.decision === 'approve' || statement.decision === 'answer') await noteApproval(store, statement, by);
  return null;
}

async function noteApproval(store: Registers, statement: CheckDecisionInput, by: string): Promise<void> {
  if ((await findStoredQuestion(store, statement.digest)) === null) return noteTime(store, statement.attestation);
  const hash = hashJson(statement.attestation);
  await store.registers.update(questionName(statement.digest), (entry, now) => {
    const question = questionIn(entry)!;
    const isRecorded = question.approvals.some((one) => one.hash === hash);
    const own = question.approvals.filter((one) => samePerson(one.by, by));
    if (isRecorded || own.length >= MOST_OF_ONE || isOver(question, now)) return { answer: undefined };
    const approvals = [...question.approvals, { hash, by, at: iso(now) }];
    return { value: asJson({ ...question, approvals }), answer: undefined };
  });
}

/** When this approval was first found valid; undefined: never, so that it is checked as if it came now. */
export async function approvalVerifiedAt(
  store: Registers,
  question: QuestionEntry | null,
  attestation: string,
): Promise<string | undefined> {
  if (question === null) return timeOf(store, attestation);
  const hash = hashJson(attestation);
  return question.approvals.find((one) => one.hash === hash)?.at;
}

/** When this settlement was first found valid, likewise, and the last outcome that its author stated; null: none is recorded. */
export async function findSettlement(
  store: Registers,
  { digest, attestation, by }: { digest: string; attestation: string; by: string },
): Promise<{ at: string | undefined; last: Settlement['outcome'] | null }> {
  const all = settlementsIn((await store.registers.read(settledName(digest))).value);
  const hash = hashJson(attestation);
  const at = all.find((one) => one.hash === hash)?.at ?? (await timeOf(store, attestation));
  return { at, last: all.findLast((one) => samePerson(one.by, by))?.outcome ?? null };
}

/**
 * A known statement keeps its place in the list: sending a person's earlier statement again must not revoke their later one. For
 * the same reason none is deleted.
 */
async function noteSettlement({ registers }: Registers, statement: CheckDecisionInput, by: string): Promise<string | null> {
  const hash = hashJson(statement.attestation);
  return registers.update<string | null>(settledName(statement.digest), (entry, now) => {
    const all = settlementsIn(entry);
    const own = all.filter((one) => samePerson(one.by, by));
    if (all.some((one) => one.hash === hash)) return { answer: correctedBy(own, statement.outcome!) };
    if (own.length >= MOST_OF_ONE)
      return { answer: `${by} has settled this call ${MOST_OF_ONE} times; somebody else must settle it` };
    const value: SettlementRecord[] = [...all, { hash, by, outcome: statement.outcome!, at: iso(now) }];
    return { value: asJson(value), answer: null };
  });
}

/** Why an earlier statement of this person no longer counts, or null. */
function correctedBy(own: SettlementRecord[], outcome: Settlement['outcome']): string | null {
  const last = own.at(-1)?.outcome ?? outcome;
  return last === outcome ? null : `${own[0]!.by} has since settled the call as ${last}`;
}

/** For decisions on calls that an older build asked about. */
function noteTime({ registers }: Registers, attestation: string): Promise<void> {
  return registers.update(timeName(attestation), (entry, now) =>
    entry === null ? { value: iso(now), answer: undefined } : { answer: undefined },
  );
}

async function timeOf({ registers }: Registers, attestation: string): Promise<string | undefined> {
  const { value } = await registers.read(timeName(attestation));
  return typeof value === 'string' ? value : undefined;
}

/** True: statements that come now do not count. Allows for a difference between the clocks of the store and Temporal. */
function isOver({ closed, expires_at }: QuestionEntry, now: number): boolean {
  return closed || now > Date.parse(expires_at) + CLOCKS_APART_MS;
}

/** Null: there is none. @throws StoreError `damaged` if the value is not a question */
function questionIn(value: Json): QuestionEntry | null {
  if (value === null || isQuestion(value)) return value;
  throw new StoreError('damaged', 'What a register of the store holds is no question that people were asked.');
}

function isQuestion(value: Json): value is JsonObject & QuestionEntry {
  return isJsonObject(value) && typeof value.run === 'string' && Array.isArray(value.approvals) && value.approvals.every(isFound);
}

/** @throws StoreError `damaged` if the value is not a list of settlements */
function settlementsIn(value: Json): SettlementRecord[] {
  if (value === null) return [];
  if (Array.isArray(value) && value.every(isSaid)) return value;
  throw new StoreError('damaged', 'What a register of the store holds are no settlements of a call.');
}

function isFound(value: Json): value is JsonObject & VerifiedStatement {
  return isJsonObject(value) && [value.hash, value.by, value.at].every((field) => typeof field === 'string');
}

function isSaid(value: Json): value is JsonObject & SettlementRecord {
  return isFound(value) && typeof (value as JsonObject).outcome === 'string';
}

function questionName(digest: string): string {
  return `kept/asked/${digest}`;
}

function settledName(digest: string): string {
  return `kept/settled/${digest}`;
}

function timeName(attestation: string): string {
  return `decided/${hashJson(attestation)}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

// Deputies: what the store and the policy say of the statement that a signed decision rests on.

/** The answer, or why the deputyship that it rests on does not count. An end counts at once, also for decisions before it. */
export async function withDeputyship(
  { registers }: Pick<Store, 'registers'>,
  answer: TrustAnswer,
  channel: ApprovalPolicy['channel'],
): Promise<TrustAnswer> {
  const { deputyship } = answer;
  if (!answer.ok || deputyship === undefined) return answer;
  const { id, isRecord } = deputyship;
  if (isRecord && channel === 'attested')
    return { ok: false, reason: `only a gateway says that ${answer.principal} is a deputy; ${answer.on_behalf_of} must sign it` };
  const end = readDeputyshipEnd((await registers.read(endedDeputyship(id))).value);
  return end === null ? answer : { ok: false, reason: `the deputyship ${id} was ended at ${end.at} by ${end.by}` };
}

// Messages about a turn: to people who have to decide, and callbacks to the program that began the turn.

export async function notify(deps: Dependencies, question: NotifyInput): Promise<void> {
  const { notifier, store } = deps;
  if (!notifier) return;
  await checkOwnTurn(deps, question.turn);
  const { turn, kind, tool, digest, expires_at, head = null, card_ref } = question;
  const text = card_ref === null ? question.card : await ownCard(store, turn, card_ref);
  const cardKind = kind === 'in_doubt' ? kind : tool === ASK_PERSON ? 'question' : 'approval';
  const facts = await messageCard(store, { kind: cardKind, digest, expires_at, head, card_ref }, turn);
  const run_id = Context.current().info.workflowExecution?.runId ?? null;
  await notifier.tell(question, text ?? null, overAttempts(), { facts, run_id });
}

/** Null: the part was stored for another turn. */
async function ownCard(store: Store, turn: TurnContext, ref: string): Promise<string | null> {
  const part = await store.getPart(ref);
  return isOfScope(store, turn.first_execution_run_id, ref, part) ? readCardPart(part).card : null;
}

/** Keeps the ways in the heartbeat, which the next attempt gets on any worker. */
function overAttempts(): Delivery {
  const context = Context.current();
  const before = (context.info.heartbeatDetails as { reached?: string[] } | undefined)?.reached ?? [];
  const ways = new Set(before);
  const markReached = (way: string) => {
    ways.add(way);
    context.heartbeat({ reached: [...ways] });
  };
  return { done: ways, reached: markReached };
}

export async function deliverCallback(deps: Dependencies, input: CallbackInput): Promise<void> {
  const { callbacks, store } = deps;
  if (!callbacks) throw new Error('This worker sends no callbacks: set HOLDFAST_CALLBACK_HOSTS and HOLDFAST_CALLBACK_SECRET.');
  // A callback is signed, and its receiver trusts it: only a workflow that the turn started may send one.
  await checkTurnsOwn(deps, input.turn);
  const part = await store.getPart(input.callback_ref);
  const url = isJsonObject(part) && part.v === 'holdfast.callback/1' ? part.url : undefined;
  if (typeof url !== 'string') throw ApplicationFailure.nonRetryable('The part names no callback address.', 'holdfast.callback');
  try {
    await callbacks.send(url, input.id, await wholeMessage(deps, input));
  } catch (error) {
    const { name, message } = error as Error;
    throw name === 'CallbackNotAllowed' ? ApplicationFailure.nonRetryable(message, 'holdfast.callback') : error;
  }
}

/** With the card of the call that people are asked about, and the link to it: neither is in history. */
async function wholeMessage({ store, pageUrl }: Dependencies, input: CallbackInput): Promise<CallbackMessage> {
  const { turn, question, message } = input;
  const digest = question === undefined ? {} : { digest: question.digest };
  const card = question === undefined ? null : await messageCard(store, question, turn);
  return {
    ...message,
    card: card === null ? null : boundedCard(card),
    link: publicLink(pageUrl, { turn_id: turn.turn_id, ...digest }),
  };
}
