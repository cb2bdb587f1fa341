import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import type { CallView, TurnView } from '../shared/turn-view';
import { DECIDE_UPDATE, STATUS_QUERY, TURN_FAILED, type DecideAnswer } from '../workflows/contract';
import { DecisionNotAccepted, NoWorker, TurnEnded, TurnNotFound } from './errors';
import type { TurnEvent } from './events';
import { watchTurn } from './watch';

export interface By {
  /** Who decides. */
  by: string;
  note?: string;
}

/** A call that waits for a person. */
export type WaitingCall = CallView & { digest: string };

const ANSWER_WITHIN = 15_000;
const POLL_EVERY = 250;
const ENDED = new Set(['completed', 'refused', 'cancelled', 'failed', 'limit']);

/** One turn: ask how it stands, decide what waits, wait for its end. */
export class TurnHandle {
  constructor(
    private readonly client: Client,
    /** The turn's id, without `turn/`. */
    readonly id: string,
    readonly workflowId: string,
    /** The workflow in the Web UI; null when no UI is known. */
    readonly uiUrl: string | null,
  ) {}

  /**
   * How the turn stands. Of a turn that ended by itself no worker is needed to tell.
   * @throws TurnNotFound, NoWorker
   */
  async status(): Promise<TurnView> {
    const { name } = await this.described();
    if (name === 'COMPLETED' || name === 'FAILED') return this.result();
    const view = await this.queried();
    // Ended from outside: the workflow itself was never told.
    if (name === 'TERMINATED' || name === 'TIMED_OUT') return outsideEnd(view, name);
    return view;
  }

  /** The calls that wait for a person: for approval, or in doubt. */
  async pending(): Promise<WaitingCall[]> {
    return pendingOf(await this.status());
  }

  /**
   * Waits until a call waits for a person.
   * @throws TurnEnded, with the turn's view, when the turn ends first; an AbortError when the signal aborts; TurnNotFound, NoWorker
   */
  async waitForPending({ signal }: { signal?: AbortSignal } = {}): Promise<[WaitingCall, ...WaitingCall[]]> {
    for (;;) {
      signal?.throwIfAborted();
      const view = await this.status();
      const [first, ...others] = pendingOf(view);
      if (first) return [first, ...others];
      if (ENDED.has(view.state)) throw new TurnEnded(view);
      await sleep(POLL_EVERY, undefined, signal ? { signal } : {});
    }
  }

  /** @throws DecisionNotAccepted with the reason */
  approve(digest: string, by: By): Promise<void> {
    return this.decide({ decision: 'approve', call: digest, ...by });
  }

  /** The model reads the note. @throws DecisionNotAccepted with the reason */
  deny(digest: string, by: By): Promise<void> {
    return this.decide({ decision: 'deny', call: digest, ...by });
  }

  /** Says what became of a call in doubt. @throws DecisionNotAccepted with the reason */
  settle(digest: string, outcome: 'applied' | 'not_applied', by: By): Promise<void> {
    return this.decide({ decision: 'settle', call: digest, outcome, ...by });
  }

  /** Asks the turn to stop: running tools first, then the turn. @throws TurnNotFound; DecisionNotAccepted when it has ended */
  async cancel(): Promise<void> {
    // Temporal itself would accept it silently.
    if ((await this.described()).name !== 'RUNNING') throw new DecisionNotAccepted('Not accepted: the turn has ended.');
    await this.asked('cancel', () => this.client.workflow.getHandle(this.workflowId).cancel());
  }

  /**
   * The events of the turn, from its beginning to its end; a turn that has ended gives them all at once.
   * @param options.signal ends the watch; nothing is thrown
   * @throws TurnNotFound
   */
  watch(options: { signal?: AbortSignal } = {}): AsyncGenerator<TurnEvent> {
    return watchTurn(this.client, this.id, this.workflowId, options.signal);
  }

  /** Waits for the end. A turn that failed or was cancelled gives its view too: `state` tells. */
  async result(): Promise<TurnView> {
    return { ...(await this.ended()), ui_url: this.uiUrl };
  }

