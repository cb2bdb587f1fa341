/** Reads and checks the events of a turn's history (rules H1 to H6). It keeps only what later rules need. */
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import { list, object, text } from '../../record/fields';
import { plainName } from '../../shared/approval/approval';
import { ASK_PERSON } from '../../shared/approval/person-question';
import { callDigest, idempotencyKey } from '../../shared/json/digests';
import { activityId } from '../../shared/ids';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { RunBody, TurnBody } from '../format/lines';
import type { Attestations, Audience, SignedStatement, SignedStart } from './attestations';
import { quote } from './fault';
import { RecordedDecisions } from './recorded-decisions';
import { attempt, attributesOf, eventType, firstPayload, hashOf, timeOf, UNKNOWN, type JsonOrUnknown } from './values';

/** A call activity, as it was scheduled. */
export interface ScheduledCall {
  call: JsonObject;
  agent: Json | undefined;
  requester: Json | undefined;
  untrusted: boolean;
  verdict: Json | undefined;
  approvals: JsonObject[];
  /** When it was scheduled, ms since 1970; and the time that its argument has. */
  at: number;
  argumentAt: Json | undefined;
}

/** The outcome of a call, as an activity reported it. */
export interface Outcome {
  digest: Json | undefined;
  head: Json | undefined;
  effect: Json | undefined;
  /** When the history got it, ms since 1970. */
  at: number;
}

interface ScheduledActivity {
  type: string;
  digest: Json | undefined;
  policy_ref: Json | undefined;
}

/** Reports a broken rule at the current line. */
export type Report = (rule: string, reason: string) => void;

const CLOSING = /^WORKFLOW_EXECUTION_(COMPLETED|FAILED|CANCELED)$/;

export class History {
  readonly decisions = new RecordedDecisions();
  /** The turn's argument; UNKNOWN: it was left out, or there is no history. */
  argument: JsonOrUnknown = UNKNOWN;
  /** The event of the parent workflow that started the turn, by the server's record; null: there is none. */
  startedBy: { workflow_id: Json; run_id: Json; event_id: Json } | null = null;
  /** What the workflow was started with, by the server's record. */
  startedWith: JsonObject = {};
  readonly runs: string[] = [];
  wasReset = false;
  /** Times of the first and of the latest event, ms since 1970. */
  began = NaN;
  latest = -Infinity;
  /** The last event closes the workflow. */
  isClosed = false;
  /** `runCall` activities by digest, in the order of scheduling. */
  readonly calls = new Map<string, ScheduledCall[]>();
  /** Call activities by the ref of the part that has their input. */
  readonly inputs = new Map<string, ScheduledCall[]>();
  /** Rules and definitions that call activities name. */
  readonly objects = new Set<string>();
  readonly outcomes: Outcome[] = [];
  private readonly byHead = new Map<string, Outcome[]>();
  /** The calls that each activity result admits, by the joined refs of their inputs. */
  readonly admittedCalls = new Map<string, JsonObject[]>();
  /** Heads that activities were given, and the last head that a result named. */
  readonly inputHeads = new Set<string>();
  lastHead: JsonOrUnknown = null;
  /** Blocks that results named, with the kinds that each may be; `admits`: joined input refs of an admission. */
  readonly namedBlocks: { ref: string; kinds: readonly string[]; admits: string | null }[] = [];
  /** Which were left out. */
  readonly unknown = { calls: false, digests: false, outcomes: false, admitted: false, questions: false, escalations: false };
  /** The store that the calls are bound to; null: they are bound to none; undefined: there was no call. */
  store: string | null | undefined;
  /** The expiry times of questions to people, by call. */
  private readonly expiries = new Map<string, Set<string>>();
  /** Rules under which an input was admitted, by the ref of its part. */
  readonly policies = new Map<string, Json | undefined>();
  /** Who might approve as well, and from when on, by the digest that people were asked about. */
  private readonly escalations = new Map<string, JsonObject[]>();
  private run: { began: RunBody['began']; events: number; latest: number; activities: Map<string, ScheduledActivity> } | null =
    null;

  private readonly audience: Audience;

  constructor(
    private readonly turn: TurnBody,
    namespace: string,
    private readonly attestations: Attestations,
  ) {
    const { workflow_id, first_execution_run_id } = turn;
    this.audience = { namespace, workflow_id, first_execution_run_id: first_execution_run_id ?? '' };
  }

