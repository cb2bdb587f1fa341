/** Weather of a dozen cities from data/weather-sample.json: invented figures for trials, not measurements. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { currentAnswer, placesAnswer } from './answers';
import { choosePlace, nameAndQualifiers, noSuchPlace, plain, type Unit, type WeatherProvider } from './provider';

const sampleFile = z.object({
  as_of: z.string(),
  note: z.string(),
  cities: z.array(z.object({ place: placesAnswer.shape.results.unwrap().element, current: currentAnswer.shape.current })),
});

const PACKAGE_SAMPLE = join(__dirname, '../../data/weather-sample.json');

/** The file has degrees Celsius; one decimal, as Open-Meteo gives it. */
const inUnit = (celsius: number, unit: Unit) => (unit === 'celsius' ? celsius : Math.round((celsius * 1.8 + 32) * 10) / 10);

/** @throws Error when the file is missing or not of its shape */
export function sampleWeather(file = PACKAGE_SAMPLE): WeatherProvider {
  let sample: z.output<typeof sampleFile> | undefined;
  return {
    async current({ location, unit }) {
      const { as_of, cities } = (sample ??= sampleFile.parse(JSON.parse(readFileSync(file, 'utf8'))));
      const matches = cities.filter(({ place }) => plain(place.name) === plain(nameAndQualifiers(location).name));
      if (matches.length === 0)
        throw noSuchPlace(
          location,
          cities.map((city) => city.place),
        );
      const place = choosePlace(
        location,
        matches.map((city) => city.place),
      );
      const { current } = cities.find((city) => city.place === place)!;
      return {
        place,
        observed_at: current.time,
        temperature: inUnit(current.temperature_2m, unit),
        feels_like: inUnit(current.apparent_temperature, unit),
        unit,
        humidity: current.relative_humidity_2m,
        precipitation_mm: current.precipitation,
        wind_kmh: current.wind_speed_10m,
        weather_code: current.weather_code,
        is_day: current.is_day === 1,
        source: `embedded sample, made up, as of ${as_of}; set HOLDFAST_WEATHER=open-meteo for real weather`,
      };
    },
  };
}
