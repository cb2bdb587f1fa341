/** `holdfast run`: starts a turn, and follows it if asked. */
import type { Command } from 'commander';
import type { SessionHandle } from '../client/sessions/session-handle';
import type { TurnHandle } from '../client/turns/turn-handle';
import type { MessageInput } from '../shapes/message';
import { describeTurn } from './support/describe';
import { EXIT, Exit, exitOf } from './support/exit';
import { follow } from './support/follow';
import { collect, FILE_OPTION, withFiles } from './support/message-files';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';
import { withClient } from './support/with-client';

const DEFAULT_MESSAGE = 'Show what you can do.';

interface RunOptions {
  agent: string;
  id?: string;
  session?: string;
  follow?: boolean;
  file?: string[];
}

export function run(program: Command, output: () => Output): void {
  program
    .command('run')
    .description('Starts a turn; prints its id and its page in the Web UI.')
    .argument('[text...]', `the message; default: "${DEFAULT_MESSAGE}"`)
    .requiredOption('--agent <name>', 'which agent')
    .option('--id <key>', 'idempotency key: the same key again gives the same turn')
    .option('--session <id>', 'a turn of this session, after those that wait there; opens it, if it is new')
    .option(FILE_OPTION, 'an image, a PDF or a text that the model gets with the message; may be repeated', collect, [])
    .option('--follow', 'watch it to its end: exit 0 completed, 3 refused, 1 any other end')
    .action((words: string[], options: RunOptions) =>
      withClient(async (client) => {
        const { agent, id, session } = options;
        const text = words.length === 0 ? DEFAULT_MESSAGE : words.join(' ');
        const message = await withFiles(client, text, options.file ?? []);
        const key = id === undefined ? {} : { id };
        const turn =
          session === undefined
            ? await client.start({ agent, message, ...key })
            : await inSession(client.session(session, { agent }), message, key);
        const ids = { turn_id: turn.id, workflow_id: turn.workflowId, ui_url: turn.uiUrl };
        output().answer(ids, [`${turn.id}${turn.uiUrl ? `  ${turn.uiUrl}` : ''}`]);
        if (!options.follow) return;
        const stop = new AbortController();
        void untilStopped().then(() => stop.abort());
        await follow(turn, output(), { signal: stop.signal });
        if (stop.signal.aborted) {
          output().note(`The turn continues in the background. Follow it with: holdfast watch ${turn.id}`);
          throw new Exit(EXIT.interrupted);
        }
        const view = await turn.result();
        output().answer(view, ['', ...describeTurn(view)]);
        if (exitOf(view.state) !== EXIT.done) throw new Exit(exitOf(view.state));
      }),
    );
}

async function inSession(session: SessionHandle, message: MessageInput, key: { id?: string }): Promise<TurnHandle> {
  const { turn_id } = await session.send(message, key);
  return session.started(turn_id);
}
