/** HoldfastClient: what a backend calls. */
import { randomBytes } from 'node:crypto';
import { Client, Connection, WorkflowExecutionAlreadyStartedError, type WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { IdempotencyConflict, InvalidRequest, ServerUnreachable, TurnNotFound } from './client/errors';
import { TurnHandle } from './client/turn-handle';
import { loadConfig, type Config } from './config';
import { inlineCode } from './shared/visible';
import { dataConverter } from './data-converter';
import { cutBytes } from './shared/cut';
import { hashJson } from './shared/digests';
import { isTurnId, LOCAL_PRINCIPAL, newTurnId, traceId, turnIdFromKey, workflowId } from './shared/ids';
import { visibilityText } from './shared/visibility-text';
import { TURN_STATES, type CallView, type TurnState } from './shared/turn-view';
import { MEMO_TRACE, TURN_WORKFLOW, type TurnInput } from './workflows/contract';

export interface StartTurn {
  agent: string;
  /** At most 100,000 characters. */
  message: string;
  /** Idempotency key: the same key starts one turn, for as long as the namespace retains it. */
  id?: string;
  sessionId?: string;
  /** Who asks. Default `local`. */
  requester?: string;
}

export interface TurnSummary {
  turn_id: string;
  workflow_id: string;
  agent: string;
  state: string;
  requester: string;
  started_at: string;
  ended_at: string | null;
  ui_url: string | null;
}

export interface PendingTurn extends TurnSummary {
  calls: CallView[];
  /** Why its calls could not be asked for; null when they could. */
  unreachable: string | null;
}

const CONNECT_WITHIN = 5000;
const MAX_MESSAGE = 100_000;
const MEMO_REQUEST = 'holdfast_request';

export interface ClientSettings extends Pick<Config, 'taskQueue' | 'uiUrl'> {
  /**
   * For a service that runs its worker in the same process, on the client's own NativeConnection: the
   * first workflow task comes back with the start, one trip through the task queue less.
   */
  eagerStart?: boolean;
}

export class HoldfastClient {
  constructor(
    /** The Temporal client underneath. */
    readonly temporal: Client,
    private readonly config: ClientSettings,
  ) {}

  /**
   * Connects by the environment (`TEMPORAL_ADDRESS`…), or to the embedded stack that runs here.
   * @throws ConfigError for a bad setting; ServerUnreachable when nothing answers
   */
  static async connect(config: Config = loadConfig()): Promise<HoldfastClient> {
    const { address, connectionOptions } = config.temporal;
    const connection = await Connection.connect({ ...connectionOptions, connectTimeout: CONNECT_WITHIN }).catch(
      (error: unknown) => {
        throw new ServerUnreachable(address, error);
      },
    );
    return new HoldfastClient(new Client({ connection, namespace: config.temporal.namespace, dataConverter }), config);
  }

  async close(): Promise<void> {
    await this.temporal.connection.close();
  }

  /**
   * Starts a turn. With an id it happens once: the same request again gives the same turn.
   * @throws InvalidRequest; IdempotencyConflict when the id was used for another agent, message or session
   */
  async start(request: StartTurn): Promise<TurnHandle> {
    const requester = request.requester ?? LOCAL_PRINCIPAL;
    check(request, requester);
    const random = randomBytes(6).toString('hex');
    const turnId = request.id === undefined ? newTurnId(Date.now(), random) : turnIdFromKey(requester, request.id);
    const input: TurnInput = {
      turn_id: turnId,
      agent: request.agent,
      message: request.message,
      requester,
      session_id: request.sessionId ?? null,
      trace_id: traceId(Date.now(), random),
      parent_head: null,
    };
    const fingerprint = hashJson({ agent: request.agent, message: request.message, session_id: input.session_id });
    try {
      await this.temporal.workflow.start(TURN_WORKFLOW, {
        workflowId: workflowId(turnId),
        taskQueue: this.config.taskQueue,
        args: [input],
        requestEagerStart: this.config.eagerStart ?? false,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        typedSearchAttributes: searchAttributes(input),
        memo: { [MEMO_REQUEST]: fingerprint, [MEMO_TRACE]: input.trace_id },
        // The Web UI renders it as Markdown beside the card: the requester's text must not become more than text.
        staticSummary: `${inlineCode(request.agent)} ${inlineCode(request.message.replace(/\s+/g, ' ').slice(0, 150))}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    if (request.id !== undefined) await this.sameRequest(turnId, fingerprint);
    return this.turn(turnId);
  }

  /** A handle on a turn that was started before. */
  turn(turnId: string): TurnHandle {
    if (!isTurnId(turnId)) throw new TurnNotFound(turnId);
    return new TurnHandle(this.temporal, turnId, workflowId(turnId), this.uiUrl(workflowId(turnId)));
  }

  /** Turns, newest first; 100 without a limit. @throws InvalidRequest for a state that there is not */
  async *list(filter: { state?: TurnState; agent?: string; limit?: number } = {}): AsyncGenerator<TurnSummary> {
    const clauses = [`WorkflowType = '${TURN_WORKFLOW}'`];
    if (filter.state !== undefined) clauses.push(stateClause(filter.state));
    if (filter.agent !== undefined) clauses.push(`HoldfastAgent = ${visibilityText(filter.agent)}`);
    let left = filter.limit ?? 100;
    for await (const info of this.temporal.workflow.list({ query: clauses.join(' AND ') })) {
      if (left-- <= 0) return;
      yield this.summary(info);
    }
  }

  /** Turns in which something waits for a person, with the calls that wait. */
  async pending(): Promise<PendingTurn[]> {
    const query = `WorkflowType = '${TURN_WORKFLOW}' AND ExecutionStatus = 'Running' AND HoldfastState IN ('awaiting_approval', 'in_doubt')`;
    const turns: Promise<PendingTurn>[] = [];
    for await (const info of this.temporal.workflow.list({ query })) turns.push(this.pendingTurn(this.summary(info)));
    return (await Promise.all(turns)).filter((turn) => turn.unreachable !== null || turn.calls.length > 0);
  }

  private async pendingTurn(summary: TurnSummary): Promise<PendingTurn> {
    try {
      return { ...summary, calls: await this.turn(summary.turn_id).pending(), unreachable: null };
    } catch (error) {
      // One turn whose worker is gone must not hide the others.
      return { ...summary, calls: [], unreachable: error instanceof Error ? error.message : String(error) };
    }
  }

  private async sameRequest(turnId: string, fingerprint: string): Promise<void> {
    const { memo } = await this.temporal.workflow.getHandle(workflowId(turnId)).describe();
    if (memo?.[MEMO_REQUEST] !== fingerprint) throw new IdempotencyConflict(turnId);
  }

  private uiUrl(workflow: string): string | null {
    const { uiUrl } = this.config;
    if (uiUrl === null) return null;
    const namespace = encodeURIComponent(this.temporal.options.namespace);
    return `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflow)}`;
  }

  private summary(info: WorkflowExecutionInfo): TurnSummary {
    const attribute = (name: string) => String((info.searchAttributes?.[name] as unknown[] | undefined)?.[0] ?? '');
    return {
      turn_id: info.workflowId.replace(/^turn\//, ''),
      workflow_id: info.workflowId,
      agent: attribute('HoldfastAgent'),
      state: stateOf(info.status.name, attribute('HoldfastState')),
      requester: attribute('HoldfastRequester'),
      started_at: info.startTime.toISOString(),
      ended_at: info.closeTime?.toISOString() ?? null,
      ui_url: this.uiUrl(info.workflowId),
    };
  }
}

function check({ agent, message, id, sessionId }: StartTurn, requester: string): void {
  if (typeof agent !== 'string' || agent === '')
    throw new InvalidRequest('start: "agent" is missing: name one of the agents that the worker serves.');
  if (typeof message !== 'string' || message.trim() === '') throw new InvalidRequest('start: "message" is empty.');
  if (message.length > MAX_MESSAGE)
    throw new InvalidRequest(`start: "message" has ${message.length} characters; ${MAX_MESSAGE} are allowed.`);
  if (typeof requester !== 'string' || requester === '' || requester.length > 200)
    throw new InvalidRequest('start: "requester" must be 1 to 200 characters.');
  // An empty key is a caller's bug: every request would be the same one.
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    throw new InvalidRequest('start: "id" must be a text that is not empty, or absent.');
  for (const [name, text] of Object.entries({ agent, message, id, requester }))
    if (text?.isWellFormed() === false)
      throw new InvalidRequest(`start: "${name}" is not well-formed Unicode (it has half a character).`);
  if (sessionId !== undefined && !isTurnId(sessionId))
    throw new InvalidRequest(`start: "sessionId" ${JSON.stringify(sessionId)} must match [A-Za-z0-9._~-]{1,128}.`);
}

const AGENT = defineSearchAttributeKey('HoldfastAgent', 'KEYWORD');
const STATE = defineSearchAttributeKey('HoldfastState', 'KEYWORD');
const SESSION = defineSearchAttributeKey('HoldfastSession', 'KEYWORD');
const REQUESTER = defineSearchAttributeKey('HoldfastRequester', 'KEYWORD');

function searchAttributes({ agent, requester, session_id }: TurnInput): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: AGENT, value: cutBytes(agent, 255) },
    { key: STATE, value: 'running' },
    { key: REQUESTER, value: cutBytes(requester, 255) },
    ...(session_id === null ? [] : [{ key: SESSION, value: cutBytes(session_id, 255) }]),
  ]);
}

const OPEN: readonly TurnState[] = ['running', 'awaiting_approval', 'in_doubt'];

/** A turn that was ended through Temporal itself never wrote its last state. */
function stateOf(status: string, written: string): string {
  return status === 'TERMINATED' || status === 'TIMED_OUT' ? 'failed' : written;
}

function stateClause(state: TurnState): string {
  if (!TURN_STATES.includes(state))
    throw new InvalidRequest(`There is no state ${JSON.stringify(state)}; states: ${TURN_STATES.join(', ')}.`);
  const written = `HoldfastState = '${state}'`;
  if (OPEN.includes(state)) return `${written} AND ExecutionStatus = 'Running'`;
  return state === 'failed' ? `(${written} OR ExecutionStatus IN ('Terminated', 'TimedOut'))` : written;
}
