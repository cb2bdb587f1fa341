/** The files that the messages of a turn name, as the bundle has them. */
import type { Json } from '../../shared/json/json';
import type { FilePart } from '../../shared/turn/message';
import { filesInContent, readFileBody, readFileBytes } from '../../record/stored-file';
import { messageContent } from '../../record/read-block';
import type { BlockCase, FileCase } from './types';

const MOST_FILES = 200;

/** @param parts bodies of parts by reference, without parts that were left out */
export function filesOf(blocks: readonly BlockCase[], parts: ReadonlyMap<string, Json>): FileCase[] {
  const named = blocks.flatMap(({ read, bodies }) =>
    read?.kind === 'message' && read.role === 'user' ? filesInContent(messageContent(bodies)) : [],
  );
  const each = new Map(named.map((file) => [file.file, file]));
  return [...each.values()].slice(0, MOST_FILES).map((file) => fileCase(file, parts));
}

function fileCase(file: FilePart, parts: ReadonlyMap<string, Json>): FileCase {
  const body = readFileBody(parts.get(file.file) ?? null);
  const bytes = body === null ? null : readFileBytes(parts.get(body.bytes) ?? null);
  return { ...file, sha256: body?.sha256 ?? null, bytes };
}
