/**
 * Schemas that the routes share, and their form in the OpenAPI document. Answers are described, not checked: fields may be added.
 */
import { z } from 'zod';
import { callError } from '../../shapes/envelope';

/** The envelope of tool results, for an error of the gateway or of a tool. */
export const refusal = z.object({
  success: z.literal(false),
  status: z.literal('error'),
  error: callError,
  metadata: z.object({
    timestamp: z.string().meta({ format: 'date-time' }),
    request_id: z.string().optional().describe('As the header `x-request-id` has it.'),
  }),
});

/** @param example of the body */
export function answer(description: string, shape: z.ZodType, example?: object): object {
  return { ...jsonSchema(shape), description, ...(example === undefined ? {} : { examples: [example] }) };
}

const acceptance = z.object({ accepted: z.literal(true) });
export type Acceptance = z.infer<typeof acceptance>;

/** For a request whose answer says only that it was accepted. */
export function acceptedAnswer(description: string): object {
  return answer(description, acceptance, { accepted: true });
}

/** An error with the route's own description. */
export function errorAnswer(description: string): object {
  return answer(description, refusal);
}

/** An answer that is not JSON. */
export function textAnswer(description: string, type: string, example: string, schema: object = {}): object {
  return { description, content: { [type]: { schema: { type: 'string', ...schema }, example } } };
}

const WHAT: Record<number, string> = {
  400: 'The request is not right; `error.details` says where.',
  401: 'No token, or a token that the gateway does not know.',
  403: 'Not with these roles.',
  404: 'It does not exist, or you may not see it.',
  408: 'The request did not come in time.',
  409: 'It conflicts with the present state; `error.message` says why.',
  413: 'The body is too large.',
  414: 'A part of the address is too long.',
  415: 'The body is not application/json.',
  429: 'Too many requests, or workers that cannot keep up with new work: `retry-after` says for how many seconds.',
  431: 'Address and headers are too long together.',
  500: 'A fault of the gateway; its log says which.',
  503: 'Temporal, a worker or the issuer of tokens does not answer; try again.',
};
const ALWAYS = [400, 401, 403, 408, 413, 414, 415, 429, 431, 500, 503];

/** The answers of a route: its own, and the errors that it shares with others, in the envelope. */
export function answers(own: Record<number, object>, ...errors: number[]): Record<number, object> {
  const wrong = [...new Set([...ALWAYS, ...errors])].map((status) => [status, errorAnswer(WHAT[status] ?? 'An error.')]);
  return { ...(Object.fromEntries(wrong) as Record<number, object>), ...own };
}

// Parameters, headers and body fields that several routes share.

export const turnParams = jsonSchema(
  z.object({
    id: z.string().max(300).describe('The id of a turn; of a direct call `call/…`, its slash as `%2F`.'),
  }),
);
export const sessionParams = jsonSchema(z.object({ id: z.string().max(200).describe('The id of a session.') }));
export const toolParams = jsonSchema(z.object({ toolName: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }));

/** For every POST. */
export const postHeaders = jsonSchema(
  z.object({
    'idempotency-key': z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/)
      .optional()
      .describe('1 to 255 visible ASCII characters: the same key, the same operation.'),
  }),
);

export const lastEventIdHeader = jsonSchema(
  z.object({
    'last-event-id': z
      .string()
      .optional()
      .describe('Id of the last event that the reader has; an EventSource sends it by itself.'),
  }),
);

export const agentName = z.string().min(1).max(64);
export const servedAgent = agentName.describe('One that the workers serve.');

/** At most this many characters, and not only white space. */
export const textOf = (most: number) => z.string().min(1).max(most).regex(/\S/);

export const callbackUrl = z
  .string()
  .max(2000)
  .optional()
  .describe('Told of each question of its turn and of the end, signed. Its host must be one of HOLDFAST_CALLBACK_HOSTS.');

/** A body, with an example of it. */
export function body(shape: z.ZodType, example: object): object {
  return { ...jsonSchema(shape), examples: [example] };
}

// Converts a shape to the JSON Schema that checks requests and appears in the OpenAPI document.

/** As clients write and read it: a field with a default may be left out, and an answer may have further fields. */
export function jsonSchema(shape: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', override: ({ jsonSchema: part }) => plain(part) });
  return schema;
}

/**
 * Removes what zod adds and JSON Schema says shorter. Validation reports the first broken rule: for an enum that must not be its
 * type.
 */
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
