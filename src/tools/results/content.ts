/**
 * Results that the model sees with its own eyes: `content(…)` of texts, images and documents. What a file is, its content says. The
 * model gets it after the text of the result; people find it in the transcript.
 */
import { checkFile } from '../../files/kind-of';
import type { FileKind } from '../../shared/turn/message';
import { ToolError } from '../define/errors';
import { binaryFile, type BinaryFile } from './result-files';

export interface ShownPart {
  type: FileKind;
  bytes: Uint8Array;
  /** For people and for the model. */
  name?: string;
}

export type ContentItem = { type: 'text'; text: string } | { type: FileKind; file: BinaryFile };

/**
 * @param parts texts, images (PNG, JPEG, GIF, WebP) and documents (PDF, plain text), in the order in which the model reads them
 * @throws ToolError `bad_file` for a file that is something else
 * @example
 * run: async ({ account }) => content(`Balance of ${account}:`, { type: 'image', bytes: await drawChart(account) })
 */
export function content(...parts: (string | ShownPart)[]): { content: ContentItem[] } {
  const items = parts.map((part): ContentItem => {
    if (typeof part === 'string') return { type: 'text', text: part };
    return { type: part.type, file: shownFile(part) };
  });
  return { content: items };
}

/** One file that the model sees, for any place in a result. @throws ToolError `bad_file` */
export function shownFile({ type, bytes, name }: Omit<ShownPart, 'type'> & { type?: FileKind }): BinaryFile {
  const check = checkFile(bytes);
  if (!check.ok) throw badFile(check.reason);
  const { kind, media_type } = check;
  if (type !== undefined && type !== kind)
    throw badFile(`it is ${media_type}, and not an ${type}`.replace('an document', 'a document'));
  const ending = media_type === 'text/plain' ? 'txt' : media_type.split('/')[1]!;
  return binaryFile({ filename: name ?? `${kind}.${ending}`, contentType: media_type, bytes, shown: true });
}

function badFile(reason: string): ToolError {
  return new ToolError('EXECUTION_ERROR', 'bad_file', `A file of the result cannot be shown: ${reason}.`, {
    nothingHappened: false, // the tool may have acted before it made its result
  });
}
