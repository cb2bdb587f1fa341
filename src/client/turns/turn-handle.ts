/** The client's handle on one turn: reads its state, decides on waiting calls, watches its events and waits for its end. */
import { randomUUID } from 'node:crypto';
import type { DecisionAudience } from '../../attestation/claims';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { Sending, sendInTime, type MissingAnswer } from '../../temporal/send-update';
import { waitForPendingWorkflowTask } from '../../temporal/executions';
import { callOrigin } from '../../cards/card';
import { workflowId } from '../../shared/ids';
import type { Json, JsonObject } from '../../shared/json/json';
import type { Waits } from '../../shared/wire/waits';
import type { GivesResult } from '../../shared/turn/result';
import type { CallView, TurnState, TurnView } from '../../shared/turn/turn-view';
import type { Question, WaitingCall } from '../../shapes/turn-view';
import {
  ANSWER_UPDATE,
  COMPLETE_UPDATE,
  CARDS_QUERY,
  DECIDE_UPDATE,
  INTERRUPT,
  STATUS_QUERY,
  STEER,
  TURN_FAILURE,
  type CardPage,
  type DecideAnswer,
} from '../../workflows/contract';
import { cardsInPages } from '../approvals/card-pages';
import { cardsByDigest } from '../approvals/cards';
import { cardUrl } from '../../shared/wire/links';
import { QuestionCards, type ShownCard } from '../approvals/question-card';
import type { CardSource } from '../../record/cards/stored-card';
import { hasRequesterOf, type Owner } from '../../record/owner';
import { doneBefore, SENT_BEFORE, type Act, type DoneBefore } from './start-turn';
import { DecisionNotAccepted, InvalidRequest, NoWorker, TurnEnded, TurnNotFound } from '../errors';
import type { WatchedEvent } from '../events/feed';
import { Feeds, watchTurn, type WatchOptions } from '../events/feeds';
import { readHistory } from '../../temporal/history/read-history';
import { pendingFreeze, pendingModelWait } from '../../temporal/pending-activities';
import { modelWaitText } from '../../shared/turn/turn-states';
import { sentOf, type Sent, noWorkerError } from './missing-answer';
import { readCardPage, readView } from './read-answer';
import type { TurnEvent } from '../../shapes/turn-event';
import { errorMessage } from '../../shared/text/error-message';
import { optional } from '../../shared/json/optional';

/** The approver: by name, or by the output of `holdfast sign`, one attestation for each call. */
export type By = { note?: string } & ({ by: string; attestation?: Attestation } | { by?: string; attestation: Attestation });
type Attestation = string | string[];

export interface WaitingNow {
  questions: Question[];
  /** Waiting calls that must not be put to a person: their card cannot be shown. */
  unread: { call: WaitingCall; why: string }[];
}

const ANSWER_WITHIN = 15_000;
/** A card may appear a moment after its question. */
const CARD_TRIES = 3;
const CARD_PAUSE = 100;
const POLL_EVERY = 250;
const END_STATES = new Set(['completed', 'refused', 'cancelled', 'failed', 'limit']);

/** A turn that has ended. `data` is what its agent gives (`defineAgent({ result })`): there if the turn came to its end. */
export type EndedTurn<R> =
  | (TurnView & { readonly state: 'completed'; readonly data: R })
  | (TurnView & { readonly state: 'refused'; readonly data: R })
  | (TurnView & { readonly state: Exclude<TurnState, 'completed' | 'refused'>; readonly data: undefined });

/** One turn: read its state, decide on waiting calls, wait for its end. @typeParam R the type of its result */
export class TurnHandle<R = unknown> {
  constructor(
    private readonly client: Client,
    /** The turn's id, without `turn/`. */
    readonly id: string,
    readonly workflowId: string,
    /** The workflow in the Web UI; null when no UI is known. */
    readonly uiUrl: string | null,
    /** Shared by all watchers of one client. */
    private readonly feeds: Feeds = new Feeds(client),
    /** An act through this handle takes effect once under this name. */
    private readonly name: string | null = null,
    /** Opens the store that cards are read from; null: the client has none. */
    private readonly openStore: (() => Promise<CardSource>) | null = null,
    /** Name of the agent whose turn it has to be; null: any. */
    private readonly agent: string | null = null,
    /** Whose records of the store it shows; null: those of the turn, as its view says. */
    private readonly owner: Owner | null = null,
  ) {}

