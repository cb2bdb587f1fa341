/** Text and files of content blocks, as OpenAI's two APIs take them. */
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

export type Api = 'chat' | 'responses';

/** The text of blocks; files are named, so that the model knows that there are some. */
export function textOf(blocks: readonly JsonObject[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [String(block.text ?? '')] : [])).join('\n\n');
}

/** The images and documents among the blocks. */
export function fileParts(blocks: readonly JsonObject[], api: Api): JsonObject[] {
  return blocks.flatMap((block) => {
    const source = isJsonObject(block.source ?? null) ? (block.source as JsonObject) : {};
    if (block.type === 'image') return imageParts(source, api);
    return block.type === 'document' ? documentParts(block, source, api) : [];
  });
}

function imageParts(source: JsonObject, api: Api): JsonObject[] {
  const url = urlOf(source);
  if (url === null) return [];
  return [api === 'chat' ? { type: 'image_url', image_url: { url } } : { type: 'input_image', image_url: url, detail: 'auto' }];
}

/** A document of text becomes text: the APIs take files only as PDF. */
function documentParts(block: JsonObject, source: JsonObject, api: Api): JsonObject[] {
  if (source.type === 'text')
    return [{ type: api === 'chat' ? 'text' : 'input_text', text: withTitle(block, String(source.data ?? '')) }];
  const data = urlOf(source);
  if (data === null) return [];
  const filename = typeof block.title === 'string' && block.title !== '' ? block.title : 'document.pdf';
  const file: JsonObject = source.type === 'url' ? { file_url: data } : { filename, file_data: data };
  if (api === 'responses') return [{ type: 'input_file', ...file }];
  return source.type === 'url' ? [{ type: 'text', text: `Document: ${data}` }] : [{ type: 'file', file }];
}

function withTitle({ title }: JsonObject, text: string): string {
  return typeof title === 'string' && title !== '' ? `${title}\n\n${text}` : text;
}

function urlOf({ type, url, media_type, data }: JsonObject): string | null {
  if (type === 'url' && isText(url)) return url;
  return type === 'base64' && isText(media_type) && isText(data) ? `data:${media_type};base64,${data}` : null;
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
