/** The interface of weather providers, and the choice of a place among several of the same name. */
import { ToolError } from 'holdfast/tools';
import { US_STATES } from './us-states';

export type Unit = 'celsius' | 'fahrenheit';

/** One place that a geocoder found, with Open-Meteo's names. */
export interface Place {
  name: string;
  latitude: number;
  longitude: number;
  timezone: string;
  country: string;
  country_code: string;
  /** State, province or the like; empty where there is none. */
  admin1: string;
}

/** Current weather at a place. */
export interface Weather {
  place: Place;
  /** Local time of the place, ISO 8601 without an offset. */
  observed_at: string;
  /** In degrees of the unit in the query. */
  temperature: number;
  feels_like: number;
  unit: Unit;
  /** Per cent. */
  humidity: number;
  /** Of the hour before, mm. */
  precipitation_mm: number;
  wind_kmh: number;
  /** WMO 4677, as Open-Meteo gives it. */
  weather_code: number;
  is_day: boolean;
  source: string;
}

export interface WeatherQuery {
  location: string;
  unit: Unit;
  signal: AbortSignal;
}

export interface WeatherProvider {
  /** @throws ToolError `location_not_found`, or the error for an upstream's failure */
  current(query: WeatherQuery): Promise<Weather>;
}

/** `Paris, TX` → the name, and the qualifiers that the place must fit. */
export function nameAndQualifiers(location: string): { name: string; qualifiers: string[] } {
  const [name = '', ...qualifiers] = location
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return { name, qualifiers };
}

/**
 * The first place (geocoders put the largest first) that fits every qualifier: a country, its code, a state, or a US state's code.
 * @throws ToolError RESOURCE_NOT_FOUND `location_not_found`
 */
export function choosePlace(location: string, places: readonly Place[]): Place {
  const { qualifiers } = nameAndQualifiers(location);
  const fitting = places.find((place) => qualifiers.every((qualifier) => fits(place, qualifier)));
  if (fitting) return fitting;
  throw noSuchPlace(location, places);
}

/** @param places places that the hint names */
export function noSuchPlace(location: string, places: readonly Place[]): ToolError {
  const names = places.slice(0, 15).map(({ name, admin1, country }) => [name, admin1, country].filter(Boolean).join(', '));
  return new ToolError('RESOURCE_NOT_FOUND', 'location_not_found', `No place is known as ${JSON.stringify(location)}.`, {
    hint: names.length > 0 ? `Known: ${names.join('; ')}.` : 'Give a town, in English, with its country after a comma.',
  });
}

function fits(place: Place, qualifier: string): boolean {
  const text = plain(qualifier);
  const state = place.country_code === 'US' ? US_STATES[qualifier.toUpperCase()] : undefined;
  return (
    [place.country_code, place.country, place.admin1].some((name) => plain(name) === text) ||
    (state !== undefined && state === place.admin1)
  );
}

/** In lower case, without accents. */
export function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
