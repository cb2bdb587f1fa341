/**
 * What people send while a run takes up the questions of the run before: it waits, in the order in which it came, until they
 * are asked again.
 */
import { CancellationScope, condition, patched } from '@temporalio/workflow';

export class Arrivals {
  private waiting = 0;
  private over: Promise<unknown> | null = null;

  /** @param takingUp this run goes on from another, and has not asked its questions again yet */
  constructor(private takingUp: boolean) {}

  /** The questions of the run before are open, and this run has not asked them again yet. */
  get takesUp(): boolean {
    return this.takingUp;
  }

  /** True while nothing waits. */
  get none(): boolean {
    return this.waiting === 0;
  }

  /** The questions are asked in the same activation, and what waits is taken after it. */
  takenUp(): void {
    this.takingUp = false;
  }

  /** Takes what has come, at once or when the questions are asked again. Histories from before it waited go on as they were. */
  inTurn<T>(take: () => T | Promise<T>): T | Promise<T> {
    return this.takingUp && patched('arrivals-wait') ? this.later(take) : take();
  }

  private async later<T>(take: () => T | Promise<T>): Promise<T> {
    this.waiting += 1;
    this.over ??= CancellationScope.nonCancellable(() => condition(() => !this.takingUp));
    try {
      await this.over;
      return await take();
    } finally {
      this.waiting -= 1;
    }
  }
}
