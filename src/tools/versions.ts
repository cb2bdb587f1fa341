/** Which of the registered versions of a tool is meant by `name`, `name@1.2.0` or `name@^1.2`. */
import semver from 'semver';
import type { Tool } from './tool';

/** A tool itself, or words for one of the app's `tools`. */
export type ToolReference = Tool | string;

/** `search@^1.2` → name and range; without a range any version is meant. */
export function parseReference(reference: string): { name: string; range: string } {
  const at = reference.indexOf('@');
  return at < 0 ? { name: reference, range: '' } : { name: reference.slice(0, at), range: reference.slice(at + 1) };
}

/** Name of the tool that a reference means. */
export function referredName(reference: ToolReference): string {
  return typeof reference === 'string' ? parseReference(reference).name : reference?.name;
}

/**
 * The highest version that fits. A prerelease is taken only where the range names one, or where there is nothing else.
 * @returns the tool, or the fault in words
 */
export function resolveReference(reference: string, toolbox: readonly Tool[]): Tool | string {
  const { name, range } = parseReference(reference);
  const versions = toolbox.filter((tool) => tool.name === name);
  const found = versions.map((tool) => tool.version);
  if (versions.length === 0) return `${JSON.stringify(reference)} fits no tool: there is none named ${JSON.stringify(name)}`;
  if (semver.validRange(range) === null) {
    return `${JSON.stringify(reference)} holds no range of versions; write ${name}, ${name}@1.2.0 or ${name}@^1.2`;
  }
  const best = found.includes(range) ? range : highest(found, range);
  if (best !== null) return versions.find((tool) => tool.version === best)!;
  return `${JSON.stringify(reference)} fits no version of ${name}; there is: ${semver.sort([...found]).join(', ')}`;
}

function highest(versions: string[], range: string): string | null {
  return (
    semver.maxSatisfying(versions, range) ??
    (range === '' ? semver.maxSatisfying(versions, range, { includePrerelease: true }) : null)
  );
}