  /** Where a person can decide on this turn's waiting calls: the Web UI. Null when no UI is known. */
  get inboxUrl(): string | null {
    return this.uiUrl;
  }

  /** The same turn, for one act under a name: however often it is sent under that name, it takes effect once in a run. */
  named(name: string): TurnHandle<R> {
    return new TurnHandle<R>(
      this.client,
      this.id,
      this.workflowId,
      this.uiUrl,
      this.feeds,
      name,
      this.openStore,
      this.agent,
      this.owner,
    );
  }

  /**
   * The same turn, whose `result().data` has the type of this agent's results.
   * @example
   * const { data } = await client.turn(id).of(payables).result();
   */
  of<T>(agent: GivesResult<T>): TurnHandle<T> {
    return new TurnHandle<T>(
      this.client,
      this.id,
      this.workflowId,
      this.uiUrl,
      this.feeds,
      this.name,
      this.openStore,
      agent.name,
      this.owner,
    );
  }

  /** What was done to it under a name. @throws TurnNotFound; NoWorker while an earlier request has no answer yet */
  doneBefore(act: Act): Promise<DoneBefore> {
    return this.askTurn('answer what was sent before', () => doneBefore(this.client, this.workflowId, act), SENT_BEFORE);
  }

  /**
   * The turn's present view. A turn that ended by itself needs no worker for it.
   * @throws TurnNotFound, NoWorker
   */
  async status(): Promise<TurnView> {
    return this.viewIn(await this.describeWorkflow());
  }

  /** The same for a caller that has just got the turn's status from Temporal. */
  async viewIn(description: WorkflowExecutionDescription): Promise<TurnView> {
    const { name } = description.status;
    // The result of this run: a reset may have begun another run meanwhile, whose end is far.
    if (name === 'COMPLETED' || name === 'FAILED') return { ...(await this.finalView(description.runId)), ui_url: this.uiUrl };
    const view = await this.queryView();
    // Ended from outside: the workflow itself does not know it.
    if (name === 'TERMINATED' || name === 'TIMED_OUT') return outsideEnd(view, name);
    if (END_STATES.has(view.state)) return view;
    const waits = await this.modelWait(description);
    const frozen = await pendingFreeze(this.client, description);
    return { ...view, ...(waits === null ? {} : { waits_for: waits }), ...(frozen === null ? {} : { frozen }) };
  }

  /** What the workflow itself does not know: its step is an activity that waits. */
  private async modelWait(description: WorkflowExecutionDescription): Promise<TurnView['waits_for'] | null> {
    const waits = await pendingModelWait(this.client, description);
    return waits && { ...waits, text: modelWaitText(waits) };
  }

  /** The calls that wait for a person: for approval, for an answer, or in doubt. */
  async pending(): Promise<WaitingCall[]> {
    return pendingOf(await this.status());
  }

  /**
   * The cards of the waiting calls, Markdown, by digest: all of them, also those for which the Web UI's page has no room.
   * @throws TurnNotFound, NoWorker
   */
  async cards(): Promise<Map<string, string>> {
    const cards = await this.cardsOf(await this.status());
    return new Map([...cards].map(([digest, { markdown }]) => [digest, markdown]));
  }

  /**
   * The waiting calls to put to a person, each with its card. Without a card the approver does not know what the call would do.
   * So a call whose card cannot be read is listed apart, with the reason.
   * @param latest the turn's view, if the caller has just read it
   * @throws TurnNotFound, NoWorker
   */
  async waiting(latest?: TurnView): Promise<WaitingNow> {
    const { view, calls, cards, why } = await this.callsAndCards(latest);
    const [questions, unread]: [Question[], WaitingNow['unread']] = [[], []];
    const owner = this.owner ?? { turn_id: this.id, requester: view.requester };
    const whole = new QuestionCards(this.openStore, owner);
    const below = await this.cardsBelow(calls, owner);
    for (const call of calls) {
      const cardRead = shownCard(call, cards, below);
      if (cardRead === null) unread.push({ call, why: `The card of call ${call.id} (${call.tool}) cannot be read: ${why}.` });
      else questions.push({ ...call, card: await whole.card(call, call.of ?? view, cardRead) });
    }
    return { questions, unread };
  }

