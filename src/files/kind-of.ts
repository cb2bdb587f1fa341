/**
 * Finds out what a file is from its bytes, never from its name or from what a sender says. A file is taken only if it is whole and
 * nothing follows its end: a file that is two things at once (a picture with a program behind it) is refused. Nothing is unpacked or
 * drawn here, so that no file can cost more than its bytes.
 */
import { MEDIA_TYPES, MOST_FILE_BYTES, type FileKind } from '../shared/turn/message';
import { gifFault, jpegFault, pngFault, webpFault } from './images';
import { pdfFault } from './pdf';
import { textFault } from './plain-text';

export interface CheckedFile {
  kind: FileKind;
  media_type: string;
}

export type FileCheck = ({ ok: true } & CheckedFile) | { ok: false; reason: string };

/** The first bytes of each kind, and what its check finds wrong; null: nothing. */
const KINDS: readonly { media_type: string; begins: (bytes: Buffer) => boolean; fault: (bytes: Buffer) => string | null }[] = [
  { media_type: 'image/png', begins: startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), fault: pngFault },
  { media_type: 'image/jpeg', begins: startsWith(0xff, 0xd8, 0xff), fault: jpegFault },
  { media_type: 'image/gif', begins: startsWith(...Buffer.from('GIF8')), fault: gifFault },
  { media_type: 'image/webp', begins: isRiffWebp, fault: webpFault },
  { media_type: 'application/pdf', begins: startsWith(...Buffer.from('%PDF-')), fault: pdfFault },
];

const NAMES: Readonly<Record<string, string>> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'application/pdf': 'PDF',
  'text/plain': 'plain text',
};
const ALL_KINDS = 'PNG, JPEG, GIF and WebP images, PDF, and plain text in UTF-8';
/** Says nothing of the content. */
const OCTETS = 'application/octet-stream';

/**
 * @param mediaType the media type that the sender says; undefined: none. It must be that of the content
 */
export function checkFile(content: Uint8Array, mediaType?: string): FileCheck {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.length === 0) return refuse('the file is empty');
  if (bytes.length > MOST_FILE_BYTES) return refuse(`the file has ${bytes.length} bytes; ${MOST_FILE_BYTES} (32 MB) are allowed`);
  const senderType = mediaType?.split(';')[0]!.trim().toLowerCase();
  const found = KINDS.find(({ begins }) => begins(bytes));
  if (found === undefined) return checkText(bytes, senderType);
  const { media_type } = found;
  const fault = found.fault(bytes);
  if (fault !== null) return refuse(`it begins as ${NAMES[media_type]}, and ${fault}`);
  return asSender(media_type, senderType);
}

function checkText(bytes: Buffer, senderType: string | undefined): FileCheck {
  const fault = textFault(bytes);
  if (fault === null) return asSender('text/plain', senderType);
  return refuse(`it is none of ${ALL_KINDS}${senderType === 'text/plain' ? `: ${fault}` : ''}`);
}

function asSender(media_type: string, senderType: string | undefined): FileCheck {
  if (senderType !== undefined && senderType !== '' && senderType !== OCTETS && senderType !== media_type)
    return refuse(`it is said to be ${senderType.slice(0, 60)}, and its content is ${media_type}`);
  return { ok: true, media_type, kind: MEDIA_TYPES[media_type]! };
}

function refuse(reason: string): FileCheck {
  return { ok: false, reason };
}

function startsWith(...magic: number[]): (bytes: Buffer) => boolean {
  const start = Buffer.from(magic);
  return (bytes) => bytes.subarray(0, start.length).equals(start);
}

function isRiffWebp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
}
