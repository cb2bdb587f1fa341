/** What this worker is running right now: for a drain, which has to say what it waits for, and what it cut off. */
import type { TurnFields } from './turn-scope';

export interface Work extends TurnFields {
  activity: string;
}

export class Running {
  private readonly now = new Set<Work>();
  private readonly stoppedWork: Work[] = [];
  private justEnded: { work: Work; at: number }[] = [];

  /** Counts a piece of work in; the answer counts it out again. */
  begin(work: Work): (how: 'ended' | 'stopped') => void {
    this.now.add(work);
    return (how) => {
      if (!this.now.delete(work)) return;
      this.justEnded.push({ work, at: performance.now() });
      if (how === 'stopped') this.stoppedWork.push(work);
    };
  }

  /** What is being run. */
  list(): Work[] {
    return [...this.now];
  }

  /** What is being run, or has ended since then (`performance.now()`), as far as it was not forgotten. */
  since(time: number): Work[] {
    return [...this.now, ...this.justEnded.filter(({ at }) => at >= time).map(({ work }) => work)];
  }

  /** Forgets what has ended. */
  forget(): void {
    this.justEnded = [];
  }

  /** What was stopped because this worker ends, so far. */
  stopped(): Work[] {
    return [...this.stoppedWork];
  }
}
