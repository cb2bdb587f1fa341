/** Builds the calls of a turn from the inputs and results of its activities, and from its blocks. */
import { optional } from '../../shared/json/optional';
import { claimsOfDecision } from '../../attestation/deputy-decision';
import type { Json, JsonObject } from '../../shared/json/json';
import { list, number, object, objectOrNull, text, textOrNull, time } from '../../record/fields';
import { signatureOf, type Signatures } from './signatures';
import type { ActivityCase, BlockCase, CallCase, DecisionCase } from './types';

/** Bodies of parts by reference, without parts that were left out. */
export type Parts = ReadonlyMap<string, Json>;

const RUNS = new Set([
  'runCall',
  'openSubTurn',
  'closeSubTurn',
  'inspectEffect',
  'reconcileEffect',
  'completeCall',
  'settleEffect',
]);

export class CallBook {
  readonly calls: CallCase[] = [];

  constructor(
    private readonly parts: Parts,
    private readonly signatures: Signatures,
  ) {}

  /** Adds what one activity says about calls. */
  activity(activity: ActivityCase): void {
    const { type, input, output } = activity;
    const argument = object(input);
    for (const outcome of list(argument.outcomes)) this.outcome(object(outcome), activity);
    if (type === 'takeStep') for (const call of list(object(output).calls)) this.recordAdmittedCall(object(call), activity);
    if (type === 'admitDirect') this.recordAdmittedCall(object(object(output).call), activity);
    if (type === 'admitCall') this.recordApprovalRequest(argument, object(output), activity);
    if (RUNS.has(type)) this.recordRun(argument, object(output), activity);
  }

  /** Adds what one of the turn's own blocks says, mostly where history did not. */
  block({ kind, bodies, at }: BlockCase): void {
    if (kind === 'admission') for (const body of bodies.slice(1)) this.admission(object(body));
    const body = object(bodies[0]);
    const subject = object(body.subject);
    const id = text(body.call_id) || text(subject.call_id);
    if (id === '' || kind === 'admission') return;
    const match = this.calls.find((call) => call.id === id && call.digest !== null && call.digest === body.digest);
    const call = match ?? this.at(id, number(subject.revision) || this.last(id)?.revision || 1, false);
    call.tool ||= text(subject.tool);
    call.version ||= text(subject.version);
    call.class ||= text(subject.class);
    call.digest ??= textOrNull(body.digest);
    if (kind === 'decision') this.recordDecision(call, body);
    if (kind === 'dispatch') this.recordDispatch(call, body);
    if (kind === 'effect') this.recordOutcome(call, { effect: body.effect ?? null, result_ref: body.result_ref ?? null });
    if (kind !== 'settlement') return;
    this.recordSettlement(call, body, at);
    this.recordOutcome(call, { effect: body.outcome ?? null, result_ref: body.result_ref ?? null });
  }

  private recordAdmittedCall(record: JsonObject, { takenBack }: ActivityCase): void {
    const id = text(record.id);
    if (id === '') return;
    const call = this.at(id, 1, takenBack, takenBack);
    this.fill(call, record);
    this.admission({ ...object(this.parts.get(text(record.input_ref))), call_id: id }, call);
    call.verdict = textOrNull(record.verdict) ?? call.verdict;
    call.reason = textOrNull(record.reason) ?? call.reason;
    call.error = objectOrNull(record.error) ?? call.error;
    if (call.verdict === 'rejected') call.state = 'rejected';
  }

  /** Adds a call's part of an admission block. */
  private admission(body: JsonObject, entry?: CallCase): void {
    const id = text(body.call_id);
    if (id === '') return;
    const call = entry ?? this.at(id, 1, false);
    this.fill(call, body);
    if (body.asked !== undefined) call.admission ??= body;
    call.facts ??= objectOrNull(body.facts);
    call.askedInput ??= textOrNull(body.asked);
    call.verdict ??= textOrNull(body.verdict);
    call.reason ??= textOrNull(body.reason);
    call.error ??= objectOrNull(body.error);
    if (call.verdict === 'rejected') call.state ??= 'rejected';
  }

