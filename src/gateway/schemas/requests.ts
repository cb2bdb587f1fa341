/** What several routes take: in their address, their headers, their body. */
import { z } from 'zod';
import { jsonSchema } from './json-schema';

export const turnParams = jsonSchema(
  z.object({
    id: z.string().max(300).describe('The id of a turn; of a direct call `call/…`, its slash as `%2F`.'),
  }),
);
export const sessionParams = jsonSchema(z.object({ id: z.string().max(200).describe('The id of a session.') }));
export const toolParams = jsonSchema(z.object({ toolName: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }));

/** Of every POST. */
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

/** At most so many characters, and not all of them white space. */
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
