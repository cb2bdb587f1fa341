/**
 * `defineTool` checks a definition (tool.ts) when it is made and names every fault at once; nothing of a wrong tool is found out
 * only when a model calls it.
 */
import type { z } from 'zod';
import type { JsonObject } from '../shared/json';
import { readDefinition, shown } from './definition-faults';
import { TOOL, type Tool, type ToolDefinition } from './tool';

type Written<I, R> = Omit<ToolDefinition<I, R>, 'input' | 'output'>;

/**
 * Checks and brands a tool definition.
 * @throws Error that lists every fault of the definition
 */
export function defineTool<S extends z.ZodType, O extends z.ZodType>(
  definition: Written<z.output<S>, z.output<O>> & { input: S; output?: O | JsonObject },
): Tool<z.output<S>>;
export function defineTool<I = any, O extends z.ZodType = z.ZodType>(
  definition: Written<I, z.output<O>> & { input: JsonObject; output?: O | JsonObject },
): Tool<I>;
export function defineTool(definition: ToolDefinition<any>): Tool {
  return checked(definition, false);
}

/** As `defineTool`, for the tools that holdfast brings along: their names are refused to all others. */
export function defineBuiltIn<S extends z.ZodType, O extends z.ZodType>(
  definition: Written<z.output<S>, z.output<O>> & { input: S; output?: O | JsonObject },
): Tool<z.output<S>> {
  return checked(definition as ToolDefinition<any>, true);
}

function checked(given: ToolDefinition<any>, reserved: boolean): Tool {
  const { definition, faults } = readDefinition(given, { reserved });
  if (faults.length > 0) throw new Error(`Tool ${shown(definition.name)} is not well defined:\n- ${faults.join('\n- ')}`);
  return Object.freeze({ ...definition, [TOOL]: true as const });
}
