/** Serves `/openapi.json` (3.1), made from the schemas of the routes, and `/docs`, which shows it. */
import swagger, { type SwaggerTransformObject } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { callError, envelope } from '../../shapes/envelope';
import { sessionSummary, sessionView } from '../../shapes/session';
import { toolEvent, streamedEvent } from '../../shapes/turn-event';
import { callView, directCallView, pendingTurn, question, turnSummary, turnView } from '../../shapes/turn-view';
import { findPackage, PackageMissing } from '../../optional-package';
import { version } from '../../version';
import { jsonSchema, refusal } from '../schemas/common';

const DESCRIPTION =
  'Starts agent turns, shows them, decides what waits for a person, calls single tools. Errors have the envelope of tool results. ' +
  'With `Idempotency-Key`, a POST happens once, however often it is sent.';

const COOKIE =
  'The sign-in of a person at the page (`POST /v1/sign-in`, `GET /sign-in/oidc`); `holdfast` without TLS, `__Secure-holdfast` below a path. ' +
  'A request that changes something also needs the header `x-holdfast-csrf`, with the value that `GET /v1/me` gives.';

/**
 * Named shapes: the document has a reference to each wherever it occurs. Events are here only: OpenAPI 3.1 has no other place for
 * those of a stream.
 */
const COMPONENTS = {
  Error: refusal,
  CallError: callError,
  Envelope: envelope,
  TurnView: turnView,
  DirectCallView: directCallView,
  CallView: callView,
  TurnSummary: turnSummary,
  PendingTurn: pendingTurn,
  Question: question,
  SessionView: sessionView,
  SessionSummary: sessionSummary,
  TurnEvent: streamedEvent,
  ToolEvent: toolEvent,
};

export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'holdfast', version, description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      tags: [
        { name: 'turns', description: 'Agent turns, and what waits in them.' },
        { name: 'sessions', description: 'Conversations: turns one after the other.' },
        { name: 'tools', description: 'Single tool calls, without a model.' },
        { name: 'files', description: 'Files that tools made.' },
        { name: 'agents', description: 'Agents, and the rules of their tools.' },
        { name: 'records', description: 'What was said, decided and done.' },
        { name: 'protocols', description: 'Front ends and other agents, in their own protocols.' },
        { name: 'operation', description: 'For operators.' },
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          cookie: { type: 'apiKey', in: 'cookie', name: '__Host-holdfast', description: COOKIE },
        },
        schemas: Object.fromEntries(Object.entries(COMPONENTS).map(([name, shape]) => [name, jsonSchema(shape)])),
      },
    },
    transformObject: (document) =>
      withReferences('openapiObject' in document ? document.openapiObject : {}) as ReturnType<SwaggerTransformObject>,
    transform: ({ schema, url, route }) => {
      const config = route.config as { roles?: readonly string[] | 'any' | 'public' } | undefined;
      const roles = config?.roles;
      if (roles === undefined) return { schema: { ...schema, hide: true }, url };
      const open = roles === 'public';
      const who = open ? 'Takes no token.' : roles === 'any' ? 'Any role.' : `Roles: ${roles.join(', ')}.`;
      const description = [schema?.description, who].filter(Boolean).join(' ');
      const security: Record<string, string[]>[] = open ? [] : [{ bearer: [] }, { cookie: [] }];
      return { schema: { ...schema, description, security }, url };
    },
  });
  // A browser sends no token for these pages. They show the document, and no data.
  await app.register(async (pages) => {
    pages.addHook('onRoute', (route) => void (route.config = { ...route.config, roles: 'public' }));
    const swaggerUi = findPackage<typeof import('@fastify/swagger-ui')>('@fastify/swagger-ui');
    if (swaggerUi !== null) await pages.register(swaggerUi.default, { routePrefix: '/docs', staticCSP: true });
    else
      pages.get('/docs', { schema: { hide: true } }, () => {
        throw new PackageMissing('@fastify/swagger-ui', 'The page /docs');
      });
  });
  app.get('/openapi.json', { schema: { hide: true }, config: { roles: 'public' } }, async () => app.swagger());
}

function withReferences(document: { components?: { schemas?: Record<string, object> } }): object {
  const names = new Map(Object.entries(document.components?.schemas ?? {}).map(([name, shape]) => [keyOf(shape), name]));
  const visit = (value: unknown, own: string | null): unknown => {
    if (Array.isArray(value)) return value.map((one) => visit(one, null));
    if (typeof value !== 'object' || value === null) return value;
    const name = 'type' in value || 'anyOf' in value || 'oneOf' in value ? names.get(keyOf(value)) : undefined;
    if (name !== undefined && name !== own) {
      const description = 'description' in value ? { description: value.description } : {};
      return { $ref: `#/components/schemas/${name}`, ...description };
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one, key in COMPONENTS ? key : null)]));
  };
  return visit(document, null) as object;
}

/** Compares shapes without their description, which depends on where they occur. */
function keyOf({ description: _, ...schema }: object & { description?: unknown }): string {
  return JSON.stringify(schema);
}
