/** The JSON Schema of a shape: what requests are checked against, and what the OpenAPI document says. */
import { z } from 'zod';

/** As a client writes it, or reads it: a field with a default may be left out, and an answer may have fields besides. */
export function jsonSchema(shape: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', override: ({ jsonSchema: part }) => plain(part) });
  return schema;
}

/** Without what zod adds and JSON Schema says shorter. Checks name the first rule that is broken: of an enum no type is one. */
function plain(part: z.core.JSONSchema.BaseSchema): void {
  if (part.enum || part.const !== undefined) delete part.type;
  if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
  delete part.propertyNames;
  if (part.pattern) part.pattern = part.pattern.replaceAll('\\/', '/');
  const [some, none] = part.anyOf ?? [];
  if (part.anyOf?.length !== 2 || none?.type !== 'null' || typeof some?.type !== 'string' || some.type === 'object') return;
  delete part.anyOf;
  Object.assign(part, { ...some, ...part, type: [some.type, 'null'] });
}
