/**
 * The state of a session: head, short queue, known messages. Plain data, bounded, passed on from run to run. Also starts its
 * turns.
 */
import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowCancellationType, ParentClosePolicy, startChild, uuid4 } from '@temporalio/workflow';
import type { LookAtTurnOutput, StepUsage, TurnInput, TurnOfSession } from '../../shared/io/activities';
import { hashJson } from '../../shared/json/digests';
import { sessionTurnId, sessionWorkflowId, traceId, workflowId } from '../../shared/ids';
import { cutJson, jsonBytes } from '../../shared/json/json';
import { messageText, type Message } from '../../shared/turn/message';
import type { SendAnswer, SendBody, SessionInput, SessionView } from '../../shared/turn/session';
import { addUsage, NO_USAGE } from '../../shared/turn/usage';
import { inlineCode } from '../../shared/text/visible';
import { keyword } from '../../shared/search-attributes';
import { MEMO_OF_SESSION, MEMO_TRACE, TURN_WORKFLOW } from '../contract';
import { optional } from '../../shared/json/optional';

/** Messages whose ids are remembered. */
const MAX_MESSAGE_IDS = 1000;
const LONGEST_QUEUE = 20;
/** Bytes of JSON of the queue: it is part of the next run's argument, beside 80,000 of message ids. One message always fits. */
const LARGEST_QUEUE = 400_000;
/** Longest reason of a turn that did not complete, bytes of JSON. */
const REASON_BYTES = 2_000;
const SHOWN_TURNS = 20;

export interface SessionData {
  agent: string;
  title: string | null;
  closing: boolean;
  head: string | null;
  context_full: boolean;
  /** Number of the next turn, from 1. */
  next: number;
  /** Part of the ids of its turns; empty: the first session of its id. Null: not known yet. Absent in sessions of older builds. */
  series?: string | null;
  queue: QueuedMessage[];
  /** Messages that have arrived, the newest last: hash of the id, hash of the message, number of the turn. */
  seen: [id: string, message: string, turn: number][];
  running: { turn_id: string; since: string } | null;
  /** Hash of the running turn's message. Absent in sessions of older builds. */
  running_message?: string;
  held: SessionView['held'];
  turns: number;
  last: SessionView['last'];
  usage: StepUsage;
  forked_from: SessionView['forked_from'];
  started_at: string;
}

export interface QueuedMessage {
  turn_id: string;
  message: Message;
  at: string;
  attestation?: string;
  callback_ref?: string;
}

/** @param withSeries the ids of its turns distinguish sessions of one id */
export function newSession({ agent, title }: SessionInput, now: string, withSeries: boolean): SessionData {
  return {
    ...(withSeries ? { series: null } : {}),
    agent: agent ?? '',
    title,
    closing: false,
    head: null,
    context_full: false,
    next: 1,
    queue: [],
    seen: [],
    running: null,
    held: null,
    turns: 0,
    last: [],
    usage: { ...NO_USAGE },
    forked_from: null,
    started_at: now,
  };
}

/**
 * Why a message is refused, or null. A message that is sent again is accepted: its answer names the same turn.
 * @param mayBeOver the running turn may have ended, so whether there is something to resume is not known yet
 */
export function sendFault(
  data: SessionData,
  { session_id, requester }: SessionInput,
  body: SendBody,
  mayBeOver = false,
): string | null {
  if (body.requester !== requester) return `session ${session_id} belongs to somebody else`;
  if (body.agent !== undefined && body.agent !== data.agent)
    return `session ${session_id} is of agent ${data.agent}, not of ${JSON.stringify(body.agent)}`;
  const entry = find(data, body);
  if (entry) {
    return entry[1] === messageHash(body)
      ? null
      : `message id ${JSON.stringify(body.message_id)} has been used for another message; use a new one, or send the same message again`;
  }
  if (data.closing) return `session ${session_id} is closed`;
  if (body.resume && !mayBeOver && data.running) return `turn ${data.running.turn_id} runs: there is nothing to resume`;
  if (body.resume && !mayBeOver && !data.held) return 'the last turn came to its end: there is nothing to resume';
  const bytes = jsonBytes(data.queue) + jsonBytes({ ...body, requester: undefined });
  if (data.queue.length >= LONGEST_QUEUE || bytes > LARGEST_QUEUE)
    return `${data.queue.length} messages wait already (at most ${LONGEST_QUEUE}, and ${LARGEST_QUEUE} bytes); send it again when a turn has ended`;
  return null;
}

