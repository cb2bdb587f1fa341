/**
 * The exports of `holdfast/gateway`, for a program that serves the HTTP API itself, beside other things or with parts of its own; a
 * gateway stands on a client, so those of `holdfast/client` are here too.
 */
export * from './client';
export { gatewayParts, GatewayUnavailable, serveGateway, type RunningGateway, type ServeAt } from '../gateway/serve';
export type { CodecParts, GatewayParts, PageSignIn, StartLimitSettings } from '../gateway/route';
export { createPrincipal, Tokens, type Authenticator, type Principal } from '../gateway/auth/principals';
export { catalogueOf, type ToolCatalogue, type ToolEntry } from '../gateway/tool-catalogue';
export type { CallbackConfig } from '../config/gateway';
export type { OidcSettings, SignInConfig, SignInLimits } from '../config/sign-in';
export type { StreamSettings } from '../gateway/streams/settings';
export { BadKeyFile, type TrustEntry } from '../attestation/trusted-keys';
export { openStore } from '../store/open-store';
export type { Agent } from '../agents/agent';
export type { TriggerBudget, TriggerDefinition, TriggerDelivery, VerifyDelivery } from '../triggers/definition';
export type { DeliveryRequest, SignatureScheme, Verification } from '../triggers/signatures';
export type { App } from '../agents/define';
export type { PreparedAgent } from '../tools/catalogue/registry';
export type { ToolLogger } from '../tools/define/tool';
export type { McpDefinition } from '../agents/mcp';
export type { CallbackHost } from '../shared/wire/callback';
export type { TreeHead } from '../witness/tree-head';
