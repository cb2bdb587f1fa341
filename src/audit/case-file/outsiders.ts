/** Finds what outsiders wrote in a turn's record: the tools that returned it, the triggers that brought it, and whether the rules were told that it was read. */
import type { Json } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import { messageContent, ofKind } from '../../record/read-block';
import { isTriggerRequester } from '../../shared/ids';
import type { BlockCase, CallCase, Outsiders } from './types';

/** Names of the tools that return text of outsiders (`untrusted_output`), from the definitions of agents. */
export function toolsOfOutsiders(objects: ReadonlyMap<string, Json>): ReadonlySet<string> {
  const definitions = [...objects.values()].map(object).filter(({ v }) => v === 'holdfast.agent/1');
  const tools = definitions.flatMap(({ tools: all }) => list(all).map(object));
  return new Set(tools.filter(({ untrusted_output }) => untrusted_output === true).map(({ name }) => text(name)));
}

/** Includes the conversation before the turn: the model reads it too. */
export function outsidersIn(blocks: readonly BlockCase[], calls: readonly CallCase[], tools: ReadonlySet<string>): Outsiders {
  const parts = blocks.filter(({ kind }) => kind === 'message').flatMap(({ bodies }) => messageContent(bodies));
  const ofVendor = parts.filter(({ type }) => type === 'server_tool_use' || type === 'mcp_tool_use');
  const toolUses = parts.filter(({ type, name }) => type === 'tool_use' && tools.has(text(name)));
  const callsWithResult = calls.filter(({ tool, resultRef }) => resultRef !== null && tools.has(tool));
  const starts = ofKind(
    'start',
    blocks.map(({ read }) => read),
  );
  const triggers = starts.flatMap(({ requester }) => (isTriggerRequester(requester) ? [requester!] : []));
  const by = [
    ...triggers,
    ...[...ofVendor, ...toolUses].map(({ name }) => text(name)),
    ...callsWithResult.map(({ tool }) => tool),
  ];
  return { by: [...new Set(by)], told: calls.some(hasReadOutsiders) || starts.some(({ parent }) => parent?.untrusted === true) };
}

/** Whether the model had read text of outsiders when it proposed this call. */
export function hasReadOutsiders({ facts, activities }: CallCase): boolean {
  return object(facts?.turn).untrusted === true || activities.some(({ input }) => object(input).untrusted === true);
}
