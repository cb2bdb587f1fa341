/**
 * Of what a server lists, the tools that can be used. To compile their schemas takes long: other work of this process has turns
 * between, what is known from the list before is not compiled again, and all together have a bound.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { schemasIn } from '../tools/schema/cost';
import { importedTool, readListed, type ListedTool } from './listed-tool';

/** Schemas of all tools of a server together: half a millisecond each, to compile. */
const MOST_SCHEMAS = 20_000;
/** How long nothing else runs, ms; one large tool may take longer. */
const AT_ONCE_MS = 10;

/** @param known tools of the list before @param refuse is told why one cannot be used */
export async function usableTools(
  server: string,
  raw: readonly unknown[],
  known: readonly ListedTool[],
  refuse: (why: string) => void,
): Promise<ListedTool[]> {
  const before = new Map(known.map((tool) => [tool.hash, tool]));
  const tools = new Map<string, ListedTool>();
  const pause = pauses();
  let schemas = 0;
  for (const one of raw) {
    await pause();
    try {
      const tool = readListed(one);
      if (tools.has(tool.name)) throw new Error(`two tools are called ${JSON.stringify(tool.name.slice(0, 100))}`);
      schemas += schemasOf(tool.definition.inputSchema) + schemasOf(tool.definition.outputSchema);
      if (schemas > MOST_SCHEMAS)
        throw new Error(
          `with ${JSON.stringify(tool.name.slice(0, 100))} the tools have more than ${MOST_SCHEMAS} schemas together`,
        );
      const same = before.get(tool.hash);
      if (!same) importedTool(server, tool.definition);
      tools.set(tool.name, same ?? tool);
    } catch (error) {
      refuse(error instanceof Error ? error.message : String(error));
    }
  }
  return [...tools.values()];
}

function schemasOf(schema: Json | undefined): number {
  return isJsonObject(schema ?? null) ? schemasIn(schema as JsonObject) : 0;
}

/** To be awaited between pieces of work: gives other work a turn once they have taken a while. */
export function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < AT_ONCE_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
