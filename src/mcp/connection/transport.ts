/** Creates the transport to an MCP server from its configuration. */
import { isolated } from '../../processes/isolation';
import { MESSAGE_BYTES, fetchFor } from './bounded-fetch';
import { FileLogin } from './file-login';
import { authProvider, toldOfScope, withOAuth } from './oauth';
import { sdk, type Transport } from './sdk';
import type { HttpServer, ServerConfig } from '../servers-file';
import { optional } from '../../shared/json/optional';

export interface Hears {
  /** Gets what a program prints on its standard error. It is a log for people only. */
  said(text: string): void;
  /** Gets each token that goes to the server. */
  sent(token: string): void;
}

/** @param loginFolder where login tokens are kept. @throws NotIsolated if this machine cannot isolate the server's program */
export async function transportTo(server: ServerConfig, loginFolder: string, { said, sent }: Hears): Promise<Transport> {
  if (server.transport !== 'stdio') return httpTransport(server, loginFolder, sent);
  const { command, args, env, cwd } = server;
  const { StdioClientTransport } = sdk.stdio();
  const [first, ...words] = [...(await isolated()), command, ...args] as [string, ...string[]];
  const transport = new StdioClientTransport({
    command: first,
    args: words,
    env,
    ...optional({ cwd }),
    stderr: 'pipe',
    maxBufferSize: MESSAGE_BYTES,
  });
  transport.stderr?.on('data', (chunk: Buffer) => said(chunk.toString('utf8')));
  return transport;
}

function httpTransport(server: HttpServer, loginFolder: string, onSent: Hears['sent']): Transport {
  const { transport, url } = server;
  const login = withOAuth(server) ? authProvider(server, loginFolder) : undefined;
  const network = toldOfScope(fetchFor(server, onSent), server);
  const options = {
    fetch: login instanceof FileLogin ? login.refreshOnce(network) : network,
    ...optional({ authProvider: login }),
  };
  return transport === 'sse'
    ? new (sdk.sse().SSEClientTransport)(new URL(url), options)
    : new (sdk.http().StreamableHTTPClientTransport)(new URL(url), options);
}
