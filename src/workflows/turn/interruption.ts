/**
 * Ends a turn before its next step, and leaves a conversation that can go on: a model request is given up, calls that run
 * come to their end, calls that wait or have not begun are not run, and the model's questions get an answer each.
 */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { isJsonObject, type Json } from '../../shared/json/json';
import { MAX_BY } from '../../shared/approval/decision';
import type { ApprovalQuestions } from '../approvals/approval-questions';
import type { Ending } from './ending';
import type { TurnData } from './state';

export class Interruption {
  /** Of the model request that is under way. */
  private thinking: CancellationScope | null = null;

  constructor(
    private readonly data: TurnData,
    private readonly questions: ApprovalQuestions,
  ) {}

  /** Answers why it was ignored, or null. */
  say(body: Json): string | null {
    const read = readBy(body);
    if (!read.ok) return read.reason;
    if (this.data.ended_at !== null) return 'the turn has ended';
    if (this.data.interrupted) return 'the turn is being interrupted already';
    this.data.interrupted = { by: read.by };
    this.questions.withdraw('stopped');
    this.thinking?.cancel();
    return null;
  }

  /** What can be given up at any time. Null: it was. */
  async during<T>(work: () => Promise<T>): Promise<T | null> {
    const scope = (this.thinking = new CancellationScope());
    try {
      return await scope.run(work);
    } catch (error) {
      // The whole turn being cancelled says so by the scope around this one.
      if (isCancellation(error) && this.data.interrupted && !CancellationScope.current().consideredCancelled) return null;
      throw error;
    } finally {
      this.thinking = null;
    }
  }

  /** How the turn ends; null: nobody has interrupted it. */
  ending(): Ending | null {
    const { interrupted } = this.data;
    return interrupted ? { state: 'cancelled', reason: `Interrupted by ${interrupted.by}.`, written: false } : null;
  }
}

export type ReadBy = { ok: true; by: string } | { ok: false; reason: string };

/** `{by}`, from anybody. */
export function readBy(body: Json): ReadBy {
  const by = isJsonObject(body) && Object.keys(body).length === 1 ? body.by : undefined;
  if (typeof by === 'string' && by.trim() !== '' && by.length <= MAX_BY && by.isWellFormed()) return { ok: true, by };
  return { ok: false, reason: `it must be one JSON object {"by": "…"} that names who says it, in 1 to ${MAX_BY} characters` };
}
