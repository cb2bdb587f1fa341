import * as fc from 'fast-check';
import { z } from 'zod';
import { defineTool } from '../../../../src/tools/define/define';
import { runs } from '../../../support/runs';
import { isTool } from '../../../../src/tools/define/tool';

const good = {
  name: 'find_rates',
  version: '1.2.0',
  class: 'read' as const,
  description: 'Finds rates.',
  input: z.object({ currency: z.enum(['EUR', 'USD']) }),
  run: () => null,
};
const full = {
  ...good,
  output: { type: 'object', properties: { rate: { type: 'number' } } },
  timeoutMs: 5000,
  cacheTtlMs: 60_000,
  cacheKeyParams: ['currency'],
  concurrencySafe: () => true,
  maxInlineBytes: 'unlimited',
  limits: { concurrency: 2, rate: { calls: 10, perMs: 1000 } },
  egress: false,
  untrustedOutput: true,
  ruleTarget: { kind: 'text', of: () => 'x' },
  group: 'markets',
  internalOnly: false,
  environments: ['production', 'staging'],
  streaming: false,
  estimatedTokens: { input: 20, output: { min: 10, typical: 20, max: 30 } },
  changelog: { '1.0.0': 'First.', '1.2.0-rc.1+b7': 'More currencies.' },
  deprecated: true,
  sunsetDate: '2028-02-29',
  replacement: 'search_rates',
  migrationGuide: 'https://example.com/rates',
  summarize: () => 'one line',
};

