import { defineTool } from '../../../../src/tools/define/define';
import type { Tool } from '../../../../src/tools/define/tool';

/** One tool that uses every field of a definition. */
export const everyField: Tool = defineTool({
  name: 'move_stock',
  version: '2.3.1',
  class: 'destructive',
  description: {
    does: 'Moves items from one warehouse to another.',
    returns: 'moved, left.',
    useWhen: 'A warehouse runs dry.',
    dontUseFor: 'Counting.',
    example: '{"from": "A1", "to": "B2", "items": 3}',
    warning: 'A lorry starts.',
  },
  input: {
    type: 'object',
    properties: {
      from: { type: 'string', pattern: '^[A-Z][0-9]$', description: 'Warehouse' },
      to: { $ref: '#/$defs/place' },
      items: { type: 'integer', minimum: 1, maximum: 500 },
      note: { type: 'string', maxLength: 200 },
      lines: {
        type: 'array',
        maxItems: 5,
        items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
      },
      speed: { enum: ['slow', 'fast'], default: 'slow' },
    },
    required: ['from', 'to', 'items'],
    $defs: { place: { type: 'string', pattern: '^[A-Z][0-9]$' } },
    $schema: 'https://json-schema.org/draft/2020-12/schema',
  },
  output: { type: 'object', properties: { moved: { type: 'integer' }, left: { type: 'integer' } }, required: ['moved'] },
  run: async function* () {
    yield { message: 'on the way' };
    return { moved: 1 };
  },
  timeoutMs: 5000,
  idempotent: true,
  maxInlineBytes: 3000,
  limits: { concurrency: 2, rate: { calls: 5, perMs: 60_000 } },
  egress: true,
  untrustedOutput: true,
  group: 'stock',
  internalOnly: true,
  environments: ['production'],
  estimatedTokens: { input: 40, output: { min: 10, typical: 20, max: 30 } },
  changelog: { '2.0.0': 'from and to instead of route', '2.3.1': 'speed' },
  deprecated: true,
  sunsetDate: '2099-01-31',
  replacement: 'ship_stock',
  migrationGuide: 'Same fields.',
  errors: [{ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_place', when: 'The place is closed: take another.' }],
});
