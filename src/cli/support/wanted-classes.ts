/** Parses `--class TOOL=CLASS`: a tool by its name, or all tools whose names match a pattern with `*`. */
import { CLASSES, stricter, type AcceptableClass } from '../../mcp/listed-tool';
import type { Proposal } from '../../mcp/proposal';
import { matchesWildcard } from '../../rules/text-pattern';
import { oneLine } from './describe';
import { UsageError } from './exit';
import { pairs } from './pairs';

/**
 * A tool's own name overrides a pattern; of several patterns, the strictest class counts.
 * @returns classes by the server's name of the tool
 */
export function wantedClasses(options: string[], proposals: readonly Proposal[]): Map<string, AcceptableClass> {
  const byName = new Map<string, AcceptableClass>();
  const byPattern = new Map<string, AcceptableClass>();
  for (const [tool, className] of Object.entries(pairs('--class', options))) {
    const toolClass = parseClass(className, tool);
    const exact = proposals.filter((one) => one.tool === tool || one.name === tool);
    const fitting = tool.includes('*') ? proposals.filter((one) => fits(tool, one)) : [];
    if (exact.length + fitting.length === 0)
      throw new UsageError(`--class names ${JSON.stringify(tool.slice(0, 80))}, which the server does not have.`);
    for (const one of exact) byName.set(one.tool, toolClass);
    for (const one of fitting) byPattern.set(one.tool, stricter(toolClass, byPattern.get(one.tool) ?? toolClass));
  }
  return new Map([...byPattern, ...byName]);
}

function fits(pattern: string, { tool, name }: Proposal): boolean {
  return matchesWildcard(pattern, tool) || matchesWildcard(pattern, name);
}

function parseClass(className: string, tool: string): AcceptableClass {
  if ((CLASSES as readonly string[]).includes(className)) return className as AcceptableClass;
  throw new UsageError(`--class ${oneLine(tool, 80)} must be one of ${CLASSES.join(', ')}.`);
}
