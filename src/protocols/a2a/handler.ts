/**
 * The requests of an A2A client, on turns and sessions: a task is a turn, a context a session. The SDK reads and writes the
 * protocol; nothing is kept here, so that any gateway answers for any task, also after a restart. What a principal may do is decided
 * as on the other routes.
 */
import { sessionIdOf } from '../../client/sessions/open-session';
import type { SessionHandle } from '../../client/sessions/session-handle';
import type { TurnHandle } from '../../client/turns/turn-handle';
import { needRole } from '../../gateway/auth/authenticate';
import { visibilityOf, type Principal } from '../../gateway/auth/principals';
import { NotBegun, ownSession, ownTurn, visibleTurn } from '../../gateway/auth/turn-session-access';
import { claimOperation, nothing, once, type Operation } from '../../gateway/http/idempotency';
import type { GatewayParts } from '../../gateway/route';
import { startLimit, type StartLimit } from '../../gateway/http/before-routes';
import { steerAs } from '../../gateway/routes/turns';
import { isDirectCallId } from '../../shared/ids';
import type { Json } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { TURN_STATES } from '../../shared/turn/turn-states';
import { decideOnce } from '../turns/decide';
import { endOf, followTurn } from '../turns/follow-turn';
import { badRequest, toA2AError, unknownTask, notPossible } from './errors';
import { readMessage, type ReadMessage } from './message';
import {
  sdk,
  type A2ARequestHandler,
  type AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type ListTasksRequest,
  type ListTasksResponse,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
} from './sdk';
import { contextOf, isFinal, standingOf, taskOf, taskState, waitingTask } from './task';
import { taskUpdates } from './updates';

/** How long `SendMessage` waits for a task to rest, ms. Then it answers with the task as it stands. */
const ANSWERS_WITHIN = 50_000;
/** A cancelled turn lets its running call end. */
const CANCELS_WITHIN = 10_000;
const MOST_TASKS = 100;
const STARTERS = ['starter', 'admin'] as const;
/** Of `MOST_TASKS` turns and direct calls each, in which tasks are looked for. */
const MOST_PAGES = 20;

export interface RequestOf {
  principal: Principal;
  agent: string;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
  card: AgentCard;
}

/** A turn, and its session if that may not have begun it. */
interface TaskOfTurn {
  turn: TurnHandle;
  session: SessionHandle | null;
}

export class TurnTasks implements A2ARequestHandler {
  constructor(
    private readonly parts: GatewayParts,
    private readonly of: RequestOf,
  ) {}

  async getAgentCard(): Promise<AgentCard> {
    return this.of.card;
  }

  getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    return this.getAgentCard();
  }

  sendMessage(request: SendMessageRequest): Promise<Task> {
    return this.withA2AErrors(async () => {
      const found = await this.take(request);
      if (request.configuration?.returnImmediately !== true) await this.rest(found, ANSWERS_WITHIN);
      return this.task(found.turn.id);
    });
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const found = await this.withA2AErrors(() => this.take(request));
    yield* this.stream(found, false);
  }

  getTask({ id }: GetTaskRequest): Promise<Task> {
    return this.withA2AErrors(() => this.task(id));
  }

  cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return this.withA2AErrors(async () => {
      needRole(this.of.principal, STARTERS);
      const { turn } = await this.own(id, ownTurn);
      const { state } = await turn.status();
      if (isFinal(state)) {
        const { TaskNotCancelableError } = sdk.errors();
        throw new TaskNotCancelableError(`The task has ended: ${state}.`);
      }
      await turn.cancel();
      await this.rest({ turn, session: null }, CANCELS_WITHIN, true);
      return this.task(turn.id);
    });
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const found = await this.withA2AErrors(() => this.find(id));
    yield* this.stream(found, true);
  }

  listTasks({ contextId, status, pageSize = 50, pageToken }: ListTasksRequest): Promise<ListTasksResponse> {
    return this.withA2AErrors(async () => {
      if (pageToken !== '') throw badRequest('There is one page of tasks: leave "pageToken" out.');
      const limit = Math.min(MOST_TASKS, Math.max(1, pageSize));
      const states = TURN_STATES.filter((state) => status === 0 || taskState(state) === status);
      const only = states.length === 1 ? { state: states[0]! } : {};
      const filter = { agent: this.of.agent, sight: visibilityOf(this.of.principal), ...only };
      const holdfast = await this.parts.client();
      const found: Task[] = [];
      let position: Uint8Array | null | undefined;
      for (let pages = 0; pages < MOST_PAGES && position !== null && found.length < limit; pages += 1) {
        const { turns, next } = await holdfast.page(filter, { limit: MOST_TASKS, ...optional({ position }) });
        const tasks = turns
          .filter(({ turn_id, state }) => !isDirectCallId(turn_id) && states.some((one) => one === state))
          .map(({ turn_id: turnId, state, started_at, ended_at }) =>
            taskOf({ turnId, state, text: '', reason: null, questions: [], unread: [], at: ended_at ?? started_at }),
          );
        found.push(...tasks.filter((task) => contextId === '' || task.contextId === contextId));
        position = next;
      }
      const tasks = found.slice(0, limit);
      return { tasks, nextPageToken: '', pageSize: limit, totalSize: tasks.length };
    });
  }

  createTaskPushNotificationConfig = noPush;
  getTaskPushNotificationConfig = noPush;
  listTaskPushNotificationConfigs = noPush;
  deleteTaskPushNotificationConfig = noPush;

  // What a message does.

  private async take({ message, configuration }: SendMessageRequest): Promise<TaskOfTurn> {
    const read = readMessage(message);
    if (configuration?.taskPushNotificationConfig) await noPush();
    return read.taskId === '' ? this.begin(read) : this.goOn(read);
  }

  /** A new turn: the next message of its context's session, or the first of a new one. */
  private async begin({ messageId, contextId, content }: ReadMessage): Promise<TaskOfTurn> {
    needRole(this.of.principal, STARTERS);
    if ('decision' in content) throw badRequest('A decision needs the "taskId" of the task that waits for it.');
    const { principal, agent } = this.of;
    const holdfast = await this.parts.client();
    const operation = await this.claim(messageId, { contextId, text: content.text }, startLimit(this.parts));
    const session = contextId === '' ? this.newSession(holdfast, messageId) : await this.ownContext(contextId);
    if (operation.target !== undefined) return { turn: holdfast.turn(operation.target), session };
    const { turn_id } = await session.send(content.text, { id: operation.id });
    this.parts.log.debug({ turn: turn_id, agent, principal: principal.name }, 'an A2A message began a turn');
    return { turn: holdfast.turn(await operation.agreeOn(turn_id)), session };
  }

  private newSession(holdfast: Awaited<ReturnType<GatewayParts['client']>>, messageId: string): SessionHandle {
    const { principal, agent } = this.of;
    const requester = principal.name;
    return holdfast.session(sessionIdOf({ id: `a2a\n${agent}\n${messageId}`, requester }), { agent, requester });
  }

  private async ownContext(contextId: string): Promise<SessionHandle> {
    const { session, summary } = await ownSession(this.parts, this.of.principal, contextId);
    if (summary.agent !== this.of.agent) throw badRequest(`The context is one of the agent ${summary.agent}.`);
    return session;
  }

  /** A decision on a call that waits in the task; or, while it works, a message to its model. */
  private async goOn({ messageId, taskId, contextId, content }: ReadMessage): Promise<TaskOfTurn> {
    const { principal } = this.of;
    const { turn } = await this.own(taskId, visibleTurn);
    if (contextId !== '' && contextId !== contextOf(turn.id)) throw badRequest('"contextId" is not that of the task.');
    if ('decision' in content) {
      const operation = await this.claim(messageId, { taskId, ...content });
      await decideOnce(this.parts, principal, { turn, operation, body: content.decision });
      return { turn, session: null };
    }
    const { state, pending } = await turn.status();
    if (isFinal(state))
      throw notPossible(`The task has ended: ${state}. Send the message with its "contextId", and no "taskId".`);
    if (pending.length > 0)
      throw notPossible('The task waits for a decision: send a data part such as {"decision": "approve", "call": "DIGEST"}.');
    needRole(this.of.principal, STARTERS);
    await ownTurn(this.parts, principal, taskId);
    const operation = await this.claim(messageId, { taskId, ...content });
    await once(operation, turn, (handle) => steerAs(handle, this.parts.key, principal, content.text), nothing);
    return { turn, session: null };
  }

  /** @param starts of a message that begins a task. @throws A2AError if the message id was used for another message */
  private async claim(messageId: string, request: Json, starts: StartLimit | null = null): Promise<Operation> {
    const { principal, agent } = this.of;
    const key = `a2a\n${agent}\n${messageId}`;
    const { operation } = await claimOperation(this.parts.store, { principal: principal.name, key, request }, starts);
    if (operation === null) throw badRequest('This "messageId" has been used for another message: use a new one.');
    return operation;
  }

  // Tasks.

  private async find(id: string): Promise<TaskOfTurn> {
    try {
      const { turn } = await this.own(id, visibleTurn);
      return { turn, session: null };
    } catch (error) {
      if (!(error instanceof NotBegun)) throw error;
      return { turn: (await this.parts.client()).turn(id), session: error.session };
    }
  }

  /** @throws A2AError for a turn of another agent, as for one that does not exist */
  private async own(id: string, look: typeof visibleTurn): ReturnType<typeof visibleTurn> {
    if (id === '') throw badRequest('The id of the task is missing.');
    const visible = await look(this.parts, this.of.principal, id);
    if (visible.summary.agent !== this.of.agent || isDirectCallId(visible.turn.id)) throw unknownTask(id);
    return visible;
  }

  private async task(id: string): Promise<Task> {
    const { turn, session } = await this.find(id);
    if (session !== null) return waitingTask(turn.id);
    const view = await turn.status();
    const { questions, unread } = view.pending.length === 0 ? endOf(view) : await turn.waiting(view);
    return taskOf(standingOf({ view, questions, unread }));
  }

  /** Resolves when the task rests, or the time is over. */
  private async rest({ turn, session }: TaskOfTurn, withinMs: number, untilEnd = false): Promise<void> {
    const signal = AbortSignal.any([this.of.signal, AbortSignal.timeout(withinMs)]);
    try {
      await session?.started(turn.id, { signal });
      for await (const _ of followTurn(turn, { after: null, signal, untilEnd }));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** An error ends the stream: the client subscribes again. */
  private async *stream({ turn, session }: TaskOfTurn, untilEnd: boolean): AsyncGenerator<StreamResponse, void, undefined> {
    const { signal } = this.of;
    try {
      const task = await this.task(turn.id);
      yield { payload: { $case: 'task', value: task } };
      if (session !== null) await session.started(turn.id, { signal });
      yield* taskUpdates(turn, { after: null, signal, untilEnd });
    } catch (error) {
      if (!signal.aborted) throw toA2AError(error, this.parts.log);
    }
  }

  private async withA2AErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toA2AError(error, this.parts.log);
    }
  }
}

/** A gateway calls back only hosts that its operator allows (`callback_url`); addresses of clients are not taken here. */
async function noPush(): Promise<never> {
  const { PushNotificationNotSupportedError } = sdk.errors();
  throw new PushNotificationNotSupportedError('Push notifications are not supported: subscribe to the task, or ask for it.');
}
