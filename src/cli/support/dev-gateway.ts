/** Starts the gateway beside the embedded stack: on its usual port, or on a free one if no port was asked for. */
import type { HoldfastClient } from '../../client/holdfast-client';
import { DEFAULT_HTTP_PORT, loadConfig, type Config } from '../../config';
import { choosePort, startOnPorts } from '../../devserver/ports';
import type { Stack } from '../../devserver/stack';
import { stackEnvironment } from '../../devserver/stack-environment';
import type { RunningGateway } from '../../gateway/serve';
import type { LiveBus } from '../../live/bus';
import { ServerUnreachable } from '../../shared/wire/errors';
import { createLog } from '../../telemetry/log';
import { newToken } from './new-token';

/** Enough roles to try everything out. The gateway listens on loopback only. */
const DEVELOPER_ROLES = ['starter', 'approver', 'auditor', 'admin'];

/** What the gateway needs of the embedded stack. */
type EmbeddedStack = Pick<Stack, 'address' | 'namespace' | 'uiUrl'>;

interface DevGatewayOptions {
  wish: number | undefined;
  appFile: string | undefined;
  live: LiveBus;
  /** Null: the stack is not up yet. */
  stack: () => EmbeddedStack | null;
}

/**
 * @returns the gateway, a token for it if the settings name no user, and the settings with the gateway's addresses, which the
 * worker hands out
 */
export async function startDevGateway(
  config: Config,
  { wish, appFile, live, stack }: DevGatewayOptions,
  say: (line: string) => void,
): Promise<{ gateway: RunningGateway; token: string | null; config: Config }> {
  const configuredPort = config.httpPort === DEFAULT_HTTP_PORT ? undefined : config.httpPort;
  const { serveGateway, GatewayUnavailable } = await import('../../gateway/serve.js');
  const { gatewayParts } = await import('../../gateway/serve.js');
  const developer = config.tokens === null && config.http.jwt === null ? newToken('developer', DEVELOPER_ROLES) : null;
  const gatewayConfig = developer === null ? config : { ...config, tokens: [developer.entry] };
  const app = async () => (await import('./app.js')).appOf(config, appFile);
  const connect = () => connectTo(stack(), config.home, live);
  const parts = await gatewayParts(gatewayConfig, {
    log: createLog(config.logLevel),
    app,
    connect,
    uiUrl: () => stack()?.uiUrl ?? null,
  });
  const hasOwnAddress = config.publicUrl === `http://localhost:${config.httpPort}`;
  const publicUrlAt = (port: number) => (hasOwnAddress ? `http://localhost:${port}` : config.publicUrl);
  const { served, port, note } = await startOnPorts(
    async () => [await choosePort('the gateway', wish ?? configuredPort, DEFAULT_HTTP_PORT)],
    async (choice) => {
      const { port } = choice;
      // People sign in under the address that the gateway has in the end.
      const served = await serveGateway({ ...parts, publicUrl: publicUrlAt(port) }, { host: '127.0.0.1', port });
      return { ...choice, served };
    },
    (error) => error instanceof GatewayUnavailable,
  );
  if (note !== null) say(note);
  const gateway = { url: served.url, close: async () => (await served.close(), parts.close()) };
  const publicUrl = publicUrlAt(port);
  return { gateway, token: developer?.token ?? null, config: { ...config, httpPort: port, publicUrl, pageUrl: publicUrl } };
}

/**
 * Connects to the embedded server, as its worker does: a server that the environment names, or that has the usual port, has other
 * workers.
 */
async function connectTo(stack: EmbeddedStack | null, home: string, live: LiveBus): Promise<HoldfastClient> {
  if (stack === null) throw new ServerUnreachable('the embedded stack', new Error('it is not up yet'));
  const { HoldfastClient } = await import('../../client/holdfast-client.js');
  return HoldfastClient.connect(loadConfig(stackEnvironment(process.env, home, stack)), live);
}