  private async callsAndCards(latest?: TurnView): Promise<{
    view: TurnView;
    calls: WaitingCall[];
    cards: Map<string, ShownCard>;
    why: string;
  }> {
    for (let tries = 1; ; tries += 1) {
      const view = (tries === 1 ? latest : undefined) ?? (await this.status());
      const calls = pendingOf(view);
      try {
        const cards = await this.cardsOf(view);
        if (tries === CARD_TRIES || calls.every(({ digest }) => cards.has(digest)))
          return { view, calls, cards, why: 'the turn does not show it' };
      } catch (error) {
        return { view, calls, cards: new Map(), why: errorMessage(error).replace(/\.$/, '') };
      }
      await sleep(CARD_PAUSE);
    }
  }

  /**
   * The cards of sub-agents' calls as their own turns show them, by turn. A turn that does not answer has none, nor has one of another
   * requester: this turn may be made up, and name any turn as one below it.
   */
  private async cardsBelow(calls: readonly WaitingCall[], owner: Owner): Promise<Map<string, Map<string, ShownCard>>> {
    const turnIds = new Set(calls.flatMap(({ of }) => (of === undefined ? [] : [of.turn_id])));
    const below = new Map<string, Map<string, ShownCard>>();
    for (const id of turnIds) {
      const turn = new TurnHandle(this.client, id, workflowId(id), null, this.feeds);
      const none = new Map<string, ShownCard>();
      const cards = turn.status().then((view) => (hasRequesterOf(owner, view) ? turn.cardsOf(view) : none));
      below.set(id, await cards.catch(() => none));
    }
    return below;
  }

  private async cardsOf({ pending, sub_turns = [] }: TurnView): Promise<Map<string, ShownCard>> {
    if (pending.length === 0) return new Map();
    const handle = this.client.workflow.getHandle(this.workflowId);
    const page = (digests: string[]) =>
      this.askTurn('show its cards', async () => readCardPage(await handle.query<CardPage, [string[]]>(CARDS_QUERY, digests)));
    const cards = await cardsInPages(pending, page);
    if (cards === null) {
      // A worker of an older build: the cards are on the Web UI's page.
      const metadata = () => handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      const details = (await this.askTurn('show its cards', metadata)).currentDetails ?? '';
      return new Map([...cardsByDigest(details, pending)].map(([digest, markdown]) => [digest, { markdown }]));
    }
    const below = new Map(sub_turns.flatMap(({ waiting }) => waiting.map((of) => [of.call.digest, of])));
    return new Map(
      cards.map(({ digest, card, state }) => {
        const of = below.get(digest);
        return [digest, { markdown: (of ? `${callOrigin(of)}\n\n${card}` : card).trim(), ...optional({ state }) }];
      }),
    );
  }

  /**
   * Waits until a call waits for a person, also while a worker that has just ended is replaced.
   * @throws TurnEnded, with the turn's view, when the turn ends first; an AbortError when the signal aborts; TurnNotFound;
   *   NoWorker when no worker has polled for more than a minute
   */
  async waitForPending({ signal }: { signal?: AbortSignal } = {}): Promise<[WaitingCall, ...WaitingCall[]]> {
    for (;;) {
      signal?.throwIfAborted();
      const view = await this.status().catch((error: unknown) => {
        if (error instanceof NoWorker && error.behind) return null;
        throw error;
      });
      const [first, ...others] = view === null ? [] : pendingOf(view);
      if (first) return [first, ...others];
      if (view !== null && END_STATES.has(view.state)) throw new TurnEnded(view);
      await sleep(POLL_EVERY, undefined, signal ? { signal } : {});
    }
  }

