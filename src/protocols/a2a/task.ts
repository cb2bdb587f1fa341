/**
 * A turn as an A2A task. A task is made anew from its turn each time, so there is nothing to keep: its id is the turn's, its context
 * the session's. What waits for a person makes it `input-required`, with each card as a data part.
 */
import type { Card } from '../../shapes/card';
import type { Question } from '../../shapes/turn-view';
import { sessionOfTurn } from '../../shared/ids';
import type { JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import type { TurnState } from '../../shared/turn/turn-states';
import type { Rest } from '../turns/follow-turn';
import { sdk, type Artifact, type Message, type Part, type Task } from './sdk';

/** Limit for the cards of one task, characters. A card that does not fit is shown by `GET /v1/turns/:id`. */
const MOST_CARDS = 2_000_000;
export const ANSWER = 'answer';
const RESULT = 'result';

/** What is known of a turn: its state, and what it waits for. */
export type Standing = Pick<Rest, 'questions' | 'unread'> & {
  turnId: string;
  state: string;
  text: string;
  /** The data that the agent gave. Absent: none. */
  result?: JsonObject;
  reason: string | null;
  at: string;
};

export function standingOf({ view, questions, unread }: Pick<Rest, 'view' | 'questions' | 'unread'>): Standing {
  const { turn_id: turnId, state, text, result, reason, ended_at, started_at } = view;
  return { turnId, state, text, ...optional({ result }), reason, questions, unread, at: ended_at ?? started_at };
}

/** The task of a turn that its session has not begun. */
export function waitingTask(turnId: string): Task {
  return {
    ...emptyTask(turnId),
    status: { state: sdk.types().TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined },
  };
}

export function taskOf(standing: Standing): Task {
  return { ...emptyTask(standing.turnId), status: statusOf(standing), artifacts: artifactsOf(standing) };
}

function emptyTask(turnId: string): Task {
  const metadata = { 'holdfast/turn': turnId };
  return { id: turnId, contextId: contextOf(turnId), status: undefined, artifacts: [], history: [], metadata };
}

/** The session. A turn without one is a context of its own. */
export function contextOf(turnId: string): string {
  return sessionOfTurn(turnId) ?? turnId;
}

export function statusOf({ turnId, state, reason, questions, unread, at }: Standing): NonNullable<Task['status']> {
  const isWaiting = questions.length + unread.length > 0;
  const parts = isWaiting ? questionParts(questions, unread) : reason === null ? [] : [textPart(reason)];
  const message = parts.length === 0 ? undefined : agentMessage(turnId, `${turnId}/${state}`, parts);
  return { state: taskState(state), message, timestamp: at };
}

export function taskState(state: string): number {
  const { TaskState } = sdk.types();
  const states: Record<TurnState, number> = {
    running: TaskState.TASK_STATE_WORKING,
    sleeping: TaskState.TASK_STATE_WORKING,
    awaiting_completion: TaskState.TASK_STATE_WORKING,
    awaiting_approval: TaskState.TASK_STATE_INPUT_REQUIRED,
    awaiting_answer: TaskState.TASK_STATE_INPUT_REQUIRED,
    in_doubt: TaskState.TASK_STATE_INPUT_REQUIRED,
    completed: TaskState.TASK_STATE_COMPLETED,
    refused: TaskState.TASK_STATE_REJECTED,
    cancelled: TaskState.TASK_STATE_CANCELED,
    failed: TaskState.TASK_STATE_FAILED,
    limit: TaskState.TASK_STATE_FAILED,
  };
  return Object.hasOwn(states, state) ? states[state as TurnState] : TaskState.TASK_STATE_WORKING;
}

/** The end of a task is final: no message continues it. */
export function isFinal(state: string): boolean {
  return ['completed', 'refused', 'cancelled', 'failed', 'limit'].includes(state);
}

/** The text of the answer, and the data that the agent gave. */
export function artifactsOf({ text, result }: Standing): Artifact[] {
  const data = result && { ...answer(''), artifactId: RESULT, name: 'Result', parts: [dataPart(result)] };
  return [...(text === '' ? [] : [answer(text)]), ...(data ? [data] : [])];
}

export function answer(text: string): Artifact {
  return { artifactId: ANSWER, name: 'Answer', description: '', parts: [textPart(text)], metadata: undefined, extensions: [] };
}

function questionParts(questions: readonly Question[], unread: Rest['unread']): Part[] {
  let room = MOST_CARDS;
  return [
    textPart(questions.map(({ card }) => promptOf(card)).join('\n') || unread.map(({ why }) => why).join('\n')),
    ...questions.map(({ card, digest, of }) => {
      const fits = (room -= JSON.stringify(card).length) >= 0;
      return dataPart({ kind: card.kind, call: digest, ...(of ? { turn_id: of.turn_id } : {}), card: fits ? card : null });
    }),
  ];
}

/** What is asked, and how it is answered. */
function promptOf({ kind, tool, digest, reason, question }: Card): string {
  const call = digest.slice(0, 12);
  if (kind === 'question')
    return `${question ?? ''} Answer with a data part {"decision": "answer", "call": "${call}", "value": …}.`;
  if (kind === 'in_doubt')
    return `Nobody knows whether ${tool} took effect. Settle it with a data part {"decision": "settle", "call": "${call}", "outcome": "applied"}.`;
  const why = reason === undefined ? '' : ` ${reason}`;
  return `${tool} waits for approval.${why} Decide with a data part {"decision": "approve", "call": "${call}"}, or "deny".`;
}

export function agentMessage(turnId: string, messageId: string, parts: Part[]): Message {
  const role = sdk.types().Role.ROLE_AGENT;
  const more = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  return { messageId, contextId: contextOf(turnId), taskId: turnId, role, parts, ...more };
}

export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function dataPart(value: object): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}
