/** Reads JSON values of unknown type, such as those of a bundle, as the expected type or as an empty value. */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';

type Maybe = Json | undefined;

/** `{}` if the value is no object. */
export function object(value: Maybe): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function objectOrNull(value: Maybe): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

export function list(value: Maybe): Json[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: Maybe): string {
  return typeof value === 'string' ? value : '';
}

export function textOrNull(value: Maybe): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function number(value: Maybe, otherwise = 0): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** A time as ISO 8601 in ms; null: the value is no time. */
export function time(value: Maybe): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
