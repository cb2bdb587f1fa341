/**
 * Compares decisions with the signals and updates that gave them: the words are the same (H9, B13), no correction followed (H10),
 * and the run that asked received them (T9). Skipped if the history is not whole, or if a needed decision or payload was left out.
 */
import { plainName } from '../../shared/approval/approval';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { BlockBody, PartBody, RunBody } from '../format/lines';
import type { Blocks } from './blocks';
import { quote } from './fault';
import type { History, Report } from './history';
import { decisionsIn } from './stored-decisions';
import { Questions, type ScheduledActivity } from './questions';
import { claimsOf } from './attestations';
import { principalOf, DecisionMessages, wordsOf, type DecisionMessage, type Words } from './decision-messages';
import { attributesOf, eventType, firstPayload, hashOf, UNKNOWN } from './values';

/** A signed decision that a worker found valid. */
interface CheckedDecision {
  value: JsonObject;
  principal: Json | undefined;
  run: string;
  began: number;
  endPlace: number;
  tasks: number;
}

/** An edited input, as admission was given it. */
interface AdmittedEdit {
  call: JsonObject;
  hash: string | null;
}

const ANSWER_KINDS = new Set<Json | undefined>(['approve', 'deny', 'edit', 'answer']);
const ALIVE = new Set<Json | undefined>(['claimed', 'pending', 'applied', 'in_doubt']);

/** Names what one person answered to one question. */
function answerName({ digest, value, attestation = null }: JsonObject, by: Json | undefined): string {
  return `${text(digest)} ${hashOf(value)} ${hashOf(attestation)} ${text(by)}`;
}

export class DecisionChecks {
  private readonly messages = new DecisionMessages();
  private readonly questions = new Questions(this.messages);
  private place = 0;
  private tasks = 0;
  /** An argument or a result of an activity was left out. */
  private unknown = false;
  private readonly decisionKeys = new Set<string>();
  private readonly checkedDecisions: CheckedDecision[] = [];
  private readonly edits: AdmittedEdit[] = [];
  /** By call: digests that people were asked about. */
  private readonly digests = new Map<string, Set<string>>();
  /** Digests by card; and the digests whose question names its run (older builds do not name it). */
  private readonly cards = new Map<string, string>();
  private readonly digestsWithRun = new Set<string>();
  /** Bodies of decisions, by part. */
  private readonly bodies = new Map<string, JsonObject>();
  /** Answers that a worker found good (`answerName`). */
  private readonly goodAnswers = new Set<string>();
  private report: Report = () => undefined;

  constructor(
    private readonly history: History,
    private readonly blocks: Blocks,
  ) {}

  beginRun(run: RunBody): void {
    this.questions.begin(run);
  }

  event(event: JsonObject, report: Report): void {
    this.report = report;
    const { run } = this.questions;
    const type = eventType(event);
    const attributes = attributesOf(event);
    const own = this.questions.isOwn(event, attributes);
    this.place += 1;
    if (type === 'WORKFLOW_EXECUTION_STARTED') run.before = text(attributes.continuedExecutionRunId) || null;
    if (type === 'WORKFLOW_TASK_COMPLETED') this.tasks += 1;
    this.messages.read(event, { place: this.place, run: run.id, own, tasks: this.tasks });
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.checkActivity(event, attributes, own);
    if (type === 'ACTIVITY_TASK_COMPLETED') this.checkResult(attributes, own);
  }

  part({ ref, part }: PartBody): void {
    const body = part?.body ?? null;
    if (isJsonObject(body) && isJsonObject(body.subject) && typeof body.decision === 'string') this.bodies.set(ref, body);
  }

  /** B13: applies if D5 does not know what activities were given. */
  block({ ref, block }: BlockBody, report: Report): void {
    const body = this.bodies.get(block.parts[0] ?? '');
    if (block.kind !== 'decision' || body === undefined || !this.blocks.own.has(ref)) return;
    if (!this.knows || !this.unknown) return;
    if (ANSWER_KINDS.has(body.decision) && this.messages.of(wordsOf(body)).length === 0)
      report('B13', `The transcript has a decision of ${quote(body.by)} in other words than the signal or update that gave it`);
  }

