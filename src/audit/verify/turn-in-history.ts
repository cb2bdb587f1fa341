/**
 * Compares facts of the whole turn that its history states more than once: its start, what its steps said and used, and its end
 * (rules D1, D2 and D6).
 */
import { isMessage } from './file-checks';
import { cutBytes } from '../../shared/text/utf8';
import { isJsonObject, type Json, type JsonObject, cutJson } from '../../shared/json/json';
import { tenantOf } from '../../shared/ids';
import { KEYWORD_BYTES } from '../../shared/search-attributes';
import { list, object, text } from '../../record/fields';
import * as of from './fact-tables-turn';
import type { TurnBody } from '../format/lines';
import { capital, quote } from './fault';
import type { History } from './history';
import { add, copyOf, none, emptySums, type Tally, wrongSum } from './tally';
import { HISTORY, RESULT, SESSION, type SourceComparison } from './source-comparison';
import { attributesOf, eventType, firstPayload, hashOf, resultIn, UNKNOWN, type JsonOrUnknown } from './values';

/** Bytes of JSON that an answer is cut to: while the turn runs, and after its end. */
const CUT = [12_000, 800_000];
/** States of a turn whose calls wait. */
const WAITING = new Set<Json | undefined>(['awaiting_approval', 'awaiting_answer', 'in_doubt']);
/** States of a turn of which no call waits for a person. */
const WITHOUT_WAITING = new Set<Json | undefined>(['running', 'sleeping', 'awaiting_completion']);
/** Temporal's closing events, and the states of a turn that each goes with. */
const STATES: Readonly<Record<string, (state: Json | undefined) => boolean>> = {
  WORKFLOW_EXECUTION_COMPLETED: (state) => state !== 'failed',
  WORKFLOW_EXECUTION_FAILED: (state) => state === 'failed',
  WORKFLOW_EXECUTION_CANCELED: (state) => state === 'cancelled',
};

interface ScheduledActivity {
  type: string;
  value: JsonObject;
}

