/** The text of a request's body: JSON is UTF-8. In another encoding the same bytes are other letters, and nobody would be told which were read. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import addFormats from 'ajv-formats';
import { Ajv } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { Refusal } from './errors';

/** @throws Refusal 415 for another encoding that the headers name; 400 for bytes that are no UTF-8 */
export function bodyText(headers: IncomingHttpHeaders, body: Buffer): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw unread(`The charset of the body is ${named(charset)}`, 415);
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unread(`The body has the encoding ${named(coding)}`, 415);
  if (!isUtf8(body)) throw unread('The body has bytes that are no UTF-8', 400);
  return body.toString('utf8');
}

function named(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function unread(what: string, status: number): Refusal {
  const hint = 'Send it as JSON in UTF-8, as it is: Content-Type: application/json.';
  return new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_encoding', message: `${what}; only UTF-8 is read.`, hint, status });
}

// Checks requests against the schemas of their routes. Bodies are taken as they are; what comes in an address is text, and read.

const OPTIONS = { allErrors: false, strict: false, useDefaults: true, validateFormats: true };
const bodies = new Ajv(OPTIONS);
const addresses = new Ajv({ ...OPTIONS, coerceTypes: true });
for (const ajv of [bodies, addresses]) addFormats.default(ajv);

export const validatorOf: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodies : addresses).compile(schema);