  /** T9: a dispatch that a run claimed was approved in that run. */
  effect({ digest, dispatch, state, run_id }: JsonObject, report: Report): void {
    const run = this.questions.of(run_id);
    if (!this.isComparable(digest) || run === undefined || !ALIVE.has(state)) return;
    const calls = run.calls.filter(({ value }) => object(value.call).digest === digest);
    const same = calls.filter(({ value }) => object(value.call).dispatch === dispatch);
    if (!same.some(({ value, place }) => this.questions.isApprovedIn(run, value, place)))
      report('T9', 'The call was dispatched in a run by approvals that were given in another, before the workflow was reset');
  }

  /** All signals and updates are known. */
  private get knows(): boolean {
    return this.history.whole && !this.messages.unknown;
  }

  private isComparable(digest: Json | undefined): boolean {
    return this.knows && !this.unknown && this.digestsWithRun.has(text(digest));
  }

  private checkActivity(event: JsonObject, { activityType, input }: JsonObject, own: boolean): void {
    const type = text(object(activityType).name);
    const payload = firstPayload(input);
    this.unknown ||= payload === UNKNOWN;
    const { outcomes, ...value } = payload === UNKNOWN ? ({} as JsonObject) : object(payload);
    const call = object(value.call);
    this.questions.run.activities.set(text(event.eventId), { type, value, place: this.place });
    if (payload === UNKNOWN) return;
    if (type === 'runCall' && own) this.questions.run.calls.push({ value, place: this.place });
    this.checkDecisions(call.id, list(value.approvals), [value.approval], list(call.earlier));
    for (const outcome of list(outcomes).map(object))
      this.checkDecisions(outcome.call_id, list(outcome.approvals), [outcome.decision], list(outcome.earlier));
    if ((type === 'runCall' || type === 'openSubTurn') && own && this.isComparable(call.digest))
      if (!this.questions.areAnswers(this.questions.run, value, this.place))
        this.report('T9', 'The call was to run by an approval that nobody had given since the run had asked for it');
    if (type === 'keepSaid') this.checkDecisions(undefined, decisionsIn(value.said));
    if (type === 'settleEffect') this.checkSettlements(value, call);
    if (type === 'admitCall' && isJsonObject(value.edit)) this.checkEdit(value.edit, call);
    if (type === 'checkDecision') this.checkAttestation(value);
    if (type === 'checkAnswer') this.checkAnswer(value);
    if (type === 'forwardDecision' && this.knows && !this.messages.wasSent(value.body))
      this.report('H9', 'A decision was passed on to a turn below that nobody has sent');
  }

  private checkResult({ scheduledEventId, result }: JsonObject, own: boolean): void {
    const { run } = this.questions;
    const { type, value, place: began } = run.activities.get(text(scheduledEventId)) ?? NOTHING;
    const payload = firstPayload(result);
    this.unknown ||= payload === UNKNOWN;
    const output = payload === UNKNOWN ? {} : object(payload);
    const call = object(value.call);
    if (type === 'admitCall' && output.ok === true) this.ask(output, call, own);
    if (type === 'readCard') {
      const digest = text(output.digest ?? this.cards.get(text(value.card_ref)) ?? '');
      if (own) this.questions.continueQuestion(digest);
    }
    if (type === 'checkDecision') {
      const { principal, on_behalf_of } = output;
      const { attestation } = value; // absent where the argument was left out
      const claims = claimsOf(attestation);
      if (output.ok === true && this.knows && attestation !== undefined && principal !== (claims?.principal ?? null))
        this.report('H9', `A worker is said to have found good that ${quote(principal)} signed, and another has signed it`);
      if (output.ok === true && this.knows && attestation !== undefined && on_behalf_of !== claims?.on_behalf_of)
        this.report('H9', `A worker is said to have found good that ${quote(principal)} signed for somebody else than he did`);
      if (output.ok === true)
        this.checkedDecisions.push({ value, principal, run: run.id, began, endPlace: this.place, tasks: this.tasks });
    }
    if (type === 'checkAnswer' && output.ok === true) this.noteAnswerCheck(value, output.principal);
    const hasRun = type === 'openSubTurn' ? output.open === true : output.state === 'succeeded' && call.class !== 'destructive';
    if ((type === 'runCall' || type === 'openSubTurn') && own && hasRun && this.isComparable(call.digest))
      if (!this.questions.isApprovedIn(run, value, began))
        this.report('T9', 'The call ran in a run by approvals that were given in another, before the workflow was reset');
  }

