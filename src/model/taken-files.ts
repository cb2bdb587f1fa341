/**
 * Which files a model takes. A vendor refuses a request with a file that is too large or of a kind that it does not know, and the turn
 * would fail: instead the model gets a text that says what was left out, so that it can tell the user.
 */
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { ModelMessage } from './provider';

/** Largest file in bytes, by kind; 0: the model takes none. */
export interface TakenFiles {
  image: number;
  pdf: number;
}

/** Base64 of 5 MB an image, 32 MB a request: docs of the Messages API, "Vision" and "PDF support". */
export const ANTHROPIC_FILES: TakenFiles = { image: 3_900_000, pdf: 24_000_000 };
/** 50 MB a request: OpenAI's docs, "Images and vision" and "File inputs". */
export const OPENAI_FILES: TakenFiles = { image: 20_000_000, pdf: 24_000_000 };
/** 20 MB a request, files included: Google's docs, "Document understanding". */
export const GOOGLE_FILES: TakenFiles = { image: 14_000_000, pdf: 14_000_000 };
/** Bedrock's docs, "ImageBlock" and "DocumentBlock". */
export const BEDROCK_FILES: TakenFiles = { image: 3_750_000, pdf: 4_500_000 };
/** The AI SDK's package takes no files but images in the request itself. */
export const XAI_FILES: TakenFiles = { image: 20_000_000, pdf: 0 };
/** Many servers take images, and few read PDF. */
export const COMPATIBLE_FILES: TakenFiles = { image: 20_000_000, pdf: 0 };

/** The messages, with a text in place of each file that the model does not take. */
export function withTakenFiles(messages: readonly ModelMessage[], takes: TakenFiles): ModelMessage[] {
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: message.content.map((block) => takenBlock(block, takes)) } : message,
  );
}

function takenBlock(block: JsonObject, takes: TakenFiles): JsonObject {
  if (block.type === 'tool_result' && Array.isArray(block.content))
    return { ...block, content: block.content.map((one): Json => (isJsonObject(one) ? takenBlock(one, takes) : one)) };
  const source = block.source ?? null;
  if ((block.type !== 'image' && block.type !== 'document') || !isJsonObject(source) || source.type !== 'base64') return block;
  const kind = block.type === 'image' ? 'image' : 'pdf';
  const bytes = Math.floor((String(source.data).length * 3) / 4);
  if (bytes <= takes[kind]) return block;
  const title = typeof block.title === 'string' ? ` ${JSON.stringify(block.title)}` : '';
  const what = kind === 'image' ? 'image' : 'PDF';
  const why =
    takes[kind] === 0
      ? `this model takes no ${what}s`
      : `this model takes a${what === 'image' ? 'n' : ''} ${what} of at most ${takes[kind]} bytes`;
  return { type: 'text', text: `[The ${what}${title} of ${bytes} bytes was left out: ${why}. Say so if it matters.]` };
}
