/** Drafts tools from an OpenAPI 3.0 or 3.1 document, one for each operation. References are resolved only inside the document. */
import {
  isJsonObject,
  type Json,
  type JsonObject,
  mapSchema,
  plainJson,
  resolveRef,
  SCHEMA_KEYWORDS,
  setOwn,
} from 'holdfast/tools';
import { parse } from 'yaml';
import { DraftError, literal, render, toolName, words, type DraftTool } from './source';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const OPERATIONS = 300;
const PLACES = ['path', 'query', 'header'];
/** Headers that the draft sets, or that nobody but the transport may set: the model must not choose them. */
const OWN_HEADERS = new Set([
  'accept',
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'proxy-authorization',
]);
/** Usual names of credentials, in small letters, without `x-`, hyphens and underscores. */
const CREDENTIALS = new Set(['accesstoken', 'apikey', 'apitoken', 'authorization', 'authtoken', 'clientsecret', 'secretkey']);

/** @param text JSON or YAML @throws DraftError */
export function draftFromOpenApi(text: string, from: string): string {
  const document = parseDocument(text, from);
  const paths = document.paths;
  if (typeof document.openapi !== 'string' || !/^3\.[01]\./.test(document.openapi) || !isJsonObject(paths)) {
    throw new DraftError(`${from} is no OpenAPI 3.0 or 3.1 document: it needs "openapi" (3.0.x or 3.1.x) and "paths".`);
  }
  const operations = Object.entries(paths).flatMap(([path, item]) => {
    const at = dereference(document, item);
    return METHODS.filter((method) => isJsonObject(at[method])).map((method) => ({ path, method, at }));
  });
  if (operations.length > OPERATIONS)
    throw new DraftError(`${from} has ${operations.length} operations; ${OPERATIONS} are allowed: split it.`);
  const schemas = new Schemas(document);
  const tools = operations.map(({ path, method, at }) => operation(document, path, method, at, schemas));
  return render({
    from,
    imports: ["import { defineTool, ToolError, type ToolContext } from 'holdfast';"],
    head: head(document),
    tools,
  });
}

function parseDocument(text: string, from: string): JsonObject {
  let value: unknown;
  try {
    value = /^\s*\{/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: 50 });
  } catch (error) {
    throw new DraftError(`${from} cannot be read: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
  }
  const json = plainJson(value, { depth: 100, values: 500_000, characters: 8 * 1024 * 1024, proto: 'refuse' }, from);
  if (!isJsonObject(json)) throw new DraftError(`${from} is no OpenAPI document: it is not an object.`);
  return json;
}

function dereference(document: JsonObject, value: Json | undefined): JsonObject {
  let at = value;
  for (let hops = 0; hops < 20 && isJsonObject(at) && typeof at.$ref === 'string'; hops++) {
    if (!at.$ref.startsWith('#'))
      throw new DraftError(
        `${JSON.stringify(at.$ref.slice(0, 200))} is outside the document: nothing is fetched; bundle it into one file.`,
      );
    const target = resolveRef(document, at.$ref);
    if (target === undefined) throw new DraftError(`${JSON.stringify(at.$ref.slice(0, 200))} points to nothing in the document.`);
    at = target;
  }
  return isJsonObject(at) ? at : {};
}

function operation(document: JsonObject, path: string, method: string, item: JsonObject, schemas: Schemas): DraftTool {
  const title = `${method.toUpperCase()} ${path}`;
  // Behind the address of the API another beginning can name another host: `@evil.example/x`.
  if (!/^\/(?!\/)/.test(path))
    throw new DraftError(`The path of ${JSON.stringify(title.slice(0, 200))} does not begin with a single "/".`);
  const spec = item[method] as JsonObject;
  const allParameters = [...asList(item.parameters), ...asList(spec.parameters)].map((each) => dereference(document, each));
  const credentials = allParameters.filter((each) => isCredential(document, each));
  const parameters = allParameters
    .filter((each) => typeof each.name === 'string' && PLACES.includes(each.in as string) && !isOwnHeader(each.name, each.in))
    .filter((each) => !credentials.includes(each));
  const properties: JsonObject = {};
  const required = new Set<string>();
  const places: Record<string, string[]> = { path: [], query: [], header: [] };
  for (const parameter of parameters) {
    const name = parameter.name as string;
    const place = places[parameter.in as string]!;
    if (!place.includes(name)) place.push(name);
    const schema = schemas.inline(parameter.schema);
    setOwn(properties, name, { ...schema, ...descriptionOf(parameter.description ?? schema.description) });
    if (parameter.required === true || parameter.in === 'path') required.add(name);
  }
  const body = dereference(document, spec.requestBody);
  const content = isJsonObject(body.content) ? dereference(document, body.content['application/json']) : {};
  const hasBody = isJsonObject(content.schema);
  if (hasBody) {
    properties.body = schemas.inline(content.schema);
    if (body.required === true) required.add('body');
  }
  const reads = method === 'get' || method === 'head' || method === 'options';
  const omittedNames = allParameters.filter((each) => !parameters.includes(each)).map((each) => String(each.name));
  const credentialNames = credentials.map((each) => `${String(each.name)} (${String(each.in)})`);
  return {
    name: toolName(typeof spec.operationId === 'string' ? spec.operationId : `${method} ${path}`),
    class: reads ? 'read' : 'destructive',
    classReason: reads
      ? `${method.toUpperCase()} should only read; make it destructive if this one does not`
      : `${method.toUpperCase()} has effects, so a person approves each call; write, if repeating it does no harm`,
    description: {
      does: words(spec.summary ?? spec.description, `Calls ${title}.`),
      returns: 'status and body of the answer.',
      useWhen: words(spec.description, `The answer of ${title} is needed.`),
    },
    input: { type: 'object', properties, required: [...required], additionalProperties: false },
    run: [
      `return callApi(${literal({ method: method.toUpperCase(), path, query: places.query!, header: places.header! })}, input, ctx);`,
    ],
    decide: [
      'the description: when to use it, when not, one example',
      'limits of free texts and of lists',
      ...(reads
        ? []
        : ['which answers mean that nothing happened (`failure`): now every 4xx does, except 408, 409, 425 and 499']),
      ...(omittedNames.length > 0 ? [`parameters that were left out: ${omittedNames.join(', ')}`] : []),
      ...(credentials.length > 0
        ? [`how \`callApi\` gets these credentials, which no model may give: ${credentialNames.join(', ')}`]
        : []),
      ...(spec.deprecated === true ? ['the source calls it deprecated'] : []),
    ],
    untrustedOutput: true,
  };
}