  /** Whether the history begins with the turn: what is not in it did not happen. */
  get whole(): boolean {
    return this.runs[0] === this.turn.first_execution_run_id;
  }

  beginRun({ run_id, began }: RunBody): void {
    this.runs.push(run_id);
    this.run = { began, events: 0, latest: -Infinity, activities: new Map() };
    this.wasReset ||= began === 'reset';
    this.isClosed = false;
    this.decisions.beginRun();
  }

  event(event: JsonObject, report: Report): void {
    const run = this.run!;
    run.events += 1;
    this.order(event, run, report);
    if (run.events === 1) this.first(event, run.began, report);
    this.decisions.read(event);
    const type = eventType(event);
    this.isClosed = CLOSING.test(type);
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.checkActivity(event, run.activities, report);
    if (type === 'ACTIVITY_TASK_COMPLETED') this.noteResult(timeOf(event.eventTime), attributesOf(event), run.activities);
  }

  /** The call of a dispatch; undefined: none was scheduled. */
  findDispatch(digest: Json | undefined, dispatch: Json | undefined): ScheduledCall | undefined {
    return this.callsOf(digest).find(({ call }) => call.dispatch === dispatch);
  }

  /** Outcomes whose activity named this block as the head. */
  outcomesAt(head: string): Outcome[] {
    return this.byHead.get(head) ?? [];
  }

  /** When an activity last reported an outcome with this block as head; undefined: none did. */
  outcomeTime(head: string): number | undefined {
    const times = this.outcomesAt(head).map(({ at }) => at);
    return times.length === 0 ? undefined : times.reduce((last, at) => Math.max(last, at));
  }

  callsOf(digest: Json | undefined): ScheduledCall[] {
    return this.calls.get(text(digest)) ?? [];
  }

  /** Call activities whose input is in this part. */
  callsWith(ref: string): ScheduledCall[] {
    return this.inputs.get(ref) ?? [];
  }

  /** The idempotency key of a scheduled call. */
  keyOf({ call }: ScheduledCall): string | null {
    const { workflow_id } = this.turn;
    const first_execution_run_id = this.turn.first_execution_run_id ?? '';
    const identity = { workflow_id, first_execution_run_id, call_id: call.id as string, digest: call.digest as string };
    return attempt(() => idempotencyKey(identity));
  }

  private order(event: JsonObject, run: NonNullable<History['run']>, report: Report): void {
    const at = timeOf(event.eventTime);
    if (event.eventId !== String(run.events))
      report(
        'H1',
        `Event ${quote(event.eventId)} of the run stands where event ${run.events} must be: events are missing, or were moved`,
      );
    if (typeof event.eventType !== 'string') report('H1', 'The event has no type');
    if (Number.isNaN(at)) report('H1', 'The event has no time');
    else if (eventType(event) !== 'ACTIVITY_TASK_STARTED' && at < run.latest - CLOCKS_MS)
      report('H1', 'The event lies before an event that came before it: the times were changed');
    if (Number.isNaN(this.began)) this.began = at;
    run.latest = Math.max(run.latest, at);
    this.latest = Math.max(this.latest, at);
  }

  private first(event: JsonObject, began: RunBody['began'], report: Report): void {
    const attributes = attributesOf(event);
    const { firstExecutionRunId, originalExecutionRunId, continuedExecutionRunId, input } = attributes;
    const { parentWorkflowExecution, parentInitiatedEventId } = attributes;
    if (eventType(event) !== 'WORKFLOW_EXECUTION_STARTED' || firstExecutionRunId !== this.turn.first_execution_run_id)
      report(
        'H2',
        "The run does not begin with the start of this turn's workflow: it is of another turn, or its beginning is missing",
      );
    const wasReset = Boolean(originalExecutionRunId) && originalExecutionRunId !== this.runs.at(-1);
    if (began !== (wasReset ? 'reset' : continuedExecutionRunId ? 'continued' : 'start'))
      report('H2', `The run is said to have begun otherwise (${began}) than its first event says`);
    const argument = firstPayload(input);
    if (argument !== UNKNOWN) this.checkArgument(object(argument), report);
    if (this.runs.length !== 1 || !this.whole) return;
    this.argument = argument;
    const { workflowType = null, taskQueue = null, memo = null, searchAttributes = null } = attributes;
    this.startedWith = { workflowType, taskQueue, memo, searchAttributes };
    const { workflowId, runId } = object(parentWorkflowExecution);
    if (isJsonObject(parentWorkflowExecution))
      this.startedBy = { workflow_id: workflowId ?? null, run_id: runId ?? null, event_id: parentInitiatedEventId ?? null };
  }

