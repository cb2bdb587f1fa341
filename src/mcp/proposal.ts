/** What a server offers, and what stands accepted of it: for whoever decides on classes. */
import { acceptedClass, type AcceptedTools } from './accepted-file';
import { classOf, proposedClass, stricter, type AcceptableClass, importedTool, type ListedTool, toolName } from './listed-tool';
import { getOwn } from '../shared/json/json';

export interface Proposal {
  /** As the server calls it. */
  tool: string;
  /** As the model calls it. */
  name: string;
  description: string;
  hash: string;
  /** `changed`: another definition was accepted, so it is destructive until somebody looks again. */
  state: 'accepted' | 'changed' | 'new';
  /** What counts now. */
  class: AcceptableClass;
  /** What its hints amount to. */
  proposed: AcceptableClass;
  annotations: unknown;
  /** What of its definition is not applied as the server means it: defaults that do not fit their fields. */
  warnings: string[];
}

export function proposals(server: string, listed: readonly ListedTool[], accepted: AcceptedTools): Proposal[] {
  return listed.map((tool) => {
    const { name, definition, hash } = tool;
    const before = getOwn(getOwn(accepted, server) ?? {}, name);
    const stands = acceptedClass(accepted, server, tool);
    return {
      tool: name,
      name: toolName(server, name),
      description: typeof definition.description === 'string' ? definition.description : '',
      hash,
      state: stands !== null ? 'accepted' : before ? 'changed' : 'new',
      class: classOf(stands, definition.annotations),
      proposed: proposedClass(definition.annotations),
      annotations: definition.annotations ?? null,
      warnings: importedTool(server, definition)
        .losses.filter(({ path }) => path.endsWith('/default'))
        .map(({ path, what }) => `${path}: ${what}`),
    };
  });
}

/** The same, with one person's choice for some of these tools. A class below what the server says of itself is made stricter. */
export function accepting(
  accepted: AcceptedTools,
  server: string,
  chosen: readonly { proposal: Proposal; class: AcceptableClass }[],
  who: { by: string; at: string },
): AcceptedTools {
  const entries = chosen.map(({ proposal: { tool, hash, annotations }, class: toolClass }) => {
    const counts = stricter(toolClass, classOf(toolClass, annotations as never));
    return [tool, { class: counts, hash, ...who }] as const;
  });
  return { ...accepted, [server]: { ...getOwn(accepted, server), ...Object.fromEntries(entries) } };
}
