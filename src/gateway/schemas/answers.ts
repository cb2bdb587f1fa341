/** What routes answer, as the OpenAPI document says it. Answers are described, not checked: fields may be added. */
import { z } from 'zod';
import { callError } from '../../shapes/call-error';
import { jsonSchema } from './json-schema';

/** The envelope of tool results, for what went wrong at the gateway or in a tool. */
const refusal = z.object({
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

const accepted = z.object({ accepted: z.literal(true) });
export type Accepted = z.infer<typeof accepted>;

/** Where there is nothing to say but that it is done. */
export function acceptedAnswer(description: string): object {
  return answer(description, accepted, { accepted: true });
}

/** An error that a route explains itself. */
export function errorAnswer(description: string): object {
  return answer(description, refusal);
}

/** An answer that is no JSON. */
export function textAnswer(description: string, type: string, example: string, schema: object = {}): object {
  return { description, content: { [type]: { schema: { type: 'string', ...schema }, example } } };
}

const WHAT: Record<number, string> = {
  400: 'The request is not right; `error.details` says where.',
  401: 'No token, or nobody’s.',
  403: 'Not with these roles.',
  404: 'It is not there, or not yours to see.',
  408: 'The request did not come in time.',
  409: 'It cannot be done as things stand; `error.message` says why.',
  413: 'The body is too large.',
  414: 'A part of the address is too long.',
  415: 'The body is not application/json.',
  429: 'Too many requests: `retry-after` says for how many seconds.',
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