  private ask({ digest: about, card_ref, run_id }: JsonObject, { id }: JsonObject, own: boolean): void {
    const digest = text(about);
    this.digests.set(text(id), (this.digests.get(text(id)) ?? new Set()).add(digest));
    if (typeof card_ref === 'string') this.cards.set(card_ref, digest);
    if (typeof run_id === 'string' && run_id !== '') this.digestsWithRun.add(digest);
    if (own) this.questions.ask(digest, this.place);
  }

  /** H9: checks the decisions that an activity is given, each once. */
  private checkDecisions(call: Json | undefined, ...decisions: (Json | undefined)[][]): void {
    for (const one of decisions.flat()) {
      if (!isJsonObject(one) || !ANSWER_KINDS.has(one.decision) || typeof one.digest !== 'string') continue;
      const key = `${text(call)} ${hashOf(one)}`;
      if (this.decisionKeys.has(key)) continue;
      this.decisionKeys.add(key);
      if (!this.knows) continue;
      const words = wordsOf(one);
      const messages = this.messages.of(words);
      if (messages.length === 0)
        this.report('H9', `A decision of ${quote(one.by)} stands in other words than the signal or update that gave it`);
      else if (!this.unknown) this.checkCountedDecision(one, words, call);
      const { given_in = null } = one;
      if (given_in !== null && messages.length > 0 && !this.unknown && !messages.some(({ run }) => run === given_in))
        this.report('H9', `A decision of ${quote(one.by)} is said to have been given in another run than it was`);
    }
  }

  /** H9: a worker found a signed decision valid; an edited input was admitted. */
  private checkCountedDecision(one: JsonObject, { kind, digest, attestation, outcome }: Words, call: Json | undefined): void {
    const decision = one.decision === 'edit' ? 'edit' : kind;
    if (kind === 'answer' && !this.goodAnswers.has(answerName(one, one.by)))
      this.report('H9', `No worker has found the answer of ${quote(one.by)} good, and it counted`);
    if (kind === 'answer') return;
    if (typeof attestation === 'string' && this.findChecks({ decision, digest, outcome, attestation, by: one.by }).length === 0)
      this.report('H9', `No worker has found the signed decision of ${quote(one.by)} good, and it counted`);
    if (one.decision !== 'edit' || typeof one.revision !== 'number') return;
    const editHash = statementHash(one);
    const revision = one.revision + 1;
    if (!this.edits.some(({ call: { id, revision: now }, hash }) => id === call && now === revision && hash === editHash))
      this.report('H9', `The change that ${quote(one.by)} is said to have made is none that was admitted`);
  }

  /** H9: an edited input is that of a signal or update, about the call that people were asked about. */
  private checkEdit(edit: JsonObject, call: JsonObject): void {
    this.edits.push({ call, hash: statementHash(edit) });
    if (!this.knows || this.unknown) return;
    const { by, note, attestation, identity, input } = edit;
    const about = [...(this.digests.get(text(call.id)) ?? [])];
    const words = { kind: 'approve', by, note, attestation, identity, input: hashOf(input) };
    if (!about.some((digest) => this.messages.of({ ...words, digest }).length > 0))
      this.report('H9', `The input that ${quote(by)} is said to want is not that of the signal or update`);
  }

  /** H9: the decision that a worker was to check. */
  private checkAttestation({ decision, digest, outcome, attestation, input_hash = null, note_hash }: JsonObject): void {
    if (!this.knows || decision === 'steer') return;
    const kind = decision === 'edit' ? 'approve' : text(decision);
    const alike = (message: DecisionMessage) =>
      message.kind === kind &&
      message.attestation === attestation &&
      message.input === input_hash &&
      (decision === 'edit') === (message.input !== null) &&
      (kind === 'settle' ? message.outcome === outcome : (outcome ?? null) === null) &&
      (note_hash === undefined || note_hash === (message.note === null ? null : hashOf(message.note)));
    if (!this.messages.about(digest).some(alike))
      this.report('H9', 'A worker was to look at a signed decision that no signal or update has');
  }

  /** H9: the answer that a worker was to check is that of a signal or update. */
  private checkAnswer({ digest, value, by, note, attestation = null }: JsonObject): void {
    if (!this.knows) return;
    const alike = (message: DecisionMessage) =>
      message.kind === 'answer' &&
      message.attestation === attestation &&
      message.input === hashOf(value) &&
      hashOf(message.note) === hashOf(note ?? null) &&
      message.name === by;
    if (!this.messages.about(digest).some(alike))
      this.report('H9', 'A worker was to look at an answer that no signal or update has');
  }

