import type { Command } from 'commander';
import { startStack, type Stack } from '../devserver/stack';
import { configWith, dataOption, type DataOption } from './support/data-option';
import { EXIT, Exit } from './support/exit';
import { portNumber } from './support/numbers';
import type { Output } from './support/output';
import { untilNpmIsGone, untilStopped } from './support/until-stopped';

interface DevOptions extends DataOption {
  app?: string;
  port?: number;
  uiPort?: number;
  db?: string;
  headless?: boolean;
}

export function dev(program: Command, output: () => Output): void {
  program
    .command('dev')
    .description(
      'The embedded stack in the foreground: Temporal dev server, Web UI, mail catcher, worker. Ctrl-C ends all of it.',
    )
    .option('--app <file>', 'module whose default export is defineApp({…}); default: the agents that ship')
    .option('--port <n>', "Temporal's port; 0: any free one; default 7233, or a free one", portNumber)
    .option('--ui-port <n>', "the Web UI's port; 0: any free one; default 8233, or a free one", portNumber)
    .option('--db <file>', 'keep the state in this SQLite file; default: in memory')
    .option('--headless', 'no Web UI')
    .addOption(dataOption())
    .action(async (options: DevOptions) => {
      const say = (line: string) => void process.stderr.write(`${line}\n`);
      const { app, data, ...rest } = options;
      const stopped = Promise.race([untilStopped(), untilNpmIsGone()]);
      const config = configWith({ data });
      const starting = startStack({ config, appFile: app, ...rest, say });
      starting.catch(() => undefined);
      // Whatever has been started by then ends with this process.
      const stack = await Promise.race([starting, stopped.then(() => null)]);
      if (stack === null) throw new Exit(EXIT.interrupted);
      try {
        // An app file brings its own tools: what they read is not ours to say.
        const source = app === undefined ? { data: config.data } : {};
        output().answer({ pid: process.pid, ...factsOf(stack), ...source }, describe(stack, source.data));
        await Promise.race([stopped, stack.broken]);
        say('Stopping.');
      } finally {
        await stack.stop();
      }
    });
}

function factsOf(stack: Stack): object {
  const { address, namespace, uiUrl, outbox } = stack;
  return { address, namespace, ui_url: uiUrl, outbox, worker_pid: stack.workerPid() };
}

function describe({ address, namespace, uiUrl, outbox }: Stack, data: string | undefined): string[] {
  return [
    `Temporal  ${address}, namespace ${namespace}`,
    `Web UI    ${uiUrl ?? 'off'}`,
    `mail      ${outbox === null ? 'to the SMTP server of the settings' : `caught in ${outbox}`}`,
    ...(data === undefined ? [] : [`data      ${data}`]),
    `Start a turn:  npx holdfast run --agent NAME --follow "…"     Ctrl-C ends all of it.`,
  ];
}
