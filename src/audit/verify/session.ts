/** Compares what the session's history says of a turn with the turn's own history (rules H8 and T8, decision 0039). */
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { object, text } from '../../record/fields';
import type { SessionBody, TurnBody } from '../format/lines';
import { quote } from './fault';
import { isMessage } from './file-checks';
import type { History, Report } from './history';
import { attributesOf, eventType, firstPayload, hashOf, timeOf, UNKNOWN, type JsonOrUnknown } from './values';

/** At most 15 digits: such a number is exact, here and in the second verifier. */
const EVENT_ID = /^[1-9][0-9]{0,14}$/;
const LOOK_AT_TURN = 'lookAtTurn';
const MEMO = 'holdfast_of_session';

type No = (reason: string) => void;

export class SessionChecks {
  /** The id of the last event, and its run. */
  private before = { run: '', id: 0 };
  private readonly runs = new Set<string>();
  private hasStart = false;
  private hasMessage = false;
  private hasAnswer = false;
  /** Time of the latest event so far, ms since 1970. */
  private latest = -Infinity;
  /** Events so far, as `<what it does> <run id> <id>`. */
  private readonly eventKeys = new Set<string>();

  constructor(
    private readonly turn: TurnBody,
    private readonly history: History,
  ) {}

  /** H8 */
  event({ run_id, event }: SessionBody, report: Report): void {
    const no = (reason: string) => report('H8', reason);
    this.order(run_id, event, no);
    const { argument } = this.history;
    if (argument !== UNKNOWN && typeof object(argument).session_workflow_id !== 'string')
      no('The turn is of no session, and events of one stand in it');
    const attributes = attributesOf(event);
    const own = `${run_id} ${text(event.eventId)}`;
    switch (eventType(event)) {
      case 'WORKFLOW_EXECUTION_UPDATE_ADMITTED':
      case 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED':
        this.eventKeys.add(`message ${own}`).add(`update ${run_id} ${updateOf(attributes)}`);
        return this.checkMessage(object(attributes.acceptedRequest ?? attributes.request), no);
      case 'WORKFLOW_EXECUTION_UPDATE_COMPLETED':
        return this.checkAnswer(run_id, attributes, no);
      case 'START_CHILD_WORKFLOW_EXECUTION_INITIATED':
        this.eventKeys.add(`start ${own}`);
        return this.checkTurnStart({ run_id, event }, attributes, no);
      case 'CHILD_WORKFLOW_EXECUTION_STARTED':
        return this.child(run_id, event, attributes, no);
      case 'ACTIVITY_TASK_SCHEDULED':
        this.eventKeys.add(`look ${own}`);
        return this.checkLookActivity(attributes, no);
      case 'ACTIVITY_TASK_COMPLETED':
        if (!this.eventKeys.has(`look ${run_id} ${text(attributes.scheduledEventId)}`))
          no('The session asked nothing that this answers');
        return this.checkTurnEnd(event, attributes, no);
      default:
        no('The event of the session says nothing of the turn');
    }
  }

  /** T8 */
  end(report: Report): void {
    const { argument, whole } = this.history;
    if (!whole || argument === UNKNOWN || typeof object(argument).session_workflow_id !== 'string') return;
    if (!this.hasStart || !this.hasMessage || !this.hasAnswer)
      report('T8', 'The turn is of a session, and what the session says of its message or its start is missing');
  }

  private order(run: string, { eventId, eventTime }: JsonObject, no: No): void {
    const id = EVENT_ID.test(text(eventId)) ? Number(eventId) : NaN;
    if (Number.isNaN(id) || (run !== this.before.run ? this.runs.has(run) : !(id > this.before.id)))
      no('The events of the session are not in the order of its history');
    this.runs.add(run);
    this.before = { run, id };
    const at = timeOf(eventTime);
    if (!(at >= this.latest - CLOCKS_MS))
      no('The event lies before an event of the session that came before it: the times were changed');
    if (at > this.latest) this.latest = at;
  }

  private checkMessage({ input }: JsonObject, no: No): void {
    if (input === undefined) return; // the event before has it
    this.hasMessage = true;
    if (object(input).name !== 'send') no('What the session was sent is no message');
    const { argument } = this.history;
    const payload = firstPayload(object(input).args);
    if (argument === UNKNOWN || payload === UNKNOWN) return;
    for (const name of ['message', 'requester', 'attestation', 'callback_ref'])
      if (hashOf(object(payload)[name] ?? null) !== hashOf(object(argument)[name] ?? null))
        no(`The session was sent another ${name} than the turn was started with`);
  }

  private checkAnswer(run: string, attributes: JsonObject, no: No): void {
    this.hasAnswer = true;
    const { acceptedEventId, outcome } = attributes;
    const isKnown =
      this.eventKeys.has(`message ${run} ${text(acceptedEventId)}`) &&
      this.eventKeys.has(`update ${run} ${updateOf(attributes)}`);
    // If the message is missing, rule T8 reports it.
    if (this.hasMessage && !isKnown) no('The session has answered another message than this');
    this.names(firstPayload(object(outcome).success), no);
  }

