import { WorkflowFailedError, WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { CallView, TurnView } from '../shared/turn-view';
import { DECIDE_UPDATE, STATUS_QUERY, TURN_FAILED, type DecideAnswer } from '../workflows/contract';
import { DecisionNotAccepted, NoWorker, TurnNotFound } from './errors';
import type { TurnEvent } from './events';
import { watchTurn } from './watch';

export interface By {
  /** Who decides. */
  by: string;
  note?: string;
}

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

  /** @throws TurnNotFound, NoWorker */
  async status(): Promise<TurnView> {
    const handle = this.client.workflow.getHandle(this.workflowId);
    const view = await this.asked('tell how the turn stands', () => handle.query<TurnView>(STATUS_QUERY));
    return { ...view, ui_url: this.uiUrl };
  }

  /** The calls that wait for a person: for approval, or in doubt. */
  async pending(): Promise<CallView[]> {
    return pendingOf(await this.status());
  }

  /** Waits until a call waits for a person; empty when the turn has ended first. */
  async waitForPending(options: { signal?: AbortSignal } = {}): Promise<(CallView & { digest: string })[]> {
    for (;;) {
      const view = await this.status();
      const pending = pendingOf(view);
      if (pending.length > 0 || ENDED.has(view.state)) return pending;
      options.signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY));
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

  /** Asks the turn to stop: running tools first, then the turn. */
  async cancel(): Promise<void> {
    await this.asked('cancel', () => this.client.workflow.getHandle(this.workflowId).cancel());
  }

  /** The events of the turn, from its beginning to its end. */
  watch(options: { signal?: AbortSignal } = {}): AsyncGenerator<TurnEvent> {
    return watchTurn(this.client, this.workflowId, options.signal);
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
      if (cause instanceof ApplicationFailure && cause.type === TURN_FAILED && cause.details?.[0]) return cause.details[0] as TurnView;
      if (cause instanceof CancelledFailure) return this.status();
      throw error;
    }
  }

  private async decide(body: { decision: string; call: string; outcome?: string } & By): Promise<void> {
    const handle = this.client.workflow.getHandle(this.workflowId);
    const answer = await this.asked('take the decision', () => handle.executeUpdate<DecideAnswer, [typeof body]>(DECIDE_UPDATE, { args: [body] }));
    if (!answer.accepted) throw new DecisionNotAccepted(`Not accepted: ${answer.reason}.`);
  }

  private async asked<R>(what: string, ask: () => Promise<R>): Promise<R> {
    try {
      return await this.client.connection.withDeadline(Date.now() + ANSWER_WITHIN, ask);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw (await this.exists()) ? new DecisionNotAccepted('Not accepted: the turn has ended.') : new TurnNotFound(this.id);
      if (error instanceof WorkflowUpdateFailedError) throw new DecisionNotAccepted(`Not accepted: ${error.cause?.message ?? error.message}`);
      if (isDeadline(error)) throw new NoWorker(what);
      throw error;
    }
  }

  private exists(): Promise<boolean> {
    return this.client.workflow.getHandle(this.workflowId).describe().then(
      () => true,
      () => false,
    );
  }
}

/** Calls of a view that wait for a person. */
export function pendingOf(view: TurnView): (CallView & { digest: string })[] {
  return view.calls.filter((call): call is CallView & { digest: string } => call.digest !== null && view.pending.includes(call.digest));
}

/** Deadline, cancellation by deadline, or "no poller": in each case nobody answered. */
function isDeadline(error: unknown): boolean {
  const text = error instanceof Error ? `${error.name} ${error.message} ${String((error.cause as Error | undefined)?.message ?? '')}` : '';
  return /deadline|RPC ?timeout|no poller seen/i.test(text);
}
