/** What this worker is running right now: for a drain, which has to say what it waits for, and what it cut off. */
import type { TurnFields } from './turn-scope';

export interface Work extends TurnFields {
  activity: string;
}

export class Running {
  private readonly now = new Set<Work>();
  private readonly stoppedWork: Work[] = [];

  /** Counts a piece of work in; the answer counts it out again. */
  begin(work: Work): (how: 'ended' | 'stopped') => void {
    this.now.add(work);
    return (how) => {
      if (this.now.delete(work) && how === 'stopped') this.stoppedWork.push(work);
    };
  }

  /** What is being run. */
  list(): Work[] {
    return [...this.now];
  }

  /** What was stopped because this worker ends, so far. */
  stopped(): Work[] {
    return [...this.stoppedWork];
  }
}
