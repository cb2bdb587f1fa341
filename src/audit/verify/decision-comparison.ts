/**
 * Compares repeated facts of decisions and of admission that are not in the tables of `fact-tables.ts` (rules D1 to D6);
 * `fact-tables-decisions.ts` lists them. If a call was admitted more than once, a match with one of the answers is enough.
 */
import { inputPreimage } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { BlockBody, PartBody } from '../format/lines';
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import type { Blocks } from './blocks';
import type { History } from './history';
import { isOfList, listOf } from './recorded-lists';
import { HISTORY, RESULT, TRANSCRIPT, type SourceComparison } from './source-comparison';
import { attempt, attributesOf, eventType, firstPayload, hashOf, resultIn, timeOf, UNKNOWN } from './values';
import { Verdicts } from './verdicts';
import { contains, jsonOf } from './wanted-input';

interface ScheduledActivity {
  type: string;
  value: JsonObject;
  /** ms since 1970. */
  at: number;
}

/** An answer of admission: the fields that its part has too. */
interface AdmissionAnswer {
  call_id: Json;
  tool: Json;
  version: Json;
  verdict: Json;
  reason: Json;
  input_hash: Json;
  input_digest: Json | undefined;
  changes: Json[];
  /** The verdict came after the step. */
  isAfterStep: boolean;
  /** A person's edited input. */
  edit: Json | undefined;
}

/** A kind of fact that admission was told of a call, or answered. */
type Fact = 'approval' | 'quorum' | 'entry' | 'reason' | 'changes' | 'held' | 'expiry';

