/** `holdfast codec`: the codec server for Temporal's Web UI and CLI, as one process. */
import type { Command } from 'commander';
import { loadConfig } from '../config';
import { createLog } from '../telemetry/log';
import { UsageError } from './support/exit';
import { portNumber } from './support/numbers';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';

interface CodecOptions {
  httpPort?: number;
  host?: string;
}

export function codec(program: Command, output: () => Output): void {
  program
    .command('codec')
    .description(
      'The codec server, as one process: Temporal’s Web UI and CLI ask it for the plain text of encrypted payloads. It answers approvers, auditors and admins, of turns that they may see. Gateways serve the same at /codec. Ctrl-C ends it.',
    )
    .option('--http-port <n>', 'port; 0: any free one; default: HOLDFAST_HTTP_PORT, else 8480', portNumber)
    .option('--host <name>', 'address to listen at; 0.0.0.0 for all of this machine; default: HOLDFAST_HTTP_HOST, else 127.0.0.1')
    .action(async ({ httpPort, host }: CodecOptions) => {
      const stopped = untilStopped();
      const config = loadConfig();
      if (config.codecKeys === null)
        throw new UsageError('There are no keys: set HOLDFAST_CODEC_KEYS or HOLDFAST_CODEC_KEYS_COMMAND.');
      const { gatewayParts, serveGateway } = await import('../gateway/serve.js');
      const { CODEC_ROUTES } = await import('../gateway/app.js');
      const app = () => Promise.reject(new Error('The codec server has no app.'));
      const parts = await gatewayParts(config, { log: createLog(config.logLevel), app });
      const at = { host: host ?? config.httpHost, port: httpPort ?? config.httpPort };
      const running = await serveGateway(parts, { ...at, drainMs: config.drainMs, routes: CODEC_ROUTES });
      output().answer({ pid: process.pid, url: running.url, endpoint: `${running.url}/codec` }, [
        `codec server ${process.pid}: ${running.url}/codec${config.uiUrl === null ? '; set HOLDFAST_UI_URL to let the Web UI’s pages ask' : ` for ${config.uiUrl}`}`,
      ]);
      await stopped;
      await running.close();
      await parts.close();
    });
}
