/**
 * Live weather from Open-Meteo: a geocoder finds the place, then the forecast gives its current values. One attempt each; the
 * engine retries.
 */
import type { z } from 'zod';
import { retryAfterMs, ToolError } from 'holdfast/tools';
import { CURRENT_FIELDS, currentAnswer, placesAnswer } from './answers';
import { choosePlace, nameAndQualifiers, type WeatherProvider } from './provider';

const GEOCODER = 'https://geocoding-api.open-meteo.com';
const FORECAST = 'https://api.open-meteo.com';
const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 10_000;
/** The pause for "too many requests" without an end time: the free limit is counted by the minute. */
const DEFAULT_PAUSE_MS = 60_000;
/** A wrong date must not delay a call for a year. */
const LONGEST_PAUSE_MS = 3_600_000;

export interface OpenMeteoSettings {
  /** Replaces both hosts: a proxy, or an own instance. */
  url?: string;
  /** Time limit of one request, ms. Default 10,000. */
  timeoutMs?: number;
}

export function openMeteo({ url, timeoutMs = TIMEOUT_MS }: OpenMeteoSettings = {}): WeatherProvider {
  const get = <S extends z.ZodType>(address: URL, shape: S, signal: AbortSignal) =>
    getJson(address, shape, { signal, timeoutMs });
  return {
    async current({ location, unit, signal }) {
      const search = addressOf(url ?? GEOCODER, '/v1/search', {
        name: nameAndQualifiers(location).name,
        count: '20',
        language: 'en',
        format: 'json',
      });
      const place = choosePlace(location, (await get(search, placesAnswer, signal)).results);
      const forecast = addressOf(url ?? FORECAST, '/v1/forecast', {
        latitude: String(place.latitude),
        longitude: String(place.longitude),
        current: CURRENT_FIELDS.join(','),
        temperature_unit: unit,
        wind_speed_unit: 'kmh',
        precipitation_unit: 'mm',
        timezone: 'auto',
      });
      const { current } = await get(forecast, currentAnswer, signal);
      return {
        place,
        observed_at: current.time,
        temperature: current.temperature_2m,
        feels_like: current.apparent_temperature,
        unit,
        humidity: current.relative_humidity_2m,
        precipitation_mm: current.precipitation,
        wind_kmh: current.wind_speed_10m,
        weather_code: current.weather_code,
        is_day: current.is_day === 1,
        source: 'Open-Meteo.com (CC BY 4.0)',
      };
    },
  };
}

function addressOf(base: string, path: string, query: Record<string, string>): URL {
  const address = new URL(base);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}${path}`;
  address.search = new URLSearchParams(query).toString();
  return address;
}

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

async function getJson<S extends z.ZodType>(address: URL, shape: S, limits: Limits): Promise<z.output<S>> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  try {
    const signal = AbortSignal.any([timeout, limits.signal]);
    const response = await fetch(address, { signal, redirect: 'error', headers: { accept: 'application/json' } });
    if (!response.ok) {
      await response.body?.cancel();
      throw statusFailure(response.status, address, response.headers.get('retry-after'));
    }
    return parseAnswer(await bodyOf(response, address), shape, address);
  } catch (error) {
    limits.signal.throwIfAborted();
    if (timeout.aborted)
      throw new ToolError('TIMEOUT', 'weather_timeout', `${address.host} took longer than ${limits.timeoutMs} ms.`);
    if (error instanceof ToolError) throw error;
    const why = error instanceof Error ? String((error.cause as Error | undefined)?.message ?? error.message) : String(error);
    throw new ToolError('NETWORK_ERROR', 'weather_unreachable', `${address.host} could not be reached: ${why.slice(0, 300)}`);
  }
}

function statusFailure(status: number, { host }: URL, retryAfter: string | null): ToolError {
  const message = `${host} answered ${status}.`;
  const requestedMs = retryAfterMs(retryAfter);
  const wait = requestedMs === undefined ? undefined : Math.min(requestedMs, LONGEST_PAUSE_MS);
  if (status === 429) {
    return new ToolError('RATE_LIMITED', 'weather_rate_limited', message, { retryAfterMs: wait ?? DEFAULT_PAUSE_MS });
  }
  if (status === 408) return new ToolError('TIMEOUT', 'weather_timeout', message);
  if (status >= 500) {
    return new ToolError('NETWORK_ERROR', 'weather_unavailable', message, wait === undefined ? {} : { retryAfterMs: wait });
  }
  if (status === 401) return new ToolError('UNAUTHORIZED', 'weather_refused', message);
  if (status === 403) return new ToolError('PERMISSION_DENIED', 'weather_refused', message);
  return new ToolError('EXECUTION_ERROR', 'weather_refused_request', message);
}

async function bodyOf(response: Response, { host }: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_BYTES) throw badAnswer(host, `it is larger than ${MAX_BYTES / 1024} KB`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseAnswer<S extends z.ZodType>(body: string, shape: S, { host }: URL): z.output<S> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw badAnswer(host, 'it is not JSON');
  }
  const result = shape.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw badAnswer(host, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as expected'}`.slice(0, 300));
}

/** The server answers, but the answer cannot be used. The same request again would not help. */
function badAnswer(host: string, what: string): ToolError {
  return new ToolError('EXECUTION_ERROR', 'bad_upstream_answer', `The answer of ${host} cannot be used: ${what}.`);
}