  /** Adds the result of `admitCall`: a preview, a card, a new verdict, or an approver's edited input. */
  private recordApprovalRequest(argument: JsonObject, output: JsonObject, activity: ActivityCase): void {
    const callFacts = object(argument.call);
    if (text(callFacts.id) === '') return;
    const edit = object(argument.edit);
    if (output.ok === false && Object.keys(edit).length > 0) return; // an edit that was refused: the question stays
    const before = this.last(text(callFacts.id));
    const call = this.at(text(callFacts.id), number(callFacts.revision, 1), activity.takenBack);
    if (before && before !== call) {
      before.state = 'superseded';
      Object.assign(call, { toolUseId: before.toolUseId, askedInput: before.askedInput, changes: [...before.changes] });
      call.facts = before.facts;
      call.verdict ??= before.verdict;
    }
    this.fill(call, callFacts);
    call.reason ??= textOrNull(argument.reason);
    call.activities.push(activity);
    if (output.ok === false) {
      call.error = objectOrNull(output.error);
      return;
    }
    // An approver's edit is recorded with the revision that it supersedes.
    if (before && Object.keys(edit).length > 0)
      this.recordDecision(before, { at: activity.scheduledAt, ...edit, decision: 'edit' });
    const newVerdict = object(output.decided);
    this.fill(call, newVerdict, true);
    const inputPart = object(this.parts.get(text(newVerdict.input_ref)));
    if (newVerdict.input_ref !== undefined) call.facts = objectOrNull(inputPart.facts);
    call.verdict = textOrNull(newVerdict.verdict) ?? call.verdict;
    call.reason = textOrNull(newVerdict.reason) ?? call.reason;
    for (const change of list(newVerdict.changes)) call.changes.push(object(change));
    const newRules = object(output.renewed);
    call.policyRef = textOrNull(newRules.policy_ref) ?? call.policyRef;
    call.digest = textOrNull(output.digest) ?? call.digest;
    const previewPart = object(this.parts.get(text(output.preview_ref)));
    if (argument.expires_at === null || (text(output.card) === '' && call.verdict === 'allow')) return;
    call.question = {
      askedAt: activity.endedAt,
      expiresAt: time(argument.expires_at),
      card: textOrNull(output.card) ?? textOrNull(object(this.parts.get(text(output.card_ref))).card),
      cardRef: textOrNull(output.card_ref),
      preview: previewPart.preview ?? null,
      policy: objectOrNull(newRules.approval) ?? objectOrNull(argument.approval),
      held: list(previewPart.held ?? argument.held).map(object),
      makers: list(previewPart.makers ?? callFacts.makers).map(text),
    };
  }

  private recordRun(argument: JsonObject, output: JsonObject, activity: ActivityCase): void {
    const arguments_ = object(argument.call);
    if (text(arguments_.id) === '') return;
    const call = this.at(text(arguments_.id), number(arguments_.revision, 1), activity.takenBack);
    this.fill(call, arguments_);
    call.digest = textOrNull(arguments_.digest) ?? call.digest;
    call.activities.push(activity);
    call.subTurnId ??= textOrNull(argument.sub_turn_id);
    for (const approval of list(argument.approvals ?? [argument.approval ?? null])) this.recordDecision(call, object(approval));
    for (const earlier of list(arguments_.earlier)) {
      const decision = object(earlier);
      this.recordDecision(this.at(call.id, number(decision.revision, 1), activity.takenBack), decision);
    }
    const settlements = list(argument.settlements);
    if (activity.type === 'settleEffect')
      for (const settlement of settlements.length > 0 ? settlements : [argument])
        this.recordSettlement(call, object(settlement), null);
    this.recordOutcome(call, object(output.outcome ?? output.settled ?? output.refused ?? output));
  }

  /** Adds how a call ended, as the next step was told. */
  private outcome(outcome: JsonObject, { takenBack }: ActivityCase): void {
    const id = text(outcome.call_id);
    if (id === '') return;
    const revision = number(outcome.revision) || this.last(id)?.revision || 1;
    const call = this.at(id, revision, takenBack);
    this.fill(call, { tool: outcome.tool ?? null, version: outcome.version ?? null });
    this.recordOutcome(call, outcome);
    call.digest = textOrNull(outcome.digest) ?? call.digest;
    call.note = textOrNull(outcome.note) ?? call.note;
    call.subTurnId = textOrNull(object(outcome.sub_turn).turn_id) ?? call.subTurnId;
    for (const decision of [...list(outcome.approvals), outcome.decision ?? null]) this.recordDecision(call, object(decision));
    for (const earlier of list(outcome.earlier)) {
      const decision = object(earlier);
      this.recordDecision(this.at(id, number(decision.revision, 1), takenBack), decision);
    }
  }

  private recordOutcome(call: CallCase, facts: JsonObject): void {
    call.state = textOrNull(facts.state) ?? call.state;
    call.effect = textOrNull(facts.effect) ?? call.effect;
    if (facts.error !== undefined) call.error = objectOrNull(facts.error);
    call.summary = textOrNull(facts.summary) ?? call.summary;
    const ref = textOrNull(facts.result_ref);
    if (ref === null) return;
    call.resultRef = ref;
    call.result = objectOrNull(this.parts.get(ref));
  }

