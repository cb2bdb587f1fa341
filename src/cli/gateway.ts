/** `holdfast gateway`: runs the HTTP gateway as one process. */
import type { Command } from 'commander';
import { loadConfig } from '../config';
import { portNumber } from './support/numbers';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';

interface GatewayOptions {
  app?: string;
  httpPort?: number;
  host?: string;
}

export function gateway(program: Command, output: () => Output): void {
  program
    .command('gateway')
    .description(
      'Runs the HTTP gateway as one process: turns, decisions, tool calls and file downloads for clients with a token. Ctrl-C ends it.',
    )
    .option('--app <file>', 'the app that the workers serve, for the list of its tools; default: the agents that ship')
    .option('--http-port <n>', 'port; 0: any free one; default: HOLDFAST_HTTP_PORT, else 8480', portNumber)
    .option('--host <name>', 'address to listen at; 0.0.0.0 for all of this machine; default: HOLDFAST_HTTP_HOST, else 127.0.0.1')
    .action(async ({ app: file, httpPort, host }: GatewayOptions) => {
      const stopped = untilStopped();
      const config = loadConfig();
      const { serveGateway } = await import('../gateway/serve.js'); // the HTTP server is loaded only where it is needed
      const { gatewayParts } = await import('../gateway/serve.js');
      const { appOf } = await import('./support/app.js');
      // As in a stand-alone worker: the agent with a shell only if its folder is configured.
      const loadedApp = await appOf(config, file, { showcase: config.workspace !== null });
      const { openLog } = await import('../telemetry/log-records.js');
      const { log, close: closeLog } = openLog(config, 'holdfast-gateway');
      const parts = await gatewayParts(config, { log, app: async () => loadedApp });
      const at = { host: host ?? config.httpHost, port: httpPort ?? config.httpPort };
      const running = await serveGateway(parts, { ...at, drainMs: config.drainMs });
      output().answer({ pid: process.pid, url: running.url, public_url: config.publicUrl }, [
        `gateway ${process.pid}: ${running.url}; its links begin with ${config.publicUrl}`,
      ]);
      await stopped;
      await running.close();
      await parts.close();
      await closeLog();
    });
}
