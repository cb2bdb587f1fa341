/** Schemas of Open-Meteo's answers, for the fields that are used; other fields are ignored. */
import { z } from 'zod';

const name = z.string().max(200);

export const placesAnswer = z.object({
  // Absent when nothing was found.
  results: z
    .array(
      z.object({
        name,
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
        timezone: name.default('GMT'),
        country: name.default(''),
        country_code: name.default(''),
        admin1: name.default(''),
      }),
    )
    .max(100)
    .default([]),
});

export const currentAnswer = z.object({
  current: z.object({
    time: z.string().max(40),
    temperature_2m: z.number(),
    apparent_temperature: z.number(),
    relative_humidity_2m: z.number(),
    precipitation: z.number(),
    weather_code: z.number().int(),
    wind_speed_10m: z.number(),
    is_day: z.number(),
  }),
});

export type Current = z.output<typeof currentAnswer>['current'];

/** The fields of `current` that a request asks for. */
export const CURRENT_FIELDS = Object.keys(currentAnswer.shape.current.shape).filter((field) => field !== 'time');
