/** The tools of an app, in all their versions, and what its agents mean by their names. */
import { resolveReference, type ToolReference } from '../tools/define/versions';
import { isTool, type Tool } from '../tools/define/tool';

/** @returns faults in words */
export function toolboxFaults(toolbox: readonly Tool[]): string[] {
  if (!toolbox.every(isTool)) return ['tools must come from defineTool()'];
  const ids = toolbox.map((tool) => `${tool.name}@${tool.version}`);
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
  return twice.map((id) => `tools hold ${id} twice: give the changed one a version of its own`);
}

/** In the order that they are wanted. */
export function resolveTools(wanted: readonly ToolReference[], toolbox: readonly Tool[]): { tools: Tool[]; faults: string[] } {
  const found = wanted.map((reference) => (typeof reference === 'string' ? resolveReference(reference, toolbox) : reference));
  return {
    tools: found.filter((tool) => typeof tool !== 'string'),
    faults: found.filter((fault) => typeof fault === 'string'),
  };
}
