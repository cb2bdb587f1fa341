/**
 * Loads the A2A package with the first request. The SDK ships CommonJS too, but its types compile for ES modules only, so the
 * imports here name the resolution mode once.
 */
import type * as Types from '@a2a-js/sdk' with { 'resolution-mode': 'import' };
import type * as Errors from '@a2a-js/sdk/errors' with { 'resolution-mode': 'import' };
import type * as Server from '@a2a-js/sdk/server' with { 'resolution-mode': 'import' };
import { optionalPackage } from '../../optional-package';

const PACKAGE = '@a2a-js/sdk';
const loadSdkModule = <M>(path?: string) => optionalPackage<M>(PACKAGE, 'A2A', path);

export const sdk = {
  types: () => loadSdkModule<typeof Types>(),
  errors: () => loadSdkModule<typeof Errors>('errors'),
  server: () => loadSdkModule<typeof Server>('server'),
};

export type {
  AgentCard,
  AgentSkill,
  Artifact,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Part,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '@a2a-js/sdk' with { 'resolution-mode': 'import' };
export type { A2AError } from '@a2a-js/sdk/errors' with { 'resolution-mode': 'import' };
export type { A2ARequestHandler } from '@a2a-js/sdk/server' with { 'resolution-mode': 'import' };
