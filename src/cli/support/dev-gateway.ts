/** The gateway beside the embedded stack: on its usual port, or on a free one if nobody asked for that port. */
import { DEFAULT_HTTP_PORT, type Config } from '../../config';
import { choosePort } from '../../devserver/ports';
import type { RunningGateway } from '../../gateway/serve';
import type { LiveBus } from '../../live/bus';
import { createLog } from '../../telemetry/log';
import { newToken } from './new-token';

/** Enough to try everything out. It listens on loopback only. */
const DEVELOPER_ROLES = ['starter', 'approver', 'auditor', 'admin'];

/** @returns the gateway, a token for it where the settings know nobody, and the settings with its addresses, for the worker that hands them out */
export async function startDevGateway(
  config: Config,
  { wish, appFile, live }: { wish: number | undefined; appFile: string | undefined; live: LiveBus },
  say: (line: string) => void,
): Promise<{ gateway: RunningGateway; token: string | null; config: Config }> {
  const configured = config.httpPort === DEFAULT_HTTP_PORT ? undefined : config.httpPort;
  const { port, note } = await choosePort('the gateway', wish ?? configured, DEFAULT_HTTP_PORT);
  if (note !== null) say(note);
  const { serveGateway } = await import('../../gateway/serve.js');
  const { gatewayParts } = await import('../../gateway/parts.js');
  const developer = config.tokens === null && config.http.jwt === null ? newToken('developer', DEVELOPER_ROLES) : null;
  const known = developer === null ? config : { ...config, tokens: [developer.entry] };
  const app = async () => (await import('./app.js')).appOf(config, appFile);
  const parts = await gatewayParts(known, { log: createLog(config.logLevel), app, live });
  const served = await serveGateway(parts, { host: '127.0.0.1', port });
  const gateway = { url: served.url, close: async () => (await served.close(), parts.close()) };
  const ownAddress = config.publicUrl === `http://localhost:${config.httpPort}`;
  const publicUrl = ownAddress ? `http://localhost:${port}` : config.publicUrl;
  return { gateway, token: developer?.token ?? null, config: { ...config, httpPort: port, publicUrl } };
}
