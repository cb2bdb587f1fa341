/**
 * A tool's name as the model API takes it: the server's, then the tool's own. MCP allows names that the API does not;
 * those are mended, and a hash of the real name keeps two of them apart. What a name stands for is looked up in the
 * pinned definition, never guessed from it.
 */
import { createHash } from 'node:crypto';
import { SEPARATOR } from '../tools/catalogue/tool-source';

/** The model API's own bound. */
const LONGEST = 64;
const HASH = 8;

/** Lower case, digits, single `-` and `_`, so that no name holds the separator. */
export const SERVER_NAME = /^(?=.{1,32}$)[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;

/** The same for the same two names, whatever else the server offers. */
export function toolName(server: string, tool: string): string {
  const prefix = `${server}${SEPARATOR}`;
  const plain = tool.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === tool && tool !== '' && prefix.length + tool.length <= LONGEST) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH);
  return `${prefix}${plain.slice(0, LONGEST - prefix.length - HASH - 1)}_${hash}`;
}