describe('faults of a definition', () => {
  it('none, when every field is used well', () => {
    expect(isTool(defineTool(full as never))).toBe(true);
  });

  it.each<[string, object, RegExp]>([
    ['a version with a v', { version: 'v1.0.0' }, /version must be a semantic version such as 1\.0\.0; it is "v1\.0\.0"/],
    ['a changelog by other keys', { changelog: { first: 'x' } }, /changelog must give a text for each semantic version/],
    [
      'a day that does not exist',
      { deprecated: true, sunsetDate: '2027-02-29' },
      /sunsetDate must be a date that exists.*"2027-02-29"/,
    ],
    ['a sunset without deprecation', { sunsetDate: '2027-02-28' }, /sunsetDate is for deprecated tools/],
    [
      'a cache of something unknown',
      { cacheTtlMs: 1, cacheKeyParams: ['ticker'] },
      /cacheKeyParams names "ticker", which is no property/,
    ],
    ['cache parameters without a cache', { cacheKeyParams: ['currency'] }, /cacheKeyParams needs cacheTtlMs/],
    ['a cache for ever', { cacheTtlMs: Infinity }, /cacheTtlMs must be a whole number.*Infinity/],
    ['no call at once', { limits: { concurrency: 0 } }, /limits must be/],
    ['half a call', { limits: { rate: { calls: 1.5, perMs: 10 } } }, /limits must be/],
    ['a limit that is misspelt', { limits: { concurency: 3 } }, /limits must be/],
    [
      'a typical cost above the largest',
      { estimatedTokens: { input: 1, output: { min: 1, typical: 9, max: 5 } } },
      /estimatedTokens must be .*min ≤ typical ≤ max/,
    ],
    ['no environment', { environments: [] }, /environments must be a list/],
    ['a nameless environment', { environments: [''] }, /environments must be a list/],
    ['a group with a blank', { group: 'My group' }, /group must match/],
    [
      'another kind of rule target',
      { ruleTarget: { kind: 'regex', of: () => 'x' } },
      /ruleTarget must be \{kind: path, text or command/,
    ],
    ['a run of days', { timeoutMs: 9e8 }, /timeoutMs must be a whole number of milliseconds from 1 to 86400000/],
    ['inline megabytes', { maxInlineBytes: 5_000_000 }, /maxInlineBytes must be .*or 'unlimited'; it is 5000000/],
    ['a name that is taken', { name: 'read_result' }, /"read_result" is a tool that holdfast brings along/],
    ['another name that is taken', { name: 'find_tools' }, /holdfast brings along/],
    ['and another', { name: 'open_group' }, /holdfast brings along/],
    [
      'truth in words',
      { deprecated: 'yes', internalOnly: 1 },
      /internalOnly must be true or false; it is 1[^]*deprecated must be true or false; it is "yes"/,
    ],
    ['an output that is no schema', { output: { type: 'objekt' } }, /output is not a usable schema: .*type/],
    [
      'a keyword that is misspelt',
      { input: { type: 'object', properties: { a: { maxlength: 3 } } } },
      /unknown keyword: "maxlength"/,
    ],
    [
      'an input that JSON Schema cannot say',
      { input: z.object({ at: z.date() }) },
      /input is not a usable schema: Date cannot be/,
    ],
    [
      'another draft',
      { input: { type: 'object', $schema: 'http://json-schema.org/draft-04/schema#' } },
      /draft-04.*not supported; write draft-07 or 2020-12/,
    ],
    [
      'a schema that lives elsewhere',
      { input: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } },
      /it refers to https:\/\/example\.com\/a\.json, which is not in it; nothing is fetched/,
    ],
    ['a schema without an end', { input: endless() }, /input is not a usable schema: .*circular/],
  ])('%s', (_name, more, message) => {
    expect(() => defineTool({ ...good, ...more } as never)).toThrow(message);
  });

  it('are all reported at once', () => {
    const wrong = Object.fromEntries(Object.keys(full).map((field) => [field, Symbol(field)]));
    const faults = messageOf(wrong).split('\n- ').slice(1);
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual(expect.arrayContaining(Object.keys(full).sort()));
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a getter that throws', Object.defineProperty({ ...good }, 'version', { enumerable: true, get: fails })],
    ['a getter further down', { ...good, limits: Object.defineProperty({}, 'rate', { enumerable: true, get: fails }) }],
    [
      'a schema that throws',
      { ...good, input: Object.defineProperty({ type: 'object' }, 'properties', { enumerable: true, get: fails }) },
    ],
    ['what throws when it is shown', { ...good, name: { toJSON: fails, toString: fails, get [Symbol.toStringTag]() { return fails(); } } }], // oxfmt-ignore
    ['a proxy that refuses everything', refusing()],
    ['what only looks like zod', { ...good, input: { _zod: { def: fails } } }],
    ['a big integer as a name', { ...good, name: 10n }],
    ['an array', [good]],
  ])('are listed for %s, and nothing else is thrown', (_name, definition) => {
    expect(messageOf(definition)).toMatch(/^Tool .* is not well defined:\n- /);
  });

  it('are the only errors that are thrown, for any content of the fields', () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      maxDepth: 3,
    });
    const hostile = fc.oneof(value, fc.constantFrom(PROXY, Symbol('x')));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(full)), hostile, { maxKeys: 6 }), fc.boolean(), (given, over) => {
        const fields = Object.fromEntries(Object.entries(given).map(([name, it]) => [name, it === PROXY ? refusing() : it]));
        const definition = over ? { ...good, ...fields } : fields;
        try {
          expect(isTool(defineTool(definition as never))).toBe(true);
        } catch (error) {
          expect((error as Error).message).toMatch(/^Tool .* is not well defined:\n- /);
        }
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('cannot come after the check: each value is read once, and later changes have no effect', () => {
    let reads = 0;
    const input = { type: 'object', properties: { a: { type: 'string' } } };
    const definition = Object.defineProperty({ ...good, input }, 'name', {
      enumerable: true,
      get: () => (++reads === 1 ? 'find_rates' : 'read_result'),
    });
    const tool = defineTool(definition as never);
    input.properties.a.type = 'number';
    expect(tool.name).toBe('find_rates');
    expect(tool.input).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  });
});

/** In place of a proxy that throws on every access: the generator itself looks at its values. */
const PROXY = Symbol('proxy');

function refusing(): object {
  return new Proxy({}, { ownKeys: fails, get: fails, has: fails, getPrototypeOf: fails });
}

function fails(): never {
  throw new Error('hostile');
}

function endless(): object {
  const schema: Record<string, unknown> = { type: 'object' };
  schema.not = schema;
  return schema;
}

function messageOf(definition: unknown): string {
  try {
    defineTool(definition as never);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was taken');
}
