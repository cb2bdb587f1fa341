/**
 * `holdfast chat`: a conversation in the terminal, or line by line from standard input. Ctrl-C interrupts the turn. If no turn
 * runs, or the second time, it leaves the conversation, as Ctrl-D, `exit` and `quit` do. Running turns continue.
 */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { HoldfastClient } from '../client/holdfast-client';
import { DecisionNotAccepted, InvalidRequest, NoWorker } from '../client/errors';
import type { SessionHandle } from '../client/sessions/session-handle';
import type { TurnHandle } from '../client/turns/turn-handle';
import type { SessionView } from '../shared/turn/session';
import { visible } from '../shared/text/visible';
import { EndOfInput, TerminalQuestions } from './support/terminal-questions';
import { userName } from './support/decide-options';
import { oneLine, resultLines } from './support/describe';
import { EXIT, Exit, exitOf, UsageError } from './support/exit';
import { follow } from './support/follow';
import { collect, FILE_OPTION, putFile } from './support/message-files';
import { NextMessage } from './support/next-message';
import type { Output } from './support/output';
import { StreamedText } from './support/streamed-text';
import { WaitingCallPrompt } from './support/waiting-calls';
import { withClient } from './support/with-client';
import { errorMessage } from '../shared/text/error-message';

/** Reason of an abort by Ctrl-D, which is no failure. */
const LEAVE_REASON = 'left';

/** A line that is one of these words ends the conversation. */
const LEAVES = new Set(['exit', 'quit']);

/** After these events a call may wait for a person. */
const LOOK_AFTER = new Set([
  'approval_requested',
  'approval_decided',
  'question_asked',
  'question_answered',
  'tool_error',
  'tool_result',
]);

/** `/file PATH` on a terminal. A line of a script is never a command: whoever wrote it may not be the person who may read the file. */
const FILE_LINE = /^\/file\s+(\S.*)$/;

interface ChatOptions {
  agent?: string;
  session?: string;
  file?: string[];
}

export function chat(program: Command, output: () => Output): void {
  program
    .command('chat')
    .description('A conversation in the terminal. If standard input is not a terminal, each of its lines is a message.')
    .option('--agent <name>', 'which agent; of a session that is there already: its own')
    .option('--session <id>', 'goes on with this session, or opens one of this id')
    .option(
      FILE_OPTION,
      'a file for the first message; may be repeated; on a terminal `/file PATH` adds one to the next',
      collect,
      [],
    )
    .action(async ({ agent, session: id, file = [] }: ChatOptions) => {
      if (agent === undefined && id === undefined)
        program.error('chat: name the agent: --agent NAME, or a session: --session ID');
      await withClient(async (client) => {
        const opening = agent === undefined ? undefined : { agent };
        const session =
          id === undefined
            ? await client.openSession({ agent: agent! })
            : opening
              ? await client.openSession({ id, ...opening })
              : client.session(id);
        const view = await session.status();
        const talk = new Chat(client, session, output());
        for (const path of file) await talk.addFile(path);
        await talk.run(view);
      });
    });
}

class Chat {
  private readonly questions = new TerminalQuestions();
  private running: TurnHandle | null = null;
  private wasInterrupted = false;
  private readonly leaving = new AbortController();
  private last = 'completed';
  private readonly next: NextMessage;

  constructor(
    private readonly client: HoldfastClient,
    private readonly session: SessionHandle,
    private readonly output: Output,
  ) {
    this.next = new NextMessage((message, more) => session.send(message, more));
  }

  /** @throws UsageError, InvalidRequest: then the file does not go with the next message */
  async addFile(path: string): Promise<void> {
    this.next.add(await putFile(this.client, path));
  }

  private get terminal(): boolean {
    return process.stdin.isTTY && process.stdout.isTTY && !this.output.json;
  }

  async run(view: SessionView): Promise<void> {
    const { id, uiUrl } = this.session;
    if (view.state === 'closed')
      throw new Error(`Session ${id} is closed. \`holdfast fork --from ${view.head ?? 'BLOCK'}\` begins another one from it.`);
    this.output.say(`session ${id}, agent ${view.agent}${uiUrl ? `\n${uiUrl}` : ''}`);
    const onInterrupt = () => void this.onInterrupt();
    process.on('SIGINT', onInterrupt);
    const loud = this.terminal ? this.questions.muteInput(this.leave) : () => undefined;
    try {
      if (this.terminal) {
        this.output.say('Ctrl-C interrupts a turn; Ctrl-D, exit or quit leaves.');
        await this.catchUp(view);
      }
      for await (const line of this.lines()) {
        if (line.trim() !== '') await this.say(line);
        if (this.leaving.signal.aborted) break;
      }
    } finally {
      loud();
      process.off('SIGINT', onInterrupt);
    }
    if (this.terminal) this.output.say(`The conversation stays: holdfast chat --session ${id}`);
    if (this.leaving.signal.aborted) throw new Exit(this.leaving.signal.reason === LEAVE_REASON ? EXIT.done : EXIT.interrupted);
    if (!this.terminal && exitOf(this.last) !== EXIT.done) throw new Exit(exitOf(this.last));
  }

