import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getWeather } from '../../../../packs/reference/src/tools/get-weather';
import { openMeteo } from '../../../../packs/reference/src/weather/open-meteo';
import { sampleWeather } from '../../../../packs/reference/src/weather/sample';
import { isZod } from '../../../../src/tools/schema/schema';
import { call, failure } from '../../../support/packs/reference/support';

/** Shapes of Open-Meteo's answers, with made-up figures. */
const PLACES = {
  results: [
    {
      id: 1,
      name: 'Paris',
      latitude: 48.85,
      longitude: 2.35,
      elevation: 42,
      feature_code: 'PPLC',
      country_code: 'FR',
      timezone: 'Europe/Paris',
      population: 1,
      country: 'France',
      admin1: 'Île-de-France',
    },
    {
      id: 2,
      name: 'Paris',
      latitude: 33.66,
      longitude: -95.56,
      country_code: 'US',
      timezone: 'America/Chicago',
      country: 'United States',
      admin1: 'Texas',
    },
  ],
  generationtime_ms: 0.5,
};
const FORECAST = {
  latitude: 48.86,
  longitude: 2.36,
  generationtime_ms: 0.1,
  utc_offset_seconds: 3600,
  timezone: 'Europe/Paris',
  current_units: { time: 'iso8601', temperature_2m: '°C' },
  current: {
    time: '2026-01-15T07:00',
    interval: 900,
    temperature_2m: 4.1,
    apparent_temperature: 1.3,
    relative_humidity_2m: 90,
    precipitation: 0,
    weather_code: 45,
    wind_speed_10m: 7.9,
    is_day: 0,
  },
};

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

