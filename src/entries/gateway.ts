/**
 * The exports of `holdfast/gateway`, for a program that serves the HTTP API itself, beside other things or with parts of its own.
 */
export { gatewayParts, GatewayUnavailable, serveGateway, type RunningGateway, type ServeAt } from '../gateway/serve';
export type { GatewayParts } from '../gateway/route';
export { createPrincipal, Tokens, type Authenticator, type Principal } from '../gateway/auth/principals';
export { catalogueOf, type ToolCatalogue, type ToolEntry } from '../gateway/tool-catalogue';
export type { CallbackConfig } from '../config/gateway';
export type { StreamSettings } from '../gateway/streams/settings';
export { SigningKey } from '../attestation/signing-key';
export { HoldfastClient } from '../client';
export { openStore } from '../store/open-store';
export type { Store } from '../store/store';
export type { App } from '../agents/define';
export type { Config } from '../config';
export { loadConfig } from './load-config';
export type { ToolLogger } from '../tools/define/tool';
export type { McpDefinition } from '../agents/mcp';
export type { CallbackHost } from '../shared/wire/callback';
