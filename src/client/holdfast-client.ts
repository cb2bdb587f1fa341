/**
 * HoldfastClient: a backend's client that starts, finds, lists and follows turns, direct calls and sessions. What few programs need
 * (export of bundles, stores, settings) is loaded on first use.
 */
import { randomBytes } from 'node:crypto';
import { WorkflowNotFoundError, type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import type { BundleSigner } from '../attestation/bundle-signer';
import type { Subject } from '../audit/export/bundle';
import type { TreeHead } from '../witness/tree-head';
import { wholeCard } from '../cards/card';
import { storedCard, storedFacts } from '../record/cards/stored-card';
import { isCardCut } from './approvals/cards';
import { Inbox } from './approvals/inbox';
import { inboxSource, pendingTurns, type PendingTurnsOf } from './approvals/pending-turns';
import { watchPending, type NewQuestion, type WatchPending } from './approvals/watch-pending';
import { Schedules } from './schedules';
import { listBudgets, type BudgetFilter, type ListedBudget } from './budgets';
import { AmbiguousKey, ForkRefused, InvalidRequest, SessionEmpty, SessionNotFound, TurnNotFound } from './errors';
import { Feeds } from './events/feeds';
import { Files } from './files';
import { openingOf, openSession, sessionIdOf, sessionSummary, type ForkSession, type OpenSession } from './sessions/open-session';
import type { SessionParts } from './sessions/session-asking';
import { SessionHandle } from './sessions/session-handle';
import { StartSigner } from './start-signer';
import { callInput, CallHandle, type DirectCall } from './turns/direct-call';
import {
  pageOfTurns,
  summaryOf,
  turnQuery,
  visibilityClause,
  visibleExecutions,
  type TurnFilter,
  type TurnPage,
  type Visibility,
} from './turns/listing';
import { checkStartTurn, foundByKey, startOnce, type StartTurn, type TurnStart } from './turns/start-turn';
import { TurnHandle } from './turns/turn-handle';
import { lastPoll } from './turns/missing-answer';
import type { Config } from '../config';
import type { CodecKeys } from '../encryption/key-source';
import type { LiveBus } from '../live/bus';
import { openLive } from '../live/open';
import type { SessionSummary } from '../shapes/session';
import type { PendingTurn, Question, TurnSummary } from '../shapes/turn-view';
import {
  asTurnId,
  isDirectCallId,
  isSessionId,
  isTurnId,
  LOCAL_PRINCIPAL,
  newTurnId,
  sessionWorkflowId,
  traceId,
  turnIdFromKey,
  workflowId,
} from '../shared/ids';
import { hashJson } from '../shared/json/digests';
import { optional } from '../shared/json/optional';
import type { GivesResult } from '../shared/turn/result';
import { isHash } from '../shared/json/sha256';
import { inlineCode, visibilityText } from '../shared/text/visible';
import { messageText } from '../shared/turn/message';
import { isOf, OfAnotherTurn, type Owner } from '../record/owner';
import type { TurnView } from '../shared/turn/turn-view';
import { workflowUrl } from '../shared/wire/links';
import type { TrailPage, TrailQuery } from '../store/core/trail';
import type { Store } from '../store/store';
import { backlogsOf, type Backlog } from '../temporal/backlog';
import { connectTemporal } from '../temporal/connect';
import { makeClient } from '../temporal/make-client';
import { workflowExists } from '../temporal/executions';
import { CALL_WORKFLOW, MEMO_TRACE, SESSION_WORKFLOW, TURN_WORKFLOW, type TurnInput } from '../workflows/contract';

export type { PendingTurn, StartTurn, TurnFilter, TurnSummary };

/** A turn as Temporal describes it. */
export interface DescribedTurn {
  summary: TurnSummary;
  owner: Owner;
  /** Null: this version did not start the turn. */
  traceId: string | null;
  /** Differs once the turn's history has grown. */
  progress: string;
  /** The turn's view, from its result or from a worker. */
  view(): Promise<TurnView>;
}

/** What a bundle covers. */
export type BundleOf = { turn: string } | { session: string };

export interface ClientSettings extends Pick<Config, 'taskQueue' | 'uiUrl'> {
  /**
   * For a service whose worker runs in the same process, on the client's own NativeConnection. The start then returns the first
   * workflow task, which saves one trip through the task queue.
   */
  eagerStart?: boolean;
  /**
   * File of a private key that signs the start of turns, as proof of who asked. Read once. Absent or null: starts are not signed.
   */
  signingKey?: string | null;
  /** For `trail` and `bundle`: the workers' store, or its URL as in HOLDFAST_STORE. */
  store?: string | Store;
  /** For a store that is given as its URL: the key ring of the workers. Absent or null: the store is plain. */
  codecKeys?: CodecKeys | null;
  /** For a store that is given as its URL: where its large parts are, as in HOLDFAST_PARTS. Absent or null: in the store itself. */
  parts?: string | null;
  /** Makes the signer of audit bundles. Called for each bundle. */
  bundleSigner?: () => Promise<BundleSigner>;
  /**
   * Source of live events: the worker's own bus, or its PostgreSQL as in HOLDFAST_LIVE. Absent or null: the Temporal server is
   * asked.
   */
  live?: string | LiveBus | null;
}

/**
 * Starts turns, decides on what waits in them, watches them and lists them.
 * @example
 * const holdfast = await HoldfastClient.connect(loadConfig());
 * const turn = await holdfast.start({ agent: 'payables', message: 'Pay INV-7.', requester: 'ana' });
 * const { state, text } = await turn.result();
 */
export class HoldfastClient {
  private storePromise: Promise<Store> | undefined;
  private live: LiveBus | null | undefined;
  private openedInbox: Inbox | undefined;
  /** Of a key ring of the client's own. */
  private endReads: () => void = () => undefined;
  private readonly feeds: Feeds;
  private readonly signer: StartSigner;
  /** Files for messages. */
  readonly files: Files;
  /** Turns that begin by themselves. */
  readonly schedules: Schedules;

  constructor(
    /** The Temporal client underneath. */
    readonly temporal: Client,
    private readonly config: ClientSettings,
  ) {
    this.signer = new StartSigner(config.signingKey || null, temporal);
    this.files = new Files((what) => this.store(what));
    this.schedules = new Schedules({ ...this.queue(), find: (id) => this.find(id) });
    this.feeds = new Feeds(temporal, () => (this.live ??= this.liveBus()));
  }

  /**
   * Connects to the server that the environment names (`TEMPORAL_ADDRESS`…), or to the embedded stack that runs here.
   * @param override settings instead of the environment's; `{ codecKeys }` alone is enough for keys from a key service
   * @param live source of live events if HOLDFAST_LIVE names none
   * @throws ConfigError for a bad setting; ServerUnreachable when nothing answers; BadKeyRing
   */
  static async connect(override: Partial<Config> = {}, live: LiveBus | null = null): Promise<HoldfastClient> {
    const { bundleKeyPlaces, loadConfig } = await import('../config.js');
    const config = isWhole(override) ? override : { ...loadConfig(), ...override };
    const { namespace } = config.temporal;
    const codec = config.codecKeys ? await (await import('../encryption/index.js')).openCodec(config.codecKeys, namespace) : null;
    const connection = await connectTemporal(config.temporal);
    const signer = async () => (await import('../attestation/bundle-signer.js')).bundleSigner(bundleKeyPlaces(config));
    const client = new HoldfastClient(makeClient({ connection, namespace, codec }), {
      ...config,
      codecKeys: codec?.keys ?? null,
      bundleSigner: signer,
      live: config.live ?? live,
    });
    if (codec !== null && codec.keys !== config.codecKeys) client.endReads = codec.keys.readOnTime();
    return client;
  }

  async close(): Promise<void> {
    this.endReads();
    if (typeof this.config.store === 'string') await (await this.storePromise?.catch(() => undefined))?.close();
    await this.openedInbox?.close();
    this.feeds.close();
    if (typeof this.config.live === 'string') await this.live?.close();
    await this.temporal.connection.close();
  }

  /**
   * Starts a turn. With an id it happens once: the same request again returns the same turn.
   * @throws InvalidRequest; IdempotencyConflict when the id was used for another agent, message or session
   */
  start(request: StartTurn): Promise<TurnHandle>;
  /**
   * The same for an agent's own object, which gives `result().data` its type.
   * @example
   * const turn = await client.start(payables, { message: 'Read INV-7.' });
   * const ended = await turn.result();
   * if (ended.state === 'completed') console.log(ended.data.cents);
   */
  start<R>(agent: GivesResult<R>, request: Omit<StartTurn, 'agent'>): Promise<TurnHandle<R>>;
  async start(first: StartTurn | GivesResult<unknown>, rest?: Omit<StartTurn, 'agent'>): Promise<TurnHandle> {
    if (rest === undefined) return this.startTurn(first as StartTurn);
    const agent = first as GivesResult<unknown>;
    return (await this.startTurn({ ...rest, agent: agent.name })).of(agent);
  }

  private async startTurn(request: StartTurn): Promise<TurnHandle> {
    const requester = request.requester ?? LOCAL_PRINCIPAL;
    checkStartTurn(request, requester);
    const message = await this.files.message(requester, request.message);
    const random = randomBytes(6).toString('hex');
    const turnId = request.id === undefined ? newTurnId(Date.now(), random) : turnIdFromKey(requester, request.id);
    const input: TurnInput = {
      turn_id: turnId,
      agent: request.agent,
      message,
      requester,
      session_id: request.sessionId ?? null,
      trace_id: traceId(Date.now(), random),
      parent_head: null,
      ...optional({ callback_ref: request.callbackRef }),
    };
    const fingerprint = hashJson({ agent: request.agent, message, session_id: input.session_id });
    // The Web UI renders the summary as Markdown beside the card: the requester's text must stay plain text.
    const summary = `${inlineCode(request.agent)} ${inlineCode(messageText(message).replace(/\s+/g, ' ').slice(0, 150))}`;
    const signature = await this.signer.signStart(input, hashJson(input.message));
    await this.launch(TURN_WORKFLOW, { ...input, ...signature }, { fingerprint, summary, key: request.id });
    return this.turn(turnId);
  }

  /**
   * Runs one tool call without a model, durably, with all checks and records of a call in a turn: admission, approval, the effect
   * record, the transcript. With an id it happens once. For a call that may be destructive, this is true even after Temporal has
   * deleted the workflow, because the workers' store keeps its record.
   * @throws InvalidRequest; IdempotencyConflict when the id was used for another call
   */
  async call(request: DirectCall): Promise<CallHandle> {
    const input = callInput(request, randomBytes(6).toString('hex'), Date.now());
    const { agent, tool, input_json, options } = input;
    const fingerprint = hashJson({ agent, tool, input_json, options: { ...options } });
    const summary = `call ${inlineCode(tool)}`;
    const signature = await this.signer.signStart(input, hashJson({ tool, input_json }));
    await this.launch(CALL_WORKFLOW, { ...input, ...signature }, { fingerprint, summary, key: request.id });
    return new CallHandle(this.turn(input.turn_id));
  }

  /**
   * A handle on a turn, or on a direct call (`call/<id>`), that was started before.
   * @param owner the store's records that it shows name this turn. Default: what the turn says of itself
   */
  turn(name: string, owner: Owner | null = null): TurnHandle {
    const turnId = asTurnId(name);
    if (!isTurnId(turnId) && !isDirectCallId(turnId)) throw new TurnNotFound(turnId);
    const store = this.config.store === undefined ? null : () => this.store('waiting');
    const of = workflowId(turnId);
    return new TurnHandle(this.temporal, turnId, of, this.uiUrl(of), this.feeds, null, store, null, owner);
  }

  /**
   * The turn or direct call with this id, or the one that a principal started under this idempotency key.
   * @throws TurnNotFound; AmbiguousKey if several principals used the key
   */
  async turnNamed(name: string): Promise<TurnHandle> {
    const id = asTurnId(name);
    if ((isTurnId(id) || isDirectCallId(id)) && (await workflowExists(this.temporal, workflowId(id)))) return this.turn(id);
    const matches = await foundByKey(this.temporal, name);
    if (matches.length > 1) throw new AmbiguousKey(name, matches);
    if (matches.length === 0) throw new TurnNotFound(name);
    return this.turn(matches[0]!.id);
  }

  /**
   * A session by its id. With `opening`, the first message opens the session if it does not exist yet.
   * @throws InvalidRequest, SessionNotFound for an id that no session can have
   */
  session(id: string, opening?: Omit<OpenSession, 'id'>): SessionHandle {
    if (!isSessionId(id)) throw new SessionNotFound(id);
    return new SessionHandle(this.sessionParts(id), id, opening ? openingOf(id, opening) : null);
  }

  /**
   * Opens a session, without a message yet. With an id it happens once.
   * @throws InvalidRequest; IdempotencyConflict when the id was used for another agent or requester
   */
  async openSession(request: OpenSession): Promise<SessionHandle> {
    const id = sessionIdOf(request);
    await openSession(this.queue(), openingOf(id, request), false);
    return this.session(id);
  }

  /**
   * A new session that continues after a block of another turn. Both share what was said before that block; nothing is copied.
   * @throws InvalidRequest; ForkRefused for a block of a turn that is not `of`'s, or at which a conversation cannot be cut
   */
  async fork({ from, of, ...request }: ForkSession): Promise<SessionHandle> {
    if (!isHash(from))
      throw new InvalidRequest(`fork: "from" ${JSON.stringify(String(from).slice(0, 80))} must be a block: 64 hex.`);
    const id = sessionIdOf(request);
    const fork = { block: from, of: of === undefined ? (request.requester ?? LOCAL_PRINCIPAL) : of };
    const answer = await openSession(this.queue(), { ...openingOf(id, request), fork }, true);
    if (answer && !answer.opened) throw new ForkRefused(answer.reason, answer.near);
    return this.session(id);
  }

  /** Sessions, newest first; 100 without a limit. */
  async *sessions(filter: { sight?: Visibility; agent?: string; limit?: number } = {}): AsyncGenerator<SessionSummary> {
    const { sight = 'all' } = filter;
    const clauses = [`WorkflowType = '${SESSION_WORKFLOW}'`, ...visibilityClause(sight)];
    if (filter.agent !== undefined) clauses.push(`HoldfastAgent = ${visibilityText(filter.agent)}`);
    let remaining = filter.limit ?? 100;
    const summaryOfSession = (info: WorkflowExecutionInfo) => sessionSummary(info, this.uiUrl(info.workflowId));
    for await (const { info, summary } of visibleExecutions(this.temporal, clauses.join(' AND '), sight, summaryOfSession)) {
      if (info.status.name === 'CONTINUED_AS_NEW') continue;
      if (remaining-- <= 0) return;
      yield summary;
    }
  }

  private sessionParts(id: string): SessionParts {
    return {
      ...this.queue(),
      uiUrl: this.uiUrl(sessionWorkflowId(id)),
      turn: (turnId) => this.turn(turnId),
      message: (requester, message) => this.files.message(requester, message),
      signs: this.signer.signs,
      sign: ({ session_id, agent, requester }, message) =>
        this.signer.sign({ workflow_id: sessionWorkflowId(session_id), agent, requester }, hashJson(message)),
    };
  }

  /** The turn or direct call as Temporal describes it; no worker is asked. @throws TurnNotFound */
  async find(turnId: string): Promise<TurnSummary> {
    return (await this.look(turnId)).summary;
  }

  /**
   * As `find`, with the trace id and the view. The view reuses the description, so that Temporal is not asked twice.
   * @throws TurnNotFound
   */
  async look(turnId: string): Promise<DescribedTurn> {
    const turn = this.turn(turnId);
    const description = await this.temporal.workflow
      .getHandle(turn.workflowId)
      .describe()
      .catch((error: unknown) => {
        throw error instanceof WorkflowNotFoundError ? new TurnNotFound(turnId) : error;
      });
    const trace = description.memo?.[MEMO_TRACE];
    const traceId = typeof trace === 'string' ? trace : null;
    const { runId, historyLength, raw } = description;
    const progress = `${runId} ${historyLength}`;
    const summary = this.summary(description);
    const { turn_id, requester } = summary;
    const owner = {
      turn_id,
      requester,
      ...optional({ first_execution_run_id: raw.workflowExecutionInfo?.firstRunId || undefined }),
    };
    return { summary, owner, traceId, progress, view: () => turn.viewIn(description) };
  }

  /** When a worker of this client's task queue last asked for work, Unix time, ms; null: the server remembers none. */
  lastPoll(): Promise<number | null> {
    return lastPoll(this.temporal, this.config.taskQueue);
  }

  /** What waits in the task queue for a worker. */
  backlogs(): Promise<Backlog[]> {
    return backlogsOf(this.temporal, this.config.taskQueue);
  }

  /** What is used and left of every budget that counts something now; 100 without a limit. */
  budgets(filter: BudgetFilter = {}): AsyncGenerator<ListedBudget> {
    return listBudgets(this.queue(), filter);
  }

  /** Turns and direct calls, newest first; 100 without a limit. @throws InvalidRequest for an unknown state */
  async *list({ limit = 100, ...filter }: TurnFilter & { limit?: number } = {}): AsyncGenerator<TurnSummary> {
    const { sight = 'all' } = filter;
    let remaining = limit;
    for await (const { summary } of visibleExecutions(this.temporal, turnQuery(filter), sight, (info) => this.summary(info))) {
      if (remaining-- <= 0) return;
      yield summary;
    }
  }

  /**
   * As `list`, by page. A page may have fewer turns than `limit`, or none, and still a `next`.
   * @param position `next` of the page before, for the same filter
   * @throws InvalidRequest for an unknown state
   */
  async page(filter: TurnFilter, at: { limit: number; position?: Uint8Array }): Promise<TurnPage> {
    return pageOfTurns(this.temporal, filter, at, (info) => this.summary(info));
  }

  /**
   * Turns in which calls wait for a person, with these calls. Workers report the calls. After five seconds without an answer from
   * any worker, the remaining turns are returned with what Temporal knows of them.
   */
  async pending({ sight = 'all' }: { sight?: Visibility } = {}): Promise<PendingTurn[]> {
    return pendingTurns({ ...this.turns(), visibility: sight });
  }

  /** What waits for people, kept in memory for a page that shows it to many; it reads only while somebody reads it. */
  get inbox(): Inbox {
    return (this.openedInbox ??= new Inbox(inboxSource(this.turns(), (id) => this.look(id))));
  }

  /** Calls that start to wait for a person, as they arrive; those that wait already come first. */
  watchPending(options: WatchPending = {}): AsyncGenerator<NewQuestion> {
    return watchPending(this, options);
  }

  /**
   * The card of a question as Markdown, whole. If it is cut, it is written anew from the card's facts; if these are missing, from
   * the store (HOLDFAST_STORE), by the digest.
   * @param owner the turn that asks
   * @throws StoreError; OfAnotherTurn; InvalidRequest for a client without a store
   */
  async wholeCard({ card }: Pick<Question, 'card'>, owner?: Owner): Promise<string> {
    if (!isCardCut(card.markdown)) return card.markdown;
    const { incomplete: _, ...known } = card;
    const whole = card.incomplete === undefined ? wholeCard(known) : null;
    if (whole !== null) return whole;
    const stored = await storedCard(await this.store('wholeCard'), card.digest);
    if (owner !== undefined && !isOf(owner, stored.record)) throw new OfAnotherTurn('The call');
    return wholeCard({ ...known, ...storedFacts(stored, card.words ?? []) }) ?? card.markdown;
  }

  /**
   * Every decision and destructive call of all turns, by page, the oldest first, from the store (HOLDFAST_STORE).
   * @throws TrailQueryError; InvalidRequest for a client without a store
   */
  async trail(query: TrailQuery = {}): Promise<TrailPage> {
    const { turn } = query;
    return (await this.store('trail')).trail.query({ ...query, ...(turn === undefined ? {} : { turn: asTurnId(turn) }) });
  }

  /**
   * The audit bundle of a turn with its sub-agents' turns, of a direct call (`call/<id>`), or of a session (docs/bundle-format.md).
   * Yields its lines, each with its newline; the reader sets the pace. The bundle becomes the last link of the chain of its tenant
   * and agent, unless `chained` is false. It contains `head`, a tree head of a witness (docs/witness.md), so it is not older. A bundle of something that still runs ends with what is recorded so far, and says so.
   * @throws TurnNotFound, SessionNotFound, SessionEmpty; InvalidRequest for a client without a store or a key; BadSigningKey; all
   * but the last before the first line
   */
  async *bundle(
    of: BundleOf,
    { chained = true, head = null }: { chained?: boolean; head?: TreeHead | null } = {},
  ): AsyncGenerator<string> {
    const { bundleSigner: signer } = this.config;
    if (signer === undefined)
      throw new InvalidRequest('bundle: this client has no key for bundles; give it one as "bundleSigner".');
    const store = await this.store('bundle');
    const { exportBundle, SubjectEmpty, SubjectNotFound } = await import('../audit/export/bundle.js');
    try {
      yield* exportBundle({ subject: subjectOf(of), temporal: this.temporal, store, signer: await signer(), chained, head });
    } catch (error) {
      if (error instanceof SubjectEmpty && 'session' in of) throw new SessionEmpty(of.session);
      if (!(error instanceof SubjectNotFound)) throw error;
      throw 'session' in of ? new SessionNotFound(of.session) : new TurnNotFound(of.turn);
    }
  }

  /** @param what method that needs the store, for the error. @throws InvalidRequest for a client without a store */
  private async store(what: string): Promise<Store> {
    const { store } = this.config;
    if (store === undefined) throw new InvalidRequest(`${what}: this client knows no store; give it one as "store".`);
    if (typeof store !== 'string') return Promise.resolve(store);
    // If it cannot be opened now, the next call tries again.
    return (this.storePromise ??= openStoreAt(store, this.config).catch((error: unknown) => {
      this.storePromise = undefined;
      throw error;
    }));
  }

  /** Opened when the first turn is watched. */
  private liveBus(): LiveBus | null {
    const { live = null } = this.config;
    if (typeof live !== 'string') return live;
    const silent = { warn: () => undefined }; // a client has no log: only live events are missing then
    return openLive({ live, temporal: this.temporal.options }, silent);
  }

  /** The client, and the queue whose workers run what it starts. */
  private queue(): { temporal: Client; taskQueue: string } {
    return { temporal: this.temporal, taskQueue: this.config.taskQueue };
  }

  private turns(): PendingTurnsOf {
    return { ...this.queue(), summarize: (info) => this.summary(info), turn: (id, owner) => this.turn(id, owner) };
  }

  private launch(
    type: string,
    input: TurnStart,
    of: { fingerprint: string; summary: string; key: string | undefined },
  ): Promise<void> {
    const { taskQueue, eagerStart: eager = false } = this.config;
    return startOnce(this.temporal, type, input, { taskQueue, eager, ...of });
  }

  private summary(info: Omit<WorkflowExecutionInfo, 'raw'>): TurnSummary {
    return summaryOf(info, this.uiUrl(info.workflowId));
  }

  private uiUrl(workflow: string): string | null {
    return workflowUrl(this.config.uiUrl, this.temporal.options.namespace, workflow);
  }
}

async function openStoreAt(store: string, { codecKeys = null, parts = null }: ClientSettings): Promise<Store> {
  const { openStoreOf } = await import('../store/open-store.js');
  return openStoreOf({ store, codecKeys, parts });
}

function isWhole(config: Partial<Config>): config is Config {
  return config.temporal !== undefined && config.taskQueue !== undefined;
}

/** @throws TurnNotFound, SessionNotFound for an id that no turn or session can have */
function subjectOf(of: BundleOf): Subject {
  if ('session' in of) {
    if (!isSessionId(of.session)) throw new SessionNotFound(of.session);
    return { kind: 'session', id: of.session };
  }
  const id = asTurnId(of.turn);
  if (isDirectCallId(id)) return { kind: 'call', id };
  if (!isTurnId(id)) throw new TurnNotFound(id);
  return { kind: 'turn', id };
}
