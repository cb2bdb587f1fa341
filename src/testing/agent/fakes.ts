/** Puts functions of a test in the place of tools. Schema, preview, rules, approval and effect record stay those of the tool. */
import type { App } from '../../agents/define';
import type { JsonObject } from '../../shared/json/json';
import type { Tool, ToolContext } from '../../tools/define/tool';

/** A method, so that a function of the tool's own input type fits. */
interface FakeTool {
  run(input: JsonObject, ctx: ToolContext): unknown;
}

/** What a tool does in a test. */
export type Fake = FakeTool['run'];

/** What takes the place of a tool's own functions. */
export interface FakeParts {
  run: Fake;
  /** Undefined: the tool has no probe. Absent: it has its own. */
  reconcile?: undefined;
  /** Undefined: the tool has no poll. Absent: it has its own. */
  poll?: undefined;
}

/** The same app, with fakes in the place of those tools for which `fakeOf` gives any. */
export function withFakes(app: App, fakeOf: (tool: Tool) => FakeParts | undefined): App {
  const faked = (tool: Tool): Tool => {
    const fake = fakeOf(tool);
    return fake === undefined ? tool : Object.freeze({ ...tool, ...(fake as Partial<Tool>), isolate: false });
  };
  const agents = app.agents.map((agent) => Object.freeze({ ...agent, tools: agent.tools.map(faked) }));
  return Object.freeze({ ...app, agents, tools: app.tools.map(faked) });
}

/** @throws Error for a name that no tool of the app has */
export function checkFakes(app: App, names: readonly string[], where: string): void {
  const known = new Set([...app.tools, ...app.agents.flatMap(({ tools }) => tools)].map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`${where}: the app has no tool of these names: ${unknown.join(', ')}`);
}
