/** Draws the last line of the terminal while something runs or waits: what, and for how long. */
import type { TurnEvent } from '../../shapes/turn-event';

const FRAME = 120;
const CLEAR = '\r\x1b[K';

export class StatusLine {
  private readonly running = new Map<string, { what: string; since: number }>();
  private readonly timer = setInterval(() => this.draw(), FRAME);
  private isDrawn = false;

  /** @param busy returns true while other code uses the last line */
  constructor(private readonly busy: () => boolean = () => false) {}

  event(event: TurnEvent): void {
    switch (event.type) {
      case 'step_started':
        return this.add('step', `thinking (step ${event.step})`, event.at);
      case 'step_completed':
        return void this.running.delete('step');
      case 'tool_started':
        return this.add(event.call, event.tool, event.at);
      case 'approval_requested':
        return this.add(event.call, `${event.tool} waits for approval`, event.at);
      case 'question_asked':
        return this.add(event.call, `${event.tool} waits for an answer`, event.at);
      case 'call_pending':
        return this.add(event.call, `${event.tool} is pending`, event.at);
      case 'call_completed':
      case 'approval_decided':
      case 'question_answered':
      case 'tool_result':
      case 'tool_error':
        return void this.running.delete(event.call);
      case 'turn_started':
      case 'tool_progress':
      case 'tool_log':
      case 'tool_retrying':
      case 'model_waiting':
      case 'text_delta':
        return;
      case 'turn_reset':
      case 'turn_completed':
        return this.running.clear();
    }
  }

  clear(): void {
    if (this.isDrawn) process.stdout.write(CLEAR);
    this.isDrawn = false;
  }

  stop(): void {
    clearInterval(this.timer);
    this.clear();
  }

  /** `at` is server time: a turn that is watched late shows how long it has been waiting. */
  private add(key: string, what: string, at: string): void {
    this.running.set(key, { what, since: Math.min(Date.parse(at) || Date.now(), Date.now()) });
  }

  private draw(): void {
    if (this.busy()) return void (this.isDrawn = false);
    this.clear();
    const parts = [...this.running.values()].map(({ what, since }) => `${what} ${duration(Date.now() - since)}`);
    if (parts.length === 0) return;
    process.stdout.write(`… ${parts.join(' · ')}`.slice(0, (process.stdout.columns || 80) - 1));
    this.isDrawn = true;
  }
}

/** `3.2 s`, `4 min 5 s`, `2 h 10 min` */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
