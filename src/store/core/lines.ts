/** What all code that looks into lines of objects knows of them. */
import { sha256Hex } from '../../shared/json/sha256';

/** No part and no call begins so: the members of canonical JSON are in order. */
export const BLOCK_BEGINS = '{"at":"';

/**
 * The name of the object that has a file as its line, made of that of the file: bytes may be the text of a block, and would replace
 * it.
 */
export function objectOfFile(sha256: string): string {
  return sha256Hex(`holdfast.bytes/1 ${sha256}`);
}
