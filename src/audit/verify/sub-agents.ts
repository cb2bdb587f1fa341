/**
 * Compares a sub-agent's turn ("the turn below") with its parent turn ("the turn above"): how the parent opened and started it,
 * which reports the parent got of it and repeats, and which decisions the parent passed on (rules D1, D6, T7 and H9).
 */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { BlockBody, PartBody, TurnBody } from '../format/lines';
import type { Blocks } from './blocks';
import { firstDifference } from './first-difference';
import { capital, quote } from './fault';
import type { History } from './history';
import { RESULT, type SourceComparison } from './source-comparison';
import { asAttributes, fieldsOf } from './turn-in-history';
import { attributesOf, eventType, firstPayload, hashOf, resultIn, UNKNOWN, type JsonOrUnknown } from './values';

const ABOUT = new Set(['openSubTurn', 'lookAtSubTurn', 'closeSubTurn', 'forwardDecision', 'takeStep', 'endTurn', 'compact']);
/** Facts of a turn's end that its parent and its own result both state. */
const OF_END = ['agent', 'state', 'head', 'reason'] as const;

/** The last report on each turn below that a run knows, by workflow. */
type Reports = Map<string, JsonObject>;

export class SubAgents {
  private activities = new Map<string, { type: string; value: JsonObject; activityId: string }>();
  /** By turn: the last `openSubTurn` of this run. */
  private openings = new Map<string, { value: JsonObject; output: JsonObject }>();
  /** By turn: hashes of the digests of the calls that it was opened for, in any run. */
  private readonly openedFor = new Map<string, Set<string | null>>();
  /** Workflows of all opened turns. */
  private readonly below = new Set<string>();
  private reports: Reports = new Map();
  /** By run: the reports at its end. */
  private readonly reportsIn = new Map<string, Reports>();
  /** By workflow: the first runs that Temporal started for it. */
  private readonly firstRuns = new Map<string, Set<string>>();
  /** Hashes of a call with the turn that answered it, by `closeSubTurn`. */
  private readonly answerHashes = new Set<string | null>();
  /** The same, by the outcomes of calls. */
  private readonly outcomes = new Set<string | null>();
  /** By part: a message's list of the turns that answered calls. */
  private readonly lists = new Map<string, JsonObject[]>();
  /** By update: whether this turn accepted a decision that its parent passed on; null: the answer is unknown. */
  private readonly acceptances = new Map<string, boolean | null>();
  private updates = new Map<string, string>();
  /** The result of this turn. */
  private view: JsonObject | null = null;

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
    private readonly blocks: Blocks,
    private readonly turn: TurnBody,
    /** What earlier turns' histories say of child workflows; see `BundleContext`. */
    private readonly children: Map<string, string | null>,
  ) {}

  beginRun(): void {
    this.activities = new Map();
    this.openings = new Map();
    this.updates = new Map();
    this.view = null;
  }

  event(event: JsonObject): void {
    const type = eventType(event);
    const attributes = attributesOf(event);
    const { input, result } = attributes;
    if (type === 'WORKFLOW_EXECUTION_STARTED') this.start(attributes, firstPayload(input));
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.activity(event, attributes, firstPayload(input));
    if (type === 'ACTIVITY_TASK_COMPLETED') this.checkResult(attributes, firstPayload(result));
    if (type === 'START_CHILD_WORKFLOW_EXECUTION_INITIATED') this.checkStart(attributes, firstPayload(input));
    if (type === 'CHILD_WORKFLOW_EXECUTION_STARTED') this.noteStart(attributes);
    if (type.startsWith('WORKFLOW_EXECUTION_UPDATE_')) this.update(event, type, attributes);
    const view = resultIn(type, attributes);
    if (view !== null) this.checkTurnResult(view);
  }

  part({ ref, part }: PartBody): void {
    const { sub_turns } = object(part?.body ?? null);
    if (Array.isArray(sub_turns)) this.lists.set(ref, sub_turns.map(object));
  }

  /** D6 */
  block({ ref, block }: BlockBody): void {
    if (block.kind !== 'message' || !this.blocks.own.has(ref)) return;
    for (const one of this.lists.get(block.parts[0] ?? '') ?? []) {
      this.all.hashesInTranscript.add(hashOf(one));
      if (this.all.whole && !this.outcomes.has(hashOf(one)))
        this.all.report('D6', 'The transcript says that another turn has answered a call than the outcome of the call does');
    }
  }

  /** D6, H9: compares the turn with its parent's history. */
  end(): void {
    const { workflow_id, first_execution_run_id } = this.turn;
    const above = this.children.get(`end ${workflow_id} ${first_execution_run_id}`);
    const usageHash = this.children.get(`spent ${workflow_id} ${first_execution_run_id}`);
    if (above !== undefined && this.view !== null && !this.history.wasReset) {
      if (above !== endOf(this.view)) this.all.report('D6', 'The turn has ended otherwise than the turn above it was told');
      // The usage of turns below that still run is in one of the two, and not in the other.
      if (this.view.sub_turns === undefined && usageHash !== hashOf(this.view.usage))
        this.all.report('D6', 'The turn has used something else than the turn above it was told');
    }
    const head = `head ${workflow_id} ${first_execution_run_id} `;
    const headRefs = [...this.children.keys()].filter((key) => key.startsWith(head)).map((key) => key.slice(head.length));
    if (!this.blocks.unknown.starts && !headRefs.every((ref) => this.blocks.own.has(ref)))
      this.all.report('D6', 'The turn above was told of a block of this turn that is none');
    if (!this.history.whole || !this.history.isClosed) return;
    for (const key of this.children.keys()) {
      if (!key.startsWith(`taken ${workflow_id} `)) continue;
      if (this.acceptances.get(key.slice(`taken ${workflow_id} `.length)) === undefined)
        this.all.report('H9', 'The turn above was told that a decision was taken here, and no update here has it');
    }
  }

  /** D1: which turn started this one, and what the argument says of that turn. */
  private start(
    { continuedExecutionRunId: before, parentWorkflowExecution, parentInitiatedEventId }: JsonObject,
    payload: JsonOrUnknown,
  ): void {
    const reportsBefore = this.reportsIn.get(text(before));
    this.reports = new Map(reportsBefore);
    this.reportsIn.set(this.history.runs.at(-1)!, this.reports);
    const { parent } = payload === UNKNOWN ? ({} as JsonObject) : object(payload);
    if (isJsonObject(parent)) {
      const { limits: _, makers: __, ...parentFacts } = parent;
      this.all.addFacts('turn', '', { parent: parentFacts }, "the turn's argument");
    }
    if (this.turn.parent === null || !isJsonObject(parentWorkflowExecution)) return;
    const { workflowId: workflow, runId } = parentWorkflowExecution;
    const child = `${this.turn.workflow_id} ${this.history.runs.at(-1)!}`;
    const by = `begun ${child} ${text(runId)} ${text(parentInitiatedEventId)}`;
    if (isJsonObject(parent) && parent.workflow_id !== workflow)
      this.all.report('D1', 'Temporal says that another workflow has started the turn than its argument says');
    if (this.children.has(`begun ${child}`) && !this.children.has(by))
      this.all.report('D1', 'Temporal says that another run, or event of it, has started the turn than the turn above it has');
  }

  private activity(event: JsonObject, { activityType, activityId }: JsonObject, payload: JsonOrUnknown): void {
    const type = text(object(activityType).name);
    if (!ABOUT.has(type) || payload === UNKNOWN) return;
    const { call, sub_turn_id, workflow_id, report, outcomes, body, identity, head, untrusted } = object(payload);
    const value = { call, sub_turn_id, workflow_id, body, identity, head, untrusted } as JsonObject;
    const answers = list(outcomes).map(object).flatMap(answerOf);
    this.activities.set(text(event.eventId), { type, value: { ...value, answers }, activityId: text(activityId) });
    for (const one of answers) {
      this.outcomes.add(hashOf(one));
      if (this.all.whole && !this.answerHashes.has(hashOf(one)))
        this.all.report('D6', 'An outcome says that another turn has answered the call than was asked for its answer');
    }
    if (type === 'closeSubTurn') this.checkOpening(text(sub_turn_id), object(call).digest);
    if (type === 'closeSubTurn') this.checkClosing(object(call).id, text(sub_turn_id), object(report));
    if (type === 'forwardDecision') this.noteForward(text(activityId), text(workflow_id), body, identity);
  }

  /** D6: a turn answers the call that it was opened for. */
  private checkOpening(turn_id: string, digest: Json | undefined): void {
    const digests = this.openedFor.get(turn_id);
    if (this.all.whole && digests !== undefined && digest !== undefined && !digests.has(hashOf(digest)))
      this.all.report('D6', 'A turn below is said to answer another call than it was opened for');
  }

  /** D6: a call is answered by the last report on its turn. */
  private checkClosing(call_id: Json | undefined, turn_id: string, report: JsonObject): void {
    const workflow_id = workflowOf(turn_id);
    const last = this.reports.get(workflow_id);
    const { said_by: _, ...reportFacts } = report;
    if (last !== undefined && this.all.whole && hashOf(last) !== hashOf(reportFacts))
      this.all.report('D6', 'A call was answered by another report of its turn than the last that the turn above was given');
    const { first_execution_run_id, head } = report;
    this.answerHashes.add(hashOf({ call_id, turn_id, workflow_id, first_execution_run_id, head } as JsonObject));
  }

  private noteForward(activityId: string, workflow_id: string, body: Json | undefined, identity: Json | undefined): void {
    const id = `${this.history.runs.at(-1)!}:${activityId}`;
    if (this.all.whole && !this.below.has(workflow_id))
      this.all.report('H9', 'A decision was passed on to a workflow that is no turn below this one');
    this.children.set(`passed ${workflow_id} ${id}`, hashOf({ body: body ?? null, identity: text(identity) }));
  }

  private checkResult({ scheduledEventId }: JsonObject, payload: JsonOrUnknown): void {
    const one = this.activities.get(text(scheduledEventId));
    this.activities.delete(text(scheduledEventId));
    if (one === undefined) return;
    const { type, value, activityId } = one;
    // The turn's state then is unknown.
    if (payload === UNKNOWN && type === 'lookAtSubTurn') this.reports.delete(text(value.workflow_id));
    if (payload === UNKNOWN) return;
    const output = object(payload);
    if (type === 'takeStep' || type === 'endTurn')
      for (const answer of list(value.answers)) this.all.hashesInHistory.add(hashOf(answer));
    if (type === 'openSubTurn' && output.open === true) this.noteOpening(text(value.sub_turn_id), value, output);
    if (type === 'lookAtSubTurn') this.noteReport(text(value.workflow_id), output);
    if (type === 'forwardDecision' && output.accepted === true)
      this.children.set(`taken ${text(value.workflow_id)} ${this.history.runs.at(-1)!}:${activityId}`, null);
  }

  private noteOpening(turn_id: string, value: JsonObject, output: JsonObject): void {
    this.openings.set(turn_id, { value, output });
    this.openedFor.set(turn_id, (this.openedFor.get(turn_id) ?? new Set()).add(hashOf(object(value.call).digest ?? null)));
    this.below.add(workflowOf(turn_id));
    const { report } = object(output.existing);
    if (isJsonObject(report)) this.reports.set(workflowOf(turn_id), withoutPeople(report));
  }

  /** D6: the run of the report. */
  private noteReport(workflow_id: string, report: JsonObject): void {
    this.reports.set(workflow_id, withoutPeople(report));
    const { first_execution_run_id: first } = report;
    const runs = this.firstRuns.get(workflow_id);
    if (runs && typeof first === 'string' && first !== '' && !runs.has(first))
      this.all.report('D6', 'A turn below is said to have begun with another run than Temporal has started');
    if (typeof report.head === 'string') this.children.set(`head ${workflow_id} ${text(first)} ${report.head}`, null);
    if (report.ended !== true) return;
    this.children.set(`end ${workflow_id} ${text(first)}`, endOf(report));
    this.children.set(`spent ${workflow_id} ${text(first)}`, hashOf(object(report.spent).usage));
  }

  /** D1: a turn is started as it was opened, with search attributes and memo that fit its argument. */
  private checkStart({ workflowId: workflow, searchAttributes, memo }: JsonObject, payload: JsonOrUnknown): void {
    if (payload === UNKNOWN || !isJsonObject(object(payload).parent)) return;
    const argument = object(payload);
    const parent = object(argument.parent);
    const { turn_id, agent, message, requester, trace_id } = argument;
    const { workflow_id, first_execution_run_id } = this.turn;
    const own = { turn_id: this.turn.turn_id, workflow_id, first_execution_run_id: first_execution_run_id ?? undefined };
    this.all.addFacts('turn', '', { requester, trace_id }, 'the start of a sub-agent');
    const { HoldfastState, ...otherAttributes } = fieldsOf(searchAttributes, 'indexedFields');
    const { holdfast_trace } = fieldsOf(memo, 'fields');
    const wrong =
      firstDifference(own, parent) ??
      firstDifference(
        { workflowId: workflow, parent_head: argument.parent_head },
        { workflowId: workflowOf(text(turn_id)), parent_head: null },
      ) ??
      firstDifference(
        { ...asAttributes({ agent, requester }), HoldfastState: 'running' },
        { ...otherAttributes, HoldfastState },
      ) ??
      firstDifference({ trace_id }, { trace_id: holdfast_trace });
    if (wrong !== null) this.all.report('D1', `The start of a sub-agent has ${wrong} in two ways`);
    const { value, output } = this.openings.get(text(turn_id)) ?? {};
    if (output === undefined || value === undefined) {
      if (this.all.whole) this.all.report('D1', 'A turn of a sub-agent was started that no activity has opened');
      return;
    }
    const { agent: openedAgent, message: openedMessage, within, depth_left, limits } = output;
    const { id: call_id, digest, makers } = object(value.call);
    const difference =
      firstDifference({ agent: openedAgent, message: openedMessage }, { agent, message }) ??
      firstDifference({ within, depth_left, call_id, digest, head: value.head, untrusted: value.untrusted }, parent) ??
      (list(makers).every((maker) => parent.makers === undefined || list(parent.makers).includes(maker)) ? null : 'makers') ??
      (isWithin(object(parent.limits), object(limits)) ? null : 'limits');
    if (difference !== null)
      this.all.report('D1', `A turn of a sub-agent was started with another ${difference} than it was opened for`);
  }

  private noteStart({ workflowExecution, initiatedEventId }: JsonObject): void {
    const { workflowId: workflow, runId } = object(workflowExecution);
    this.firstRuns.set(text(workflow), (this.firstRuns.get(text(workflow)) ?? new Set()).add(text(runId)));
    const child = `${text(workflow)} ${text(runId)}`;
    this.children.set(`begun ${child}`, null);
    this.children.set(`begun ${child} ${this.history.runs.at(-1)!} ${text(initiatedEventId)}`, null);
  }

  /** H9: a decision that came through the parent turn is the one that the parent passed on. */
  private update(event: JsonObject, type: string, attributes: JsonObject): void {
    if (type === 'WORKFLOW_EXECUTION_UPDATE_COMPLETED') {
      const answer = firstPayload(object(attributes.outcome).success);
      const id = this.updates.get(text(attributes.acceptedEventId));
      if (id === undefined) return;
      // The same update may be sent to two runs: one acceptance is enough.
      if (answer !== UNKNOWN && object(answer).accepted === false && this.acceptances.get(id) === null)
        this.acceptances.delete(id);
      else this.acceptances.set(id, true);
      return;
    }
    const { input, meta } = object(attributes.acceptedRequest ?? attributes.request);
    const { name, args } = object(input);
    const { updateId, identity } = object(meta);
    if (name !== 'decide' && name !== 'answer') return;
    const payload = firstPayload(args);
    // The turn above passes an answer on as a decision of that name.
    const body = name === 'answer' && payload !== UNKNOWN ? { ...object(payload), decision: name } : payload;
    const id = text(updateId);
    const forwardHash = this.children.get(`passed ${this.turn.workflow_id} ${id}`);
    if (forwardHash === undefined) return;
    this.updates.set(text(event.eventId), id);
    if (this.acceptances.get(id) !== true) this.acceptances.set(id, null);
    if (body !== UNKNOWN && forwardHash !== hashOf({ body, identity: text(identity) }))
      this.all.report('H9', 'A decision that came through the turn above is another than that one has passed on');
  }

  /** D6: what the turn's result says of the turns below. */
  private checkTurnResult(view: JsonObject & { calls: Json[] }): void {
    this.view = view;
    for (const { workflow_id, call_id, turn_id, agent, state, head, usage, waiting } of list(view.sub_turns).map(object)) {
      const { output, value } = this.openings.get(text(turn_id)) ?? {};
      const opening = output && value ? { agent: output.agent, call_id: object(value.call).id } : {};
      const last = this.reports.get(text(workflow_id));
      const ends =
        last?.ended === true ? { state: last.state, head: last.head, usage: object(last.spent).usage, waiting: [] } : {};
      const wrong =
        firstDifference({ workflow_id: workflowOf(text(turn_id)) }, { workflow_id }) ??
        firstDifference(opening, { agent, call_id }) ??
        firstDifference(ends as JsonObject, { state, head, usage, waiting });
      if (wrong !== null && this.all.whole)
        this.all.report('D6', `${capital(RESULT)} says another ${wrong} of turn ${quote(turn_id)} below than the history does`);
    }
  }
}

function workflowOf(turn_id: string): string {
  return `turn/${turn_id}`;
}

/** The turn that answered the call, as its outcome says. */
function answerOf({ call_id = null, sub_turn }: JsonObject): JsonObject[] {
  return isJsonObject(sub_turn) ? [{ call_id, ...sub_turn }] : [];
}

/** Hash of a turn's `OF_END`. */
function endOf(record: JsonObject): string | null {
  return hashOf(OF_END.map((name) => record[name] ?? null));
}

/** `said_by` is asked for each time, and is not kept. */
function withoutPeople({ said_by: _, ...report }: JsonObject): JsonObject {
  return report;
}

/** Whether no limit is above the bound of its agent and tool. */
function isWithin(limits: JsonObject, bounds: JsonObject): boolean {
  return Object.entries(limits).every(([name, limit]) => !(Number(limit) > Number(bounds[name] ?? Infinity)));
}
