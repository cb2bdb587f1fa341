/**
 * Loads the parts of the MCP SDK for this folder, with the first connection. The SDK ships CommonJS too, but its types compile
 * for ES modules only. So the imports here name the resolution mode once.
 */
import type * as ServerModule from '@modelcontextprotocol/sdk/server/index.js' with { 'resolution-mode': 'import' };
import type * as Stdio from '@modelcontextprotocol/sdk/server/stdio.js' with { 'resolution-mode': 'import' };
import type * as Http from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js' with { 'resolution-mode': 'import' };
import { optionalPackage } from '../../optional-package';
import type * as Types from '@modelcontextprotocol/sdk/types.js' with { 'resolution-mode': 'import' };

const loadSdkModule = <M>(name: string) => optionalPackage<M>('@modelcontextprotocol/sdk', 'MCP', `${name}.js`);

export const sdk = {
  server: () => loadSdkModule<typeof ServerModule>('server/index'),
  stdio: () => loadSdkModule<typeof Stdio>('server/stdio'),
  http: () => loadSdkModule<typeof Http>('server/webStandardStreamableHttp'),
  types: () => loadSdkModule<typeof Types>('types'),
};

export type { Server } from '@modelcontextprotocol/sdk/server/index.js' with { 'resolution-mode': 'import' };
export type {
  EventStore,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js' with { 'resolution-mode': 'import' };
export type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js' with { 'resolution-mode': 'import' };
export type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js' with { 'resolution-mode': 'import' };
export type {
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  ContentBlock,
  ElicitRequestFormParams,
  GetPromptResult,
  JSONRPCMessage,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  LoggingLevel,
  ReadResourceResult,
  RequestId,
  ServerCapabilities,
  ServerNotification,
  ServerRequest,
  Tool,
} from '@modelcontextprotocol/sdk/types.js' with { 'resolution-mode': 'import' };