  /** Shows a returning user the turns that are under way, and asks what waits, before the first new message. */
  private async catchUp({ held, running, queue }: SessionView): Promise<void> {
    if (held) this.output.say(`(turn ${held.turn_id} ended as ${held.state}; your next message continues the session)`);
    for (const { turn_id } of [...(running ? [running] : []), ...(held ? [] : queue)]) {
      if (this.leaving.signal.aborted) return;
      this.output.say(`turn ${turn_id} is under way`);
      await this.follow(turn_id, true);
    }
  }

  /** Lines until the input ends, or the user leaves. */
  private async *lines(): AsyncGenerator<string> {
    for await (const line of this.input()) {
      if (LEAVES.has(line.trim().toLowerCase())) return;
      yield line;
    }
  }

  private async *input(): AsyncGenerator<string> {
    if (!this.terminal) {
      yield* createInterface({ input: process.stdin });
      return;
    }
    while (!this.leaving.signal.aborted) {
      const line = await this.questions.ask('> ', this.leaving.signal).catch(nullAtEndOfInput);
      if (line === null) return;
      yield line;
    }
  }

  /** On a terminal the user may repeat a message that was not accepted; a script has to stop. */
  private async say(line: string): Promise<void> {
    const [, path] = (this.terminal ? FILE_LINE.exec(line.trim()) : null) ?? [];
    try {
      if (path === undefined) return await this.follow(await this.next.say(line));
      await this.addFile(path);
      this.output.say(`(${visible(path)} goes with your next message)`);
    } catch (error) {
      if (!this.terminal || !isForUser(error)) throw error;
      this.output.say(visible(error.message));
      if (this.next.files > 0) this.output.say(`(files that go with your next message: ${this.next.files})`);
    }
  }

  /** @param isUnderWay the message is another client's, or an earlier one, and so is shown */
  private async follow(turnId: string, isUnderWay = false): Promise<void> {
    const { leaving, output, questions, terminal } = this;
    const over = new AbortController();
    try {
      const turn = (this.running = await this.session.started(turnId, { signal: leaving.signal }));
      this.wasInterrupted = false;
      const streamedText = new StreamedText((text) => void process.stdout.write(text));
      const waiting = new WaitingCallPrompt(turn, { output, questions: terminal ? questions : null, onEnd: this.leave });
      const asking = waiting.until(AbortSignal.any([over.signal, leaving.signal]));
      let earlierText = '';
      await follow(turn, output, {
        signal: leaving.signal,
        questions,
        untold: [
          'turn_completed',
          ...(isUnderWay ? [] : (['turn_started'] as const)),
          ...(terminal ? (['step_started'] as const) : []),
        ],
        ...(terminal ? { streamedText } : {}),
        onEvent: (event) => {
          if (LOOK_AFTER.has(event.type)) waiting.look();
          if (event.type === 'step_completed' && event.calls.length > 0) earlierText = event.text;
        },
      });
      over.abort();
      await asking;
      if (leaving.signal.aborted) return;
      const view = await turn.result();
      this.last = view.state;
      const { text, state, reason } = view;
      const isShown = streamedText.hasShown(text) || (state !== 'completed' && text === earlierText); // such a turn ends with its earlier text
      output.answer(view, [
        '',
        ...(isShown ? [] : visible(text).split('\n')),
        ...resultLines(view),
        ...(reason ? [`(${state}: ${oneLine(reason, 300)})`] : []),
        '',
      ]);
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    } finally {
      over.abort();
      this.running = null;
    }
  }

  private readonly leave = (): void => this.leaving.abort(LEAVE_REASON);

  private async onInterrupt(): Promise<void> {
    if (this.running === null || this.wasInterrupted) return this.leaving.abort();
    this.wasInterrupted = true;
    this.output.note('Interrupting the turn; Ctrl-C again leaves it running.');
    await this.session.interrupt({ by: userName() }).catch((error: unknown) => this.output.note(errorMessage(error)));
  }
}

/** What the user can mend by saying it again, or otherwise. */
function isForUser(error: unknown): error is Error {
  return [DecisionNotAccepted, NoWorker, InvalidRequest, UsageError].some((kind) => error instanceof kind);
}

function nullAtEndOfInput(error: unknown): null {
  if (error instanceof EndOfInput) return null;
  throw error;
}
