/**
 * Client tools and the vendor's server tools stay apart. A server tool runs at the vendor's, past
 * admission, approval and record: it is listed under an agent's `serverTools`, never made a client tool.
 */
import type { JsonObject } from '../../shared/json';
import { ConversionError, shown } from './conversion';

/** Types of definitions that the client runs, by a schema of its own. Without a type it is one. */
const CLIENT_TYPES: unknown[] = [undefined, null, 'custom', 'function'];

/** True for `{type: 'web_search_20250305', …}` and everything else whose schema is the vendor's. */
export function isServerTool(definition: JsonObject): boolean {
  return !CLIENT_TYPES.includes(definition.type);
}

/** @throws ConversionError for a server tool */
export function refuseServerTool(definition: JsonObject, side: string): void {
  if (!isServerTool(definition)) return;
  throw new ConversionError(
    `${shown(definition.type)} is a tool that ${side} defines itself, not a client tool with a schema of its own: ` +
      'it would run past admission and approval. List it under serverTools of an agent that may use it.',
  );
}

/** Sorts a request's tools by who runs them, each group in its order. */
export function apart(definitions: readonly JsonObject[]): { client: JsonObject[]; server: JsonObject[] } {
  return {
    client: definitions.filter((definition) => !isServerTool(definition)),
    server: definitions.filter(isServerTool),
  };
}
