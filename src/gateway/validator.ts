/** Checks requests against the schemas of their routes. Bodies are taken as they are; what comes in an address is text, and read. */
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';

const OPTIONS = { allErrors: false, strict: false, useDefaults: true, validateFormats: true };
const bodies = new Ajv(OPTIONS);
const addresses = new Ajv({ ...OPTIONS, coerceTypes: true });
for (const ajv of [bodies, addresses]) addFormats.default(ajv);

export const validatorOf: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodies : addresses).compile(schema);
