/** Compares what a turn's history repeats: in arguments and results of activities, and in the turn's result (rules D1 to D6). */
import { ASK_PERSON } from '../../shared/approval/person-question';
import { actHash, idempotencyKey } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { isCut, isShortOf } from '../../shared/turn/turn-view';
import { list, object, text } from '../../record/fields';
import { digestFault } from './admitted-digest';
import type { RunBody, TurnBody } from '../format/lines';
import * as of from './fact-tables';
import type { History } from './history';
import { capital, quote } from './fault';
import { HISTORY, RESULT, SESSION, type SourceComparison } from './source-comparison';
import { attempt, attributesOf, eventType, firstPayload, hashOf, resultIn, UNKNOWN } from './values';

/** States in which an activity leaves a call. */
const RUN_STATES = new Set<Json | undefined>(['succeeded', 'failed', 'in_doubt']);
/** The effect of a destructive call, by its state. */
const EFFECT = { succeeded: 'applied', failed: 'not_applied', in_doubt: 'in_doubt' } as const;
/** Activities that write the decisions on calls that did not run. */
const WRITING = new Set(['takeStep', 'endTurn']);
/** Activities about the outcome of a dispatch. */
const LOOKING = new Set(['inspectEffect', 'settleEffect', 'reconcileEffect', 'completeCall']);

/** Activities whose results say in which part the input of a call is. */
const INPUTS = new Set(['takeStep', 'admitDirect', 'admitCall']);

/** Fields of a call that its step, its outcome and the turn's result have, whether it ran or not. */
const OF_USE = ['tool_use_id', 'tool', 'version', 'class'];

interface ScheduledActivity {
  type: string;
  value: JsonObject;
  /** Hashes of the decisions that the activity was to write. */
  decisions: (string | null)[];
}

export class HistoryComparison {
  /** Expiry times of questions to people, by call. */
  private readonly expiries = new Set<string>();
  /** By digest: whether the call took effect, by the last activity that reported on it. */
  private readonly effects = new Map<string, boolean>();
  private runs = 0;
  private activities = new Map<string, ScheduledActivity>();
  /** By call: `input_ref`, as its step or the last decision on it has it. */
  private readonly inputs = new Map<string, Json>();

  constructor(
    private readonly all: SourceComparison,
    private readonly turn: TurnBody,
    private readonly history: History,
  ) {
    const { turn_id, workflow_id, first_execution_run_id } = turn;
    all.addFacts(
      'turn',
      '',
      { turn_id, workflow_id, first_execution_run_id: first_execution_run_id ?? undefined },
      'the turn line',
    );
  }

  beginRun({ run_id }: RunBody): void {
    this.runs += 1;
    this.activities = new Map();
    this.all.addFacts('run', String(this.runs), { run_id }, 'the run line');
  }

  event(event: JsonObject): void {
    const type = eventType(event);
    const attributes = attributesOf(event);
    const { input, result } = attributes;
    if (type === 'WORKFLOW_EXECUTION_STARTED') {
      const { continuedExecutionRunId: before } = attributes;
      this.all.goOn(this.history.runs.at(-1)!, typeof before === 'string' ? before : null);
      this.argument(firstPayload(input));
    }
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.activity(event, attributes, firstPayload(input));
    if (type === 'ACTIVITY_TASK_COMPLETED') this.checkResult(attributes, firstPayload(result));
    const view = resultIn(type, attributes);
    if (view !== null) this.view(view);
  }

