/**
 * Compares repeated facts of calls that are open or have not run (rules D1, D4 to D6): what admission was asked about, under which
 * digest, what it refused, and what the next step and the turn's result say of that.
 */
import { callDigest, idempotencyKey } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { NOT_IN_FUTURE, WAIT_TOO_LONG } from '../../shared/turn/turn-states';
import { isCut } from '../../shared/turn/turn-view';
import { list, object, text } from '../../record/fields';
import type { TurnBody } from '../format/lines';
import { capital, quote } from './fault';
import type { History } from './history';
import { HISTORY, RESULT, type SourceComparison } from './source-comparison';
import { attempt, attributesOf, eventType, firstPayload, hashOf, resultIn, UNKNOWN, type JsonOrUnknown } from './values';

/** States in which an activity leaves a call. */
const RUN_STATES = new Set<Json>(['succeeded', 'failed', 'in_doubt']);
/** The end of a call that nobody was asked about and that did not run. In the turn's result it may still be `proposed`. */
const WITHOUT_DIGEST = new Set<Json | undefined>(['rejected', 'cancelled']);
/** Reasons for which the workflow itself refuses a call. */
const OWN_REASONS = new Set<Json | undefined>(['repeated_failure', 'too_many_questions', NOT_IN_FUTURE, WAIT_TOO_LONG]);
/** Decisions of people on a call before it runs; `expired`: nobody decided. */
const DECISIONS = new Set<Json | undefined>(['approve', 'deny', 'answer', 'expired']);
/** Reasons for which the workflow stops a call without a result; `no_result`: a sub-agent's answer could not be kept. */
const STOP_REASONS = new Set<Json | undefined>(['turn_cancelled', 'aborted_by_sibling']);
const WITHOUT_RESULT = new Set<Json | undefined>([...STOP_REASONS, 'no_result']);
/** States of a stopped call. In the turn's result a call that had not begun keeps its state. */
const STOPPED_STATES = new Set<Json | undefined>(['cancelled']);
const SHOWN_STATES = new Set<Json | undefined>(['cancelled', 'proposed', 'ready']);
/** Activities whose `attempts` `decision-comparison.ts` compares. */
const ATTEMPT_ACTIVITIES = new Set(['runCall', 'settleEffect']);

interface ScheduledActivity {
  type: string;
  /** Null: it was left out. */
  value: JsonObject | null;
}

/** What all answers together say of a call. An answer that did not count is included. */
interface RequestedCall {
  inputs: Set<Json | undefined>;
  /** Null: an older build does not say it. */
  policies: Set<Json | undefined> | null;
  targets: Set<Json | undefined>;
  /** Revisions that got a digest. */
  revisions: Set<Json | undefined>;
  /** Hashes of the errors with which it was refused. */
  refusals: Set<string | null>;
}

export class AdmissionComparison {
  private activities = new Map<string, ScheduledActivity>();
  /** By call. */
  private readonly calls = new Map<string, RequestedCall>();
  /** By digest: the cards that people were shown, and the runs that asked. Null: an older build does not name the run. */
  private readonly questions = new Map<string, { cards: Set<string>; runs: Set<string> | null }>();
  /** Refs of the rules of steps. */
  private readonly policies = new Set<string>();

  constructor(
    private readonly all: SourceComparison,
    private readonly turn: TurnBody,
    private readonly history: History,
    private readonly definitions: ReadonlyMap<string, JsonObject>,
  ) {}

  beginRun(): void {
    this.activities = new Map();
  }

