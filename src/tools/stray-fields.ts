/** Fields that a part of a definition does not have, found by the zod schema that the part is checked with. */
import { z } from 'zod';
import { unknownFields } from '../shared/unknown-fields';

/** One fault for each, at any depth. Getters that throw find nothing: the schema finds them. */
export function strayFields(schema: unknown, value: unknown, at: string): string[] {
  try {
    return look(schema, value, at);
  } catch {
    return [];
  }
}

function look(schema: unknown, value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return look(schema.unwrap(), value, at);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => look(option, value, at));
  if (schema instanceof z.ZodArray)
    return Array.isArray(value) ? value.flatMap((one, index) => look(schema.element, one, `${at}[${index}]`)) : [];
  const below = (name: string) => (at === '' ? name : `${at}.${name.slice(0, 100)}`);
  if (schema instanceof z.ZodRecord)
    return Object.entries(value).flatMap(([name, one]) => look(schema.valueType, one, below(name)));
  if (!(schema instanceof z.ZodObject)) return [];
  const parts = Object.entries(schema.shape).flatMap(([name, part]) =>
    look(part, (value as Record<string, unknown>)[name], below(name)),
  );
  return [...unknownFields(value, Object.keys(schema.shape), at), ...parts];
}