function isOwnHeader(name: string, place: Json | undefined): boolean {
  return place === 'header' && OWN_HEADERS.has(name.toLowerCase());
}

/** Whether a parameter is a credential by its usual name, or by a security scheme. */
function isCredential(document: JsonObject, { name, in: place }: JsonObject): boolean {
  if (typeof name !== 'string' || place === 'path') return false;
  if (CREDENTIALS.has(name.toLowerCase().replace(/^x[-_]|[-_]/g, ''))) return true;
  const { securitySchemes } = dereference(document, document.components);
  return Object.values(isJsonObject(securitySchemes) ? securitySchemes : {}).some(
    (scheme) =>
      isJsonObject(scheme) &&
      scheme.type === 'apiKey' &&
      scheme.in === place &&
      String(scheme.name).toLowerCase() === name.toLowerCase(),
  );
}

function descriptionOf(text: Json | undefined): JsonObject {
  return typeof text === 'string' ? { description: words(text, '') } : {};
}

function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** How deep references are expanded. Beyond that a schema allows any value. */
const DEPTH = 8;
/** Most characters that the schemas of a document may have with their references expanded. */
const CHARACTERS = 8 * 1024 * 1024;

class Schemas {
  private characters = 0;

  constructor(private readonly document: JsonObject) {}

  /**
   * Expands the references of a schema, and converts it to our dialect. A schema within itself allows any value.
   * @param outer the schemas that it is within
   * @throws DraftError
   */
  inline(schema: Json | undefined, outer: JsonObject[] = []): JsonObject {
    if (outer.length > DEPTH) return {};
    const at = dereference(this.document, schema);
    if (outer.includes(at)) return {};
    this.characters += JSON.stringify(at).length;
    if (this.characters > CHARACTERS)
      throw new DraftError(`The schemas unfold into more than ${CHARACTERS} characters: split the document.`);
    // mapSchema works innermost first, so a reference is expanded before the schema that contains it.
    return mapSchema(at, (each) =>
      typeof each.$ref === 'string' ? this.inline(each, [...outer, at]) : dialect(each),
    ) as JsonObject;
  }
}

