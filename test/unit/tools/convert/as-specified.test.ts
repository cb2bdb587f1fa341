/** Definitions in the forms of the tool specification load as written there: their fields and shapes, with our own texts. */
import { fromAnthropic, fromOpenAi, toolDefinition, toolFromDefinition } from '../../../../src/tools/convert';
import type { JsonObject } from '../../../../src/shared/json/json';

const object = (properties: JsonObject, required: string[], more: JsonObject = { additionalProperties: false }): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const text = (description: string, more: JsonObject = {}) => ({ type: 'string', description, ...more });
const place = object({ location: text('A city.'), unit: text('Unit.', { enum: ['celsius', 'fahrenheit'] }) }, ['location']);
const base = { name: 'get_weather', description: 'Weather of a city.', parameters: place, strict: true, version: '1.0.0' };
const load = (json: object) => toolDefinition(toolFromDefinition(json, () => null));

describe('a definition as the specification writes it', () => {
  it('without a class is destructive, and not cached', () => {
    expect(load({ ...base, cacheable: true, cache_ttl: 600, cache_key_params: ['location'] })).toMatchObject({
      class: 'destructive',
      cacheable: false,
    });
  });

  it('with one number of tokens: it counts for the result', () => {
    expect(load({ ...base, class: 'read', cacheable: true, estimated_tokens: 200 })).toMatchObject({
      estimated_tokens: { input: expect.any(Number), output: { min: 200, typical: 200, max: 200 } },
      cacheable: true,
      cache_ttl: 600,
    });
  });

  it('with tokens of the result without a minimum', () => {
    const estimated_tokens = { input: 50, output: { typical: 100, max: 200 } };
    expect(load({ ...base, cacheable: true, cache_ttl: 600, estimated_tokens })).toMatchObject({
      estimated_tokens: { input: 50, output: { min: 0, typical: 100, max: 200 } },
    });
  });

  it.each<[string, JsonObject]>([
    ['pages', { name: 'search_documents', version: '2.1.0', parameters: object({ query: text('Words.'), limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 }, cursor: text('Where to go on.') }, ['query']), estimated_tokens: { input: 100, output: { min: 200, max: 5000, typical: 1000 } } }],
    ['a stream', { name: 'generate_report', version: '1.2.0', streaming: true, parameters: object({ title: text('Title.'), content: text('Markdown.'), format: text('Format.', { enum: ['pdf', 'docx', 'html'], default: 'pdf' }) }, ['title', 'content']) }],
    ['a history', { version: '2.1.0', changelog: { '2.1.0': 'Air.', '2.0.0': 'Renamed.', '1.0.0': 'First.' } }],
    ['an end', { name: 'get_weather_v1', deprecated: true, sunset_date: '2026-12-31', replacement: 'get_weather', migration_guide: 'https://example.com/v2' }],
    ['all fields, with an end that has not begun', { cacheable: true, cache_ttl: 600, cache_key_params: ['location'], streaming: false, deprecated: false, sunset_date: '2026-12-31', replacement: 'new_tool' }],
  ])('with %s', (_what, more) => {
    expect(load({ ...base, ...more })).toMatchObject({ name: more.name ?? base.name, version: more.version ?? '1.0.0' });
  }); // oxfmt-ignore

  it.each<[string, JsonObject]>([
    ['bash', object({ command: { type: 'string' } }, ['command'], {})],
    ['read_file', object({ path: { type: 'string' }, limit: { type: 'integer' } }, ['path'], {})],
    ['edit_file', object({ path: { type: 'string' }, old_text: { type: 'string' }, new_text: { type: 'string' } }, ['path', 'old_text', 'new_text'], {})],
    ['search_filings', object({ ticker: { type: 'string', pattern: '^[A-Z]{1,5}$' }, form: { type: 'string', enum: ['10-K', '10-Q', '8-K', 'S-1'] } }, ['ticker', 'form'], {})],
    ['get_section', object({ date: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } }, ['date'], {})],
    ['stats_summary', object({ values: { type: 'array', items: { type: 'number' } } }, ['values'], {})],
    ['search_news', object({ query: { type: 'string', minLength: 2, maxLength: 200 }, days: { type: 'integer', minimum: 1, maximum: 90, default: 7 } }, ['query'], {})],
    ['simulate_swap', object({ from_token: { type: 'string', pattern: '^0x[a-fA-F0-9]{40}$' }, amount_in: { type: 'string', pattern: '^[0-9]+$' }, max_slippage_bps: { type: 'integer', minimum: 1, maximum: 500 } }, ['from_token'], {})],
  ])("in Anthropic's and OpenAI's form: %s", (name, schema) => {
    const anthropic = fromAnthropic({ name, description: 'Does it.', input_schema: schema });
    const openai = fromOpenAi({ type: 'function', function: { name, description: 'Does it.', parameters: { ...schema, additionalProperties: false }, strict: true } });
    for (const { value } of [anthropic, openai]) expect(load(value)).toMatchObject({ name, class: 'destructive' });
  }); // oxfmt-ignore

  it('but not with a field by which a model would approve its own call', () => {
    const confirmed = object({ recipient: { type: 'string', format: 'email' }, confirmed: { type: 'boolean' } }, ['recipient']);
    expect(() => load({ ...base, parameters: confirmed })).toThrow("an approval is a person's decision");
  });
});
