/** The tool `get_weather`: the current weather of a place. */
import { z } from 'zod';
import { defineTool } from 'holdfast/tools';
import { condition } from '../weather/conditions';
import type { WeatherProvider } from '../weather/provider';

const TEN_MINUTES = 600_000;

const output = z.object({
  location: z.string().describe('The place that was found: name, state, country'),
  latitude: z.number(),
  longitude: z.number(),
  observed_at: z.string().describe('Local time of the place, ISO 8601'),
  timezone: z.string(),
  condition: z.string(),
  temperature: z.number().describe('Degrees of the unit'),
  feels_like: z.number().describe('Degrees of the unit'),
  unit: z.enum(['celsius', 'fahrenheit']),
  humidity_percent: z.number(),
  precipitation_mm: z.number().describe('Of the hour before'),
  wind_kmh: z.number(),
  is_day: z.boolean(),
  source: z.string(),
});

/** `{location, unit}` → current weather of one place. */
export function getWeather(weather: WeatherProvider) {
  return defineTool({
    name: 'get_weather',
    version: '1.0.0',
    class: 'read',
    group: 'reference',
    cacheTtlMs: TEN_MINUTES,
    cacheKeyParams: ['location', 'unit'],
    description: {
      does: 'Tells the current weather at one town or city: temperature, condition, humidity, rain and wind.',
      returns:
        'location that was found, with coordinates; observed_at (local time), condition in words, temperature and feels_like in the unit, humidity, precipitation, wind, source.',
      useWhen: 'Somebody asks how the weather is now at a place that has a name.',
      dontUseFor: 'Forecasts for later days, past weather, or climate: it knows only now.',
      example: '{"location": "San Francisco, CA", "unit": "fahrenheit"}',
      warning: 'Towns share names: compare the location that was found with the one that was meant.',
    },
    input: z.object({
      location: z
        .string()
        .min(2)
        .max(100)
        .regex(/^[\p{L}\p{M}][\p{L}\p{M}\p{N} .,'’()-]*$/u)
        .describe(
          "Town or city, in English; to tell towns of one name apart add state or country: 'Paris, TX', 'London, Canada'",
        ),
      unit: z.enum(['celsius', 'fahrenheit']).default('celsius').describe('Unit of the temperatures'),
    }),
    output,
    estimatedTokens: { input: 50, output: { min: 80, typical: 100, max: 200 } },
    changelog: { '1.0.0': 'First version.' },
    async run({ location, unit }, ctx) {
      const { place, weather_code, humidity, ...rest } = await ctx.network(() =>
        weather.current({ location, unit, signal: ctx.signal }),
      );
      return {
        location: [place.name, place.admin1, place.country].filter((part) => part !== '').join(', '),
        latitude: place.latitude,
        longitude: place.longitude,
        timezone: place.timezone,
        condition: condition(weather_code),
        humidity_percent: humidity,
        ...rest,
      };
    },
  });
}