  private checkArgument({ turn_id, parent }: JsonObject, report: Report): void {
    if (turn_id !== this.turn.turn_id) report('H2', `The run was started for turn ${quote(turn_id)}`);
    const { parent: above } = this.turn;
    const { turn_id: id, call_id } = object(parent);
    if (above && (id !== above.turn_id || call_id !== above.call_id))
      report('H2', 'The turn was not started by the call that it is said to answer');
  }

  private checkActivity(event: JsonObject, activities: Map<string, ScheduledActivity>, report: Report): void {
    const { activityType, activityId: id, input } = attributesOf(event);
    const type = text(object(activityType).name);
    const value = firstPayload(input);
    const argument = value === UNKNOWN ? null : object(value);
    const { digest, policy_ref } = argument === null ? {} : object(argument.call);
    activities.set(text(event.eventId), { type, digest, policy_ref });
    if (argument === null) {
      if (type === 'runCall') this.unknown.calls = true;
      if (OUTCOMES[type] !== undefined) this.unknown.digests = true;
      if (type === 'admitCall') this.unknown.questions = true;
      return;
    }
    const call = object(argument.call);
    if (type === 'runCall' || type === 'openSubTurn') {
      this.call(argument, call, { id, at: timeOf(event.eventTime) }, report);
      const runs = scheduledCall(argument, call, timeOf(event.eventTime));
      for (const ref of [call.policy_ref, call.definition_ref]) if (typeof ref === 'string') this.objects.add(ref);
      this.inputs.set(text(call.input_ref), [...this.callsWith(text(call.input_ref)), runs]);
      if (type === 'runCall') this.calls.set(text(call.digest), [...this.callsOf(call.digest), runs]);
    }
    if (type === 'admitCall') this.noteExpiry(text(call.id), text(argument.expires_at));
    if (type === 'settleEffect') this.checkSettlements(argument, call, timeOf(event.eventTime), report);
    if (GIVEN_HEADS.has(type) && typeof argument.head === 'string') this.inputHeads.add(argument.head);
  }

  private call(
    value: JsonObject,
    call: JsonObject,
    { id, at: then }: { id: Json | undefined; at: number },
    report: Report,
  ): void {
    const fault = callFault(value, call, id, this.turn) ?? this.storeFault(object(value.turn));
    if (fault !== null) report('H3', fault);
    const people = new Set<string>();
    // A question of the model runs with the answer to it, which approves nothing.
    const kind = call.tool === ASK_PERSON && call.class !== 'destructive' ? 'answer' : 'approve';
    for (const approval of approvalsIn(value)) {
      const { by, digest, decision, at, expires_at } = approval;
      const who = quote(by);
      if (decision !== kind || digest !== call.digest)
        report('H4', `What ${who} said is no approval of this call, which ran with it`);
      if (!(timeOf(at) <= timeOf(expires_at))) report('H4', `${who} approved the call after the approval had expired`);
      if (people.has(plainName(text(by)))) report('H4', `${who} counts twice among those who approved the call`);
      people.add(plainName(text(by)));
      if (this.whole && !this.decisions.has(kind, call.digest, by))
        report('H4', `The call ran with an approval of ${who}, and no signal or update before says that ${who} approved it`);
      else if (this.whole) this.inTime(approval, kind, call, report);
      if (!(timeOf(at) <= then + CLOCKS_MS))
        report('H6', `The approval of ${who} bears a time after the call was to run with it`);
      if (approval.until !== undefined && !(timeOf(at) <= timeOf(approval.until)))
        report('H6', `The approval of ${who} was accepted when its sender no longer waited`);
      this.checkAttestation(approval, { digest: call.digest, decision: kind, outcome: null, by, at }, report);
    }
  }

