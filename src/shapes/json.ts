/** JSON whose shape is somebody else's: a tool's input, its result. */
import { z } from 'zod';
import type { Json, JsonObject } from '../shared/json/json';

export const json = z.unknown() as z.ZodType<Json>;
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>;
