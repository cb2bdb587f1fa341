/**
 * `POST /v1/files`: takes a file for messages, its bytes as the body. `GET /v1/files/:file`: gives it to those who may see what its owner
 * started. A browser never shows a document in the page's own origin: PDF and text are saved, and only a picture is drawn.
 */
import { z } from 'zod';
import { fileBytes, findFile, putFile, BadFile } from '../files/stored-files';
import { storedMessage, UnknownFile } from '../files/message-input';
import { filePart } from '../record/stored-file';
import { uploadedFile, type MessageInput, type UploadedFile } from '../shapes/message';
import { attachment } from '../shared/text/visible';
import { MEDIA_TYPES, MOST_FILE_BYTES, type Message } from '../shared/turn/message';
import type { Store } from '../store/store';
import { Refusal } from './http/errors';
import { ROLES, sees } from './auth/principals';
import type { Route } from './route';
import { answer, answers, jsonSchema } from './schemas/common';

/** Of routes whose body is a message: 1 MB of files as base64, and a long text with escapes. */
export const MESSAGE_BODY_BYTES = 2_500_000;

const STARTERS = ['starter', 'admin'] as const;
const tags = ['files'];
const REF = '1f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b';
const params = z.object({
  file: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('As POST /v1/files answered.'),
});
const putQuery = z.strictObject({
  name: z.string().min(1).max(300).optional().describe('For people and for the model; says nothing of the content.'),
});
const example = {
  ...{ file: REF, type: 'document', name: 'invoice.pdf', media_type: 'application/pdf', size: 48_213 },
  sha256: '5f2c7d0e9b1a4c3d8e6f7a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d',
};
const schemas = {
  put: {
    summary: 'Put a file for messages',
    description:
      'The body is the file: PNG, JPEG, GIF, WebP, PDF or plain text in UTF-8, at most 32 MB. What it is, its content says; a `Content-Type` other than `application/octet-stream` must agree with it. The same file again has the same reference. Only its owner can name it in a message.',
    tags,
    querystring: jsonSchema(putQuery),
    // Bytes have no schema: what they are is checked when they have come.
    body: { content: ofEachType({ schema: {} }) },
    response: answers({ 200: answer('It is stored.', uploadedFile, example) }),
  },
  get: {
    summary: 'A file of a message or of a tool',
    description: 'For its owner, and for those who see what the owner started.',
    tags,
    params: jsonSchema(params),
    response: answers(
      {
        200: {
          description: 'The file.',
          content: ofEachType({ schema: { type: 'string', format: 'binary' }, example: '%PDF-1.7' }),
        },
      },
      404,
    ),
  },
};

function ofEachType(media: object): object {
  return Object.fromEntries([...Object.keys(MEDIA_TYPES), 'application/octet-stream'].map((type) => [type, media]));
}

export const files: Route = (app, parts) => {
  const { store } = parts;
  // In a scope of its own: no other route takes a body that is not JSON.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MOST_FILE_BYTES }, (_request, body, callback) =>
      callback(null, body),
    );
    scope.post<{ Querystring: z.infer<typeof putQuery>; Body: unknown; Reply: UploadedFile }>(
      '/v1/files',
      { schema: schemas.put, config: { roles: STARTERS }, bodyLimit: MOST_FILE_BYTES },
      async ({ principal, query: { name }, body, headers }, reply) => {
        if (!Buffer.isBuffer(body)) throw badFile('The body is empty: send the bytes of the file as the body.');
        const declared = headers['content-type'];
        const file = { bytes: body, ...(name === undefined ? {} : { name }), ...(declared ? { mediaType: declared } : {}) };
        const { sha256, ...part } = await asRefusal(() => putFile(store, principal.name, file));
        return reply.header('cache-control', 'no-store').send({ ...part, sha256 });
      },
    );
  });

  app.get<{ Params: z.infer<typeof params> }>(
    '/v1/files/:file',
    { schema: schemas.get, config: { roles: ROLES } },
    async ({ principal, params: { file: ref } }, reply) => {
      const body = await findFile(store, ref);
      const bytes = body !== null && sees(principal, body.owner) ? await fileBytes(store, body) : null;
      if (body === null || bytes === null) throw unknownFile(ref);
      const { type, name, media_type, size } = filePart(ref, body);
      const disposition = attachment(name);
      return reply
        .type(type === 'image' ? media_type : media_type === 'text/plain' ? 'text/plain; charset=utf-8' : media_type)
        .header('content-disposition', type === 'image' ? disposition.replace(/^attachment/, 'inline') : disposition)
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cross-origin-resource-policy', 'same-origin')
        .header('cache-control', 'private, no-store')
        .header('content-length', size)
        .header('etag', `"${body.sha256}"`)
        .send(bytes);
    },
  );
};

/** The message of a request's body, with its files in the store. @throws Refusal 400 for a bad file, 404 for one of somebody else */
export function messageOf(store: Store, owner: string, message: MessageInput): Promise<Message> {
  return asRefusal(() => storedMessage(store, owner, message));
}

async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadFile) throw badFile(error.message);
    if (error instanceof UnknownFile)
      throw new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'unknown_file', message: error.message });
    throw error;
  }
}

function badFile(message: string): Refusal {
  return new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_file', message });
}

/** The same answer for a file that does not exist and for one that the principal may not see. */
function unknownFile(ref: string): Refusal {
  return new Refusal({
    code: 'RESOURCE_NOT_FOUND',
    reason: 'unknown_file',
    message: `There is no file ${ref} that you may see.`,
  });
}