  private storeFault({ store_id = null }: JsonObject): string | null {
    const store = typeof store_id === 'string' ? store_id : null;
    if (this.store === undefined) {
      this.store = store;
      this.audience.store_id = store;
    }
    return this.store === store ? null : 'The call that was to run is bound to another store than the calls before it';
  }

  /** From when on further people might approve the call. */
  escalationsOf(digest: Json | undefined): JsonObject[] {
    return this.escalations.get(text(digest)) ?? [];
  }

  private noteExpiry(call: string, expiry: string): void {
    this.expiries.set(call, (this.expiries.get(call) ?? new Set()).add(expiry));
  }

  /** H6 */
  private inTime({ by, at, expires_at }: JsonObject, kind: string, call: JsonObject, report: Report): void {
    if (!this.unknown.questions && !this.expiries.get(text(call.id))?.has(text(expires_at)))
      report('H6', `The approval of ${quote(by)} is said to have been good until a time that nobody was asked until`);
    const time = { at: timeOf(at), expires: timeOf(expires_at) };
    if (!this.decisions.has(kind, call.digest, by, time))
      report('H6', `The approval of ${quote(by)} bears a time before the signal or update that gave it`);
  }

  /** H5, H6 */
  private checkSettlements(value: JsonObject, call: JsonObject, then: number, report: Report): void {
    for (const one of [value, ...list(value.settlements).map(object)]) {
      const { by, outcome = null, at = value.at } = one;
      if (this.whole && !this.decisions.hasSettlement(outcome, call.digest, by))
        report('H6', `${quote(by)} is said to have settled the call, and no signal or update before says so`);
      const time = { at: timeOf(at as Json), expires: Infinity };
      if (this.whole && !this.decisions.hasSettlement(outcome, call.digest, by, time))
        report('H6', `The settlement of ${quote(by)} bears a time before the signal or update that gave it`);
      if (!(timeOf(at as Json) <= then + CLOCKS_MS)) report('H6', `The settlement of ${quote(by)} bears a time after it counted`);
      this.checkAttestation(one, { digest: call.digest, decision: 'settle', outcome, by, at: at as Json }, report);
    }
  }

  /** Reports a decision with an invalid signature. */
  checkAttestation(
    { attestation, note = null, value, value_hash = hashOf(value) }: JsonObject,
    statement: Omit<SignedStatement, 'attestation' | 'note' | 'input_hash'>,
    report: Report,
  ): void {
    if (attestation === undefined) return;
    const answer = statement.decision === 'answer' ? { input_hash: value_hash } : {};
    const fault = this.attestations.fault({ attestation, note, ...answer, ...statement }, this.audience);
    if (fault !== null) report('H5', `The signed decision of ${quote(statement.by)} does not hold: ${fault}`);
  }

  /** Why the signature on the turn's start is invalid; null: it is valid, or cannot be checked. */
  startFault(attestation: Json, start: SignedStart): string | null {
    return this.attestations.startFault(attestation, start, this.audience.namespace);
  }

  private noteResult(at: number, { scheduledEventId, result }: JsonObject, activities: Map<string, ScheduledActivity>): void {
    const { type, digest, policy_ref } = activities.get(text(scheduledEventId)) ?? NOTHING;
    if (type === 'lookAtSubTurn') return;
    const value = firstPayload(result);
    if (value === UNKNOWN) {
      this.lastHead = UNKNOWN;
      this.unknown.outcomes ||= OUTCOMES[type] !== undefined;
      this.unknown.escalations ||= type === 'admitCall';
      this.unknown.admitted ||= type === 'takeStep' || type === 'admitDirect';
      return;
    }
    const output = object(value);
    this.lastHead = headIn(output) ?? this.lastHead;
    const outcome = OUTCOMES[type]?.(output);
    if (isJsonObject(outcome)) this.note({ digest, head: outcome.head, effect: outcome.effect, at });
    this.names(type, output);
    const { input_ref } = object(output.decided);
    if (type === 'admitCall' && typeof input_ref === 'string')
      this.policies.set(input_ref, object(output.renewed).policy_ref ?? policy_ref);
    if (type === 'admitCall' && output.escalations !== undefined && !this.escalations.has(text(output.digest)))
      this.escalations.set(text(output.digest), list(output.escalations).map(object));
    if (type === 'takeStep') this.admit(list(output.calls).map(object));
    if (type === 'admitDirect') this.admit([object(output.call)]);
  }

