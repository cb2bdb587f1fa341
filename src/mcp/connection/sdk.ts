/**
 * Loads the parts of the MCP SDK for this folder, each when it is first used. The SDK ships CommonJS too, but its types compile
 * for ES modules only. So the imports here name the resolution mode once.
 */
import type * as Auth from '@modelcontextprotocol/sdk/client/auth.js' with { 'resolution-mode': 'import' };
import type * as AuthExtensions from '@modelcontextprotocol/sdk/client/auth-extensions.js' with { 'resolution-mode': 'import' };
import type * as ClientModule from '@modelcontextprotocol/sdk/client/index.js' with { 'resolution-mode': 'import' };
import type * as Sse from '@modelcontextprotocol/sdk/client/sse.js' with { 'resolution-mode': 'import' };
import type * as Stdio from '@modelcontextprotocol/sdk/client/stdio.js' with { 'resolution-mode': 'import' };
import type * as Http from '@modelcontextprotocol/sdk/client/streamableHttp.js' with { 'resolution-mode': 'import' };
import { optionalPackage } from '../../optional-package';
import type * as Types from '@modelcontextprotocol/sdk/types.js' with { 'resolution-mode': 'import' };

const part = <M>(name: string) => optionalPackage<M>('@modelcontextprotocol/sdk', 'MCP', `${name}.js`);

export const sdk = {
  auth: () => part<typeof Auth>('client/auth'),
  authExtensions: () => part<typeof AuthExtensions>('client/auth-extensions'),
  client: () => part<typeof ClientModule>('client/index'),
  sse: () => part<typeof Sse>('client/sse'),
  stdio: () => part<typeof Stdio>('client/stdio'),
  http: () => part<typeof Http>('client/streamableHttp'),
  types: () => part<typeof Types>('types'),
};

export type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js' with {
  'resolution-mode': 'import',
};
export type { Client } from '@modelcontextprotocol/sdk/client/index.js' with { 'resolution-mode': 'import' };
export type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js' with { 'resolution-mode': 'import' };
export type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js' with { 'resolution-mode': 'import' };
