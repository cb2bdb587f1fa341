/** A message as clients send it: a text, or parts. Files are named by their reference, or are in the message as base64. */
import { z } from 'zod';
import { INLINE_FILE_BYTES, MAX_MESSAGE, MOST_FILES, MOST_PARTS } from '../shared/turn/message';

const INLINE_CHARACTERS = Math.ceil(INLINE_FILE_BYTES / 3) * 4;

const kind = z.enum(['image', 'document']);
const name = z.string().min(1).max(1000).optional();
const mediaType = z.string().max(100).optional();

const textPart = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1).max(MAX_MESSAGE).regex(/\S/),
});
const filePart = z.strictObject({
  type: kind,
  file: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('Of POST /v1/files. The file must be yours.'),
  name: name.describe('May be as POST /v1/files answered; what the store has counts.'),
  media_type: mediaType,
  size: z.number().int().optional(),
  sha256: z.string().max(64).optional(),
});
const inlinePart = z.strictObject({
  type: kind,
  data: z
    .string()
    .min(1)
    .max(INLINE_CHARACTERS)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/)
    .describe('Base64. All files in a message together have at most 1 MB; larger ones go through POST /v1/files.'),
  name,
  media_type: mediaType.describe('Compared with the content.'),
});

export const messageInput = z.union([
  z.string().min(1).max(MAX_MESSAGE).regex(/\S/),
  z
    .array(z.union([textPart, filePart, inlinePart]))
    .min(1)
    .max(MOST_PARTS)
    .describe(`Texts and files in the order in which the model reads them; at most ${MOST_FILES} files of 32 MB together.`),
]);

export const uploadedFile = z.object({
  file: z.string().describe('64 hex: names the file in messages.'),
  type: kind.describe('As which a message names it.'),
  name: z.string(),
  media_type: z.string().describe('By its content.'),
  size: z.number().int().describe('Bytes.'),
  sha256: z.string().describe('Of the bytes.'),
});

export const fileOfMessage = z.object({
  type: kind,
  file: z.string().describe('GET /v1/files/{file}.'),
  name: z.string(),
  media_type: z.string(),
  size: z.number().int(),
});

export type FileOfMessage = z.infer<typeof fileOfMessage>;
export type MessageInput = z.infer<typeof messageInput>;
export type InputPart = Exclude<MessageInput, string>[number];
export type UploadedFile = z.infer<typeof uploadedFile>;
