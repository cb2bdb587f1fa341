/** Follows a turn in the terminal: what runs, what waits, and for how long; plain lines without a terminal. */
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { TerminalQuestions } from './terminal-questions';
import { describeEvent } from './describe';
import type { Output } from './output';
import { StatusLine } from './status-line';
import type { StreamedText } from './streamed-text';
import type { TurnEvent } from '../../shapes/turn-event';

interface FollowOptions {
  signal?: AbortSignal;
  /** Questions share the terminal's last line. */
  questions?: TerminalQuestions;
  /** Shows the model's text as it arrives; absent: only finished text is shown. */
  streamedText?: StreamedText;
  /** Events that are not printed as lines. */
  untold?: TurnEvent['type'][];
  onEvent?(event: TurnEvent): void;
}

/** Prints events until the turn ends or the signal aborts. `onEvent` gets each of them. */
export async function follow(turn: TurnHandle, output: Output, options: FollowOptions = {}): Promise<void> {
  const { signal, questions, streamedText, untold = [], onEvent } = options;
  const busy = () => questions?.asking === true || streamedText?.open === true;
  const status = process.stdout.isTTY && !output.json ? new StatusLine(busy) : null;
  try {
    for await (const event of turn.watch(signal ? { signal } : {})) {
      const line = describeEvent(event);
      status?.clear();
      if (output.json) output.answer(event, []);
      else if (event.type === 'text_delta') {
        if (questions?.asking !== true) streamedText?.add(event);
      } else {
        streamedText?.end();
        const wasShown = untold.includes(event.type) || (event.type === 'step_completed' && streamedText?.hasShown(event.text));
        if (line !== null && !wasShown) questions ? questions.above(() => output.say(line)) : output.say(line);
      }
      status?.event(event);
      onEvent?.(event);
    }
  } finally {
    streamedText?.end();
    status?.stop();
  }
}