  /**
   * Approves one waiting call, or several: all of them or none. With `input` nothing is approved: a call with that input takes
   * the place of this one, and waits. `on_behalf_of` names the person whom a deputy decides for; a signed decision says it itself.
   * @throws DecisionNotAccepted with the reason
   */
  approve(digests: string | string[], by: By & { input?: JsonObject; on_behalf_of?: string }): Promise<void> {
    return this.decide({ decision: 'approve', ...selectCalls(digests), ...by });
  }

  /** The model reads the note. @throws DecisionNotAccepted with the reason */
  deny(digests: string | string[], by: By): Promise<void> {
    return this.decide({ decision: 'deny', ...selectCalls(digests), ...by });
  }

  /** Records how a call in doubt ended. @throws DecisionNotAccepted with the reason */
  settle(digests: string | string[], outcome: 'applied' | 'not_applied', by: By): Promise<void> {
    return this.decide({ decision: 'settle', ...selectCalls(digests), outcome, ...by });
  }

  /**
   * Answers a question of the model (`ask_person`). The answer is information for the model, and approves nothing.
   * @param digest of the question, or its first 12 or more characters
   * @throws DecisionNotAccepted with the reason, such as that the answer does not fit the question
   */
  answer(digest: string, value: Json, by: By): Promise<void> {
    return this.update(ANSWER_UPDATE, 'take the answer', { call: digest, value, ...by });
  }

  /**
   * Completes a call that ends later, with what the store keeps (completions/token.ts).
   * @param ref hash of the completion
   * @throws DecisionNotAccepted with the reason
   */
  complete(call: string, ref: string): Promise<void> {
    return this.update(COMPLETE_UPDATE, 'take the completion', { call, completion_ref: ref });
  }

  /**
   * Sends a text to the model, which reads it before its next step. Its author influences the calls that the model proposes from
   * then on, and under four eyes may not approve them.
   * @param text 1 to 4,000 characters
   * @throws DecisionNotAccepted with the reason
   */
  steer(text: string, by: { by: string; attestation?: string } | { by?: string; attestation: string }): Promise<void> {
    return this.update(STEER, 'take the message', { text, ...by });
  }

  /**
   * Ends the turn before its next step: running calls are completed, waiting calls do not run. The conversation can go on from
   * its head.
   * @throws DecisionNotAccepted with the reason
   */
  interrupt(by: { by: string }): Promise<void> {
    return this.update(INTERRUPT, 'interrupt', { by: by.by });
  }

  /** The audience of a signed decision on this turn. @throws TurnNotFound, NoWorker */
  async audience(): Promise<DecisionAudience> {
    const [{ raw }, { store_id }] = await Promise.all([this.describeWorkflow(), this.status()]);
    const first_execution_run_id = raw.workflowExecutionInfo?.firstRunId;
    if (!first_execution_run_id)
      throw new Error('This Temporal server does not tell the first run of a workflow; 1.25 and later do.');
    const storeField = store_id === undefined ? {} : { store_id };
    return { namespace: this.client.options.namespace, workflow_id: this.workflowId, first_execution_run_id, ...storeField };
  }

  /** Asks the turn to stop: running tools first, then the turn. @throws TurnNotFound; DecisionNotAccepted when it has ended */
  async cancel(): Promise<void> {
    // Temporal itself would accept the request silently.
    if ((await this.describeWorkflow()).status.name !== 'RUNNING')
      throw new DecisionNotAccepted('Not accepted: the turn has ended.');
    // Temporal itself takes the request: without its answer the fate is unknown.
    await this.askTurn('cancel', () => this.requestCancel(), { taken: 'unknown', why: 'Temporal did not answer' });
  }

  /** The SDK's own method takes no reason; history records the reason. */
  private requestCancel(): Promise<unknown> {
    const { namespace, identity } = this.client.options;
    const about = { namespace, identity, workflowExecution: { workflowId: this.workflowId } };
    const name = this.name === null ? { requestId: randomUUID() } : { requestId: this.name, reason: this.name };
    return this.client.workflowService.requestCancelWorkflowExecution({ ...about, ...name }).catch((error: unknown) => {
      if (isGrpcServiceError(error) && error.code === NOT_FOUND)
        throw new WorkflowNotFoundError(error.details, this.workflowId, undefined);
      throw error;
    });
  }