/** Takes a message that has no fault. */
export function take(data: SessionData, sessionId: string, body: SendBody, now: string): SendAnswer {
  const entry = find(data, body);
  if (entry) return answer(data, sessionTurnId(sessionId, entry[2], data.series ?? ''), true);
  const number = data.next++;
  const turn_id = sessionTurnId(sessionId, number, data.series ?? '');
  const signature = body.attestation === undefined ? {} : { attestation: body.attestation };
  const callback = body.callback_ref === undefined ? {} : { callback_ref: body.callback_ref };
  const message = { turn_id, message: body.message, at: now, ...signature, ...callback };
  data.queue = body.resume ? [message, ...data.queue] : [...data.queue, message];
  data.seen = [...data.seen, [idHash(body), messageHash(body), number] as [string, string, number]].slice(-MAX_MESSAGE_IDS);
  data.held = null; // a new message releases the queue
  return answer(data, turn_id, false);
}

/** The message whose turn starts now, or null. */
export function nextInQueue({ queue, running, held }: SessionData): QueuedMessage | null {
  return running === null && held === null ? (queue[0] ?? null) : null;
}

/** Whether a closing session ends. If the last turn did not complete, the messages behind it are not run. */
export function isOver(data: SessionData): boolean {
  return data.closing && data.running === null && nextInQueue(data) === null;
}

type TurnEnd = Exclude<LookAtTurnOutput, { state: 'running' }>;

export function recordTurnEnd(data: SessionData, turn_id: string, end: TurnEnd): void {
  const state = end.state === 'lost' ? 'failed' : end.state;
  data.running = null;
  data.turns += 1;
  data.last = [...data.last, { turn_id, state }].slice(-SHOWN_TURNS);
  if (end.state !== 'lost') {
    data.head = end.head ?? data.head;
    data.context_full = end.context_full;
    addUsage(data.usage, end.usage);
  }
  const goesOn = state === 'completed' || state === 'refused' || saidAfter(data, end);
  data.held = goesOn ? null : { turn_id, state, reason: end.reason === null ? null : cutJson(end.reason, REASON_BYTES) };
}

/** A message that arrived after the end came from somebody who could know of it, even if the session learns of the end later. */
function saidAfter({ queue }: SessionData, turnEnd: TurnEnd): boolean {
  if (turnEnd.state === 'lost' || turnEnd.ended_at === undefined) return false;
  const end = Date.parse(turnEnd.ended_at);
  return queue.some(({ at }) => Date.parse(at) >= end);
}

function answer({ queue, running }: SessionData, turn_id: string, again: boolean): SendAnswer {
  const before = queue.findIndex((message) => message.turn_id === turn_id);
  return { turn_id, ahead: before < 0 ? 0 : before + (running ? 1 : 0), again };
}

function find({ seen }: SessionData, body: SendBody) {
  const id = idHash(body);
  return seen.find(([known]) => known === id);
}

function idHash({ message_id }: SendBody): string {
  return hashJson(message_id).slice(0, 32);
}

function messageHash({ message, resume }: SendBody): string {
  return hashJson({ message, resume: resume === true }).slice(0, 32);
}

// Starts a session's turn as its child.

/**
 * Resolves when the turn has started. A turn that was started before a reset goes on.
 * @param of absent in sessions of older builds
 * @param mayHaveEnded called when the server reports the end; a later run of the session gets the turn's signal
 */
export async function startTurn(
  { session_id, requester }: SessionInput,
  {
    turn_id,
    message,
    attestation,
    callback_ref,
    agent,
    head,
    context_full,
    of,
  }: QueuedMessage & Pick<SessionData, 'agent' | 'head' | 'context_full'> & { of?: TurnOfSession },
  mayHaveEnded: () => void,
): Promise<void> {
  const trace_id = traceId(Date.now(), uuid4().replaceAll('-', ''));
  const input: TurnInput = {
    turn_id,
    agent,
    message,
    requester,
    session_id,
    trace_id,
    parent_head: head,
    session_workflow_id: sessionWorkflowId(session_id),
    ...optional({ attestation, callback_ref }),
    ...(context_full ? { context_full: true } : {}),
  };
  try {
    const child = await startChild(TURN_WORKFLOW, {
      workflowId: workflowId(turn_id),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      typedSearchAttributes: new TypedSearchAttributes([
        keyword('agent', agent),
        keyword('state', 'running'),
        keyword('requester', requester),
        keyword('session', session_id),
      ]),
      memo: { [MEMO_TRACE]: trace_id, ...(of ? { [MEMO_OF_SESSION]: of } : {}) },
      staticSummary: `${inlineCode(agent)} ${inlineCode(messageText(message).replace(/\s+/g, ' ').slice(0, 150))}`,
    });
    child.result().then(mayHaveEnded, mayHaveEnded);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    mayHaveEnded();
  }
}
