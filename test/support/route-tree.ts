/** Every route of a gateway, from the router itself: also those that the OpenAPI document does not have. */
import type { FastifyInstance } from 'fastify';

/** `GET /v1/turns/{id}`; without HEAD, which is the GET without its body. */
export function routesOf(app: FastifyInstance): string[] {
  const open: { depth: number; path: string }[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods] = /^((?:│ {3}| {4})*)(?:├──|└──) (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
      if (indent === undefined || part === undefined) return [];
      const depth = indent.length / 4;
      while (open.length > 0 && open.at(-1)!.depth >= depth) open.pop();
      const path = (open.at(-1)?.path ?? '') + part;
      open.push({ depth, path });
      const named = path.replace(/:(\w+)/g, '{$1}');
      return (methods ?? '').split(', ').flatMap((method) => (method === '' || method === 'HEAD' ? [] : [`${method} ${named}`]));
    })
    .sort();
}
