/** Resolves tool references (`name`, `name@1.2.0` or `name@^1.2`) to registered versions, and handles deprecation and sunset. */
import { type Deprecation, type EnvelopeMetadata, callError, type CallError } from '../../shared/wire/errors';
import type { Tool } from './tool';
import { optional } from '../../shared/json/optional';

/** The commonest versions, for which semver's 47 modules are not loaded. */
const PLAIN_VERSION = /^(?:0|[1-9]\d{0,9})(?:\.(?:0|[1-9]\d{0,9})){2}$/;
// oxlint-disable-next-line typescript/no-require-imports -- definitions are checked without waiting
const semver = () => require('semver') as typeof import('semver');

/** Whether it is a version as semver.org has it. `v1.0.0` and ` 1.0.0` would be other spellings of the same version. */
export function isVersion(text: string): boolean {
  return PLAIN_VERSION.test(text) || (/^\d\S*$/.test(text) && semver().valid(text) !== null);
}

/** A tool itself, or text that refers to one of the app's `tools`. */
export type ToolReference = Tool | string;

/** Splits `search@^1.2` into name and range; an empty range means any version. */
export function parseReference(reference: string): { name: string; range: string } {
  const at = reference.indexOf('@');
  return at < 0 ? { name: reference, range: '' } : { name: reference.slice(0, at), range: reference.slice(at + 1) };
}

/** The name of the tool that a reference refers to. */
export function referredName(reference: ToolReference): string {
  return typeof reference === 'string' ? parseReference(reference).name : reference?.name;
}

/**
 * Finds the highest version that fits. A prerelease fits only where the range names one, or where there is no range and no
 * other version.
 * @returns the tool, or the fault as a message
 */
export function resolveReference(reference: string, toolbox: readonly Tool[]): Tool | string {
  const { name, range } = parseReference(reference);
  const versions = toolbox.filter((tool) => tool.name === name);
  const numbers = versions.map((tool) => tool.version);
  if (versions.length === 0) return `${JSON.stringify(reference)} fits no tool: there is none named ${JSON.stringify(name)}`;
  if (semver().validRange(range) === null) {
    return `${JSON.stringify(reference)} holds no range of versions; write ${name}, ${name}@1.2.0 or ${name}@^1.2`;
  }
  const best = numbers.includes(range) ? range : highest(numbers, range);
  if (best !== null) return versions.find((tool) => tool.version === best)!;
  return `${JSON.stringify(reference)} fits no version of ${name}; there is: ${semver()
    .sort([...numbers])
    .join(', ')}`;
}

function highest(versions: string[], range: string): string | null {
  return (
    semver().maxSatisfying(versions, range) ??
    (range === '' ? semver().maxSatisfying(versions, range, { includePrerelease: true }) : null)
  );
}

// Deprecation: a deprecated tool still runs, and its description and its results say that it is deprecated. From its
// sunset date on every call fails with TOOL_DEPRECATED, and the error names the replacement.

type Ageing = Pick<Tool, 'deprecated' | 'sunsetDate' | 'replacement' | 'migrationGuide'>;

/** A tool's deprecation, for the envelope's metadata; null for a tool that is not deprecated. */
export function deprecationOf(tool: Ageing): Deprecation | null {
  if (tool.deprecated !== true) return null;
  const { sunsetDate = null, replacement = null, migrationGuide = null } = tool;
  return { sunset_date: sunsetDate, replacement, migration_guide: migrationGuide };
}

/** The same as fields to add to the metadata; empty: not deprecated. */
export function deprecationMetadata(tool: Ageing): Pick<EnvelopeMetadata, 'deprecation'> {
  const deprecation = deprecationOf(tool);
  return deprecation === null ? {} : { deprecation };
}

/** The notice for the model, in the description and beside each result. */
export function deprecationNotice({ sunset_date, replacement }: Deprecation): string {
  const until = sunset_date === null ? '' : ` Calls are refused from ${sunset_date} on.`;
  return `This tool is deprecated.${until}${replacement === null ? '' : ` Use ${replacement} instead.`}`;
}

/** True from the sunset date on, which begins at midnight UTC. */
export function isSunset(tool: Ageing, now = new Date()): boolean {
  return tool.deprecated === true && tool.sunsetDate !== undefined && now.toISOString().slice(0, 10) >= tool.sunsetDate;
}

/** The error for a call on or after the sunset date; null before it, and for all other tools. */
export function sunsetFault(tool: Ageing & Pick<Tool, 'name' | 'version'>, now?: Date): CallError | null {
  if (!isSunset(tool, now)) return null;
  const { replacement, sunsetDate, migrationGuide } = tool;
  return callError('TOOL_DEPRECATED', 'sunset', `${tool.name}@${tool.version} was retired on ${sunsetDate}.`, {
    hint: replacement === undefined ? 'Do it in another way, or say that it cannot be done.' : `Use ${replacement} instead.`,
    sunset_date: sunsetDate!,
    ...optional({ replacement, migration_guide: migrationGuide }),
  });
}
