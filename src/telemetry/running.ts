/** What this worker is running right now: for a drain, which has to say what it waits for, and what it cut off. */
import type { TurnFields } from './turn-scope';

export interface Work extends TurnFields {
  activity: string;
}

/** What was asked for less is not worth naming: a model asks for many calls at once. */
const LONG_MS = 100;

export class Running {
  private readonly now = new Set<Work>();
  private readonly stoppedWork: Work[] = [];
  private justEnded: { work: Work; at: number }[] = [];
  /** Tools whose own functions are asked, or were, in the middle of work that is not of one call. */
  private askedNow: { tool: string; at: number }[] = [];
  private justAsked: { tool: string; at: number }[] = [];

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

  /** Asks a tool something (its check, target, rules) in the middle of work that is not of one call. @param tool undefined: there is none */
  async asking<T>(tool: string | undefined, ask: () => Promise<T>): Promise<T> {
    if (tool === undefined) return ask();
    const asked = { tool, at: performance.now() };
    this.askedNow.push(asked);
    try {
      return await ask();
    } finally {
      this.askedNow = this.askedNow.filter((other) => other !== asked);
      const at = performance.now();
      if (at - asked.at >= LONG_MS) this.justAsked.push({ tool, at });
    }
  }

  /** Tools of what is being run or asked, or has ended since then (`performance.now()`), as far as it was not forgotten; each once. */
  toolsSince(time: number): string[] {
    const ended = this.justEnded.filter(({ at }) => at >= time).map(({ work }) => work);
    const asked = [...this.askedNow, ...this.justAsked.filter(({ at }) => at >= time)];
    return [...new Set([...this.now, ...ended, ...asked].flatMap(({ tool }) => tool ?? []))];
  }

  /** Forgets what has ended. */
  forget(): void {
    this.justEnded = [];
    this.justAsked = [];
  }

  /** What was stopped because this worker ends, so far. */
  stopped(): Work[] {
    return [...this.stoppedWork];
  }
}
