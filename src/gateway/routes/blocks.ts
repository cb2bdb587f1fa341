/**
 * `GET /v1/blocks/:ref?expires=&signature=`: serves a file that a tool made, to anyone who has its presigned address. The
 * signature is checked before anything is read. Browsers are told to save the file and to run nothing of it.
 */
import { z } from 'zod';
import { checkPresignature, storedFile } from '../../store/core/identity';
import { attachment } from '../../shared/text/visible';
import { StoreError } from '../../store/store';
import { answerWith, type Wrong } from '../http/errors';
import { answers, errorAnswer, textAnswer, jsonSchema } from '../schemas/common';
import type { Route } from '../route';

const FORGED_LINK: Wrong = {
  code: 'PERMISSION_DENIED',
  reason: 'bad_signature',
  message: 'This address was not given by this gateway, or it was changed.',
  hint: 'Use the url exactly as the result gave it.',
};
const EXPIRED_LINK: Wrong = {
  code: 'RESOURCE_NOT_FOUND',
  reason: 'link_expired',
  message: 'This address has expired.',
  hint: 'Run the call again for a new one.',
  status: 410,
};
const MISSING: Wrong = { code: 'RESOURCE_NOT_FOUND', reason: 'unknown_file', message: 'There is no such file.' };

/** No parameter is required here: an address that lacks one was not given by us, and is refused like one that was changed. */
const params = z.object({ ref: z.string() });
const query = z.object({ expires: z.unknown().optional(), signature: z.unknown().optional() });

interface Address {
  Params: z.infer<typeof params>;
  Querystring: z.infer<typeof query>;
}

const schema = {
  summary: 'A file that a tool made, for everybody who has its address',
  description: 'The address, with its signature, stands in the result of the tool. It works for an hour.',
  tags: ['files'],
  params: jsonSchema(params),
  querystring: jsonSchema(query),
  response: answers(
    {
      200: textAnswer('The file, to be saved.', 'application/octet-stream', '%PDF-1.7', { format: 'binary' }),
      410: errorAnswer('The address has expired.'),
    },
    404,
  ),
};

export const blocks: Route = (app, { store, log }) => {
  const key = store.derivedKey('presign');
  app.get<Address>('/v1/blocks/:ref', { schema, config: { roles: 'public' } }, async (request, reply) => {
    const { ref } = request.params;
    const { expires, signature } = request.query;
    if (typeof expires !== 'string' || typeof signature !== 'string') return answerWith(reply, FORGED_LINK);
    const verdict = checkPresignature(key, { ref, expires, signature }, Date.now());
    if (verdict !== 'good') return answerWith(reply, verdict === 'expired' ? EXPIRED_LINK : FORGED_LINK);
    try {
      const file = storedFile(await store.getPart(ref));
      if (file === null) return await answerWith(reply, MISSING);
      const bytes = await store.getBytes(file.sha256);
      return await reply
        .type(file.content_type)
        .header('content-disposition', attachment(file.filename))
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'private, no-store')
        .header('accept-ranges', 'none')
        .header('etag', `"${file.sha256}"`)
        .send(bytes);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'not_found') throw error;
      log.error({ ref, todo: 'Is HOLDFAST_STORE the store that the worker writes?' }, 'a file with a good address is missing');
      return answerWith(reply, MISSING);
    }
  });
};
