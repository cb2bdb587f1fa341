/** Compares a server's tools with the accepted classes, and proposes a class for each to the person who decides. */
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
  /** `changed`: another definition was accepted, so the tool is destructive until a person accepts this one. */
  state: 'accepted' | 'changed' | 'new';
  /** The effective class. */
  class: AcceptableClass;
  /** The class that the server's hints suggest. */
  proposed: AcceptableClass;
  annotations: unknown;
  /** Parts of its definition that are not applied: defaults that do not fit their fields. */
  warnings: string[];
}

export function proposals(server: string, tools: readonly ListedTool[], acceptedTools: AcceptedTools): Proposal[] {
  return tools.map((tool) => {
    const { name, definition, hash } = tool;
    const before = getOwn(getOwn(acceptedTools, server) ?? {}, name);
    const stands = acceptedClass(acceptedTools, server, tool);
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

/** Adds one person's choice for some of the tools. A class below what the server's hints require is made stricter. */
export function accepting(
  acceptedTools: AcceptedTools,
  server: string,
  choices: readonly { proposal: Proposal; class: AcceptableClass }[],
  who: { by: string; at: string },
): AcceptedTools {
  const entries = choices.map(({ proposal: { tool, hash, annotations }, class: toolClass }) => {
    const counts = stricter(toolClass, classOf(toolClass, annotations as never));
    return [tool, { class: counts, hash, ...who }] as const;
  });
  return { ...acceptedTools, [server]: { ...getOwn(acceptedTools, server), ...Object.fromEntries(entries) } };
}
