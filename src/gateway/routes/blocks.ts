/**
 * The files that tools made. `GET /v1/turns/:id/files` lists those of a turn to whoever sees the turn, each with an address that works
 * for an hour. `GET /v1/blocks/:ref?expires=&signature=` serves a file to anyone who has such an address. The signature is checked
 * before anything is read. Browsers are told to save the file and to run nothing of it.
 */
import { z } from 'zod';
import type { Owner } from '../../record/owner';
import { readResult } from '../../record/parts';
import { turnFiles, type TurnFile, type TurnFiles } from '../../shapes/records';
import type { Json } from '../../shared/json/json';
import { isHash, sha256Hex } from '../../shared/json/sha256';
import { attachment } from '../../shared/text/visible';
import type { TurnView } from '../../shared/turn/turn-view';
import { checkPresignature, isPartOf, presignedPath, storedFile } from '../../store/core/identity';
import { StoreError, type Store } from '../../store/store';
import { filesIn, type FileResult } from '../../tools/results/result-files';
import { ROLES } from '../auth/principals';
import { visibleTurn } from '../auth/turn-session-access';
import { answerWith, type Wrong } from '../http/errors';
import { answer, answers, errorAnswer, textAnswer, jsonSchema, turnParams } from '../schemas/common';
import type { Route } from '../route';

const tags = ['files'];
const MOST_FILES = 200;

const listSchema = {
  summary: 'The files of a turn',
  description:
    'What its tools returned as files, in the order of the calls. Each has an address that works for an hour, for whoever has it.',
  tags,
  params: turnParams,
  response: answers(
    {
      200: answer('Its files.', turnFiles, {
        files: [
          {
            ...{ call_id: '1.1', tool: 'make_report', filename: 'report.pdf', content_type: 'application/pdf', size: 48_213 },
            ...{ sha256: 'ab'.repeat(32), ref: 'cd'.repeat(32), expires_at: '2026-01-31T11:00:00.000Z' },
            url: `/v1/blocks/${'cd'.repeat(32)}?expires=1769857200&signature=Zm9vYmFy`,
          },
        ],
        complete: true,
      }),
    },
    404,
    409,
  ),
};

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
  tags,
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

export const blocks: Route = (app, parts) => {
  const { store, log } = parts;
  const key = () => store.derivedKey('presign');
  app.get<{ Params: { id: string }; Reply: TurnFiles }>(
    '/v1/turns/:id/files',
    { schema: listSchema, config: { roles: ROLES } },
    async ({ principal, params: { id } }, reply) => {
      const { owner, view } = await visibleTurn(parts, principal, id);
      return reply.header('cache-control', 'no-store').send(await filesOf(store, key(), owner, await view()));
    },
  );
  app.get<Address>('/v1/blocks/:ref', { schema, config: { roles: 'public' } }, async (request, reply) => {
    const { ref } = request.params;
    const { expires, signature } = request.query;
    if (typeof expires !== 'string' || typeof signature !== 'string') return answerWith(reply, FORGED_LINK);
    const verdict = checkPresignature(key(), { ref, expires, signature }, Date.now());
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

async function filesOf(store: Store, key: Buffer, owner: Owner, { calls, earlier_calls }: TurnView): Promise<TurnFiles> {
  const files: TurnFile[] = [];
  for (const { id: call_id, tool, result_ref } of calls) {
    const result = result_ref === null ? null : await store.getPart(result_ref).catch(notThere);
    for (const claim of result === null || !isPartOf(store, owner, result_ref!, result) ? [] : filesOfResult(result)) {
      if (files.length === MOST_FILES) return { files, complete: false };
      const file = await fileOf(store, owner, claim);
      if (file === null || files.some(({ ref }) => ref === claim.ref)) continue;
      const { path: url, expires_at } = presignedPath(key, claim.ref, Date.now());
      files.push({ call_id, tool, ...file, ref: claim.ref, url, expires_at });
    }
  }
  return { files, complete: earlier_calls === undefined };
}

function filesOfResult(part: Json): FileResult[] {
  const { envelope } = readResult(part);
  return envelope.success ? filesIn(envelope.data) : [];
}

/**
 * A tool can write any reference into its result. So a file counts only if a call of this turn stored it, or if the result itself
 * has the same bytes, as the result of another call that was taken from the cache. Name and type are those of the store.
 */
async function fileOf(store: Store, owner: Owner, claim: FileResult) {
  const part = isHash(claim.ref) ? await store.getPart(claim.ref).catch(notThere) : null;
  const file = storedFile(part);
  if (file === null || !(isPartOf(store, owner, claim.ref, part) || hasBytes(claim, file.sha256))) return null;
  const { filename, content_type, size, sha256 } = file;
  return { filename, content_type, size, sha256 };
}

function hasBytes(claim: FileResult, sha256: string): boolean {
  return 'content_base64' in claim && sha256Hex(Buffer.from(claim.content_base64, 'base64')) === sha256;
}

function notThere(error: unknown): null {
  if (error instanceof StoreError && error.code === 'not_found') return null;
  throw error;
}
