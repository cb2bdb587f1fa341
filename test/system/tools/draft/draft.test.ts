import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import ts from 'typescript';
import { draftFromCsv, draftFromFunctions, draftFromOpenApi, draftFromSql } from '@holdfast/tool-kit';
import { inputSchema } from '../../../../src/tools/schema/schema';
import { toolContext } from '../../../support/tool-context';
import { load, typeErrors } from './load';
import { CSV, OPENAPI, SHOP, SQL } from './sources';

const documentOf = (path: string, item: object) => JSON.stringify({ openapi: '3.1.0', paths: { [path]: item } });

/** What is fetched while `act` runs; each request gets an answer with this status. */
async function callsOf(
  status: number,
  act: () => unknown,
  body: () => string | ReadableStream = () => '{}',
): Promise<[url: string, RequestInit][]> {
  const calls: [string, RequestInit][] = [];
  const original = globalThis.fetch;
  globalThis.fetch = (async (url: URL, init: RequestInit) => {
    calls.push([String(url), init]);
    return new Response(body(), { status });
  }) as never;
  try {
    await act();
  } finally {
    globalThis.fetch = original;
  }
  return calls;
}

describe('drafted tools', () => {
  it('from OpenAPI: one tool for each operation; GET reads, everything else asks a person', async () => {
    const source = draftFromOpenApi(OPENAPI, 'stock.yaml');
    const tools = load(source);
    expect(tools.map(({ name, class: is }) => [name, is])).toEqual([
      ['get_item', 'read'],
      ['delete_item', 'destructive'],
      ['post_items', 'destructive'],
    ]);
    expect(inputSchema(tools[0]!.input)).toMatchObject({
      properties: { id: { type: 'string', maxLength: 20 }, lang: { enum: ['en', 'de'] } },
      required: ['id'],
      additionalProperties: false,
    });
    const { body } = inputSchema(tools[2]!.input).properties as any;
    expect(body).toMatchObject({
      required: ['name'],
      properties: { name: { type: ['string', 'null'] }, price: { exclusiveMinimum: 0 } },
    });
    expect(source).toContain('const BASE_URL = "https://stock.example/v1";');
    expect(source).toMatch(/\/\/ decide: class: DELETE has effects/);
    expect(source).not.toContain('TODO');
  });

  it('a drafted call reaches the API: path, query, body, key; and its failures have codes', async () => {
    const tools = load(draftFromOpenApi(OPENAPI, 'stock.yaml'));
    const asked: [string, RequestInit][] = [];
    const original = globalThis.fetch;
    let status = 200;
    globalThis.fetch = (async (url: URL, init: RequestInit) => {
      asked.push([String(url), init]);
      return new Response('{"ok":true}', { status });
    }) as never;
    try {
      const ctx = toolContext();
      expect(await tools[0]!.run({ id: 'a/b', lang: 'en' }, ctx)).toEqual({ status: 200, body: { ok: true } });
      expect(asked[0]![0]).toBe('https://stock.example/v1/items/a%2Fb?lang=en');
      await tools[2]!.run({ body: { name: 'x' } }, ctx);
      expect(asked[1]![1]).toMatchObject({ method: 'POST', body: '{"name":"x"}', headers: { 'idempotency-key': 'hf_test' } });
      await expect(tools[0]!.run({ id: '..' }, ctx)).rejects.toMatchObject({ detail: { code: 'INVALID_PARAMS' } });
      for (const [code, word] of [
        [404, 'RESOURCE_NOT_FOUND'],
        [429, 'RATE_LIMITED'],
        [503, 'NETWORK_ERROR'],
        [401, 'UNAUTHORIZED'],
      ] as const) {
        status = code;
        await expect(tools[0]!.run({ id: 'x' }, ctx)).rejects.toMatchObject({ detail: { code: word } });
      }
    } finally {
      globalThis.fetch = original;
    }
  });

  it('a drafted call sets its own headers, whatever the document declares and the input has', async () => {
    const header = (name: string) => ({ name, in: 'header', required: true, schema: { type: 'string' } });
    const own = ['Accept', 'Authorization', 'content-length', 'Content-Type', 'COOKIE', 'Host', 'Idempotency-Key'];
    const parameters = [...own, 'Proxy-Authorization', 'X-Token', 'X-Trace'].map(header);
    const source = draftFromOpenApi(documentOf('/pay', { post: { parameters } }), 'pay.json').replace(
      'return {};',
      "return { Authorization: 'Bearer t', 'x-token': 'ours' };",
    );
    const [tool] = load(source);
    expect(inputSchema(tool!.input)).toMatchObject({ required: ['X-Token', 'X-Trace'] });
    expect(Object.keys(inputSchema(tool!.input).properties as object)).toEqual(['X-Token', 'X-Trace']);
    expect(source).toContain(`// decide: parameters that were left out: ${own.join(', ')}, Proxy-Authorization`);
    const [call] = await callsOf(200, () => tool!.run({ 'X-Token': 'theirs', 'X-Trace': '7' }, toolContext()));
    expect(call![1].headers).toEqual({
      accept: 'application/json',
      authorization: 'Bearer t',
      'idempotency-key': 'hf_test',
      'x-token': 'ours',
      'x-trace': '7',
    });
  });

  it('no credential is an input: neither by its usual name, nor by a security scheme', () => {
    const parameter = (name: string, place: string) => ({ name, in: place, required: true, schema: { type: 'string' } });
    const parameters = [
      ...['X-API-Key', 'x-auth-token', 'apikey', 'Shop-Pass', 'X-Trace'].map((name) => parameter(name, 'header')),
      ...['access_token', 'api_key', 'shop-pass', 'page_token'].map((name) => parameter(name, 'query')),
      parameter('session', 'cookie'),
      parameter('api_key', 'path'),
    ];
    const shop = { type: 'apiKey', in: 'header', name: 'shop-pass' };
    const session = { type: 'apiKey', in: 'cookie', name: 'session' };
    const components = { securitySchemes: { shop, session, login: { type: 'http', scheme: 'basic' }, odd: null } };
    const paths = { '/{api_key}/pay': { post: { parameters } } };
    const source = draftFromOpenApi(JSON.stringify({ openapi: '3.1.0', paths, components }), 'pay.json');
    const { properties, required } = inputSchema(load(source)[0]!.input);
    expect(Object.keys(properties as object)).toEqual(['X-Trace', 'shop-pass', 'page_token', 'api_key']);
    expect(required).toEqual(Object.keys(properties as object));
    expect(source).toMatch(/"query":\["shop-pass","page_token"\],"header":\["X-Trace"\]/);
    expect(source).toContain(
      '// decide: how `callApi` gets these credentials, which no model may give: X-API-Key (header), x-auth-token (header), ' +
        'apikey (header), Shop-Pass (header), access_token (query), api_key (query), session (cookie)',
    );
  });

  it.each(['@evil.example/x', '.evil.example/x', ':1@evil.example/x', '//evil.example/x', 'items'])(
    'no path leads to another host: %s',
    async (path) => {
      expect(() => draftFromOpenApi(documentOf(path, { get: {} }), 'f')).toThrow(/does not begin with a single/);
      const source = draftFromOpenApi(documentOf('/x', { get: {} }), 'f').replace(
        '"path":"/x"',
        `"path":${JSON.stringify(path)}`,
      );
      const [tool] = load(source);
      const calls = await callsOf(200, () => Promise.allSettled([tool!.run({}, toolContext())]));
      expect(calls.filter(([url]) => new URL(url).host !== 'api.example.com')).toEqual([]);
    },
  );

  it.each([
    [400, undefined],
    [408, false],
    [409, false],
    [422, undefined],
    [425, false],
    [499, false],
  ])('an answer %i of the API: nothingHappened is %s', async (status, nothingHappened) => {
    const source = draftFromOpenApi(documentOf('/pay', { post: {}, get: {} }), 'pay.json');
    expect(source.match(/decide: which answers mean that nothing happened/g)).toHaveLength(1);
    const pay = load(source).find(({ class: is }) => is === 'destructive')!;
    await callsOf(status, () =>
      expect(pay.run({}, toolContext())).rejects.toMatchObject({ detail: { code: 'INVALID_PARAMS' }, nothingHappened }),
    );
  });

  it('an answer of any size is read up to a limit, and no further', async () => {
    const [tool] = load(draftFromOpenApi(documentOf('/x', { get: {} }), 'x.json'));
    const chunk = new TextEncoder().encode('é'.repeat(300_000));
    let sent = 0;
    let isCancelled = false;
    const source = {
      pull: (controller: ReadableStreamDefaultController) => (sent++ < 20 ? controller.enqueue(chunk) : controller.close()),
      cancel: () => void (isCancelled = true),
    };
    const body = () => new ReadableStream(source, { highWaterMark: 0 });
    const read = async () => expect(await tool!.run({}, toolContext())).toEqual({ status: 200, body: 'é'.repeat(1_000_000) });
    await callsOf(200, read, body);
    expect([sent, isCancelled]).toEqual([4, true]);
  });

  it('an answer in pieces is read as one, also if a piece ends within a character', async () => {
    const [tool] = load(draftFromOpenApi(documentOf('/x', { get: {} }), 'x.json'));
    const bytes = new TextEncoder().encode('{"name":"é"}');
    const body = () =>
      new ReadableStream({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      });
    const read = async () => expect(await tool!.run({}, toolContext())).toEqual({ status: 200, body: { name: 'é' } });
    await callsOf(200, read, body);
  });

  it('from SQL: find, get, insert, with values as parameters and names quoted', async () => {
    const queries: [string, unknown[]][] = [];
    const database = { query: async (text: string, values: unknown[]) => (queries.push([text, values]), { rows: [{ id: 1 }] }) };
    const tools = load(draftFromSql(SQL, 'orders.sql'), database);
    expect(tools.map(({ name, class: is }) => [name, is])).toEqual([
      ['find_orders', 'read'],
      ['get_orders', 'read'],
      ['insert_orders', 'destructive'],
    ]);
    expect(inputSchema(tools[2]!.input)).toMatchObject({
      properties: { status: { enum: ['open', 'paid'] }, note: { maxLength: 20 }, id: { type: 'integer' } },
      required: ['status', 'total'],
    });
    const ctx = toolContext();
    await tools[0]!.run({ where: { status: "'; DROP TABLE orders; --", 'odd "name': 1 }, limit: 5 }, ctx);
    await tools[1]!.run({ id: 7 }, ctx);
    await tools[2]!.run({ status: 'open', total: '1.00' }, ctx);
    expect(queries).toEqual([
      ['SELECT * FROM "orders" WHERE "status" = $1 AND "odd ""name" = $2 ORDER BY "id" LIMIT 5', ["'; DROP TABLE orders; --", 1]],
      ['SELECT * FROM "orders" WHERE "id" = $1', [7]],
      ['INSERT INTO "orders" ("status", "total") VALUES ($1, $2) RETURNING *', ['open', '1.00']],
    ]);
  });

  it('from CSV: types, choices and ranges of the sample; it finds rows of the real file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-draft-'));
    const file = join(folder, 'sales.csv');
    writeFileSync(file, CSV);
    try {
      const [tool] = load(draftFromCsv(CSV, 'sales.csv', file));
      expect((inputSchema(tool!.input).properties as any).where.properties).toMatchObject({
        id: { type: 'integer', description: 'In the sample: 1 to 4' },
        price: { type: 'number' },
        state: { enum: ['open', 'paid'] },
        day: { format: 'date' },
        name: { type: 'string' },
      });
      expect(await tool!.run({ where: { state: 'paid', id: 4 }, limit: 10 }, toolContext())).toMatchObject({
        total: 1,
        rows: [{ name: 'Di' }],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('drafts compile against our types, and those from functions against theirs', async () => {
    const shop = draftFromFunctions(ts, { text: SHOP, from: 'shop.ts', module: './shop.js' });
    const drafts = [draftFromOpenApi(OPENAPI, 'a'), draftFromSql(SQL, 'b'), draftFromCsv(CSV, 'c', 'c.csv'), shop];
    expect(typeErrors(drafts, { 'shop.ts': SHOP, 'money.ts': "export type Currency = 'EUR' | 'USD';" })).toEqual([]);
  });

  it.each([
    [
      'a remote reference',
      () => draftFromOpenApi(OPENAPI.replace('#/components/schemas/Item', 'http://a.example/x'), 'f'),
      /outside the document/,
    ],
    ['no OpenAPI', () => draftFromOpenApi('{"swagger": "2.0"}', 'f'), /no OpenAPI 3\.0 or 3\.1/],
    ['broken YAML', () => draftFromOpenApi('a: [', 'f'), /cannot be read/],
    ['no tables', async () => draftFromSql('SELECT 1', 'f'), /nothing to draft/],
    ['broken SQL', async () => draftFromSql('CREATE TABLE', 'f'), /not SQL that can be read/],
    ['an empty CSV', async () => draftFromCsv('a,b\n', 'f', 'f'), /no rows/],
  ])('%s ends in a clear error', async (_what, draft, why) => {
    await expect(Promise.resolve().then(draft)).rejects.toThrow(why);
  });
});

describe('references of OpenAPI', () => {
  const refs = (schema: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { $ref: `#/components/schemas/${schema}` }]));
  const post = (schema: string) => ({
    requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } },
  });
  const draft = (schemas: object, paths: object) =>
    draftFromOpenApi(JSON.stringify({ openapi: '3.1.0', paths, components: { schemas } }), 'f');
  /** Each has 20 of the next. */
  const wide = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`S${n}`, { properties: refs(`S${n + 1}`, 20) }]));

  it('are expanded once in a schema that contains itself', () => {
    const source = draft({ Node: { properties: refs('Node', 3) } }, { '/x': { post: post('Node') } });
    const { body } = inputSchema(load(source)[0]!.input).properties as any;
    expect(body.properties).toEqual({ p0: {}, p1: {}, p2: {} });
  });

  it('end in a clear error if there are too many', () => {
    expect(() => draft({ ...wide, S9: {} }, { '/x': { post: post('S0') } })).toThrow(/unfold into more than 8388608 characters/);
  });

  it('are not expanded for more operations than are allowed', () => {
    const paths = Object.fromEntries(Array.from({ length: 301 }, (_, n) => [`/${n}`, { post: post('S0') }]));
    expect(() => draft({ ...wide, S9: {} }, paths)).toThrow(/has 301 operations; 300 are allowed/);
  });
});