  private async ended(): Promise<TurnView> {
    try {
      return (await this.client.workflow.getHandle(this.workflowId).result()) as TurnView;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw new TurnNotFound(this.id);
      if (!(error instanceof WorkflowFailedError)) throw error;
      const { cause } = error;
      if (cause instanceof ApplicationFailure && cause.type === TURN_FAILED && cause.details?.[0])
        return cause.details[0] as TurnView;
      if (cause instanceof CancelledFailure) return this.queried();
      if (cause instanceof TerminatedFailure) return outsideEnd(await this.queried(), 'TERMINATED');
      if (cause instanceof TimeoutFailure) return outsideEnd(await this.queried(), 'TIMED_OUT');
      throw error;
    }
  }

  private async queried(): Promise<TurnView> {
    const handle = this.client.workflow.getHandle(this.workflowId);
    const view = await this.asked('tell how the turn stands', () => handle.query<TurnView>(STATUS_QUERY));
    return { ...view, ui_url: this.uiUrl };
  }

  private async described(): Promise<{ name: string }> {
    return (await this.asked('describe', () => this.client.workflow.getHandle(this.workflowId).describe())).status;
  }

  private async decide(body: { decision: string; call: string; outcome?: string } & By): Promise<void> {
    const handle = this.client.workflow.getHandle(this.workflowId);
    const answer = await this.asked('take the decision', () =>
      handle.executeUpdate<DecideAnswer, [typeof body]>(DECIDE_UPDATE, { args: [body] }),
    );
    if (!answer.accepted) throw new DecisionNotAccepted(`Not accepted: ${answer.reason}.`);
  }

  private async asked<R>(what: string, ask: () => Promise<R>): Promise<R> {
    try {
      return await this.client.connection.withDeadline(Date.now() + ANSWER_WITHIN, ask);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError)
        throw (await this.exists()) ? new DecisionNotAccepted('Not accepted: the turn has ended.') : new TurnNotFound(this.id);
      if (error instanceof WorkflowUpdateFailedError)
        throw new DecisionNotAccepted(`Not accepted: ${error.cause?.message ?? error.message}`);
      if (isUnanswered(error)) throw new NoWorker(what);
      throw withReason(error);
    }
  }

  private exists(): Promise<boolean> {
    return this.client.workflow
      .getHandle(this.workflowId)
      .describe()
      .then(
        () => true,
        () => false,
      );
  }
}

function outsideEnd(view: TurnView, how: 'TERMINATED' | 'TIMED_OUT'): TurnView {
  const what = how === 'TERMINATED' ? 'terminated' : 'ended by its time limit';
  const running = view.calls.filter((call) => call.class === 'destructive' && call.state === 'running').map((call) => call.id);
  const open = running.length > 0 ? ` Whether call ${running.join(', ')} took effect is not known.` : '';
  return { ...view, state: 'failed', pending: [], reason: `The workflow was ${what} from outside, through Temporal.${open}` };
}

/** Calls of a view that wait for a person. */
export function pendingOf(view: TurnView): WaitingCall[] {
  return view.calls.filter((call): call is WaitingCall => call.digest !== null && view.pending.includes(call.digest));
}

/** DEADLINE_EXCEEDED; CANCELLED: the server resets the call when the deadline passes there first; FAILED_PRECONDITION: it gave up just before. */
const UNANSWERED = new Set([4, 1, 9]);

/** Deadline, cancellation by deadline, "no poller", "not ready": in each case nobody answered. */
function isUnanswered(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  if ([error, cause].some((fault) => isGrpcServiceError(fault) && UNANSWERED.has(fault.code))) return true;
  const text = error instanceof Error ? `${error.name} ${error.message} ${(cause as Error | undefined)?.message ?? ''}` : '';
  return /deadline|RPC ?timeout|no poller seen/i.test(text);
}

/** The SDK says "Failed to query Workflow" and hides why. */
function withReason(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  if (!(error instanceof ServiceError) || !isGrpcServiceError(cause)) return error;
  return new Error(`${error.message}: ${cause.details}`, { cause: error });
}