export class DecisionComparison {
  private activities = new Map<string, ScheduledActivity>();
  /** Hashes, by fact and call. */
  private readonly hashes = new Map<string, Set<string | null>>();
  /** By call: whether untrusted content had been read. */
  private readonly untrustedReads = new Map<string, boolean>();
  private readonly verdicts = new Verdicts();
  /** By the ref of the input. */
  private readonly answers = new Map<string, AdmissionAnswer>();
  /** The part that has the input of a direct call. */
  private direct: Json | undefined;
  /** Bodies of settlements, by part. */
  private readonly bodies = new Map<string, JsonObject>();

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
    private readonly blocks: Blocks,
    private readonly definitions: ReadonlyMap<string, JsonObject>,
  ) {}

  beginRun(): void {
    this.activities = new Map();
  }

  event(event: JsonObject): void {
    const attributes = attributesOf(event);
    const { input, result, activityType, scheduledEventId, continuedExecutionRunId } = attributes;
    const type = eventType(event);
    switch (type) {
      case 'WORKFLOW_EXECUTION_STARTED':
        return this.argument(firstPayload(input), text(continuedExecutionRunId) !== '');
      case 'ACTIVITY_TASK_SCHEDULED': {
        const value = firstPayload(input);
        const argument = value === UNKNOWN ? {} : object(value);
        const { outcomes, ...otherFields } = argument;
        const one = { type: text(object(activityType).name), value: otherFields as JsonObject, at: timeOf(event.eventTime) };
        // The result of a step is complete without its argument.
        if (value !== UNKNOWN || one.type === 'takeStep' || one.type === 'admitDirect')
          this.activities.set(text(event.eventId), one);
        for (const outcome of list(outcomes).map(object)) this.attempts(outcome, HISTORY);
        return value === UNKNOWN ? undefined : this.activity(one);
      }
      case 'ACTIVITY_TASK_COMPLETED': {
        const output = firstPayload(result);
        const one = this.activities.get(text(scheduledEventId));
        if (one && output !== UNKNOWN) this.checkResult(one, object(output));
        return;
      }
    }
    const view = resultIn(type, attributes);
    if (view !== null) this.view(view);
  }

  /** D2 */
  part({ ref, part }: PartBody): void {
    const body = part?.body ?? null;
    if (!isJsonObject(body)) return;
    if (typeof body.idempotency_key === 'string' && body.outcome !== undefined) this.bodies.set(ref, body);
    if (ref === this.direct) this.all.addFacts('turn', '', { input_json: body.asked }, TRANSCRIPT);
    const answer = this.answers.get(ref);
    if (answer) this.comparePart(answer, body, ref === this.direct);
  }

  /** D6: the other settlements in a settlement block. */
  block({ ref, block }: BlockBody): void {
    const body = this.bodies.get(block.parts[0] ?? '');
    if (block.kind !== 'settlement' || body === undefined || !this.blocks.own.has(ref)) return;
    const { settlements = null } = body;
    if (this.all.facts.knows('effect', ref, 'settlements')) this.all.addFacts('effect', ref, { settlements }, TRANSCRIPT);
  }

  /** D1: the tool and input of a direct call. A continued run has only the tool. */
  private argument(payload: Json | typeof UNKNOWN, isContinued: boolean): void {
    const { tool, input_json } = payload === UNKNOWN ? {} : object(payload);
    if (typeof input_json !== 'string') return;
    this.all.addFacts('turn', '', { tool, ...(isContinued ? {} : { input_json }) }, "the turn's argument");
  }

  private activity({ type, value }: ScheduledActivity): void {
    const call = object(value.call);
    const { digest, tool } = value;
    if (type === 'admitDirect') this.all.addFacts('turn', '', { tool, input_json: value.input_json }, HISTORY);
    if (type === 'admitCall') this.checkRequest(value, call);
    if ((type === 'checkDecision' && value.decision !== 'steer') || type === 'checkAnswer')
      this.all.addFacts('call', digest, { tool }, HISTORY);
    // Checked before the activity's own facts are added.
    if (type === 'closeQuestion' || type === 'notify') this.isKnown('call', digest);
    if (type === 'notify') this.isKnown('card', value.card_ref);
    if (type === 'notify') this.checkNotification(value);
    // A step's result that was left out may have proposed the call anew.
    if (!this.all.unknown) this.all.addFacts('use', call.id, { definition_ref: call.definition_ref }, HISTORY);
    const answer = this.answers.get(text(call.input_ref));
    if (answer && typeof call.input_hash === 'string' && answer.input_hash !== call.input_hash)
      this.all.report('D4', 'An activity was given a call with another input than admission had let pass');
    if (type !== 'runCall' && type !== 'openSubTurn') return;
    if (!this.all.unknown) this.all.addFacts('use', call.id, { validation_ms: value.validation_ms }, HISTORY);
    const verdict = answer?.verdict === 'allow' ? 'allow' : 'ask';
    if (answer && value.verdict !== undefined && value.verdict !== verdict)
      this.all.report('D4', 'The call was run under another verdict than admission had given');
  }

  /** D4: admission was told what earlier results say. */
  private checkRequest(
    { reason, changes, held, undecided, untrusted, approval, expires_at }: JsonObject,
    { id }: JsonObject,
  ): void {
    this.keep('expiry', id, expires_at ?? null);
    const read = this.untrustedReads.get(text(id));
    const untrustedFlag = isJsonObject(undecided) ? undecided.untrusted : untrusted;
    const right =
      this.has('reason', id, reason) &&
      (approval === undefined || this.has('approval', id, approval)) &&
      list(changes).every((one) => this.has('changes', id, one)) &&
      (read === undefined || untrustedFlag === undefined || untrustedFlag === read) &&
      list(held).every((one) => this.hasHold(id, object(one)));
    if (!right && this.all.whole)
      this.all.report(
        'D4',
        'Admission was told something else of the call than was known of it: its reason, policy, changes, or what held it back',
      );
  }

  private hasHold(id: Json | undefined, hold: JsonObject): boolean {
    if (hold.kind === 'reset') return this.history.runs.includes(text(hold.id));
    return this.hashes.get(`held ${text(id)}`)?.has(hashOf(hold)) ?? false;
  }

  private checkNotification({ kind, call_id, tool, digest, expires_at = null }: JsonObject): void {
    this.all.addFacts('call', digest, { call_id, tool }, HISTORY);
    if (kind !== 'in_doubt' && this.all.whole && !this.has('expiry', call_id, expires_at))
      this.all.report('D4', 'People were told of another time to decide until than they were given');
  }

  private isKnown(subject: 'call' | 'card', name: Json | undefined): void {
    if (typeof name === 'string' && this.all.whole && !this.all.facts.knows(subject, name, 'call_id'))
      this.all.report('D4', `An activity names a ${subject} that nobody was asked about`);
  }

  private checkResult({ type, value, at }: ScheduledActivity, output: JsonObject): void {
    const call = object(value.call);
    if (type === 'takeStep') for (const one of list(output.calls).map(object)) this.checkCall(one);
    if (type === 'admitDirect') {
      const one = object(output.call);
      this.checkCall(one);
      this.direct = one.input_ref;
      this.all.addFacts('turn', '', { agent: output.agent }, HISTORY);
      if (one.verdict !== 'rejected') this.all.addFacts('turn', '', { tool: one.tool }, HISTORY);
    }
    if (type === 'admitCall' && output.ok === true) this.checkVerdict(value, call, output);
    if (type === 'admitCall' && output.ok === true) this.checkEscalations(value, output, at);
    if (type === 'runCall' || type === 'openSubTurn') {
      const { held } = type === 'runCall' ? output : object(output.refused);
      for (const one of list(held)) this.keep('held', call.id, one);
    }
    if (type === 'settleEffect' && output.effect === value.outcome)
      this.all.addFacts('effect', output.head, { settlements: value.settlements ?? null }, HISTORY);
    if ((type === 'runCall' || type === 'settleEffect') && !this.history.wasReset && text(output.result_ref) !== '')
      this.all.addFacts('result', output.result_ref, { attempts: output.attempts }, HISTORY);
  }

  /** A call in the result of `takeStep` or `admitDirect`. */
  private checkCall(call: JsonObject): void {
    const { id, tool, version, input, input_ref, input_hash, input_digest, verdict, reason, changes, approval } = call;
    for (const fact of ['validation_ms', 'definition_ref']) this.all.facts.forget('use', text(id), fact);
    this.all.addFacts('use', id, { validation_ms: call.validation_ms, definition_ref: call.definition_ref }, HISTORY);
    this.keep('reason', id, reason);
    this.verdicts.add(id, verdict, false);
    if (approval !== undefined) this.approvedUnder(id, approval);
    // By default the approval of one person is enough, over any channel.
    else this.keep('quorum', id, { quorum: 1, channel: 'any' });
    const definedApproval = object(this.definitions.get(text(call.definition_ref))?.approvals)[text(tool)];
    const rules = listOf(this.definitions.get(text(call.definition_ref)) ?? {}, tool);
    if (approval !== undefined && rules !== undefined && !isOfList(approval, rules))
      this.all.report('D4', "A call was admitted under another approval policy than that entry of the agent's definition has");
    if (approval !== undefined && definedApproval !== undefined && hashOf(approval) !== hashOf(definedApproval))
      this.all.report('D4', "A call was admitted under another approval policy than that of the agent's definition");
    for (const one of list(changes)) this.keep('changes', id, one);
    this.untrustedReads.set(text(id), call.untrusted === true);
    const answer = { call_id: id, tool, version, verdict, reason, input_hash, input_digest, changes: list(changes) };
    this.admit(input_ref, { ...answer, isAfterStep: false, edit: undefined } as AdmissionAnswer, input);
  }

  /** D2: the verdict that came later, or that on an edited input. */
  private checkVerdict({ edit }: JsonObject, { id, tool, version }: JsonObject, { decided, renewed }: JsonObject): void {
    if (isJsonObject(renewed)) this.approvedUnder(id, renewed.approval);
    if (!isJsonObject(decided)) return;
    const { verdict, reason, input, input_ref, input_hash, input_digest, changes } = decided;
    this.verdicts.add(id, verdict, isJsonObject(edit));
    this.keep('reason', id, reason);
    for (const one of list(changes)) this.keep('changes', id, one);
    const all = list(changes).map(object);
    const [first] = all;
    const editedInput = isJsonObject(edit) ? edit.input : undefined;
    if (isJsonObject(edit) && !(first?.hook === '' && first.by === edit.by))
      this.all.report('D2', 'A call was changed by somebody else than the one who wanted it so');
    const hooks = editedInput === undefined ? all : all.slice(1);
    const answer = { call_id: id, tool, version, verdict, reason, input_hash, input_digest, changes: hooks };
    this.admit(input_ref, { ...answer, isAfterStep: true, edit: editedInput } as AdmissionAnswer, input);
  }

  /** D4: further people may approve no sooner than the policy says, counted from when people were asked. */
  private checkEscalations({ approval }: JsonObject, { renewed, escalations }: JsonObject, at: number): void {
    const { escalate } = object(object(renewed).approval ?? approval);
    const answers = list(escalations).map(object);
    if (answers.length === 0) return;
    const rules = list(escalate).map(object);
    const right =
      answers.length === rules.length &&
      answers.every(({ at: from, roles }, index) => {
        const { after_ms, roles: named } = rules[index]!;
        return hashOf(roles) === hashOf(named) && timeOf(from) >= at + Number(after_ms) - CLOCKS_MS;
      });
    if (!right) this.all.report('D4', 'Further people were to approve a call sooner, or others, than its approval policy says');
  }

  private admit(ref: Json | undefined, answer: AdmissionAnswer, input: Json | undefined): void {
    if (typeof ref !== 'string') return;
    this.answers.set(ref, answer);
    if (input !== undefined && input !== null && hashOf(input) !== answer.input_hash)
      this.all.report('D2', 'Admission has answered with another input than the one that it names');
    if (isJsonObject(input)) this.digestOf(answer, input);
  }

  /** D2: the part agrees with admission's answer and with the requested input. */
  private comparePart(answer: AdmissionAnswer, body: JsonObject, direct: boolean): void {
    const { call_id, tool, verdict, reason, input_hash, changes, isAfterStep, edit } = answer;
    if (verdict !== 'rejected' && !this.has('entry', call_id, body.approval_entry ?? null))
      this.all.report('D2', 'The transcript has another entry of the approval rules for the call than admission has answered');
    const recordedChanges = list(body.changes).map((one) => ({ hook: object(one).hook ?? null, why: object(one).why ?? null }));
    const answeredChanges = changes.map((one) => ({ hook: object(one).hook ?? null, why: object(one).why ?? null }));
    if (hashOf(recordedChanges) !== hashOf(answeredChanges))
      this.all.report('D2', 'The transcript has other changes of the input than admission has answered');
    const same = { call_id, tool, verdict, reason, input_hash };
    const has = { ...body, input_hash: hashOf(body.input) } as JsonObject;
    if (isAfterStep && Object.entries(same).some(([field, value]) => has[field] !== value))
      this.all.report('D2', 'The transcript has another verdict on the call than admission has answered');
    if (recordedChanges.length > 0 || verdict === 'rejected') return;
    this.digestOf(answer, body.input);
    const expectedInput = isAfterStep ? edit : direct ? jsonOf(body.asked) : undefined;
    if (expectedInput !== undefined && !contains(body.input, expectedInput))
      this.all.report('D2', 'The input of the call is not the one that was asked for, and nothing is said to have changed it');
  }

  /** D2: the hash by which the same call is recognized later. */
  private digestOf({ tool, version, verdict, input_digest, changes }: AdmissionAnswer, input: Json | undefined): void {
    if (input_digest === undefined || verdict === 'rejected' || changes.length > 0 || !isJsonObject(input)) return;
    const right = attempt(() => hashOf(inputPreimage({ tool: text(tool), version: text(version), input })));
    if (input_digest !== right) this.all.report('D2', 'The hash of tool and input is not that of the call that was admitted');
  }

  private approvedUnder(id: Json | undefined, approval: Json | undefined): void {
    const { quorum, channel } = object(approval);
    this.keep('approval', id, approval);
    this.keep('entry', id, object(approval).entry ?? null);
    this.keep('quorum', id, { quorum: quorum ?? null, channel: channel ?? null });
  }

  /** D5, D6 */
  private view({ calls }: { calls: Json[] }): void {
    for (const call of calls.map(object)) {
      this.attempts(call, RESULT);
      const { required, quorum, channel, expires_at = null, entry = null } = object(call.approval);
      const { length: decisionCount } = this.all.decisionsOn(call.digest);
      if (this.all.whole && required === false && (decisionCount > 0 || expires_at !== null))
        this.all.report('D5', "The turn's result says that nobody had to approve a call that people were asked about");
      if (this.all.whole && !this.verdicts.require(call, required, expires_at !== null))
        this.all.report('D5', "The turn's result says otherwise than admission whether people had to approve a call");
      const isKnown =
        this.has('quorum', call.id, { quorum: quorum ?? null, channel: channel ?? null }) && this.has('entry', call.id, entry);
      if (quorum !== undefined && this.all.whole && !isKnown)
        this.all.report('D5', "The turn's result says that a call took other approvals than admission has answered");
    }
  }

  /** D6: how often a call was tried. */
  private attempts({ digest, result_ref, attempts, state }: JsonObject, source: string): void {
    if (this.history.wasReset || state === 'cancelled' || attempts === undefined) return;
    const name = typeof result_ref === 'string' ? result_ref : typeof digest === 'string' ? `of ${digest}` : undefined;
    this.all.addFacts('result', name, { attempts }, source);
  }

  private keep(fact: Fact, id: Json | undefined, value: Json | undefined): void {
    const key = `${fact} ${text(id)}`;
    const hashes = this.hashes.get(key);
    if (hashes) hashes.add(hashOf(value));
    else this.hashes.set(key, new Set([hashOf(value)]));
  }

  /** True too if nothing was said: older builds did not say it. */
  private has(fact: Fact, id: Json | undefined, value: Json | undefined): boolean {
    return this.hashes.get(`${fact} ${text(id)}`)?.has(hashOf(value)) ?? true;
  }
}
