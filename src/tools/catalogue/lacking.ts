/** A call of a tool that the model does not see: what it is told, so that its next call fits. */
import { callError, type CallError } from '../../shared/errors';
import { isJsonObject, type JsonObject } from '../../shared/json';
import { nearestNames } from './ranker';

interface Known {
  tool: { internalOnly?: boolean };
  schema: JsonObject;
}

const LISTED = 20;

/**
 * @param shown names that the request showed; absent: all
 * @returns null when the tool may be called
 */
export function lackingTool(tools: ReadonlyMap<string, Known>, name: string, shown?: ReadonlySet<string>): CallError | null {
  const known = tools.get(name);
  if (!known)
    return unknownTool(
      name,
      [...tools].filter(([, one]) => !one.tool.internalOnly).map(([key]) => key),
    );
  if (shown === undefined || shown.has(name)) return null;
  return callError('TOOL_NOT_FOUND', 'not_loaded', `${name} was not loaded when you called it; the call was not run.`, {
    hint: `It is loaded now. Its input: ${fields(known.schema)}. Call it again, with an input that fits.`,
  });
}

function unknownTool(name: string, names: string[]): CallError {
  const cut = name.slice(0, 100).toWellFormed();
  const near = names.length <= LISTED ? names : nearestNames(cut, names);
  const hint =
    near.length === 0
      ? 'No tool has a name like it. Use only tools that you were given.'
      : names.length <= LISTED
        ? `Tools: ${near.join(', ')}.`
        : `Nearest names: ${near.join(', ')}.`;
  return callError('TOOL_NOT_FOUND', 'unknown_tool', `There is no tool ${JSON.stringify(cut)}.`, { hint });
}

/** `city (string), unit (string, may be left out)`, at most twenty. */
function fields(schema: JsonObject): string {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  if (properties.length === 0) return 'no fields';
  const shown = properties.slice(0, LISTED).map(([name, field]) => {
    const type = isJsonObject(field)
      ? Array.isArray(field.enum)
        ? field.enum.slice(0, 8).join('|')
        : String(field.type ?? 'any')
      : 'any';
    return `${name} (${type}${required.has(name) ? '' : ', may be left out'})`;
  });
  return `${shown.join(', ')}${properties.length > LISTED ? ', …' : ''}`;
}
