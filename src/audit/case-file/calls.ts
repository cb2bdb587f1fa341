/** Builds the calls of a turn from the inputs and results of its activities, and from its blocks. */
import { decisionClaims, readToken } from '../../attestation/claims';
import type { Json, JsonObject } from '../../shared/json/json';
import { list, number, object, objectOrNull, text, textOrNull, time } from '../../record/fields';
import { signatureOf, type Signatures } from './signatures';
import type { ActivityCase, BlockCase, CallCase, DecisionCase } from './types';

/** Bodies of parts by reference, without parts that were left out. */
export type Parts = ReadonlyMap<string, Json>;

const RUNS = new Set(['runCall', 'openSubTurn', 'closeSubTurn', 'inspectEffect', 'reconcileEffect', 'settleEffect']);

export class CallBook {
  readonly calls: CallCase[] = [];

  constructor(
    private readonly parts: Parts,
    private readonly signatures: Signatures,
  ) {}

  /** Adds what one activity says about calls. */
  activity(activity: ActivityCase): void {
    const { type, input, output } = activity;
    const given = object(input);
    for (const outcome of list(given.outcomes)) this.outcome(object(outcome), activity);
    if (type === 'takeStep') for (const call of list(object(output).calls)) this.recordAdmittedCall(object(call), activity);
    if (type === 'admitDirect') this.recordAdmittedCall(object(object(output).call), activity);
    if (type === 'admitCall') this.recordApprovalRequest(given, object(output), activity);
    if (RUNS.has(type)) this.recordRun(given, object(output), activity);
  }