export class TurnInHistory {
  private runs = 0;
  private activities = new Map<string, ScheduledActivity>();
  private tally = none();
  /** By run: the tally at its end. */
  private readonly tallies = new Map<string, Tally>();
  /** The state in the search attribute. */
  private stateAttribute: JsonOrUnknown | undefined;
  /** Tools of the calls that steps proposed, cut as in a search attribute. */
  private readonly tools = new Set<Json>();
  /** A sub-agent's turn was opened: its calls wait in this turn, too. */
  private hasSubTurn = false;
  private end: { state: Json; reason: Json } | null = null;
  /** By run: hash of the argument that it passed to the next run. */
  private readonly argumentHashes = new Map<string, string | null>();
  /** By event: hash of the argument that it starts a child workflow with. */
  private childArguments = new Map<string, string | null>();

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
    private readonly turn: TurnBody,
    /** Hashes of the arguments and results of child workflows in the histories of earlier turns, by workflow and run. */
    private readonly children: Map<string, string | null>,
  ) {}

  beginRun(): void {
    this.runs += 1;
    this.activities = new Map();
    this.childArguments = new Map();
    this.stateAttribute = undefined;
    this.end = null;
  }

  event(event: JsonObject): void {
    const type = eventType(event);
    const attributes = attributesOf(event);
    const { input, result } = attributes;
    if (type === 'WORKFLOW_EXECUTION_STARTED') this.start(attributes, firstPayload(input));
    this.child(type, event, attributes);
    if (type === 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES') this.attributes(attributes.searchAttributes);
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.activity(event, attributes, firstPayload(input));
    if (type === 'ACTIVITY_TASK_COMPLETED') this.checkResult(attributes, firstPayload(result));
    if (type === 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW' && firstPayload(input) !== UNKNOWN)
      this.argumentHashes.set(this.history.runs.at(-1)!, hashOf(firstPayload(input) as Json));
    if (type === 'WORKFLOW_EXECUTION_COMPLETED') this.checkParent('result', firstPayload(result));
    if (type === 'WORKFLOW_EXECUTION_CANCELED') this.checkCancellation(firstPayload(attributes.details));
    const view = resultIn(type, attributes);
    if (view !== null) this.checkTurnResult(type, attributes, view);
  }

  /** D1: the turn's usage, as its session found it. */
  session(event: JsonObject): void {
    if (eventType(event) !== 'ACTIVITY_TASK_COMPLETED' || this.history.wasReset || !this.history.isClosed) return;
    const payload = firstPayload(attributesOf(event).result);
    if (payload !== UNKNOWN) this.checkUsage(object(payload).usage, SESSION);
  }

  private child(type: string, { eventId }: JsonObject, { input, result, workflowExecution, initiatedEventId }: JsonObject): void {
    const { workflowId, runId } = object(workflowExecution);
    const childKey = `${text(workflowId)} ${text(runId)}`;
    const payload = firstPayload(type === 'CHILD_WORKFLOW_EXECUTION_COMPLETED' ? result : input);
    if (payload === UNKNOWN) return;
    if (type === 'START_CHILD_WORKFLOW_EXECUTION_INITIATED') this.childArguments.set(text(eventId), hashOf(payload));
    const argumentHash = this.childArguments.get(text(initiatedEventId));
    if (type === 'CHILD_WORKFLOW_EXECUTION_STARTED' && argumentHash !== undefined)
      this.children.set(`argument ${childKey}`, argumentHash);
    if (type === 'CHILD_WORKFLOW_EXECUTION_COMPLETED') this.children.set(`result ${childKey}`, hashOf(payload));
  }

  /** D1: compares the turn with its parent turn's history. */
  private checkParent(what: 'argument' | 'result', payload: JsonOrUnknown): void {
    const childHash = this.children.get(`${what} ${this.turn.workflow_id} ${this.history.runs.at(-1)!}`);
    if (childHash !== undefined && payload !== UNKNOWN && childHash !== hashOf(payload))
      this.all.report('D1', `The turn has another ${what} than the history of the turn above it has`);
  }

  private start(attributes: JsonObject, argument: JsonOrUnknown): void {
    const { continuedExecutionRunId: before } = attributes;
    this.goOn(typeof before === 'string' ? before : null);
    this.checkParent('argument', argument);
    if (argument !== UNKNOWN) {
      const argumentHash = this.argumentHashes.get(text(before));
      if (argumentHash !== undefined && argumentHash !== hashOf(argument))
        this.all.report('D1', 'The run began with another argument than the run before it has handed on');
      this.argument(object(argument));
    }
    this.attributes(attributes.searchAttributes);
    const memo = fieldsOf(attributes.memo, 'fields');
    const { message_hash } = object(memo.holdfast_of_session);
    const { holdfast_trace, holdfast_request } = memo;
    this.all.addFacts('turn', '', { trace_id: holdfast_trace, request: holdfast_request, message_hash }, HISTORY);
  }

  private argument({ agent, requester, session_id, message, input_json, tool, options, parent, ...rest }: JsonObject): void {
    const { parent_head, resume } = rest;
    if (parent_head !== undefined && resume === undefined) this.all.beginnings.add(parent_head);
    this.all.addFacts('turn', '', asAttributes({ agent, requester, session_id }), "the turn's argument");
    const request =
      isMessage(message) && message.length > 0
        ? { request: hashOf({ agent: agent ?? null, message, session_id: session_id ?? null }), message_hash: hashOf(message) }
        : typeof input_json === 'string' && input_json !== ''
          ? { request: hashOf({ agent: agent ?? null, tool: tool ?? null, input_json, options: options ?? {} }) }
          : {};
    const tenant = typeof requester === 'string' ? tenantOf(requester) : undefined;
    this.all.addFacts('turn', '', { ...request, tenant, answers: answersOf(parent) }, "the turn's argument");
  }

  private goOn(before: string | null): void {
    const tally = before === null ? undefined : this.tallies.get(before);
    this.tally = tally ? copyOf(tally) : { ...none(), unknown: before !== null };
    this.tallies.set(this.history.runs.at(-1)!, this.tally);
  }

  /** D1: search attributes name the agent, requester and session. */
  private attributes(value: Json | undefined): void {
    const fields = fieldsOf(value, 'indexedFields');
    const { indexedFields } = object(value);
    if (Object.hasOwn(object(indexedFields), 'HoldfastState')) this.stateAttribute = fields.HoldfastState ?? UNKNOWN;
    this.all.addRecord(of.SEARCH_ATTRIBUTES, fields, { turn: '' }, 'a search attribute');
    this.checkWaitingTools(fields);
  }

  /** D1: the attribute names tools only while calls wait. The history does not always have the tools of sub-agents' calls. */
  private checkWaitingTools({ HoldfastTool, HoldfastState }: Record<string, Json>): void {
    if (!Array.isArray(HoldfastTool)) return;
    const isEmpty = HoldfastTool.length === 0;
    if ((WITHOUT_WAITING.has(HoldfastState) && !isEmpty) || (WAITING.has(HoldfastState) && isEmpty))
      this.all.report(
        'D1',
        `A turn is ${quote(HoldfastState)}, and its search attribute names ${HoldfastTool.length} tools that wait`,
      );
    const other = HoldfastTool.find((tool) => !this.tools.has(tool));
    if (other !== undefined && this.all.whole && !this.hasSubTurn)
      this.all.report('D1', `A search attribute names the tool ${quote(other)}, which no step has asked for`);
  }

  private activity(event: JsonObject, { activityType }: JsonObject, payload: JsonOrUnknown): void {
    const type = text(object(activityType).name);
    const value = payload === UNKNOWN ? {} : object(payload);
    const { step, at, state, reason, envelope, all_refused, workflow_id, begin, message } = value;
    const facts = { step, at, state, reason, envelope, all_refused, workflow_id, message };
    const withoutCalls = { ...facts, outcomes: list(value.outcomes).slice(0, 1) } as JsonObject;
    this.activities.set(text(event.eventId), { type, value: type === 'endTurn' ? withoutCalls : (facts as JsonObject) });
    if (type === 'endTurn') {
      this.all.addRecord(of.END_TURN_INPUT, value, { run: String(this.runs) }, HISTORY);
      const { message, attestation } = object(begin);
      this.all.addFacts('turn', '', { message, attestation }, HISTORY);
    }
    this.hasSubTurn ||= type === 'openSubTurn';
    if (type === 'takeStep' && step !== undefined && this.knowsAll && step !== this.tally.steps + 1)
      this.all.report('D1', `The turn is said to take step ${quote(step)} after ${this.tally.steps} steps`);
  }

  private checkResult({ scheduledEventId }: JsonObject, payload: JsonOrUnknown): void {
    const { type, value } = this.activities.get(text(scheduledEventId)) ?? { type: '', value: {} };
    const output = payload === UNKNOWN ? {} : object(payload);
    const calls = type === 'takeStep' ? list(output.calls) : type === 'admitDirect' ? [output.call!] : [];
    for (const call of calls.map(object)) this.tools.add(cutBytes(text(call.tool), KEYWORD_BYTES));
    if (type === 'lookAtSubTurn') this.noteReport(value, payload);
    if (type === 'takeStep') this.step(value, output);
    if (type === 'compact') {
      add(this.tally.sums, object(output.usage));
      this.all.beginnings.add(output.head ?? null);
    }
    if (type === 'admitDirect') {
      this.tally.steps = 1;
      this.notePolicy(output);
    }
    if (type === 'endTurn') this.checkEnd(value, output, payload === UNKNOWN);
  }

  private step({ step, at, all_refused, message }: JsonObject, output: JsonObject): void {
    const { head, answer_head, next, usage, calls } = output;
    this.tally.steps += 1;
    if (typeof output.text === 'string' && output.text !== '') this.tally.text = output.text;
    add(this.tally.sums, object(usage));
    for (const block of [head, answer_head]) this.all.addFacts('block', block, { at }, HISTORY);
    if (next === 'end' && typeof all_refused === 'boolean')
      this.all.addFacts('block', head, { state: all_refused ? 'refused' : 'completed', reason: null, result_of: null }, HISTORY);
    if (typeof message === 'string') this.notePolicy(output);
    const other = list(calls).findIndex((call, index) => object(call).id !== `${String(step)}.${index + 1}`);
    if (Number.isInteger(step) && other !== -1)
      this.all.report('D2', 'A call is numbered as one of another step, or place in it');
  }

  /** The rules of the first step are those that the turn begins with. */
  private notePolicy({ policy }: JsonObject): void {
    if (!this.history.wasReset && isJsonObject(policy)) this.all.addFacts('turn', '', { policy_ref: policy.policy_ref }, HISTORY);
  }

  private noteReport({ workflow_id }: JsonObject, payload: JsonOrUnknown): void {
    const { spent, ended } = payload === UNKNOWN ? {} : object(payload);
    if (!isJsonObject(spent) || !isJsonObject(spent.usage)) this.tally.unknown = true;
    const sums = emptySums();
    add(sums, object(object(spent).usage));
    this.tally.below.set(text(workflow_id), { sums, isEnded: ended === true });
  }

  /** D6: compares what `endTurn` was to write with what the turn says of its end. */
  private checkEnd({ at, state, reason, envelope, outcomes }: JsonObject, output: JsonObject, unknown: boolean): void {
    if (unknown) return;
    this.all.addFacts('block', output.head, { at, state, reason }, HISTORY);
    this.all.addFacts('run', String(this.runs), { reason }, HISTORY);
    this.end = { state: state ?? null, reason: reason ?? null };
    if (envelope !== true && output.envelope === undefined) return;
    this.all.addFacts('run', String(this.runs), { envelope: output.envelope ?? null }, HISTORY);
    const { result_ref = null, error = null } = object(list(outcomes)[0]);
    const answer = object(output.envelope);
    if (output.envelope === undefined || result_ref !== null || error === null) return;
    if (answer.success !== false || hashOf(answer.error) !== hashOf(error))
      this.all.report('D6', 'A direct call answers with something else than why it did not run');
  }

  private checkCancellation(details: JsonOrUnknown): void {
    if (details !== UNKNOWN && Array.isArray(object(details).calls)) return;
    const end = this.end?.state === 'cancelled' ? { reason: this.end.reason } : {};
    this.all.addFacts('run', String(this.runs), { state: 'cancelled' }, 'the end of the workflow');
    if (!this.history.wasReset) this.all.addFacts('turn', '', { state: 'cancelled', ...end }, 'the end of the workflow');
    this.checkStateAttribute('cancelled');
  }

  /** D1: the turn's result. */
  private checkTurnResult(type: string, { failure }: JsonObject, view: JsonObject & { calls: Json[] }): void {
    const { state, reason, envelope, usage } = view;
    this.all.addFacts('run', String(this.runs), { state, reason, envelope }, RESULT);
    if (!STATES[type]!(state)) this.all.report('D1', `The turn's result is ${quote(state)}, and Temporal has another end of it`);
    if (type === 'WORKFLOW_EXECUTION_FAILED') this.checkReason(object(failure), reason);
    this.checkStateAttribute(state);
    if (!this.knowsAll) return;
    if (view.step !== undefined && view.step !== this.tally.steps)
      this.all.report('D1', `The turn's result says step ${quote(view.step)}, and the history has ${this.tally.steps}`);
    const texts = [this.tally.text, ...CUT.map((bytes) => cutJson(this.tally.text, bytes))];
    if (view.text !== undefined && !texts.includes(view.text as string))
      this.all.report('D1', "The turn's result has another text than the last step that said something");
    this.checkUsage(usage, RESULT);
  }

  /** D1: Temporal's failure message is the reason of the turn. */
  private checkReason({ message = '', encodedAttributes }: JsonObject, reason: Json | undefined): void {
    if (reason === undefined || encodedAttributes !== undefined || message === '(redacted)') return;
    if (hashOf(message) !== hashOf(reason ?? 'failed'))
      this.all.report('D1', 'The turn has failed for another reason than its result says');
  }

  /** D1: the search attribute has the final state. */
  private checkStateAttribute(state: Json | undefined): void {
    if (
      this.stateAttribute !== undefined &&
      this.stateAttribute !== UNKNOWN &&
      hashOf(this.stateAttribute) !== hashOf(state ?? null)
    )
      this.all.report('D1', `The turn has ended as ${quote(state)}, and its search attribute says ${quote(this.stateAttribute)}`);
  }

  /** D1: the usage is the sum over the steps and the sub-agents' turns. */
  private checkUsage(usage: Json | undefined, source: string): void {
    if (!this.knowsAll) return;
    const wrong = wrongSum(this.tally, object(usage));
    const who = capital(source);
    if (wrong) this.all.report('D1', `${who} says ${wrong.field} ${quote(wrong.value)}, and the steps have used ${wrong.sum}`);
  }

  private get knowsAll(): boolean {
    return this.all.whole && !this.tally.unknown;
  }
}

/** Agent, requester and session, as search attributes have them. */
export function asAttributes({ agent, requester, session_id }: Record<string, Json | undefined>): Record<string, Json> {
  // A direct call need not name its agent.
  const attributes = { HoldfastAgent: agent ?? undefined, HoldfastRequester: requester, HoldfastSession: session_id };
  const cut = Object.entries(attributes).map(([name, value]) => [
    name,
    typeof value === 'string' ? cutBytes(value, KEYWORD_BYTES) : value,
  ]);
  return Object.fromEntries(cut.filter(([, value]) => value !== undefined && value !== '')) as Record<string, Json>;
}

/** The call that a sub-agent's turn answers; undefined: the turn is no sub-agent's. */
function answersOf(parent: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(parent)) return undefined;
  const { turn_id = null, workflow_id = null, call_id = null } = parent;
  return { turn_id, workflow_id, call_id };
}

/** The values of a memo or of search attributes, if not left out. */
export function fieldsOf(value: Json | undefined, of: 'fields' | 'indexedFields'): Record<string, Json> {
  const all = Object.entries(object(object(value)[of]));
  const entries = all.map(([name, payload]) => [name, firstPayload({ payloads: [payload] })] as const);
  return Object.fromEntries(entries.filter((one) => one[1] !== UNKNOWN)) as Record<string, Json>;
}