  /**
   * The events of the turn, from its beginning to its end; those of an ended turn come all at once.
   * @param options.signal ends the watch without an error
   * @throws TurnNotFound
   */
  async *watch(options: { signal?: AbortSignal } = {}): AsyncGenerator<TurnEvent> {
    for await (const { event } of this.stream(options)) yield event;
  }

  /**
   * The same with the position of each event, from which another watch can resume, here or elsewhere. All watchers of a turn
   * through one client share one reader, and add nothing to the turn's history.
   * @throws TurnNotFound
   */
  stream(options: WatchOptions = {}): AsyncGenerator<WatchedEvent> {
    return watchTurn(this.feeds, this.id, this.workflowId, options);
  }

  /**
   * The sender of the turn's start, and of every request to it since, as Temporal has recorded them.
   * @throws TurnNotFound
   */
  senders(): Promise<Sent[]> {
    return this.askTurn('tell who has sent what', async () => {
      const messages: Sent[] = [];
      for await (const event of readHistory(this.client, this.workflowId, { follow: false })) {
        const one = event.copied ? null : sentOf(event);
        if (one) messages.push(one);
      }
      return messages;
    });
  }

  /**
   * Waits for the end. Returns the view of a failed or cancelled turn too: see `state`.
   * @throws InvalidRequest if the handle is of an agent, and the turn is another agent's
   */
  async result(): Promise<EndedTurn<R>> {
    const view: TurnView = { ...(await this.finalView()), ui_url: this.uiUrl };
    if (this.agent !== null && view.agent !== this.agent)
      throw new InvalidRequest(`Turn ${this.id} is of agent ${JSON.stringify(view.agent)}, not ${JSON.stringify(this.agent)}.`);
    // Not enumerable: the view as JSON has it once, as `result`.
    return Object.defineProperty(view, 'data', { value: view.result }) as EndedTurn<R>;
  }

  private async finalView(runId?: string): Promise<TurnView> {
    try {
      return readView((await this.client.workflow.getHandle(this.workflowId, runId).result()) as TurnView);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw new TurnNotFound(this.id);
      if (!(error instanceof WorkflowFailedError)) throw error;
      const { cause } = error;
      if (cause instanceof ApplicationFailure && cause.type === TURN_FAILURE && cause.details?.[0])
        return readView(cause.details[0] as TurnView);
      if (cause instanceof CancelledFailure) return this.queryView();
      if (cause instanceof TerminatedFailure) {
        // A reset terminates a run, and begins another one.
        if ((await this.describeWorkflow()).status.name !== 'TERMINATED') return this.finalView();
        return outsideEnd(await this.queryView(), 'TERMINATED');
      }
      if (cause instanceof TimeoutFailure) return outsideEnd(await this.queryView(), 'TIMED_OUT');
      throw error;
    }
  }

  private async queryView(): Promise<TurnView> {
    const handle = this.client.workflow.getHandle(this.workflowId);
    const view = readView(await this.askTurn('report the state of the turn', () => handle.query<TurnView>(STATUS_QUERY)));
    return { ...view, ui_url: view.pending.length > 0 ? cardUrl(this.uiUrl, view.run_id) : this.uiUrl };
  }

  private describeWorkflow(): Promise<WorkflowExecutionDescription> {
    return this.askTurn('describe', () => this.client.workflow.getHandle(this.workflowId).describe());
  }

  private decide(body: { decision: string; outcome?: string; input?: JsonObject } & CallSelection & By): Promise<void> {
    return this.update(DECIDE_UPDATE, 'take the decision', body);
  }

  private async update<B>(name: string, what: string, body: B): Promise<void> {
    let run = '';
    const describe = async () => {
      const description = await this.describeWorkflow();
      run = description.runId;
      return description;
    };
    // An update sent now could make the turn impossible to replay.
    if (!(await waitForPendingWorkflowTask(describe))) throw await this.noAnswerError(what);
    const sending = new Sending(this.name ?? undefined);
    const { client, workflowId } = this;
    const options = { args: [body, sending.waits] as [B, Waits], updateId: sending.id };
    const ask = () => client.workflow.getHandle(workflowId).executeUpdate<DecideAnswer, [B, Waits]>(name, options);
    const fate = await this.askTurn(what, () => sendInTime(client, workflowId, sending, ask, run));
    if (fate.taken !== 'answered') throw await this.noAnswerError(what, fate);
    if (!fate.answer.accepted) throw new DecisionNotAccepted(`Not accepted: ${fate.answer.reason}.`);
  }

