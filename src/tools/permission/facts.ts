/** What rules look at of a tool and of a call: the only place where they meet a tool's own code. */
import type { CallFacts, FileHashes, RuledTool, TurnFacts } from '../../rules';
import type { JsonObject } from '../../shared/json';
import { compiledInput } from '../schema';
import { taken } from '../taken';
import type { Tool } from '../tool';

export interface ToolCall {
  tool: Tool;
  /** The effective input. */
  input: JsonObject;
  turn: TurnFacts;
}

export function factsOf({ tool, input, turn }: ToolCall): CallFacts {
  return { tool: ruledTool(tool), input, targets: targetsOf(tool, input), ...filesOf(tool), turn };
}

/** Looked at when a rule asks, each once: verdict and record speak of the same content. */
function filesOf({ ruleTarget }: Tool): { files?: FileHashes } {
  if (ruleTarget?.kind !== 'command') return {};
  const looked: Record<string, string | null> = {};
  const hashOf = (path: string) => (looked[path] ??= ruleTarget.hashOf?.(path) ?? null);
  return { files: { hashOf, looked } };
}

const known = new WeakMap<Tool, RuledTool>();

/** The same object each time: what was compiled for it is found again. */
export function ruledTool(tool: Tool): RuledTool {
  const ruled = known.get(tool) ?? describe(tool);
  known.set(tool, ruled);
  return ruled;
}

function describe(tool: Tool): RuledTool {
  const { name, version, class: toolClass, group, egress } = tool;
  return {
    name,
    version,
    class: toolClass,
    ...(group === undefined ? {} : { group }),
    ...(egress === undefined ? {} : { egress }),
    target: tool.ruleTarget?.kind ?? null,
    get schema() {
      return compiledInput(tool.input as JsonObject).schema; // only once a rule has a condition
    },
  };
}

/** Nothing at all counts as unknown: a search without a folder searches everywhere. */
function targetsOf(tool: Tool, input: JsonObject): string[] | null {
  if (!tool.ruleTarget) return null;
  try {
    const said: unknown = tool.ruleTarget.of(taken(tool, input));
    const targets: unknown[] = Array.isArray(said) ? said : [said];
    return targets.length > 0 && targets.every((target) => typeof target === 'string') ? (targets as string[]) : null;
  } catch {
    return null;
  }
}
