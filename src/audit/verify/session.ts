/** What the history of its session says of a turn, against the turn's own (rules H8 and T8, decision 0039). */
import { object, text } from '../case-file/loose';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json';
import type { SessionBody, TurnBody } from '../format/lines';
import { quoted } from './fault';
import type { History, Report } from './history';
import { attributesOf, eventType, firstPayload, hashOf, UNKNOWN } from './values';

/** Of so many digits every number is exact, here and in the second verifier. */
const EVENT_ID = /^[1-9][0-9]{0,14}$/;

export class OfSession {
  /** The last event, and the run that has it. */
  private before = { run: '', id: 0 };
  private readonly runs = new Set<string>();
  private started = false;
  private sent = false;
  private taken = false;
  /** Events that asked how the turn has ended. */
  private readonly looks = new Set<string>();

  constructor(
    private readonly turn: TurnBody,
    private readonly history: History,
  ) {}

  /** H8 */
  event({ run_id, event }: SessionBody, report: Report): void {
    const no = (reason: string) => report('H8', reason);
    const id = EVENT_ID.test(text(event.eventId)) ? Number(event.eventId) : NaN;
    if (Number.isNaN(id) || (run_id !== this.before.run ? this.runs.has(run_id) : !(id > this.before.id)))
      no('The events of the session are not in the order of its history');
    this.runs.add(run_id);
    this.before = { run: run_id, id };
    const { argument } = this.history;
    if (argument !== UNKNOWN && typeof object(argument).session_workflow_id !== 'string')
      no('The turn is of no session, and events of one stand in it');
    const attributes = attributesOf(event);
    switch (eventType(event)) {
      case 'WORKFLOW_EXECUTION_UPDATE_ADMITTED':
      case 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED':
        return this.said(object(attributes.acceptedRequest ?? attributes.request), no);
      case 'WORKFLOW_EXECUTION_UPDATE_COMPLETED':
        this.taken = true;
        return this.names(firstPayload(object(attributes.outcome).success), no);
      case 'START_CHILD_WORKFLOW_EXECUTION_INITIATED':
        return this.begun({ run_id, event }, attributes, no);
      case 'CHILD_WORKFLOW_EXECUTION_STARTED':
        if (object(attributes.workflowExecution).runId !== this.turn.first_execution_run_id)
          no('The session has started another run than the one that the turn began with');
        return;
      case 'ACTIVITY_TASK_SCHEDULED':
        this.looks.add(text(event.eventId));
        return this.names(firstPayload(attributes.input), no);
      case 'ACTIVITY_TASK_COMPLETED':
        return this.ended(attributes, no);
      default:
        no('The event of the session says nothing of the turn');
    }
  }

  /** T8 */
  end(report: Report): void {
    const { argument, whole } = this.history;
    if (!whole || argument === UNKNOWN || typeof object(argument).session_workflow_id !== 'string') return;
    if (!this.started || !this.sent || !this.taken)
      report('T8', 'The turn is of a session, and what the session says of its message or its start is missing');
  }

  private said({ input }: JsonObject, no: (reason: string) => void): void {
    if (input === undefined) return; // it stands in the event before
    this.sent = true;
    const { argument } = this.history;
    const said = firstPayload(object(input).args);
    if (argument === UNKNOWN || said === UNKNOWN) return;
    for (const name of ['message', 'requester', 'attestation'])
      if (hashOf(object(said)[name] ?? null) !== hashOf(object(argument)[name] ?? null))
        no(`The session was sent another ${name} than the turn was started with`);
  }

  private begun({ run_id, event }: SessionBody, { workflowId, input }: JsonObject, no: (reason: string) => void): void {
    this.started = true;
    const { argument, startedBy } = this.history;
    const given = firstPayload(input);
    if (
      workflowId !== this.turn.workflow_id ||
      (startedBy && (startedBy.run_id !== run_id || startedBy.event_id !== event.eventId))
    )
      no('The turn was not started by this event of the session');
    if (argument === UNKNOWN || given === UNKNOWN) return;
    if (hashOf(given) !== hashOf(argument)) no('The session has started the turn with another argument than the turn has');
    if (startedBy && startedBy.workflow_id !== object(argument).session_workflow_id)
      no('The turn was started by another workflow than its session');
  }

  private ended({ scheduledEventId, result }: JsonObject, no: (reason: string) => void): void {
    if (!this.looks.has(text(scheduledEventId))) no('The session asked nothing that this answers');
    const { lastHead, wasReset, runs } = this.history;
    const said = firstPayload(result);
    if (said === UNKNOWN || lastHead === UNKNOWN || wasReset || runs.length === 0) return;
    const { head = null } = object(said);
    if (head !== null && head !== lastHead) no('The session has found another end of the turn than the turn has');
  }

  private names(value: Json | typeof UNKNOWN, no: (reason: string) => void): void {
    if (value === UNKNOWN) return;
    const { turn_id } = isJsonObject(value) ? value : {};
    if (turn_id !== this.turn.turn_id) no(`The event of the session is about turn ${quoted(turn_id)}`);
  }
}
