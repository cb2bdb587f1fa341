/** `holdfast proxy`: guards an HTTP server that checks neither Host nor Origin, such as Temporal's Web UI. */
import { InvalidArgumentError, type Command } from 'commander';
import { loadConfig } from '../config';
import type { HostPort } from '../telemetry/guarded-proxy';
import { portNumber } from './support/numbers';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';

interface ProxyOptions {
  httpPort?: number;
  host?: string;
}

/** The name that a browser on this machine uses; the name in the Web UI's own address is added to it. */
const THIS_MACHINE = 'localhost';
const HINT = 'Set HOLDFAST_UI_URL or HOLDFAST_HOSTS to the names under which this server is reached.';

export function proxy(program: Command, output: () => Output): void {
  program
    .command('proxy')
    .description(
      'A proxy for an HTTP server that checks neither Host nor Origin, such as Temporal’s Web UI. It refuses requests from pages of other sites and forwards all others. It does not authenticate users. Ctrl-C ends it.',
    )
    .argument('<server>', 'the server to forward requests to, as HOST:PORT', placeOf)
    .option('--http-port <n>', 'port; 0: any free one; default: HOLDFAST_HTTP_PORT, else 8480', portNumber)
    .option('--host <name>', 'address to listen at; 0.0.0.0 for all of this machine; default: HOLDFAST_HTTP_HOST, else 127.0.0.1')
    .action(async (server: HostPort, { httpPort, host }: ProxyOptions) => {
      const stopped = untilStopped();
      const config = loadConfig();
      const { startGuardedProxy } = await import('../telemetry/guarded-proxy.js');
      const at = { host: host ?? config.httpHost, port: httpPort ?? config.httpPort };
      // In a container no request comes over loopback. Then names are checked only if some are listed, so one always is.
      const site = { hosts: [THIS_MACHINE, ...config.hosts], ...(config.uiUrl === null ? {} : { publicUrl: config.uiUrl }) };
      const running = await startGuardedProxy(at, server, site, HINT);
      const names = [...new Set([...site.hosts, ...(config.uiUrl === null ? [] : [new URL(config.uiUrl).hostname])])];
      output().answer({ pid: process.pid, port: running.port, names }, [
        `proxy ${process.pid}: ${at.host}:${running.port} for ${server.host}:${server.port}; allowed host names: ${names.join(', ')}`,
      ]);
      await stopped;
      await running.close();
    });
}

function placeOf(text: string): HostPort {
  const [, host, port] = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\]):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || !(Number(port) >= 1 && Number(port) <= 65_535))
    throw new InvalidArgumentError('It must be HOST:PORT, such as temporal-ui:8080.');
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