  /** D1, D6: the turn as its session found it. */
  session(event: JsonObject): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    const payload = firstPayload(type === 'ACTIVITY_TASK_SCHEDULED' ? attributes.input : attributes.result);
    if (payload === UNKNOWN) return;
    const record = object(payload);
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.all.addRecord(of.LOOK_AT_TURN_INPUT, record, { turn: '' }, SESSION);
    if (type !== 'ACTIVITY_TASK_COMPLETED' || this.history.wasReset) return;
    this.all.addRecord(of.LOOK_AT_TURN_OUTPUT, record, { turn: '' }, SESSION);
    // No block has the end of a turn that was ended from outside.
    const { state, reason, head } = record;
    if (this.history.isClosed) this.all.addFacts('block', head, { state, reason }, SESSION);
  }

  private argument(value: Json | typeof UNKNOWN): void {
    if (value === UNKNOWN) return;
    const { turn_id, agent, requester, session_id, trace_id, message, attestation, options } = object(value);
    const facts = { turn_id, agent, requester, session_id, trace_id, message, attestation, options };
    this.all.addFacts('turn', '', facts, "the turn's argument");
  }

  private activity(event: JsonObject, { activityType }: JsonObject, payload: Json | typeof UNKNOWN): void {
    const type = text(object(activityType).name);
    this.all.unknown ||= payload === UNKNOWN;
    const value = payload === UNKNOWN ? {} : object(payload);
    const decisions = WRITING.has(type) ? list(value.outcomes).flatMap((outcome) => decisionsIn(object(outcome))) : [];
    this.activities.set(text(event.eventId), { type, value: { ...value, outcomes: null }, decisions });
    this.all.addRecord(of.TURN_CONTEXT, object(value.turn), { turn: '' }, HISTORY);
    const call = object(value.call);
    const { digest, input_ref } = call;
    this.renewInput(call);
    this.all.addRecord(of.CALL_ARGUMENTS, call, { call: digest }, HISTORY);
    this.noteTool(call.id, call, HISTORY);
    this.all.addFacts('card', call.preview_ref, { target_hash: call.target_hash }, HISTORY);
    if (type !== 'admitCall') this.all.addFacts('card', call.preview_ref, { makers: call.makers ?? [] }, HISTORY);
    if (call.input !== undefined && call.input !== null && hashOf(call.input) !== call.input_hash)
      this.all.report('D4', 'An activity was given another input than that of the call');
    if (LOOKING.has(type) && this.all.whole && !this.history.findDispatch(digest, call.dispatch))
      this.all.report('D4', 'An activity was to find out about a dispatch that there was not');
    if (type === 'runCall' || type === 'openSubTurn') {
      const { id: call_id, tool, input_hash } = call as Record<string, string>;
      const { workflow_id } = this.turn;
      const first_execution_run_id = this.turn.first_execution_run_id ?? '';
      const key = attempt(() => idempotencyKey({ workflow_id, first_execution_run_id, call_id: call_id!, digest: text(digest) }));
      const act = attempt(() => actHash({ first_execution_run_id, call_id: call_id!, tool: tool!, input_hash: input_hash! }));
      this.all.addFacts('call', digest, { key, act }, HISTORY);
      this.dispatchVerdict(dispatchName(call), value.verdict);
      this.all.addFacts('turn', '', { options: value.options }, HISTORY);
      if (this.all.facts.knows('asked', input_ref, 'call_id'))
        this.all.addFacts('asked', input_ref, { untrusted: value.untrusted }, HISTORY);
    }
    this.all.noteDecisions(list(value.approvals), [value.approval], list(call.earlier));
    for (const outcome of list(value.outcomes).map(object)) this.outcome(outcome);
    this.all.addFacts('card', value.card_ref, { digest: value.digest }, HISTORY);
    this.expiries.add(expiryOf(call.id, value.expires_at ?? null));
    const { message, attestation } = value;
    if (type === 'takeStep') this.all.addFacts('turn', '', { message: message ?? undefined, attestation }, HISTORY);
    if (type === 'admitDirect') this.all.addFacts('turn', '', { attestation }, HISTORY);
  }

  /** After a reset a classifier may judge the same call otherwise; B7 then compares the block with the calls. */
  private dispatchVerdict(dispatch: string, verdict: Json | undefined): void {
    const { facts } = this.all;
    if (this.history.wasReset && facts.knowsOther('dispatch', dispatch, 'verdict', verdict))
      facts.skip('dispatch', 'verdict', dispatch);
    this.all.addFacts('dispatch', dispatch, { verdict }, HISTORY);
  }

  private checkResult({ scheduledEventId }: JsonObject, payload: Json | typeof UNKNOWN): void {
    const { type, value, decisions } = this.activities.get(text(scheduledEventId)) ?? { type: '', value: {}, decisions: [] };
    if (type === 'lookAtSubTurn') return;
    this.all.unknown ||= payload === UNKNOWN;
    const call = object(value.call);
    const leftOut = payload === UNKNOWN || (type === 'admitCall' && call.id === undefined);
    if (leftOut && INPUTS.has(type) && this.history.wasReset) this.all.facts.skip('call', 'input_ref');
    if (payload === UNKNOWN) return;
    const output = object(payload);
    for (const decision of decisions) this.all.hashesInHistory.add(decision);
    for (const head of [output.head, output.answer_head]) this.all.names(head);
    if (type === 'takeStep') {
      for (const step of [output.head, output.answer_head]) {
        this.all.addRecord(of.TAKE_STEP_OUTPUT, output, { step, turn: '' }, HISTORY);
        this.all.addRecord(of.STEP_USAGE, object(output.usage), { step }, HISTORY);
      }
      for (const one of list(output.calls).map(object)) this.checkCall(one, output, { turn: object(value.turn) });
    }
    if (type === 'admitDirect') {
      this.all.addFacts('turn', '', { store_id: output.store_id }, HISTORY);
      this.checkCall(object(output.call), output, { turn: object(value.turn), agent: output.agent });
    }
    if (type === 'admitCall' && output.ok === true) this.question(call, output);
    if (type === 'readCard') this.all.addFacts('card', value.card_ref, { text: output.card, digest: output.digest }, HISTORY);
    for (const one of [output, object(output.outcome), object(output.settled), object(output.refused)]) this.checkRun(one, call);
    if (type === 'runCall' && output.state === 'succeeded') this.answer(call, list(value.approvals), output.result_ref);
    // If the effect differs, the record already had another outcome, and the head is from its author.
    const { by, note, identity } = value;
    if (type === 'settleEffect' && output.effect === value.outcome)
      this.all.addFacts('effect', output.head, { by, note, identity }, HISTORY);
  }

  private noteInput(id: Json | undefined, ref: Json | undefined): void {
    if (ref !== undefined) this.inputs.set(text(id), ref);
  }

  /**
   * The input of the call is in the part that was last said, and an earlier run had it in another one: after a reset the model may
   * have given the same call another id, and a classifier another reason.
   */
  private renewInput({ id, digest, input_ref }: Record<string, Json | undefined>): void {
    const { facts } = this.all;
    if (!this.history.wasReset || input_ref === undefined || this.inputs.get(text(id)) !== input_ref) return;
    if (facts.knowsOther('call', digest, 'input_ref', input_ref)) facts.skip('call', 'input_ref', text(digest));
  }

  /** D2 */
  private checkCall(
    call: JsonObject,
    { policy, store_id }: JsonObject,
    by: { turn: JsonObject; agent?: Json | undefined },
  ): void {
    const { id, digest, input_ref, input, tool_use_id } = call;
    const { tool, version, class: kind, input_hash } = call;
    this.noteInput(id, input_ref);
    this.renewInput(call);
    for (const fact of OF_USE) this.all.facts.forget('use', text(id), fact);
    this.all.addFacts('use', id, { tool_use_id, tool, version, class: kind }, HISTORY);
    this.all.addRecord(of.ADMITTED_CALL, call, { asked: input_ref }, HISTORY);
    const addedFields = { store_id, agent: by.agent };
    const fault = digestFault(call, { turn: by.turn, addedFields, policy_ref: object(policy).policy_ref });
    if (fault !== null) this.all.report('D2', `A call ${fault}`);
    this.all.addFacts('call', digest, { call_id: id, tool, version, class: kind, input_hash, input_ref }, HISTORY);
    if (input !== undefined && input !== null) this.all.addFacts('asked', input_ref, { input_hash: hashOf(input) }, HISTORY);
    if (call.policy_ref !== undefined) this.all.addFacts('asked', input_ref, { policy_ref: object(policy).policy_ref }, HISTORY);
  }

  /** D3: the question to people, compared with its part; D4: the call that the question is about. */
  private question(call: JsonObject, output: JsonObject): void {
    const { digest, card_ref, card, preview_ref, target_hash } = output;
    const { id: call_id, revision, tool, version } = call;
    const decided = object(output.decided);
    const { input_ref, input_hash } = { ...call, ...decided };
    const { policy_ref } = { ...call, ...object(output.renewed) };
    this.noteInput(call_id, decided.input_ref);
    this.renewInput({ id: call_id, digest, input_ref });
    this.all.addRecord(of.ADMIT_CALL_OUTPUT, output, { card: card_ref, call: digest }, HISTORY);
    const { run_id = '' } = output;
    if (run_id !== '' && run_id !== null && this.history.whole && !this.history.runs.includes(text(run_id)))
      this.all.report('D3', 'People were asked in a run that the turn does not have');
    this.all.addFacts('card', card_ref, { call_id, text: card }, HISTORY);
    if (typeof card === 'string' && card !== '' && !card.includes(text(digest)))
      this.all.report('D3', 'The card that people were shown does not name the digest of its call');
    // If the argument was left out, the makers are unknown.
    const makers = call.id === undefined ? undefined : (call.makers ?? []);
    this.all.addFacts('card', preview_ref, { target_hash, makers }, HISTORY);
    this.all.addFacts(
      'call',
      digest,
      { call_id, revision, tool, version, class: call.class, input_ref, input_hash, policy_ref },
      HISTORY,
    );
    for (const ref of [card_ref, preview_ref]) if (typeof ref === 'string') this.all.namedRefs.add(ref);
  }

  /** D6: the outcome of a call, as an activity reports it. */
  private checkRun(outcome: JsonObject, call: JsonObject): void {
    const { result_ref, head, effect, state } = outcome;
    if (typeof result_ref !== 'string' || result_ref === '' || !RUN_STATES.has(state)) return;
    this.all.namedRefs.add(result_ref);
    this.all.names(head);
    this.all.addRecord(of.RUN_CALL_OUTPUT, outcome, { result: result_ref }, HISTORY);
    const { id: call_id, tool, version } = call;
    this.all.addFacts('result', result_ref, { call_id, tool, version, success: state === 'succeeded' }, HISTORY);
    this.all.addFacts('effect', head, { effect }, HISTORY);
    this.all.wholeTexts(result_ref, outcome);
    if (typeof call.class === 'string' && effect !== (call.class === 'destructive' ? EFFECT[state as keyof typeof EFFECT] : null))
      this.all.report('D6', `A ${String(call.class)} call is said to have ${String(state)}, with the effect ${quote(effect)}`);
    if (typeof effect === 'string') this.effects.set(text(call.digest), effect === 'applied');
  }

  /** D8: the result of a question is what the person answered. */
  private answer({ tool, class: kind }: JsonObject, approvals: Json[], ref: Json | undefined): void {
    if (tool !== ASK_PERSON || kind === 'destructive') return;
    const { value, by, note } = object(approvals[0]);
    const hasNote = typeof note === 'string' && note.trim() !== '';
    const data = { answer: value ?? null, by: by ?? null, ...(hasNote ? { note } : {}) };
    this.all.addFacts('result', ref, { answered: hashOf(data as JsonObject) }, HISTORY);
  }

  /** D6: the same, as the next step receives it. */
  private outcome(outcome: JsonObject): void {
    const { call_id, digest, result_ref, decision, approvals, earlier } = outcome;
    this.all.noteDecisions(list(approvals), [decision], list(earlier));
    this.all.toolResults.outcome(outcome);
    this.checkOrigin(outcome, HISTORY);
    this.checkEnd(outcome, outcome.summary, HISTORY);
    this.all.addRecord(of.CALL_OUTCOME, omitSilentFields(outcome), { call: digest, result: result_ref, use: call_id }, HISTORY);
    this.all.addFacts('result', result_ref, { call_id }, HISTORY);
    this.noteTool(call_id, outcome, HISTORY);
  }

  /** D2: the tool of a call, even if it did not run. If a step was left out, it may have proposed the call with another tool. */
  private noteTool(id: Json | undefined, { tool, version, class: kind }: JsonObject, source: string): void {
    if (this.all.whole) this.all.addFacts('use', id, { tool, version, class: kind }, source);
  }

  /** D1, D4 to D6: the turn's result repeats all of it. */
  private view(view: JsonObject & { calls: Json[] }): void {
    const { head, calls } = view;
    const { lastHead } = this.history;
    this.all.addRecord(of.TURN_VIEW, view, { turn: '', run: String(this.runs), block: head }, RESULT);
    // A turn that was reset has ended more than once.
    const { state, reason, usage, context_full, ended_at } = view;
    const end = { state, reason, usage, context_full: context_full === true, ended_at };
    if (!this.history.wasReset) this.all.addFacts('turn', '', end, RESULT);
    if (lastHead !== UNKNOWN && head !== undefined && head !== lastHead)
      this.all.report('D1', "The turn's result names another head of the transcript than the history");
    for (const call of calls.map(object)) {
      const { id: call_id, digest, result_ref } = call;
      this.checkOrigin(call, RESULT);
      this.checkEnd(call, call.result_summary, RESULT);
      this.all.addRecord(of.CALL_VIEW, omitSilentFields(call), { call: digest, result: result_ref }, RESULT);
      this.all.addFacts('result', result_ref, { call_id }, RESULT);
      this.noteTool(call_id, call, RESULT);
      this.checkApproval(call);
    }
    // A direct call answers with the envelope of its result in the store.
    const resultRefs = calls.map((call) => object(call).result_ref).filter((ref) => typeof ref === 'string');
    if (isJsonObject(view.envelope) && resultRefs.length === 1)
      this.all.addFacts('result', resultRefs[0], { answer: hashOf(view.envelope) }, RESULT);
    const digests = new Set(calls.map((call) => object(call).digest));
    const leftOut = [...this.effects].filter(([digest, did]) => did && !digests.has(digest));
    const { applied } = object(view.earlier_calls);
    const earlierEffects = typeof applied === 'number' ? applied : 0;
    if (this.all.whole && !this.history.wasReset && leftOut.length > earlierEffects)
      this.all.report('D6', "The turn's result leaves out a call that took effect");
  }

  /** D6: the end of a call that did not run, so that the store has no result of it; and shortened texts. */
  private checkEnd(call: JsonObject, summary: Json | undefined, source: string): void {
    const { digest, result_ref } = call;
    if (!this.all.isShortForm(result_ref, summary, call.error))
      this.all.report('D6', `${capital(source)} has a shortened text that is no beginning of the whole one`);
    if (typeof digest !== 'string' || typeof result_ref === 'string' || call.state === 'cancelled' || this.history.wasReset)
      return;
    const { state, effect, error } = omitSilentFields(call);
    this.all.addFacts('result', `of ${digest}`, { state, effect, error }, source);
  }

  /** D5: the turn's result shows exactly the decisions that activities were given. */
  private checkApproval({ id, digest, approval }: JsonObject): void {
    const { decisions, decision, by, note = null, expires_at = null, quorum } = object(approval);
    if (!this.all.whole) return;
    const historyDecisions = this.all.decisionsOn(digest);
    const last = historyDecisions.at(-1);
    const finalDecisions = last?.decision === 'approve' ? historyDecisions : historyDecisions.slice(-1);
    const people = finalDecisions.map((one) => one.by!).filter((one) => one !== '');
    const enough = last?.decision !== 'approve' || historyDecisions.length >= Number(quorum ?? 1);
    const right =
      (decisions === undefined || isShown(list(decisions).map(object), historyDecisions)) &&
      hashOf(by) === hashOf(people) &&
      decision === (last && enough ? last.decision : null) &&
      isShortOf(note, last?.note ?? null) &&
      (expires_at === null || this.expiries.has(expiryOf(id, expires_at)));
    if (!right) this.all.report('D5', "The turn's result shows other decisions than the history has");
  }

  /** A digest, a result or an effect that a source names must come from an activity. */
  private checkOrigin({ digest, result_ref, effect, class: kind }: JsonObject, source: string): void {
    const who = capital(source);
    if (typeof effect === 'string' && typeof kind === 'string' && kind !== 'destructive')
      this.all.report('D6', `${who} gives a call of class ${quote(kind)} an effect, and only destructive ones have one`);
    if (!this.all.whole) return;
    if (typeof digest === 'string' && !this.all.facts.knows('call', digest, 'call_id'))
      this.all.report('D4', `${who} names a call that nobody was asked about and that never ran`);
    if (typeof result_ref === 'string' && !this.all.facts.knows('result', result_ref, 'state'))
      this.all.report('D6', `${who} names a result that no activity has given`);
    const tookEffect = this.effects.get(text(digest)) ?? false;
    if (!this.history.wasReset && tookEffect !== (effect === 'applied'))
      this.all.report('D6', `${who} does not say of a call whether it took effect as the activity did that ran it`);
  }
}

