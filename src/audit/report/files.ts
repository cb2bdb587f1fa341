/** The section on files: a table to compare with the files at hand, and small images as they were sent. */
import { checkFile } from '../../files/kind-of';
import type { FileCase, TurnCase } from '../case-file';
import { code, type Node } from './doc';
import { name } from './format-values';

/** Bytes. A larger image is only named: the report is one file. */
const LARGEST_IMAGE = 300_000;
const MOST_IMAGES = 20;

export function fileNodes({ files }: TurnCase): Node[] {
  if (files.length === 0) return [];
  const rows = files.map(({ name: filename, media_type, size, sha256, file }) => [
    name(filename),
    media_type,
    String(size),
    sha256 === null ? 'left out' : code(sha256),
    code(file),
  ]);
  const head = ['name', 'type', 'bytes', 'SHA-256', 'reference'];
  return [
    { is: 'table', caption: 'Files that the model was given', head, rows },
    ...files.flatMap(imageNode).slice(0, MOST_IMAGES),
  ];
}

/** A bundle may be forged: what is drawn is an image by its content, whatever it is said to be. */
function imageNode({ name: label, bytes, type }: FileCase): Node[] {
  if (type !== 'image' || bytes === null || bytes.length > LARGEST_IMAGE) return [];
  const check = checkFile(bytes);
  if (!check.ok || check.kind !== 'image') return [];
  return [{ is: 'image', mediaType: check.media_type, base64: bytes.toString('base64'), label }];
}
