import type { Command } from 'commander';
import { describeTurn } from './support/describe';
import { EXIT, Exit, exitOf } from './support/exit';
import { follow } from './support/follow';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';
import { withClient } from './support/with-client';

interface RunOptions {
  agent: string;
  id?: string;
  session?: string;
  follow?: boolean;
}

export function run(program: Command, output: () => Output): void {
  program
    .command('run')
    .description('Starts a turn; prints its id and its page in the Web UI.')
    .argument('<text...>', 'the message')
    .requiredOption('--agent <name>', 'which agent')
    .option('--id <key>', 'idempotency key: the same key again gives the same turn')
    .option('--session <id>', 'session that the turn belongs to')
    .option('--follow', 'watch it to its end: exit 0 completed, 3 refused, 1 any other end')
    .action((words: string[], options: RunOptions) =>
      withClient(async (client) => {
        const { agent, id, session } = options;
        const message = words.join(' ');
        const more = { ...(id === undefined ? {} : { id }), ...(session === undefined ? {} : { sessionId: session }) };
        const turn = await client.start({ agent, message, ...more });
        const started = { turn_id: turn.id, workflow_id: turn.workflowId, ui_url: turn.uiUrl };
        output().answer(started, [`${turn.id}${turn.uiUrl ? `  ${turn.uiUrl}` : ''}`]);
        if (!options.follow) return;
        const stop = new AbortController();
        void untilStopped().then(() => stop.abort());
        await follow(turn, output(), { signal: stop.signal });
        if (stop.signal.aborted) {
          output().note(`The turn goes on without you: holdfast watch ${turn.id}`);
          throw new Exit(EXIT.interrupted);
        }
        const view = await turn.result();
        output().answer(view, ['', ...describeTurn(view)]);
        if (exitOf(view.state) !== EXIT.done) throw new Exit(exitOf(view.state));
      }),
    );
}