  /** Adds what one of the turn's own blocks says, mostly where history did not. */
  block({ kind, bodies, at }: BlockCase): void {
    if (kind === 'admission') for (const body of bodies.slice(1)) this.admission(object(body));
    const body = object(bodies[0]);
    const subject = object(body.subject);
    const id = text(body.call_id) || text(subject.call_id);
    if (id === '' || kind === 'admission') return;
    const known = this.calls.find((call) => call.id === id && call.digest !== null && call.digest === body.digest);
    const call = known ?? this.at(id, number(subject.revision) || this.last(id)?.revision || 1, false);
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

  private recordAdmittedCall(given: JsonObject, { takenBack }: ActivityCase): void {
    const id = text(given.id);
    if (id === '') return;
    const call = this.at(id, 1, takenBack, takenBack);
    this.fill(call, given);
    this.admission({ ...object(this.parts.get(text(given.input_ref))), call_id: id }, call);
    call.verdict = textOrNull(given.verdict) ?? call.verdict;
    call.reason = textOrNull(given.reason) ?? call.reason;
    call.error = objectOrNull(given.error) ?? call.error;
    if (call.verdict === 'rejected') call.state = 'rejected';
  }

  /** Adds a call's part of an admission block. */
  private admission(body: JsonObject, known?: CallCase): void {
    const id = text(body.call_id);
    if (id === '') return;
    const call = known ?? this.at(id, 1, false);
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
  private recordApprovalRequest(given: JsonObject, output: JsonObject, activity: ActivityCase): void {
    const asked = object(given.call);
    if (text(asked.id) === '') return;
    const edit = object(given.edit);
    if (output.ok === false && Object.keys(edit).length > 0) return; // an edit that was refused: the question stays
    const before = this.last(text(asked.id));
    const call = this.at(text(asked.id), number(asked.revision, 1), activity.takenBack);
    if (before && before !== call) {
      before.state = 'superseded';
      Object.assign(call, { toolUseId: before.toolUseId, askedInput: before.askedInput, changes: [...before.changes] });
      call.facts = before.facts;
      call.verdict ??= before.verdict;
    }
    this.fill(call, asked);
    call.reason ??= textOrNull(given.reason);
    call.activities.push(activity);
    if (output.ok === false) {
      call.error = objectOrNull(output.error);
      return;
    }
    // An approver's edit is recorded with the revision that it supersedes.
    if (before && Object.keys(edit).length > 0)
      this.recordDecision(before, { at: activity.scheduledAt, ...edit, decision: 'edit' });
    const decided = object(output.decided);
    this.fill(call, decided, true);
    const settled = object(this.parts.get(text(decided.input_ref)));
    if (decided.input_ref !== undefined) call.facts = objectOrNull(settled.facts);
    call.verdict = textOrNull(decided.verdict) ?? call.verdict;
    call.reason = textOrNull(decided.reason) ?? call.reason;
    call.changes.push(...list(decided.changes).map(object));
    const renewed = object(output.renewed);
    call.policyRef = textOrNull(renewed.policy_ref) ?? call.policyRef;
    call.digest = textOrNull(output.digest) ?? call.digest;
    const shown = object(this.parts.get(text(output.preview_ref)));
    if (given.expires_at === null || (text(output.card) === '' && call.verdict === 'allow')) return;
    call.question = {
      askedAt: activity.endedAt,
      expiresAt: time(given.expires_at),
      card: textOrNull(output.card) ?? textOrNull(object(this.parts.get(text(output.card_ref))).card),
      cardRef: textOrNull(output.card_ref),
      preview: shown.preview ?? null,
      policy: objectOrNull(renewed.approval) ?? objectOrNull(given.approval),
      held: list(shown.held ?? given.held).map(object),
      makers: list(shown.makers ?? asked.makers).map(text),
    };
  }

  private recordRun(given: JsonObject, output: JsonObject, activity: ActivityCase): void {
    const arguments_ = object(given.call);
    if (text(arguments_.id) === '') return;
    const call = this.at(text(arguments_.id), number(arguments_.revision, 1), activity.takenBack);
    this.fill(call, arguments_);
    call.digest = textOrNull(arguments_.digest) ?? call.digest;
    call.activities.push(activity);
    call.subTurnId ??= textOrNull(given.sub_turn_id);
    for (const approval of list(given.approvals ?? [given.approval ?? null])) this.recordDecision(call, object(approval));
    for (const earlier of list(arguments_.earlier)) {
      const said = object(earlier);
      this.recordDecision(this.at(call.id, number(said.revision, 1), activity.takenBack), said);
    }
    const settlements = list(given.settlements);
    if (activity.type === 'settleEffect')
      for (const settlement of settlements.length > 0 ? settlements : [given])
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
    for (const given of [...list(outcome.approvals), outcome.decision ?? null]) this.recordDecision(call, object(given));
    for (const earlier of list(outcome.earlier)) {
      const said = object(earlier);
      this.recordDecision(this.at(id, number(said.revision, 1), takenBack), said);
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
    const given: DecisionCase = {
      decision,
      by: text(body.by),
      note: textOrNull(body.note),
      at: time(body.at),
      channel: textOrNull(body.channel),
      identity: textOrNull(body.identity),
      cardRef: textOrNull(body.card_ref),
      claims: claimsIn(body.attestation),
      signature: signatureOf(body.attestation, this.signatures),
    };
    const same = call.decisions.find((other) => other.decision === decision && other.by === given.by && near(other, given));
    if (!same) call.decisions.push(given);
    else
      for (const [key, value] of Object.entries(given))
        if (value !== null && !(key === 'at' && same.at !== null)) Object.assign(same, { [key]: value });
  }

  private recordSettlement(call: CallCase, body: JsonObject, at: string | null): void {
    const { outcome, by, note, probe, evidence, identity, attestation } = body;
    const known = call.settlements.some((other) => other.by === by && other.outcome === outcome);
    if (known || text(outcome) === '') return;
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
    if (call.changes.length === 0 && !over) call.changes.push(...list(from.changes).map(object));
  }

  private last(id: string): CallCase | undefined {
    return this.calls.findLast((call) => call.id === id && !call.takenBack) ?? this.calls.findLast((call) => call.id === id);
  }

  /** `fresh`: always a new entry, because a step that a later reset takes back has calls of its own. */
  private at(id: string, revision: number, takenBack: boolean, fresh = false): CallCase {
    const found = this.calls.findLast(
      (call) => call.id === id && call.revision === revision && (takenBack || !call.takenBack) && !fresh,
    );
    if (found) return found;
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
  const token = readToken(text(attestation));
  const claims = token ? decisionClaims(token.claims) : null;
  return claims as unknown as JsonObject | null;
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