  private recordDispatch(call: CallCase, body: JsonObject): void {
    call.idempotencyKey ??= textOrNull(body.idempotency_key);
    call.input ??= objectOrNull(object(this.parts.get(text(body.input_ref))).input);
    call.policyRef ??= textOrNull(body.policy_ref);
  }

  private recordDecision(call: CallCase, body: JsonObject): void {
    const decision = text(body.decision);
    if (decision === '') return;
    const entry: DecisionCase = {
      decision,
      by: text(body.by),
      ...optional({ onBehalfOf: textOrNull(body.on_behalf_of) ?? undefined }),
      note: textOrNull(body.note),
      at: time(body.at),
      channel: textOrNull(body.channel),
      identity: textOrNull(body.identity),
      cardRef: textOrNull(body.card_ref),
      claims: claimsIn(body.attestation),
      signature: signatureOf(body.attestation, this.signatures),
      ...(decision === 'answer' ? optional({ value: body.value }) : {}),
    };
    const same = call.decisions.find((other) => other.decision === decision && other.by === entry.by && near(other, entry));
    if (!same) call.decisions.push(entry);
    else
      for (const [key, value] of Object.entries(entry))
        if (value !== null && !(key === 'at' && same.at !== null)) Object.assign(same, { [key]: value });
  }

  private recordSettlement(call: CallCase, body: JsonObject, at: string | null): void {
    const { outcome, by, note, probe, evidence, identity, attestation } = body;
    const isDuplicate = call.settlements.some((other) => other.by === by && other.outcome === outcome);
    if (isDuplicate || text(outcome) === '') return;
    const claims = claimsIn(attestation);
    call.settlements.push({
      outcome: outcome ?? null,
      by: by ?? '',
      note: note ?? null,
      identity: identity ?? null,
      at: time(body.at) ?? at,
      probe: probe ?? null,
      evidence: evidence ?? null,
      claims: claims as Json,
      signature: signatureOf(attestation, this.signatures),
    });
  }

  /** Adds what identifies the call, and its input. */
  private fill(call: CallCase, from: JsonObject, over = false): void {
    call.tool ||= text(from.tool);
    call.version ||= text(from.version);
    call.class ||= text(from.class);
    call.toolUseId ??= textOrNull(from.tool_use_id);
    call.policyRef ??= textOrNull(from.policy_ref);
    const input = objectOrNull(from.input) ?? objectOrNull(object(this.parts.get(text(from.input_ref))).input);
    call.input = over ? (input ?? call.input) : (call.input ?? input);
    if (call.changes.length === 0 && !over) for (const change of list(from.changes)) call.changes.push(object(change));
  }

  private last(id: string): CallCase | undefined {
    return this.calls.findLast((call) => call.id === id && !call.takenBack) ?? this.calls.findLast((call) => call.id === id);
  }

  /** `fresh`: always a new entry, because a step that a later reset takes back has calls of its own. */
  private at(id: string, revision: number, takenBack: boolean, fresh = false): CallCase {
    const match = this.calls.findLast(
      (call) => call.id === id && call.revision === revision && (takenBack || !call.takenBack) && !fresh,
    );
    if (match) return match;
    const call = blank(id, revision, takenBack);
    this.calls.push(call);
    return call;
  }
}

/** Whether two entries record the same decision: one of them may lack its time. */
function near(a: DecisionCase, b: DecisionCase): boolean {
  return a.decision === 'edit' || a.at === null || b.at === null || a.at === b.at;
}

/** The claims of a signed decision. The signature is not checked here: the verifier does that. */
export function claimsIn(attestation: Json | undefined): JsonObject | null {
  return claimsOfDecision(text(attestation)) as unknown as JsonObject | null;
}

function blank(id: string, revision: number, takenBack: boolean): CallCase {
  return {
    id,
    revision,
    takenBack,
    step: Number(/^\d{1,6}/.exec(id)?.[0] ?? 0),
    tool: '',
    version: '',
    class: '',
    toolUseId: null,
    verdict: null,
    reason: null,
    askedInput: null,
    input: null,
    changes: [],
    digest: null,
    policyRef: null,
    admission: null,
    facts: null,
    question: null,
    decisions: [],
    activities: [],
    settlements: [],
    state: null,
    effect: null,
    error: null,
    summary: null,
    resultRef: null,
    result: null,
    note: null,
    idempotencyKey: null,
    record: null,
    subTurnId: null,
  };
}