describe('get_weather, live', () => {
  let server: Server;
  let base: string;
  let asked: URL[];
  let handle: Handler;
  const json =
    (body: unknown, status = 200, headers = {}): Handler =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    };
  const usual: Handler = (request, response, url) =>
    json(url.pathname.endsWith('/search') ? PLACES : FORECAST)(request, response, url);

  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = new URL(request.url!, 'http://x');
      asked.push(url);
      handle(request, response, url);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`;
  });
  afterAll(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));
  beforeEach(() => {
    asked = [];
    handle = usual;
  });
  const tool = (timeoutMs = 5000) => getWeather(openMeteo({ url: base, timeoutMs }));

  it('asks the geocoder, then for the current values of that place', async () => {
    let network = 0;
    const data = await call(tool(), { location: 'Paris' }, { network: (work) => (network++, work()) });
    expect(data).toEqual({
      location: 'Paris, Île-de-France, France',
      latitude: 48.85,
      longitude: 2.35,
      observed_at: '2026-01-15T07:00',
      timezone: 'Europe/Paris',
      condition: 'fog',
      temperature: 4.1,
      feels_like: 1.3,
      unit: 'celsius',
      humidity_percent: 90,
      precipitation_mm: 0,
      wind_kmh: 7.9,
      is_day: false,
      source: 'Open-Meteo.com (CC BY 4.0)',
    });
    expect(asked.map((url) => url.pathname)).toEqual(['/mirror/v1/search', '/mirror/v1/forecast']);
    expect(Object.fromEntries(asked[0]!.searchParams)).toMatchObject({ name: 'Paris', format: 'json' });
    expect(Object.fromEntries(asked[1]!.searchParams)).toMatchObject({ latitude: '48.85', temperature_unit: 'celsius' });
    expect(asked[1]!.searchParams.get('current')).toContain('temperature_2m,');
    expect(network).toBe(1);
    const { output } = tool();
    expect(isZod(output) && output.safeParse(data).success).toBe(true);
  });

  it.each([
    ['Paris, TX', '33.66'],
    ['Paris, texas', '33.66'],
    ['Paris, US', '33.66'],
    ['Paris, France', '48.85'],
    ['Paris, Ile-de-France', '48.85'],
  ])('distinguishes towns of one name: %s', async (location, latitude) => {
    await call(tool(), { location, unit: 'fahrenheit' });
    expect(asked[1]!.searchParams.get('latitude')).toBe(latitude);
    expect(asked[1]!.searchParams.get('temperature_unit')).toBe('fahrenheit');
  });

  it('names the known places if no place fits', async () => {
    expect(await failure(call(tool(), { location: 'Paris, Peru' }))).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      reason: 'location_not_found',
      hint: expect.stringContaining('Paris, Texas, United States'),
    });
    handle = json({ generationtime_ms: 0.4 });
    expect(await failure(call(tool(), { location: 'Nowhere' }))).toMatchObject({ reason: 'location_not_found' });
  });

  it.each([
    [429, { 'retry-after': '7' }, { code: 'RATE_LIMITED', retry_after_ms: 7000 }],
    [429, {}, { code: 'RATE_LIMITED', retry_after_ms: 60_000 }],
    [429, { 'retry-after': '999999999' }, { code: 'RATE_LIMITED', retry_after_ms: 3_600_000 }],
    [500, {}, { code: 'NETWORK_ERROR', retryable: true }],
    [503, { 'retry-after': '2' }, { code: 'NETWORK_ERROR', retry_after_ms: 2000 }],
    [400, {}, { code: 'EXECUTION_ERROR', retryable: false }],
    [401, {}, { code: 'UNAUTHORIZED' }],
    [403, {}, { code: 'PERMISSION_DENIED' }],
    [408, {}, { code: 'TIMEOUT' }],
  ])('classifies status %i with %j', async (status, headers, expected) => {
    handle = json({ error: true, reason: 'no' }, status, headers);
    expect(await failure(call(tool(), { location: 'Paris' }))).toMatchObject(expected);
  });

  it.each<[string, Handler, RegExp]>([
    ['no JSON', (_q, r) => void r.end('<html>'), /not JSON/],
    ['another shape', json({ results: [{ name: 7 }] }), /results\.0\.name/],
    ['a number beyond the globe', json({ results: [{ ...PLACES.results[0], latitude: 95 }] }), /latitude/],
    ['more than 256 KB', (_q, r) => void r.end(`{"x":"${'y'.repeat(300_000)}"}`), /larger than 256 KB/],
  ])('refuses an answer that is %s', async (_what, answer, message) => {
    handle = answer;
    const error = await failure(call(tool(), { location: 'Paris' }));
    expect(error).toMatchObject({ code: 'EXECUTION_ERROR', reason: 'bad_upstream_answer' });
    expect(error.message).toMatch(message);
  });

  it('follows no redirect', async () => {
    handle = (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    expect(await failure(call(tool(), { location: 'Paris' }))).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(asked).toHaveLength(1);
  });

  it('ends a request that takes too long, and one that is cancelled', async () => {
    handle = () => undefined;
    expect(await failure(call(tool(50), { location: 'Paris' }))).toMatchObject({ code: 'TIMEOUT' });
    const reason = new Error('cancelled by a person');
    const cancelled = AbortSignal.abort(reason);
    expect(await failure(call(tool(), { location: 'Paris' }, { signal: cancelled }))).toBe(reason);
  });

  it('says that the service does not answer', async () => {
    const gone = getWeather(openMeteo({ url: 'http://127.0.0.1:1' }));
    expect(await failure(call(gone, { location: 'Paris' }))).toMatchObject({
      code: 'NETWORK_ERROR',
      reason: 'weather_unreachable',
    });
  });
});

describe('get_weather, embedded sample', () => {
  const tool = getWeather(sampleWeather());

  it('needs no network, and says that its figures are made up', async () => {
    expect(await call(tool, { location: 'beijing' })).toMatchObject({
      location: 'Beijing, Beijing, China',
      temperature: 2.4,
      unit: 'celsius',
      condition: 'clear sky',
      source: expect.stringMatching(/sample, made up, as of 2026-01-15/),
    });
    expect(await call(tool, { location: 'San Francisco, CA', unit: 'fahrenheit' })).toMatchObject({ temperature: 52.3 });
    expect(await call(tool, { location: 'Sao Paulo' })).toMatchObject({ location: 'São Paulo, São Paulo, Brazil' });
    expect(await call(tool, { location: 'London, Canada' })).toMatchObject({ location: 'London, Ontario, Canada' });
  });

  it('lists its places if it lacks the requested one', async () => {
    expect(await failure(call(tool, { location: 'Lima' }))).toMatchObject({
      hint: expect.stringContaining('Tokyo, Tokyo, Japan'),
    });
  });

  it.each(['', 'x', 'a'.repeat(101), '<script>', 'Paris\nIgnore', '  ', '123', 'x"; DROP'])(
    'refuses the location %j by its schema',
    async (location) => {
      await expect(call(tool, { location })).rejects.toThrow(/location/);
    },
  );

  it('refuses an unknown unit, and unknown fields', async () => {
    await expect(call(tool, { location: 'Paris', unit: 'kelvin' })).rejects.toThrow(/celsius/);
    await expect(call(tool, { location: 'Paris', days: 3 })).rejects.toThrow(/additional/);
  });

  it('is cached for ten minutes by location and unit', () => {
    expect(tool).toMatchObject({
      name: 'get_weather',
      version: '1.0.0',
      cacheTtlMs: 600_000,
      cacheKeyParams: ['location', 'unit'],
    });
  });
});
