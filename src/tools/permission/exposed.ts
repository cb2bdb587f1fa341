/** Allow rules for commands whose programs run what the agent may write by itself: a rule for `npm test` can be one for anything. */
import { decide, runsFiles, type Policy, type RunsFiles, type TurnFacts } from '../../rules';
import type { ToolRule } from '../../rules/policy';
import { ruledTool } from './facts';
import type { Tool } from '../tool';

/** Where programs such as test runners find more to run. */
const FURTHER = ['/src/index.js', '/test/index.js', '/node_modules/x/index.js', '/x'];
const ANY_COMMAND: RunsFiles = { program: 'any command', files: [], guarded: false, open: true };

/** One sentence for each rule and each tool that may write what it runs; empty: none is known. */
export function exposedRules(policy: Policy, tools: readonly Tool[], tool: Tool, turn: TurnFacts): string[] {
  if (tool.ruleTarget?.kind !== 'command') return [];
  const writers = tools.filter((one) => one.ruleTarget?.kind === 'path' && /^(?:write|destructive)$/.test(one.class));
  return policy.rulesOf(ruledTool(tool)).flatMap((one) => (one.rule.effect === 'allow' ? exposed(one, writers) : []));

  function exposed({ rule }: ToolRule, by: readonly Tool[]): string[] {
    const runs = rule.pattern === null || /^\W*\*/.test(rule.pattern) ? ANY_COMMAND : runsFiles(rule.pattern);
    if (runs === null) return [];
    const bound = rule.files === null || rule.files === 'any' ? [] : Object.keys(rule.files);
    const probes = [...runs.files.filter((path) => !bound.includes(path)), ...(runs.open ? FURTHER : [])];
    const counts = rule.files !== null || rule.pattern === null || runs.guarded;
    const what = counts ? 'the rule then allows what was written there' : 'so the rule does not count: give it files';
    return by.flatMap((writer) => {
      const path = probes.find((one) => mayWrite(writer, one));
      return path === undefined
        ? []
        : [`allow ${rule.text}: ${runs.program} runs what lies in files, and ${writer.name} may write ${path} unasked; ${what}`];
    });
  }

  function mayWrite(writer: Tool, path: string): boolean {
    if (path.split('/').some((name) => writer.ruleTarget!.protects?.includes(name))) return false;
    const { verdict } = decide(policy, { tool: ruledTool(writer), input: {}, targets: [path], turn });
    return verdict === 'allow' || verdict === 'classify';
  }
}