/** In our dialect `nullable` is a type, and an exclusive bound a number. */
function dialect(schema: JsonObject): JsonObject {
  const out = Object.fromEntries(Object.entries(schema).filter(([key]) => SCHEMA_KEYWORDS.has(key) && !ODD.has(key)));
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof out[flag] !== 'boolean') continue;
    if (out[flag] === true && out[bound] !== undefined) {
      out[flag] = out[bound];
      delete out[bound];
    } else delete out[flag];
  }
  if (typeof out.description === 'string') out.description = words(out.description, '');
  if (schema.nullable === true && typeof out.type === 'string') out.type = [out.type, 'null'];
  if (isJsonObject(out.properties) && out.type === undefined) out.type = 'object';
  return out;
}

/** Keywords to leave out: formats that only OpenAPI knows, `default`, and definitions, which are inlined. */
const ODD = new Set(['$defs', 'definitions', '$schema', 'format', 'default']);

function head(document: JsonObject): string[] {
  const [server] = asList(document.servers);
  const url =
    isJsonObject(server) && typeof server.url === 'string' && /^https?:\/\/[^{}]+$/.test(server.url)
      ? server.url
      : 'https://api.example.com';
  return [
    '// decide: the address of the API.',
    `const BASE_URL = ${literal(url.replace(/\/+$/, ''))};`,
    '/** Characters of an answer that are read. */',
    'const LONGEST = 1_000_000;',
    '',
    '// decide: how it signs in. Read a token from the environment; never take one from the input.',
    'function signIn(): Record<string, string> {',
    '  return {};',
    '}',
    '',
    CALL_API,
  ];
}

const CALL_API = `interface Operation {
  method: string;
  path: string;
  query: string[];
  header: string[];
}

async function callApi(operation: Operation, input: Record<string, any>, ctx: ToolContext) {
  const path = operation.path.replace(/\\{([^{}]+)\\}/g, (_all, name: string) => segment(name, input[name]));
  const url = new URL(BASE_URL + path);
  if (url.origin !== new URL(BASE_URL).origin) {
    throw new ToolError('INVALID_PARAMS', 'other_host', \`\${path.slice(0, 200)} leads to another host than the API's.\`);
  }
  for (const name of operation.query) {
    for (const value of [input[name] ?? []].flat()) url.searchParams.append(name, String(value));
  }
  const headers: Record<string, string> = {};
  for (const name of operation.header) if (input[name] !== undefined) headers[name.toLowerCase()] = String(input[name]);
  // Ours come last and in lower case: fetch would join two spellings of one name.
  const ours = { accept: 'application/json', 'idempotency-key': ctx.idempotencyKey, ...signIn() };
  for (const [name, value] of Object.entries(ours)) headers[name.toLowerCase()] = value;
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  if (body !== undefined) headers['content-type'] = 'application/json';
  const { status, retryAfter, text } = await ctx.network(async () => {
    const init = { method: operation.method, headers, body, signal: ctx.signal, redirect: 'error' as const };
    const response = await fetch(url, init);
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await textOf(response) };
  });
  if (status >= 400) throw failure(status, retryAfter, text);
  return { status, body: readable(text) };
}

/** Reads until the text is long enough, and leaves the rest of the answer with the API. */
async function textOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (reader && text.length < LONGEST) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  await reader?.cancel();
  return text.slice(0, LONGEST);
}

function segment(name: string, value: unknown): string {
  const text = String(value);
  if (text === '' || text === '.' || text === '..') {
    throw new ToolError('INVALID_PARAMS', 'bad_path_segment', \`\${name} is \${JSON.stringify(text)}, which would change the path.\`);
  }
  return encodeURIComponent(text);
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function failure(status: number, retryAfter: string | null, text: string): ToolError {
  const message = \`The API answered \${status}: \${text.slice(0, 500)}\`;
  if (status === 401) return new ToolError('UNAUTHORIZED', 'not_signed_in', message);
  if (status === 403) return new ToolError('PERMISSION_DENIED', 'not_allowed', message);
  if (status === 404) return new ToolError('RESOURCE_NOT_FOUND', 'not_found', message);
  if (status === 429) return new ToolError('RATE_LIMITED', 'rate_limited', message, { retryAfterMs: (Number(retryAfter) || 1) * 1000 });
  if (status >= 500) return new ToolError('NETWORK_ERROR', 'api_unavailable', message);
  // The API may have acted before it gave one of these answers: then a destructive call is in doubt.
  const nothingHappened = [408, 409, 425, 499].includes(status) ? false : undefined;
  return new ToolError('INVALID_PARAMS', 'refused_by_api', message, { nothingHappened });
}`;
