/** The agents that an app's agents use as tools: who they are, and that none of them comes to ask itself. */
import type { Tool } from '../tools/define/tool';
import { isAgent, type Agent } from './agent';

/** The agents, and all that their tools bring along, each once; `resolve` gives one its tools. */
export function withSubAgents(agents: readonly Agent[], resolve: (agent: Agent) => Agent): { agents: Agent[]; faults: string[] } {
  const found = agents.map(resolve);
  const faults: string[] = [];
  for (const { name, tools } of found) {
    for (const { subAgent } of tools) {
      if (!subAgent) continue;
      const known = found.find((one) => one.name === subAgent.name);
      const brought = isAgent(subAgent.agent) ? subAgent.agent : null;
      if (brought && !known) found.push(resolve(brought));
      else if (!known)
        faults.push(`agent ${name}: its tool asks agent ${JSON.stringify(subAgent.name)}, which the app does not have`);
      // An app's agents are copies, with the same list of tools.
      else if (brought && brought.wanted !== known.wanted)
        faults.push(`agent ${name}: its tool asks an agent ${subAgent.name}, and the app has another one of that name`);
    }
  }
  return { agents: found, faults };
}

/** Agents that would come to ask themselves, each circle once: `a → b → a`. */
export function circles(agents: readonly { name: string; tools: readonly Tool[] }[]): string[] {
  const asks = new Map(agents.map(({ name, tools }) => [name, tools.flatMap(({ subAgent }) => subAgent?.name ?? [])]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, way: string[]): void => {
    if (way.includes(name)) return void found.push([...way.slice(way.indexOf(name)), name].join(' → '));
    if (done.has(name)) return;
    for (const next of asks.get(name) ?? []) visit(next, [...way, name]);
    done.add(name);
  };
  for (const name of asks.keys()) visit(name, []);
  return found;
}
