import type { Command } from 'commander';
import { loadConfig } from '../config';
import { startStack } from '../devserver/stack';
import { portNumber } from './support/numbers';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';

interface DevOptions {
  app?: string;
  port?: number;
  uiPort?: number;
  db?: string;
  headless?: boolean;
}

export function dev(program: Command, output: () => Output): void {
  program
    .command('dev')
    .description('The embedded stack in the foreground: Temporal dev server, Web UI, mail catcher, worker. Ctrl-C ends all of it.')
    .option('--app <file>', 'module whose default export is defineApp({…}); default: the agents that ship')
    .option('--port <n>', "Temporal's port; default 7233, or a free one", portNumber)
    .option('--ui-port <n>', "the Web UI's port; default 8233, or a free one", portNumber)
    .option('--db <file>', 'keep the state in this SQLite file; default: in memory')
    .option('--headless', 'no Web UI')
    .action(async (options: DevOptions) => {
      const say = (line: string) => void process.stderr.write(`${line}\n`);
      const { app, ...rest } = options;
      const stopped = untilStopped();
      const stack = await startStack({ config: loadConfig(), appFile: app, ...rest, say });
      try {
        const facts = { address: stack.address, namespace: stack.namespace, ui_url: stack.uiUrl, outbox: stack.outbox, worker_pid: stack.workerPid() };
        output().answer(facts, [
          `Temporal  ${stack.address}, namespace ${stack.namespace}`,
          `Web UI    ${stack.uiUrl ?? 'off'}`,
          `mail      ${stack.outbox === null ? 'to the SMTP server of the settings' : `caught in ${stack.outbox}`}`,
          `Start a turn:  npx holdfast run --agent NAME --follow "…"     Ctrl-C ends all of it.`,
        ]);
        await Promise.race([stopped, stack.broken]);
        say('Stopping.');
      } finally {
        await stack.stop();
      }
    });
}
