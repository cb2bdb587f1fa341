/** `/openapi.json` (3.1), made of the schemas of the routes, and `/docs`, which shows it. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { toolEvent, streamedEvent } from '../../shapes/turn-event';
import { findPackage, PackageMissing } from '../../optional-package';
import { version } from '../../version';
import { jsonSchema } from '../schemas/common';

const DESCRIPTION =
  'Starts agent turns, shows them, decides what waits for a person, calls single tools. Errors have the envelope of tool results. ' +
  'With `Idempotency-Key`, a POST happens once, however often it is sent.';

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
        { name: 'operation', description: 'For whoever runs it.' },
      ],
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        // OpenAPI 3.1 has no place where a stream says what its events are.
        schemas: { TurnEvent: jsonSchema(streamedEvent), ToolEvent: jsonSchema(toolEvent) },
      },
    },
    transform: ({ schema, url, route }) => {
      const config = route.config as { roles?: readonly string[] | 'public' } | undefined;
      const roles = config?.roles;
      if (roles === undefined) return { schema: { ...schema, hide: true }, url };
      const open = roles === 'public';
      const who = open ? 'Takes no token.' : `Roles: ${roles.join(', ')}.`;
      const description = [schema?.description, who].filter(Boolean).join(' ');
      return { schema: { ...schema, description, security: open ? [] : [{ bearer: [] }] }, url };
    },
  });
  // Pages in a browser have no token: they show what is served, and no more.
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
