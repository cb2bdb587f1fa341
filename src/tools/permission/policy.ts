/** An agent's rules, compiled once: every fault of them is found before a model calls anything. */
import { compileRules, permissionFaults as faultsOf, type AgentPermissions, type Policy } from '../../rules';
import { readResult } from '../read-result';
import { isFrom } from '../tool-source';
import { ruledTool } from './facts';
import type { Tool } from '../tool';

/** Every fault of an agent's permissions, in words; empty: they can be compiled. `servers`: others whose tools it has besides. */
export function permissionFaults(
  permissions: AgentPermissions,
  tools: readonly Tool[],
  servers: readonly string[] = [],
): string[] {
  // Which tools a server has is known only once a turn begins.
  return faultsOf(permissions, withBuiltIn(tools).map(ruledTool), (name) => isFrom(servers, name));
}

/** @throws Error that lists every fault */
export function compilePolicy(permissions: AgentPermissions, tools: readonly Tool[], servers: readonly string[] = []): Policy {
  const faults = permissionFaults(permissions, tools, servers);
  if (faults.length > 0) throw new Error(`The permission rules have faults:\n- ${faults.join('\n- ')}`);
  return compileRules(permissions);
}

function withBuiltIn(tools: readonly Tool[]): Tool[] {
  return tools.some((tool) => tool.name === readResult.name) ? [...tools] : [...tools, readResult];
}
