/** Follows a turn in the terminal: what runs, what waits, and for how long; plain lines without a terminal. */
import type { TurnEvent } from '../../client/events';
import type { TurnHandle } from '../../client/turn-handle';
import { describeEvent } from './describe';
import type { Output } from './output';

const FRAME = 120;

/** Prints events until the turn ends or the signal aborts. `onEvent` is told of each. */
export async function follow(turn: TurnHandle, output: Output, options: { signal?: AbortSignal; onEvent?(event: TurnEvent): void } = {}): Promise<void> {
  const status = process.stdout.isTTY && !output.json ? new StatusLine() : null;
  try {
    for await (const event of turn.watch(options.signal ? { signal: options.signal } : {})) {
      const line = describeEvent(event);
      status?.clear();
      if (output.json) process.stdout.write(`${JSON.stringify(event)}\n`);
      else if (line !== null) output.say(line);
      status?.event(event);
      options.onEvent?.(event);
    }
  } finally {
    status?.stop();
  }
}

/** The last line of the terminal, redrawn while something runs or waits. */
class StatusLine {
  private readonly running = new Map<string, { what: string; since: number }>();
  private readonly timer = setInterval(() => this.draw(), FRAME);

  event(event: TurnEvent): void {
    switch (event.type) {
      case 'step_started':
        return this.add('step', `thinking (step ${event.step})`);
      case 'step_completed':
        return void this.running.delete('step');
      case 'tool_started':
        return this.add(event.call, event.tool);
      case 'approval_requested':
        return this.add(event.call, `${event.tool} waits for approval`);
      case 'approval_decided':
      case 'tool_result':
      case 'tool_error':
        return void this.running.delete(event.call);
    }
  }

  clear(): void {
    process.stdout.write('\r\x1b[K');
  }

  stop(): void {
    clearInterval(this.timer);
    this.clear();
  }

  private add(key: string, what: string): void {
    this.running.set(key, { what, since: Date.now() });
  }

  private draw(): void {
    const parts = [...this.running.values()].map(({ what, since }) => `${what} ${((Date.now() - since) / 1000).toFixed(1)} s`);
    const width = (process.stdout.columns ?? 80) - 1;
    this.clear();
    if (parts.length > 0) process.stdout.write(`… ${parts.join(' · ')}`.slice(0, width));
  }
}
