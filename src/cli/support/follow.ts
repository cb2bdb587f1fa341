/** Follows a turn in the terminal: what runs, what waits, and for how long; plain lines without a terminal. */
import type { TurnEvent } from '../../client/events';
import type { TurnHandle } from '../../client/turn-handle';
import type { Questions } from './ask';
import { describeEvent } from './describe';
import type { Output } from './output';
import { StatusLine } from './status-line';

interface FollowOptions {
  signal?: AbortSignal;
  /** They share the terminal's last line. */
  questions?: Questions;
  onEvent?(event: TurnEvent): void;
}

/** Prints events until the turn ends or the signal aborts. `onEvent` is told of each. */
export async function follow(turn: TurnHandle, output: Output, options: FollowOptions = {}): Promise<void> {
  const { signal, questions, onEvent } = options;
  const status = process.stdout.isTTY && !output.json ? new StatusLine(() => questions?.asking === true) : null;
  try {
    for await (const event of turn.watch(signal ? { signal } : {})) {
      const line = describeEvent(event);
      status?.clear();
      if (output.json) output.answer(event, []);
      else if (line !== null) sayAbove(line, output, questions);
      status?.event(event);
      onEvent?.(event);
    }
  } finally {
    status?.stop();
  }
}

function sayAbove(line: string, output: Output, questions: Questions | undefined): void {
  if (!questions?.asking) return output.say(line);
  process.stdout.write('\r\x1b[K');
  output.say(line);
  questions.redraw();
}
