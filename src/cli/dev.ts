/** `holdfast dev`: runs the embedded stack in the foreground. */
import type { Command } from 'commander';
import type { Config } from '../config';
import type { MailEnvironment, Stack } from '../devserver/stack';
import { configWith, dataOption, type DataOption } from './support/data-option';
import { findPackage, installCommand } from '../optional-package';
import { InProcessLive } from '../live/in-process';
import { relayLive } from '../live/outbox';
import { withDevApprovals } from './support/dev-approvals';
import { startDevGateway } from './support/dev-gateway';
import { EXIT, Exit } from './support/exit';
import { portNumber } from './support/numbers';
import type { Output } from './support/output';
import { loadShowcase, needShowcase } from './support/showcase';
import { untilNpmIsGone, untilStopped } from './support/until-stopped';

interface DevOptions extends DataOption {
  app?: string;
  port?: number;
  uiPort?: number;
  httpPort?: number;
  db?: string;
  headless?: boolean;
}

export function dev(program: Command, output: () => Output): void {
  program
    .command('dev')
    .description(
      'The embedded stack in the foreground: Temporal dev server, Web UI, mail catcher, worker, gateway. Ctrl-C ends all of it.',
    )
    .option('--app <file>', 'module whose default export is defineApp({…}); default: the agents that ship')
    .option('--port <n>', "Temporal's port; 0: any free one; default 7233, or a free one", portNumber)
    .option('--ui-port <n>', "the Web UI's port; 0: any free one; default 8233, or a free one", portNumber)
    .option('--http-port <n>', "the gateway's port; 0: any free one; default 8480, or a free one", portNumber)
    .option('--db <file>', 'keep the state in this SQLite file; default: in memory')
    .option('--headless', 'no Web UI')
    .addOption(dataOption())
    .action(async (options: DevOptions) => {
      const say = (line: string) => void process.stderr.write(`${line}\n`);
      const { app, data, httpPort, ...rest } = options;
      const settings = configWith({ data });
      if (app === undefined) needShowcase();
      const stopped = Promise.race([untilStopped(), untilNpmIsGone()]);
      // The worker is another process: its live events come over the channel between both processes.
      const live = new InProcessLive();
      let up: Stack | null = null;
      const gatewayOptions = { wish: httpPort, appFile: app, live, stack: () => up };
      const { gateway, token, config } = await startDevGateway(
        await withDevApprovals(settings, rest.headless === true, say),
        gatewayOptions,
        say,
      );
      const { startStack } = await import('../devserver/stack.js');
      // The chain is for the built-in agents; an app file, or a user with a node, brings what is needed.
      const equipChain = app === undefined && config.evm === null ? equip : undefined;
      const starting = startStack({
        config,
        appFile: app,
        equipChain,
        loadApp: app === undefined ? undefined : (mail) => loadApp(settings, app, mail),
        ...rest,
        say,
        onMessage: (message) => relayLive(message, live),
      });
      starting.catch(() => gateway.close());
      // Everything that was started by then ends with this process.
      const stack = await Promise.race([starting, stopped.then(() => null)]);
      if (stack === null) throw new Exit(EXIT.interrupted);
      up = stack;
      try {
        // An app file brings its own tools, so their data source is not known here.
        const source = app === undefined ? { data: config.data } : {};
        const facts = { pid: process.pid, ...factsOf(stack), http_url: gateway.url, http_token: token, ...source };
        const http = { url: gateway.url, publicUrl: config.publicUrl, token };
        output().answer(facts, describe(stack, http, config.smtp !== null, source.data));
        await Promise.race([stopped, stack.broken]);
        say('Stopping.');
      } finally {
        await stack.stop();
        await gateway.close();
      }
    });
}

/**
 * Reports a file that cannot be loaded before a server is started. The file may read the mail catcher's variables, so this process
 * sets them too.
 */
async function loadApp(settings: Config, file: string, mail: MailEnvironment): Promise<void> {
  Object.assign(process.env, mail);
  await (await import('./support/app.js')).appOf(settings, file);
}

async function equip(rpcUrl: string): Promise<NodeJS.ProcessEnv> {
  return loadShowcase().equipDemoChain(rpcUrl);
}

function factsOf(stack: Stack): object {
  const { address, namespace, uiUrl, outbox, chainUrl } = stack;
  return { address, namespace, ui_url: uiUrl, outbox, chain_url: chainUrl, worker_pid: stack.workerPid() };
}

function describe(
  { address, namespace, uiUrl, outbox, chainUrl }: Stack,
  http: { url: string; publicUrl: string; token: string | null },
  mailServer: boolean,
  data: string | undefined,
): string[] {
  return [
    `Temporal  ${address}, namespace ${namespace}`,
    `Web UI    ${uiUrl ?? 'off'}`,
    `gateway   ${http.url}, described at ${http.url}${findPackage('@fastify/swagger-ui') === null ? '/openapi.json' : '/docs'}`,
    ...(http.token === null ? [] : [`          Authorization: Bearer ${http.token} (until it ends, from this machine only)`]),
    `page      ${http.publicUrl}/, where people decide${http.token === null ? '' : ': sign in with the token above'}`,
    `mail      ${mailLine(outbox, mailServer)}`,
    ...(chainUrl === null ? [] : [`chain     ${chainUrl}, in memory: tokens AAA and BBB, session key demo`]),
    ...(data === undefined ? [] : [`data      ${data}`]),
    `Start a turn:  npx holdfast run ${data === undefined ? '--agent NAME --follow "…"' : '--agent showcase --follow'}     Ctrl-C ends all of it.`,
  ];
}

function mailLine(outbox: string | null, mailServer: boolean): string {
  if (outbox !== null) return `caught in ${outbox}`;
  return mailServer
    ? 'to the SMTP server of the settings'
    : `not caught; to see what agents send: ${installCommand('smtp-server')}`;
}
