/**
 * Checks the decisions, answers and messages of people when they arrive, and stores what a later run of the turn needs of them. An
 * answer to a question of the model is checked again when it becomes the call's result, since history is not trusted.
 */
import { Context } from '@temporalio/activity';
import {
  approvalsOf,
  type CheckAnswerInput,
  type CheckAnswerOutput,
  type CheckDecisionInput,
  type CheckDecisionOutput,
  type CheckSteerInput,
  type CheckSteerOutput,
  type KeepSaidInput,
  type KeepSaidOutput,
  type ReadCardInput,
  type ReadCardOutput,
  type ReadSaidInput,
  type ReadSaidOutput,
  type RunCallOutput,
  type TurnContext,
} from '../../shared/io/activities';
import { samePerson, type Decision } from '../../shared/approval/approval';
import { noteHash } from '../../shared/approval/decision';
import { escalationsFrom } from '../../shared/approval/policy';
import { addresseesOf, isNamed, type PersonQuestionInput } from '../../shared/approval/person-question';
import { hashJson } from '../../shared/json/digests';
import { asJson, type Json, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { callError, type CallError } from '../../shared/wire/errors';
import { readCardPart, readSaidPart, UnexpectedPart } from '../../record/parts';
import { isOfScope } from '../../store/core/identity';
import { type Store, StoreError } from '../../store/store';
import { answerFault } from '../../tools/people/answer-schema';
import { decide } from '../../tools/admit/policy';
import { deniedError } from '../../tools/admit/admit';
import { turnFacts } from '../admission/decide-call';
import type { CallContext } from '../call/call-context';
import { inputFault } from '../call/call-input';
import { keep, metadataOf, refusal, success, withAfterHooks } from '../call/run-once';
import { heldOutput } from '../checks/resolve-call';
import { wantsSignatures } from '../checks/own-turn';
import type { Dependencies } from '../ports';
import {
  approvalVerifiedAt,
  findStoredQuestion,
  policyOf,
  recordStatement,
  rolesThen,
  withDeputyship,
  type StoredQuestion,
} from './questions';

/** Checks a signed decision when it arrives: one that is not genuine must not answer a question. */
export async function checkDecision(deps: Dependencies, input: CheckDecisionInput): Promise<CheckDecisionOutput> {
  const question = input.decision === 'steer' ? null : await findStoredQuestion(deps.store, input.digest);
  const roles = rolesFor(deps, input, question);
  const { channel } = policyOf(question, deps.registry.approval(input.turn.agent, input.tool));
  const result = await withDeputyship(deps.store, await deps.trust.check(input, roles), channel);
  if (!result.ok) return (await tooEarly(deps, input, question)) ?? { ok: false, reason: result.reason };
  // The workflow counts by its own clock, and by what people were asked where the store does not have that.
  const byWorkflow = input.roles === undefined ? result : await deps.trust.check(input, input.roles);
  if (!byWorkflow.ok) return { ok: false, reason: byWorkflow.reason };
  const { principal, on_behalf_of } = result;
  const reason = await recordStatement(deps.store, input, principal);
  return reason === null ? { ok: true, principal, ...optional({ on_behalf_of }) } : { ok: false, reason };
}

/** The roles of which the author of a decision needs one now. */
function rolesFor({ registry }: Dependencies, input: CheckDecisionInput, question: StoredQuestion | null): string[] {
  const { policy: before } = question ?? {};
  // The store keeps what people were asked only where decisions are attested. Elsewhere roles are advisory.
  if (!before && input.roles !== undefined) return input.roles;
  // What a list requires of a call depends on the call: then what people were asked counts, and the present rules when it runs.
  const hasList = registry.agent(input.turn.agent)?.policy.approvals?.has(input.tool) ?? false;
  const present = registry.approval(input.turn.agent, input.tool);
  const policy = hasList && before ? before : policyOf(question, present);
  // Only approvals escalate: a call in doubt has no time limit.
  return input.decision === 'settle' ? policy.roles : rolesThen(question, policy, [question?.now ?? 0, Date.parse(input.at)]);
}

/** For a decision that will count later: from when on. */
async function tooEarly(
  { trust }: Dependencies,
  input: CheckDecisionInput,
  question: StoredQuestion | null,
): Promise<CheckDecisionOutput | null> {
  if (!question?.policy || !question.asked_at || input.decision === 'settle') return null;
  const escalations = escalationsFrom(question.policy, Date.parse(question.asked_at));
  for (const { at, roles } of escalations.filter((one) => Date.parse(one.at) > question.now))
    if ((await trust.check(input, roles)).ok)
      return { ok: false, reason: `people with the roles ${roles.join(', ')} may decide from ${at} on` };
  return null;
}

/**
 * Checks a message to a running turn before the model reads it. If decisions are signed, it must be signed too. Otherwise a person
 * could steer under another name, and then approve the resulting call under their own.
 */
export async function checkSteer(
  { registry, trust }: Pick<Dependencies, 'registry' | 'trust'>,
  { attestation, ...statement }: CheckSteerInput,
): Promise<CheckSteerOutput> {
  const agent = registry.forTurn(statement.turn);
  if (!agent) return { ok: false, reason: `this worker has no agent ${statement.turn.agent}` };
  if (attestation !== null)
    return trust.check({ ...statement, attestation, decision: 'steer', outcome: null, tool: '', input_hash: null }, []);
  if (!wantsSignatures(agent)) return { ok: true, principal: null };
  return { ok: false, reason: 'this turn takes signed messages only; `holdfast steer --key FILE` sends one' };
}

/** The card of a question that continues in another run, as it was shown. */
export async function readCard({ store }: Dependencies, { turn, card_ref }: ReadCardInput): Promise<ReadCardOutput> {
  const { card, digest } = readCardPart(await ownPart(store, turn, card_ref));
  return { card, digest, run_id: Context.current().info.workflowExecution?.runId ?? '' };
}

export async function keepSaid({ store }: Dependencies, { turn, said: words }: KeepSaidInput): Promise<KeepSaidOutput> {
  return { said_ref: await store.putPart(turn.first_execution_run_id, { said: asJson(words) }) };
}

/** The stored text, unchanged: history has its hash as the reference. */
export async function readSaid({ store }: Dependencies, { turn, said_ref }: ReadSaidInput): Promise<ReadSaidOutput> {
  return { said: readSaidPart(await ownPart(store, turn, said_ref)) };
}

/** @throws UnexpectedPart for a part that was stored for another turn */
async function ownPart(store: Store, { first_execution_run_id: scope }: TurnContext, ref: string): Promise<Json> {
  const part = await store.getPart(ref);
  if (isOfScope(store, scope, ref, part)) return part;
  throw new UnexpectedPart('part of this turn');
}

// Answers to questions of the model.

type CheckParts = Pick<Dependencies, 'registry' | 'store' | 'trust'>;

/** Checks an answer when it arrives: one that does not count must not close the question. */
export async function checkAnswer(deps: CheckParts, answer: CheckAnswerInput): Promise<CheckAnswerOutput> {
  const { turn, digest, value } = answer;
  const question = await storedQuestion(deps, answer);
  if (typeof question === 'string') return { ok: false, reason: question };
  const unfit = await answerFault(question, value, turn.requester);
  if (unfit !== null) return { ok: false, reason: unfit };
  const result = await answererOf(deps, question, answer);
  if (!result.ok || answer.attestation === null) return result;
  const reason = await recordStatement(deps.store, statementOf(answer, answer.attestation), result.principal);
  return reason === null ? result : { ok: false, reason: `call ${digest}: ${reason}` };
}

/** The question that the digest names; a text: why there is none. */
async function storedQuestion({ store }: CheckParts, { turn, digest }: CheckAnswerInput): Promise<PersonQuestionInput | string> {
  if (turn.store_id === undefined) return 'an older holdfast began this turn, which takes no answers';
  try {
    return questionIn((await store.getCall(digest)).input);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return `the store has no question ${digest}: ${error.message}`;
  }
}

/** Admission has checked the input against the tool's schema. */
function questionIn(input: JsonObject): PersonQuestionInput {
  return input as JsonObject & PersonQuestionInput;
}

type Answer = Pick<CheckAnswerInput, 'turn' | 'digest' | 'tool' | 'value' | 'by' | 'note' | 'attestation' | 'at'>;

/**
 * Who answers, if that person may. A signature counts where people were asked for one, also if the present rules ask for none.
 * @param since when the signature was found valid; absent: now
 */
async function answererOf(
  { registry, store, trust }: CheckParts,
  input: PersonQuestionInput,
  answer: Answer,
  since?: string,
): Promise<CheckAnswerOutput> {
  const { turn, tool, by, digest, attestation } = answer;
  const addressees = addresseesOf(input);
  const notAsked = (name: string) => ({
    ok: false as const,
    reason: `the question is for ${input.to?.join(', ')}, and ${name} is none of them`,
  });
  if (attestation === null) {
    const { channel } = policyOf(await findStoredQuestion(store, digest), registry.approval(turn.agent, tool));
    if (channel === 'attested')
      return { ok: false, reason: `call ${digest} takes signed answers only; \`holdfast sign\` makes one` };
    return isNamed(addressees, by) ? { ok: true, principal: by } : notAsked(by);
  }
  const statement = statementOf(answer, attestation);
  const signed = await trust.check(statement, [], since);
  if (!signed.ok || isNamed(addressees, signed.principal)) return signed;
  // A role counts only if the signature shows it.
  const roles = addressees?.roles ?? [];
  const hasRole = roles.length > 0 && (await trust.check(statement, roles, since)).ok;
  return hasRole ? signed : notAsked(signed.principal);
}

function statementOf({ turn, digest, tool, value, note, at }: Answer, attestation: string): CheckDecisionInput {
  const about = { turn, digest, tool, outcome: null, input_hash: hashJson(value), note_hash: noteHash(note) };
  return { ...about, decision: 'answer', attestation, at };
}

// The answer becomes the result of the call.

/** The output of a call that a person has answered: the answer as data, or why it does not count. */
export async function answeredCall(run: CallContext): Promise<RunCallOutput> {
  const began = Date.now();
  const { request, turn, tool } = run;
  const [answer, ...others] = approvalsOf(request);
  if (answer === undefined || others.length > 0) return refusal(run, no('not_answered', 'Nobody has answered this question.'));
  if (answer.run_id !== ownRun()) return heldOutput([{ kind: 'reset', id: answer.run_id, text: '' }]);
  const fault = (await permissionFault(run)) ?? (await faultOf(run, answer));
  if (fault !== null) return refusal(run, fault);
  const { value = null, by, note } = answer;
  const data = { answer: value, by, ...(note === null || note.trim() === '' ? {} : { note }) };
  const metadata = metadataOf(tool, turn, began, { validationMs: request.validation_ms ?? 0 });
  const part = await keep(run, await withAfterHooks(run, success(data, metadata)));
  const { attempt } = Context.current().info;
  return { ...part, state: 'succeeded', effect: null, error: null, attempts: attempt, took_ms: Date.now() - began, head: null };
}

/** Rules that forbid questions now, or a tool that takes other inputs now. */
async function permissionFault({ deps, request, turn, call, tool, input }: CallContext): Promise<CallError | null> {
  const unfit = inputFault(tool, input);
  if (unfit !== null) return unfit;
  const { policy } = deps.registry.forTurn(turn)!;
  const verdict = await decide(policy, { tool, input, turn: turnFacts(turn, call.id, request.untrusted ?? false) });
  return verdict.verdict === 'deny' ? deniedError(tool.name, verdict) : null;
}

async function faultOf({ deps, turn, call, input }: CallContext, answer: Decision): Promise<CallError | null> {
  const { decision, digest, at, until, expires_at, by, note, value, attestation = null } = answer;
  if (decision !== 'answer' || digest !== call.digest || value === undefined)
    return no('not_answered', 'This is no answer to this question.');
  if (!(Date.parse(at) <= Date.parse(expires_at))) return no('not_answered', `The answer came after ${expires_at}.`);
  if (until !== undefined && !(Date.parse(at) <= Date.parse(until)))
    return no('not_answered', `The answer of ${by} came after ${until}, when its sender no longer waited.`);
  const question = questionIn(input);
  const unfit = await answerFault(question, value, turn.requester);
  if (unfit !== null) return no('answer_unfit', `The answer of ${by} does not fit: ${unfit}.`);
  const since = attestation === null ? undefined : await verifiedAt(deps, digest, attestation);
  const result = await answererOf(deps, question, { turn, digest, tool: call.tool, value, by, note, attestation, at }, since);
  if (!result.ok) return no('answer_not_genuine', `The answer of ${by} is not valid: ${result.reason}.`);
  return samePerson(result.principal, by) ? null : no('answer_not_genuine', `The answer of ${by} is signed by another.`);
}

async function verifiedAt({ store }: CheckParts, digest: string, attestation: string): Promise<string | undefined> {
  return approvalVerifiedAt(store, await findStoredQuestion(store, digest), attestation);
}

function no(reason: string, message: string): CallError {
  return callError('CONFIRMATION_REQUIRED', reason, message);
}

function ownRun(): string {
  return Context.current().info.workflowExecution?.runId ?? '';
}