/**
 * Drops the fields that cannot be compared: the state of a call that was cancelled while it ran, which only the workflow knows,
 * and texts that were shortened for display.
 */
function omitSilentFields(call: JsonObject): JsonObject {
  const silent = Object.keys(call).filter((field) => {
    const value = call[field];
    return (field === 'state' && value === 'cancelled') || isCut(value) || (field === 'error' && isCut(object(value).message));
  });
  return silent.length === 0 ? call : { ...call, ...Object.fromEntries(silent.map((field) => [field, undefined!])) };
}

/** Whether the turn's result has the same decisions as the history; notes and identities may be shortened. */
function isShown(viewDecisions: JsonObject[], historyDecisions: JsonObject[]): boolean {
  const alike = (one: JsonObject, original: JsonObject) =>
    Object.keys(original).every((field) =>
      field === 'note' || field === 'identity' ? isShortOf(one[field], original[field]) : one[field] === original[field],
    );
  return (
    viewDecisions.length === historyDecisions.length && viewDecisions.every((one, index) => alike(one, historyDecisions[index]!))
  );
}

function decisionsIn({ decision, approvals, earlier }: JsonObject): (string | null)[] {
  const all = [decision ?? null, ...list(approvals), ...list(earlier)].filter(isJsonObject);
  return all.map(({ revision: _, ...one }) => hashOf(one));
}

function expiryOf(call: Json | undefined, expiry: Json | undefined): string {
  return `${text(call)} ${hashOf(expiry)}`;
}

export function dispatchName({ digest, dispatch }: JsonObject): string {
  return `${text(digest)} ${String(dispatch)}`;
}