describe('hostile sources', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      '*/ globalThis.owned = 1; /*',
      '`${globalThis.owned = 1}`',
      '"; globalThis.owned = 1; //',
      "'; globalThis.owned = 1; //",
    ),
    fc.constantFrom(
      '\u2028globalThis.owned = 1',
      '\nglobalThis.owned = 1\n',
      '\\"; globalThis.owned=1;//',
      'constructor',
      'toString',
      '\u202e',
    ),
  );
  const safe = (source: string, database?: unknown) => {
    load(source, database);
    expect((globalThis as { owned?: unknown }).owned).toBeUndefined();
    expect(source).not.toMatch(/[^\x20-\x7e\n]/);
  };

  it('names, texts and choices of an OpenAPI document never become code', async () => {
    await fc.assert(
      fc.asyncProperty(nasty, nasty, nasty, nasty, async (path, id, text, choice) => {
        const document = {
          openapi: '3.1.0',
          servers: [{ url: `https://a.example/${text}` }],
          paths: {
            [`/${path.replace(/^\/+/, '')}`]: {
              get: {
                operationId: id,
                summary: text,
                parameters: [
                  { name: id, in: 'query', description: text, schema: { enum: [choice] } },
                  { name: choice, in: 'cookie' },
                ],
              },
            },
          },
        };
        safe(draftFromOpenApi(JSON.stringify(document), text));
      }),
      { numRuns: 100 },
    );
  });

  it('names and values of a CSV file never become code', () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (column, value, file) => {
        const cell = (text: string) => `"${text.replace(/"/g, '""').trim() || 'x'}"`;
        if (column.trim() === '__proto__') return;
        const line = cell(value);
        safe(draftFromCsv(`${cell(column)}\n${line}\n${line}\n`, file, file));
      }),
      { numRuns: 100 },
    );
  });

  it('names and choices of a SQL table never become code', () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (table, column, choice) => {
        const name = (text: string) => `"${text.replace(/["\\\0]/g, '').trim() || 'x'}"`;
        const sql = `CREATE TABLE ${name(table)} (${name(column)} text CHECK (${name(column)} IN ('${choice.replace(/['\\\0]/g, '')}')))`;
        let source: string;
        try {
          source = draftFromSql(sql, table);
        } catch (error) {
          expect(error).toMatchObject({ name: 'DraftError' });
          return;
        }
        safe(source, { query: async () => ({ rows: [] }) });
      }),
      { numRuns: 100 },
    );
  });
});