  /** T7: notes the blocks that an activity's result names. */
  private names(type: string, output: JsonObject): void {
    const { head, answer_head, next, calls, call, settled } = output;
    const admits = (type === 'takeStep' ? list(calls) : [call ?? null]).map((one) => text(object(one).input_ref)).join();
    const add = (ref: Json | undefined, kinds: string[], inputRefs: string | null = null) =>
      void (typeof ref === 'string' && this.namedBlocks.push({ ref, kinds, admits: inputRefs }));
    if (type === 'takeStep' && answer_head !== undefined) add(head, ['end']);
    // At the end of a turn, an older build did not name the answer's block.
    if (type === 'takeStep' && (answer_head !== undefined || next !== 'end')) add(answer_head ?? head, ['admission'], admits);
    if (type === 'admitDirect') add(head, ['admission'], admits);
    if (type === 'endTurn') add(head, ['end']);
    if (type === 'runCall' || type === 'settleEffect') add(head, ['effect', 'settlement']);
    if (type === 'reconcileEffect' || type === 'completeCall') add(object(settled).head, ['effect', 'settlement']);
  }

  private note(outcome: Outcome): void {
    this.outcomes.push(outcome);
    if (typeof outcome.head === 'string') this.byHead.set(outcome.head, [...this.outcomesAt(outcome.head), outcome]);
  }

  private admit(calls: JsonObject[]): void {
    const callFacts = calls.map(
      ({ id, tool, version, class: of, verdict }) => ({ id, tool, version, class: of, verdict }) as JsonObject,
    );
    for (const { input_ref, policy_ref } of calls) this.policies.set(text(input_ref), policy_ref);
    this.admittedCalls.set(calls.map(({ input_ref }) => text(input_ref)).join(), callFacts);
  }
}

const NOTHING: ScheduledActivity = { type: '', digest: undefined, policy_ref: undefined };

/** Activities that continue from a head. */
const GIVEN_HEADS = new Set(['takeStep', 'runCall', 'endTurn', 'settleEffect']);

/** Where an activity's result has the outcome of a call. */
const OUTCOMES: Record<string, (output: JsonObject) => Json | undefined> = {
  runCall: (output) => output,
  settleEffect: (output) => output,
  inspectEffect: (output) => output.outcome,
  reconcileEffect: (output) => output.settled,
  completeCall: (output) => output.settled,
};

function headIn(output: JsonObject): string | null {
  const heads = [output.head, object(output.outcome).head, object(output.settled).head, object(output.refused).head];
  return (heads.find((head) => typeof head === 'string') as string | undefined) ?? null;
}

/** An older history has a single `approval`, or null. */
function approvalsIn({ approvals, approval }: JsonObject): JsonObject[] {
  return Array.isArray(approvals) ? approvals.map(object) : isJsonObject(approval) ? [approval] : [];
}

function scheduledCall(value: JsonObject, call: JsonObject, at: number): ScheduledCall {
  const { input: _, earlier: __, ...otherFields } = call;
  const approvals = approvalsIn(value).map(({ by, attestation, at: then }) => ({ by, attestation, at: then }) as JsonObject);
  const { agent, requester } = object(value.turn);
  const { verdict, at: argumentAt } = value;
  return { call: otherFields, agent, requester, untrusted: value.untrusted === true, verdict, approvals, at, argumentAt };
}

function callFault({ turn }: JsonObject, call: JsonObject, id: Json | undefined, own: TurnBody): string | null {
  const { turn_id, workflow_id, first_execution_run_id } = object(turn);
  if (turn_id !== own.turn_id || workflow_id !== own.workflow_id || first_execution_run_id !== own.first_execution_run_id)
    return 'The call that was to run is of another turn';
  if (call.input !== null && hashOf(call.input) !== call.input_hash)
    return 'The call was to run with another input than the one that was admitted and approved';
  const digest = attempt(() => callDigest(object(turn) as never, call as never));
  if (digest === null || digest !== call.digest) return 'The call that was to run is not the one that its digest names';
  const expectedId = attempt(() => activityId(text(call.id), text(call.tool), digest, call.dispatch as number));
  return expectedId !== null && id === expectedId ? null : 'The id of the activity does not name the call that it ran';
}