  /** @param fate fate of the request; absent: nothing was sent */
  private async askTurn<R>(what: string, ask: () => Promise<R>, fate?: MissingAnswer): Promise<R> {
    try {
      return await this.client.connection.withDeadline(Date.now() + ANSWER_WITHIN, ask);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError)
        throw (await this.exists()) ? new DecisionNotAccepted('Not accepted: the turn has ended.') : new TurnNotFound(this.id);
      if (error instanceof WorkflowUpdateFailedError)
        throw new DecisionNotAccepted(`Not accepted: ${error.cause?.message ?? error.message}`);
      if (isUnanswered(error)) throw await this.noAnswerError(what, fate);
      throw withReason(error);
    }
  }

  private noAnswerError(what: string, fate?: MissingAnswer): Promise<NoWorker> {
    return noWorkerError(this.client, { workflowId: this.workflowId }, what, fate);
  }

  /** Whether the turn has begun, running or ended. */
  exists(): Promise<boolean> {
    return this.client.workflow
      .getHandle(this.workflowId)
      .describe()
      .then(
        () => true,
        () => false,
      );
  }
}

type CallSelection = { call: string } | { calls: string[] };

/** The turn above does not know the state of a sub-agent's call, and may have dropped its card. */
function shownCard(
  { digest, of }: WaitingCall,
  cards: ReadonlyMap<string, ShownCard>,
  below: ReadonlyMap<string, ReadonlyMap<string, ShownCard>>,
): ShownCard | null {
  const here = cards.get(digest);
  if (of === undefined) return here ?? null;
  const own = below.get(of.turn_id)?.get(digest);
  return here === undefined ? (own ?? null) : { ...here, ...optional({ state: own?.state }) };
}

function selectCalls(digests: string | string[]): CallSelection {
  return typeof digests === 'string' ? { call: digests } : { calls: digests };
}

function outsideEnd(view: TurnView, how: 'TERMINATED' | 'TIMED_OUT'): TurnView {
  const what = how === 'TERMINATED' ? 'terminated' : 'ended by its time limit';
  const running = view.calls.filter((call) => call.class === 'destructive' && call.state === 'running').map((call) => call.id);
  const open = running.length > 0 ? ` Whether call ${running.join(', ')} took effect is not known.` : '';
  return { ...view, state: 'failed', pending: [], reason: `The workflow was ${what} from outside, through Temporal.${open}` };
}

/** Calls of a view that wait for a person, its own first, then its sub-agents'. */
export function pendingOf(view: TurnView): WaitingCall[] {
  const pending = new Set(view.pending);
  const waits = (call: CallView): call is WaitingCall => call.digest !== null && pending.has(call.digest);
  const below = (view.sub_turns ?? []).flatMap(({ waiting }) => waiting.map(({ call, ...of }) => ({ ...call, of })));
  return [...view.calls, ...below].filter(waits);
}

const NOT_FOUND = 5;
/**
 * DEADLINE_EXCEEDED; CANCELLED: the deadline passed at the server first; FAILED_PRECONDITION: the server gave up just before it.
 */
const NO_ANSWER_CODES = new Set([4, 1, 9]);

/** Deadline, cancellation by deadline, "no poller", "not ready": each means that no worker answered. */
export function isUnanswered(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  if ([error, cause].some((fault) => isGrpcServiceError(fault) && NO_ANSWER_CODES.has(fault.code))) return true;
  const text = error instanceof Error ? `${error.name} ${error.message} ${(cause as Error | undefined)?.message ?? ''}` : '';
  return /deadline|RPC ?timeout|no poller seen/i.test(text);
}

/** The SDK's message is "Failed to query Workflow", without the reason. This adds it. */
function withReason(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  if (!(error instanceof ServiceError) || !isGrpcServiceError(cause)) return error;
  return new Error(`${error.message}: ${cause.details}`, { cause: error });
}