  private checkTurnStart({ run_id, event }: SessionBody, attributes: JsonObject, no: No): void {
    this.hasStart = true;
    const { workflowId, input } = attributes;
    const { argument, startedBy, startedWith, whole, began } = this.history;
    const payload = firstPayload(input);
    if (
      workflowId !== this.turn.workflow_id ||
      (startedBy && (startedBy.run_id !== run_id || startedBy.event_id !== event.eventId))
    )
      no('The turn was not started by this event of the session');
    if (whole && !(timeOf(event.eventTime) <= began + CLOCKS_MS))
      no('The session has started the turn after it began: a time was changed');
    const other = startedBy ? otherStart(attributes, startedWith) : null;
    if (other !== null) no(`The session has started the turn with another ${other} than the turn has`);
    if (argument === UNKNOWN || payload === UNKNOWN) return;
    if (hashOf(payload) !== hashOf(argument)) no('The session has started the turn with another argument than the turn has');
    if (startedBy && startedBy.workflow_id !== object(argument).session_workflow_id)
      no('The turn was started by another workflow than its session');
  }

  private child(run: string, event: JsonObject, attributes: JsonObject, no: No): void {
    const { workflowExecution, workflowType, initiatedEventId } = attributes;
    const { workflowId, runId } = object(workflowExecution);
    const { startedBy, startedWith, whole, began } = this.history;
    if (runId !== this.turn.first_execution_run_id)
      no('The session has started another run than the one that the turn began with');
    if (workflowId !== this.turn.workflow_id || (startedBy && !sameName(workflowType, startedWith.workflowType)))
      no('The session has started another workflow than the turn');
    // If the start is missing, rule T8 reports it.
    if (this.hasStart && !this.eventKeys.has(`start ${run} ${text(initiatedEventId)}`))
      no('The session has started something else than it asked for');
    if (whole && !(timeOf(event.eventTime) >= began - CLOCKS_MS))
      no('The turn began after the session was told so: a time was changed');
  }

  private checkLookActivity({ activityType, activityId, taskQueue, input }: JsonObject, no: No): void {
    const { argument, startedBy, startedWith } = this.history;
    if (object(activityType).name !== LOOK_AT_TURN || !EVENT_ID.test(text(activityId)))
      no('The session has asked for something else than how the turn ended');
    if (startedBy && !sameName(taskQueue, startedWith.taskQueue))
      no('The session has asked other workers than those of the turn');
    const value = firstPayload(input);
    this.names(value, no);
    if (value === UNKNOWN || !isJsonObject(object(value).of)) return;
    const { session_run, message_hash } = object(object(value).of);
    const { message } = argument === UNKNOWN ? {} : object(argument);
    if (isMessage(message) && (message_hash ?? null) !== hashOf(message))
      no('The session has asked about the turn of another message');
    const memo = startedBy ? fieldsOf(startedWith.memo)[MEMO] : undefined;
    if (memo !== undefined && memo !== UNKNOWN && hashOf(object(memo).session_run ?? null) !== hashOf(session_run ?? null))
      no('The session has asked about a turn of another run of it');
  }

  private checkTurnEnd(event: JsonObject, { result }: JsonObject, no: No): void {
    const { lastHead, wasReset, runs, isClosed, whole, latest } = this.history;
    const output = firstPayload(result);
    if (wasReset || runs.length === 0) return;
    if (isClosed && whole && !(timeOf(event.eventTime) >= latest - CLOCKS_MS))
      no('The session has found the end of the turn before the turn ended: a time was changed');
    if (output === UNKNOWN) return;
    const { head, state } = object(output);
    if (isClosed && whole && state === 'lost') no('The session has not found the turn, and the turn has ended');
    if (lastHead === UNKNOWN || head === undefined || (head === null && !(isClosed && whole))) return;
    if (head !== lastHead) no('The session has found another end of the turn than the turn has');
  }

  private names(value: JsonOrUnknown, no: No): void {
    if (value === UNKNOWN) return;
    const { turn_id, again } = isJsonObject(value) ? value : {};
    if (turn_id !== this.turn.turn_id) no(`The event of the session is about turn ${quote(turn_id)}`);
    if (again === true) no('The session has had the message before, for a turn that was there already');
  }
}

function updateOf({ acceptedRequest, request, meta, protocolInstanceId }: JsonObject): string {
  const { updateId } = object(object(acceptedRequest ?? request).meta ?? meta);
  return text(updateId) || text(protocolInstanceId);
}

/** Whether both have the same `name`. */
function sameName(one: Json | undefined, other: Json | undefined): boolean {
  return hashOf(object(one).name ?? null) === hashOf(object(other).name ?? null);
}

/** Values of a memo (`{"fields": …}`) or of search attributes (`{"indexedFields": …}`), by name. */
function fieldsOf(value: Json | undefined): Record<string, JsonOrUnknown> {
  const { fields, indexedFields } = object(value);
  const all = Object.entries(object(fields ?? indexedFields));
  return Object.fromEntries(all.map(([name, payload]) => [name, firstPayload({ payloads: [payload] })]));
}

/** The first field in which the started workflow's first event differs from the request; null: none. The server may add fields. */
function otherStart(request: JsonObject, has: JsonObject): string | null {
  if (!sameName(request.workflowType, has.workflowType)) return 'type';
  if (!sameName(request.taskQueue, has.taskQueue)) return 'task queue';
  for (const field of ['memo', 'searchAttributes'] as const) {
    const there = fieldsOf(has[field]);
    for (const [name, value] of Object.entries(fieldsOf(request[field]))) {
      const other = Object.hasOwn(there, name) ? there[name]! : null;
      if (value !== UNKNOWN && other !== UNKNOWN && hashOf(value) !== hashOf(other)) return name;
    }
  }
  return null;
}
