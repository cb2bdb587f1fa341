/** The A2A SDK for tests: it ships CommonJS too, but its types compile for ES modules only. */
import type * as Client from '@a2a-js/sdk/client' with { 'resolution-mode': 'import' };
import type * as Types from '@a2a-js/sdk' with { 'resolution-mode': 'import' };
import { optionalPackage } from '../../src/optional-package';

export const { Role, TaskState } = optionalPackage<typeof Types>('@a2a-js/sdk', 'A2A');
export const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } = optionalPackage<typeof Client>(
  '@a2a-js/sdk',
  'A2A',
  'client',
);

export type { Client } from '@a2a-js/sdk/client' with { 'resolution-mode': 'import' };
export type { Message, Part, StreamResponse, Task } from '@a2a-js/sdk' with { 'resolution-mode': 'import' };