  private noteAnswerCheck(answer: JsonObject, principal: Json | undefined): void {
    const { attestation, by } = answer; // absent where the argument was left out
    const signer = typeof attestation === 'string' ? principalOf(attestation) : by;
    if (this.knows && answer.value !== undefined && principal !== signer)
      this.report('H9', `A worker is said to have found good that ${quote(principal)} answered, and another has`);
    this.goodAnswers.add(answerName(answer, principal));
  }

  private findChecks({ decision, digest, outcome = null, attestation, by }: Record<string, Json | undefined>): CheckedDecision[] {
    return this.checkedDecisions.filter(
      ({ value, principal }) =>
        value.decision === decision &&
        value.digest === digest &&
        (value.outcome ?? null) === outcome &&
        value.attestation === attestation &&
        principal === by,
    );
  }

  /** H9, H10 */
  private checkSettlements(value: JsonObject, { digest }: JsonObject): void {
    if (!this.knows) return;
    for (const one of [value, ...list(value.settlements).map(object)]) {
      const { by, note, identity, attestation, outcome } = one;
      const words = { kind: 'settle', digest, by, note, attestation, input: null, outcome, identity };
      if (this.messages.of(words).length === 0)
        this.report('H9', `What ${quote(by)} said of the call stands in other words than the signal or update has`);
      if (this.unknown) continue;
      if (
        typeof attestation === 'string' &&
        this.findChecks({ decision: 'settle', digest, outcome, attestation, by }).length === 0
      )
        this.report('H9', `No worker has found the signed settlement of ${quote(by)} good, and it counted`);
      if (this.isCorrected(one, digest))
        this.report('H10', `${quote(by)} has said something else of the call since, and it was settled so`);
    }
  }

  /** Whether the author stated another outcome later, before the workflow settled the call. */
  private isCorrected({ by, outcome, attestation }: JsonObject, digest: Json | undefined): boolean {
    const settlements = typeof attestation === 'string' ? this.signedSettlements(digest, by) : this.bareSettlements(digest, by);
    const last = settlements.filter((one) => one.outcome === outcome).reduce((latest, { place }) => Math.max(latest, place), -1);
    return settlements.some((one) => one.outcome !== outcome && one.counts && one.began > last);
  }

  /** Signed settlements, each when it was first found valid. */
  private signedSettlements(digest: Json | undefined, by: Json | undefined) {
    const lineage = this.questions.lineage(this.questions.run);
    const first = new Map<Json | undefined, CheckedDecision>();
    for (const one of this.checkedDecisions)
      if (one.value.decision === 'settle' && one.value.digest === digest && lineage.has(one.run) && one.principal === by)
        if (!first.has(one.value.attestation)) first.set(one.value.attestation, one);
    return [...first.values()].map(({ value, began, endPlace, tasks }) => {
      const alone = this.messages
        .about(digest)
        .some(({ attestation, calls }) => attestation === value.attestation && calls === 1);
      return { outcome: value.outcome, began, place: endPlace, counts: alone && this.tasks - tasks >= 2 };
    });
  }

  /** Unsigned settlements. A signal that came during the workflow's last task may have come too late. */
  private bareSettlements(digest: Json | undefined, by: Json | undefined) {
    const lineage = this.questions.lineage(this.questions.run);
    const person = plainName(text(by));
    return this.messages
      .about(digest)
      .filter((one) => one.kind === 'settle' && lineage.has(one.run) && plainName(one.by) === person)
      .map(({ outcome, place, tasks, channel, isAccepted, attestation, note, right }) => {
        const wasProcessed = channel === 'update' ? isAccepted === true && this.tasks - tasks >= 1 : this.tasks - tasks >= 2;
        const counts = right && wasProcessed && attestation === null && text(note).length <= SHORT_NOTE;
        return { outcome, began: place, place, counts };
      });
  }
}

const NOTHING: ScheduledActivity = { type: '', value: {}, place: 0 };
/** Characters. A full turn may have no room for a longer note. */
const SHORT_NOTE = 400;

function statementHash({ by, note = null, identity, attestation = null }: JsonObject): string | null {
  return hashOf({ by, note, identity, attestation } as JsonObject);
}
