/** The reference pack: small tools for weather, documents and reports that show what a tool can do (docs/reference-pack.md). */
import { join } from 'node:path';
import { documentsIn } from './documents/search-job';
import { generateReport } from './tools/generate-report';
import { getWeather } from './tools/get-weather';
import { searchDocuments } from './tools/search-documents';
import { openMeteo, type OpenMeteoSettings } from './weather/open-meteo';
import type { WeatherProvider } from './weather/provider';
import { sampleWeather } from './weather/sample';
import type { Tool } from 'holdfast/tools';

export { openMeteo, sampleWeather, type OpenMeteoSettings };
export type { Place, Weather, WeatherProvider, WeatherQuery } from './weather/provider';

export interface ReferenceSettings {
  /** Default: the embedded sample. */
  weather?: 'sample' | 'open-meteo' | WeatherProvider;
  /** Replaces Open-Meteo's hosts. */
  weatherUrl?: string;
  /** Folder that `search_documents` searches. Default: the embedded sample. */
  documents?: string;
}

/** The package's own sample documents. */
export const SAMPLE_DOCUMENTS = join(__dirname, '../data/documents');

export function referenceTools({ weather = 'sample', weatherUrl, documents = SAMPLE_DOCUMENTS }: ReferenceSettings = {}): Tool[] {
  return [getWeather(providerOf(weather, weatherUrl)), searchDocuments(documentsIn(documents)), generateReport()];
}

function providerOf(weather: NonNullable<ReferenceSettings['weather']>, url: string | undefined): WeatherProvider {
  if (typeof weather === 'object') return weather;
  return weather === 'sample' ? sampleWeather() : openMeteo(url === undefined ? {} : { url });
}
