/**
 * Hashes what a line carries. In a canonical line, the canonical form of `part`, `block` or `value` is a range of the line's bytes,
 * so these bytes are hashed directly.
 */
import type { ReadLine } from './reader';
import { sha256Hex } from '../../shared/json/sha256';

/** For a line of kind part, block or object that has a `ref` of 64 characters and no further field. */
export function carriedHash({ kind, bytes, n, prev }: ReadLine): string {
  const tail = `,"kind":"${kind}","n":${n},"prev":${prev === null ? 'null' : `"${prev}"`}}`.length;
  const ref = `"ref":"${'.'.repeat(64)}"`.length;
  const from = kind === 'object' ? `{"body":{,"value":`.length + ref : `{"body":{"${kind}":`.length;
  const to = bytes.length - tail - '}'.length - (kind === 'object' ? 0 : ','.length + ref);
  return sha256Hex(bytes.subarray(from, to));
}