  event(event: JsonObject): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    switch (type) {
      case 'ACTIVITY_TASK_SCHEDULED':
        return this.activity(text(event.eventId), text(object(attributes.activityType).name), firstPayload(attributes.input));
      case 'ACTIVITY_TASK_COMPLETED': {
        const one = this.activities.get(text(attributes.scheduledEventId));
        const output = firstPayload(attributes.result);
        return one && output !== UNKNOWN ? this.checkResult(one, object(output)) : undefined;
      }
    }
    const view = resultIn(type, attributes);
    if (view !== null) this.view(view);
  }

  /** D1 */
  end({ objects }: { objects: ReadonlySet<string> }): void {
    const missingRef = [...this.policies].find((ref) => !objects.has(ref) || this.definitions.has(ref));
    if (missingRef !== undefined)
      this.all.report('D1', `A step names rules that the bundle does not have (${missingRef.slice(0, 64)})`);
  }

  private activity(eventId: string, type: string, payload: JsonOrUnknown): void {
    const value = payload === UNKNOWN ? null : object(payload);
    const { outcomes, ...input } = value ?? {};
    this.activities.set(eventId, { type, value: value && (input as JsonObject) });
    for (const outcome of list(outcomes).map(object)) this.checkOutcome(outcome, outcome.call_id, HISTORY);
    if (value === null || !this.all.whole) return;
    const { call, card_ref } = value;
    const single = type === 'runCall' ? [value.approval ?? null] : [];
    for (const decision of [...list(value.approvals), ...single, ...list(object(call).earlier)]) this.checkDecision(decision);
    for (const outcome of list(outcomes).map(object)) this.checkOutcomeDecisions(outcome);
    if (isJsonObject(call)) this.checkRequest(call, type === 'admitCall');
    if (type === 'readCard' && typeof card_ref === 'string' && !this.all.facts.knows('card', card_ref, 'call_id'))
      this.all.report('D4', 'An activity reads a card that nobody was asked with');
  }

  /** D4: a step proposed the call, and admission is asked about it with the facts that were known of it. */
  private checkRequest({ id, revision, input_ref, policy_ref, target_hash }: JsonObject, admits: boolean): void {
    if (id === undefined) return;
    const requestedCall = this.calls.get(text(id));
    if (requestedCall === undefined)
      return this.all.report('D4', `An activity is given call ${quote(id)}, which no step has asked for`);
    if (!admits) return;
    const { inputs, policies, targets, revisions } = requestedCall;
    const other =
      (input_ref !== undefined && !inputs.has(input_ref) && 'input') ||
      (policy_ref !== undefined && policies !== null && !policies.has(policy_ref) && 'policy') ||
      (target_hash !== undefined && !targets.has(target_hash) && 'target') ||
      (revision !== undefined && revision !== 1 && !revisions.has(before(revision)) && 'revision');
    if (other) this.all.report('D4', `Admission was asked about another ${other} of the call than was known of it`);
  }

  /** D5: a step is given only decisions that are about their call. */
  private checkOutcomeDecisions({ digest, decision = null, approvals, earlier }: JsonObject): void {
    for (const one of decision === null ? list(approvals) : [decision, ...list(approvals)]) {
      const { decision: kind, digest: of } = object(one);
      if (!isJsonObject(one) || !DECISIONS.has(kind) || (typeof digest === 'string' && of !== digest))
        this.all.report('D5', 'A step is told of a decision on a call that is none, or is one on another');
      this.checkDecision(one);
    }
    for (const one of list(earlier)) this.checkDecision(one);
  }

  /** D5: a decision names a card of its call, and a run that asked about the call. */
  private checkDecision(decision: Json): void {
    const { digest, card_ref, run_id } = object(decision);
    const question = typeof digest === 'string' ? this.questions.get(digest) : undefined;
    if (question === undefined) return;
    if (typeof card_ref === 'string' && !question.cards.has(card_ref))
      this.all.report('D5', 'A decision is said to be on another card than people were shown of its call');
    if (typeof run_id === 'string' && question.runs !== null && !question.runs.has(run_id))
      this.all.report('D5', 'A decision is said to be of a run that has not asked about its call');
  }

  private noteQuestion(digest: Json | undefined, { card_ref, run_id }: JsonObject): void {
    if (typeof digest !== 'string') return;
    const question = this.questions.get(digest) ?? { cards: new Set(), runs: new Set() };
    this.questions.set(digest, question);
    if (typeof card_ref === 'string') question.cards.add(card_ref);
    if (typeof run_id !== 'string' || run_id === '') question.runs = null;
    else question.runs?.add(run_id);
  }

  private checkResult({ type, value }: ScheduledActivity, output: JsonObject): void {
    if (type === 'admitCall' && output.ok === true) this.noteQuestion(output.digest, output);
    if (type === 'readCard') this.continueQuestion(value?.card_ref, output);
    if (type === 'takeStep') for (const call of list(output.calls).map(object)) this.noteCall(call);
    if (type === 'admitDirect') this.noteCall(object(output.call));
    if (type === 'takeStep' || type === 'admitDirect') {
      const { policy_ref } = object(output.policy);
      if (typeof policy_ref === 'string') this.policies.add(policy_ref);
    }
    if (type === 'admitCall' && value !== null) this.checkAdmission(value, output);
    for (const one of [output, object(output.outcome), object(output.settled), object(output.refused)]) this.checkRun(type, one);
  }

  /** Another run takes over a question. */
  private continueQuestion(card_ref: Json | undefined, { digest, run_id = null }: JsonObject): void {
    for (const [questionDigest, { cards }] of this.questions)
      if (questionDigest === digest || cards.has(text(card_ref)))
        this.noteQuestion(questionDigest, { card_ref: card_ref ?? null, run_id });
  }

  private noteCall({ id, input_ref, policy_ref, target_hash = null, digest, error }: JsonObject): void {
    const requestedCall = this.calls.get(text(id)) ?? nothing();
    this.calls.set(text(id), requestedCall);
    requestedCall.inputs.add(input_ref);
    requestedCall.targets.add(target_hash);
    if (policy_ref === undefined) requestedCall.policies = null;
    requestedCall.policies?.add(policy_ref);
    if (digest !== null) requestedCall.revisions.add(1);
    if (isJsonObject(error)) requestedCall.refusals.add(hashOf(error));
  }

  /** D4: the digest of a question is that of its call, as the call was admitted. */
  private checkAdmission({ turn, call: callInput, edit }: JsonObject, output: JsonObject): void {
    const call = object(callInput);
    const { digest, preview_ref, decided, renewed, target_hash } = output;
    const requestedCall = this.calls.get(text(call.id));
    if (output.ok !== true) {
      if (!isJsonObject(edit)) requestedCall?.refusals.add(hashOf(output.error));
      return;
    }
    requestedCall?.revisions.add(call.revision);
    const { input_ref, input_hash = call.input_hash } = object(decided);
    const { policy_ref = call.policy_ref } = object(renewed);
    if (input_ref !== undefined) requestedCall?.inputs.add(input_ref);
    if (target_hash !== undefined) requestedCall?.targets.add(target_hash);
    requestedCall?.policies?.add(policy_ref);
    if (typeof object(turn).turn_id !== 'string' || call.id === undefined) return;
    const target = target_hash === undefined ? {} : { target_hash };
    const of = { ...call, ...target, input_hash, policy_ref, preview_ref };
    if (attempt(() => callDigest(turn as never, of as never)) !== digest)
      this.all.report('D4', 'People were asked about a call under a digest that is not its own');
  }

  /** D6: an activity's report on a call that it ran, or looked up. */
  private checkRun(type: string, { result_ref, state, attempts, effect }: JsonObject): void {
    if (typeof result_ref !== 'string' || result_ref === '' || state === undefined) return;
    if (!RUN_STATES.has(state)) this.all.report('D6', `An activity has a result of a call, and leaves it ${quote(state)}`);
    // Each dispatch of a destructive call is one attempt.
    if (effect === 'in_doubt' && attempts !== undefined && attempts !== 1)
      this.all.report('D6', `A call is in doubt after ${quote(attempts)} attempts, and a dispatch is one`);
    if (!ATTEMPT_ACTIVITIES.has(type) && !this.history.wasReset) this.all.addFacts('result', result_ref, { attempts }, HISTORY);
  }

  private view({ calls }: { calls: Json[] }): void {
    for (const { result_summary: summary, ...call } of calls.map(object)) {
      this.checkOutcome({ ...call, summary } as JsonObject, call.id, RESULT);
      this.key(call as JsonObject);
    }
  }

  /** D4: the idempotency key follows from the digest, even if the call never ran. */
  private key({ id, digest, idempotency_key: key }: JsonObject): void {
    if (key === undefined || key === null) return;
    const { workflow_id } = this.turn;
    const first_execution_run_id = this.turn.first_execution_run_id ?? '';
    const identity = { workflow_id, first_execution_run_id, call_id: text(id), digest: text(digest) };
    if (typeof digest !== 'string' || attempt(() => idempotencyKey(identity)) !== key)
      this.all.report('D4', "The turn's result has an idempotency key of a call that does not follow from its digest");
  }

  /** D6: a call without a result was stopped if and only if its error says so. */
  private checkStop({ state, error, summary = null }: JsonObject, source: string): void {
    const { reason } = object(error);
    const states = source === RESULT ? SHOWN_STATES : STOPPED_STATES;
    if (STOP_REASONS.has(reason) && !(states.has(state) && summary === null))
      this.all.report('D6', `${capital(source)} says ${quote(state)} of a call, and that it was stopped`);
    if (state === 'cancelled' && !WITHOUT_RESULT.has(reason))
      this.all.report('D6', `${capital(source)} says that a call was stopped, and ${quote(reason)} of why`);
  }

  /** D6: a call without a digest was refused by its step, by admission or by the workflow, unless the turn stopped before. */
  private checkOutcome(call: JsonObject, id: Json | undefined, source: string): void {
    const { digest, result_ref, state, error, attempts, revision, effect } = call;
    // A text that was shortened for display is skipped.
    const short = isCut(call.summary) ? {} : { summary: call.summary };
    const who = capital(source);
    const requestedCall = this.calls.get(text(id));
    if (this.all.whole && id !== undefined && requestedCall === undefined)
      this.all.report('D6', `${who} has call ${quote(id)}, which no step has asked for`);
    if (typeof digest === 'string' && typeof result_ref !== 'string' && state !== 'cancelled' && !this.history.wasReset)
      this.all.addFacts('result', `of ${digest}`, short as JsonObject, source);
    if (typeof result_ref !== 'string') this.checkStop(call, source);
    // Only a failed sub-agent's turn leaves a call that is `cancelled` and has a result.
    else if (state === 'cancelled') this.all.addFacts('result', result_ref, { success: false }, source);
    if (digest !== null) return;
    if (!WITHOUT_DIGEST.has(state) && !(source === RESULT && state === 'proposed'))
      this.all.report('D6', `${who} says ${quote(state)} of a call that nobody was asked about and that did not run`);
    if (state !== 'rejected' && isJsonObject(error) && !STOP_REASONS.has(error.reason))
      this.all.report('D6', `${who} says ${quote(state)} of a call that was refused`);
    if (state !== 'rejected' || this.history.wasReset) return;
    const whole = isCut(object(error).message) ? {} : { error };
    this.all.addFacts(
      'result',
      `of ${text(id)}`,
      { state, effect, attempts, revision, ...short, ...whole } as JsonObject,
      source,
    );
    if (!this.all.whole || requestedCall === undefined || !('error' in whole)) return;
    if (!requestedCall.refusals.has(hashOf(error)) && !OWN_REASONS.has(object(error).reason))
      this.all.report('D6', `${who} says that a call was refused for another reason than it was`);
  }
}

function before(revision: Json): Json | undefined {
  return typeof revision === 'number' ? revision - 1 : undefined;
}

function nothing(): RequestedCall {
  return { inputs: new Set(), policies: new Set(), targets: new Set(), revisions: new Set(), refusals: new Set() };
}
