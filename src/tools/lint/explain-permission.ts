/**
 * Explains which permission rule decides a call, without running the call or its hooks. Warns of allow rules for commands that execute
 * files which another tool may write without approval.
 */
import type { ExplanationView } from '../../shapes/agent-view';
import type { CallError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { compareSpecificity } from '../../rules/rule';
import {
  type RuleTrace,
  type TurnFacts,
  type Verdict,
  decide as decideAtOnce,
  runsFiles,
  type Policy,
  type RunsFiles,
} from '../../rules';
import type { ApprovalPolicy } from '../../shared/approval/policy';
import type { ToolRule } from '../../rules/policy';
import { checkInput } from '../admit/admit';
import { hooksFor } from '../admit/hooks';
import type { PreparedAgent } from '../catalogue/registry';
import { decide, ruledTool } from '../admit/policy';
import type { Tool } from '../define/tool';

export interface Explanation {
  tool: string;
  version: string;
  class: string;
  mode: string;
  /** Null: the input passes the schema and the tool's own check. */
  fault: CallError | null;
  /** The effective input, defaults applied. */
  input: JsonObject;
  /** The before-hooks that would run. They are not run here; they may change the input or refuse the call. */
  hooks: { name: string; io: boolean }[];
  /** Every rule that names the tool, most specific first. */
  rules: RuleTrace[];
  verdict: Verdict['verdict'] | 'rejected';
  reason: string;
  /** The rule that decides; null: the mode or the class decides. */
  rule: string | null;
  /** For a tool that runs commands: one sentence for each allow rule that permits more, or less, than it seems to. */
  warnings: string[];
  /** What an approval of this call requires; null: the input is not valid. */
  approval: ApprovalPolicy | null;
}

/** Null when the agent has no tool of this name. */
export async function explain(
  agent: PreparedAgent,
  name: string,
  input: JsonObject,
  turn: TurnFacts,
): Promise<Explanation | null> {
  const preparedTool = agent.tools.get(name);
  if (!preparedTool) return null;
  const { tool } = preparedTool;
  const checked = checkInput(preparedTool, input);
  const hooks = hooksFor(agent.hooks.before, name).map((hook) => ({ name: hook.name, io: hook.io === true }));
  const tools = [...agent.tools.values()].map((one) => one.tool);
  const common = {
    warnings: [...exposedRules(agent.policy, tools, tool, turn), ...listWarnings(agent.policy, tool)],
    tool: name,
    version: tool.version,
    class: tool.class,
    mode: agent.policy.mode,
    input: checked.input,
    hooks,
  };
  if (!checked.ok) {
    const { error } = checked;
    return { ...common, fault: error, rules: [], verdict: 'rejected', reason: error.message, rule: null, approval: null };
  }
  const result = await decide(agent.policy, { tool, input: checked.input, turn });
  const { verdict, reason, rule, considered } = result;
  const approval = result.approval ?? agent.approval(name);
  const rules = considered.toSorted((a, b) => compareSpecificity(b.specificity, a.specificity));
  return { ...common, fault: null, rules, verdict, reason, rule, approval };
}

/** A tool's list of approval rules that asks less than it seems to. */
function listWarnings(policy: Policy, tool: Tool): string[] {
  const { entries = [], noCommonRole = null } = policy.approvals?.get(tool.name) ?? {};
  const last = entries.at(-1);
  const at = `approvals.tools.${tool.name}`;
  const allowed = policy.rulesOf(ruledTool(tool)).filter(({ rule }) => rule.effect === 'allow');
  return [
    ...(last?.allow && last.when === null
      ? [
          `${at}: its last entry allows every call that no entry before it fits, without a condition: name what it allows with when`,
        ]
      : []),
    ...(noCommonRole === null ? [] : [`${at}: a call for which a condition fails is refused, because ${noCommonRole}`]),
    ...(entries.length > 0
      ? allowed.map(
          ({ rule }) => `allow ${rule.text}: a call that this rule allows runs without being asked about, whatever ${at} says`,
        )
      : []),
  ];
}

export const VERDICT_WORDS: Record<Explanation['verdict'], string> = {
  allow: 'it runs by itself',
  ask: 'it asks a person',
  classify: 'the classifier decides; without one it asks a person',
  deny: 'it is refused',
  rejected: 'it is refused before anybody is asked',
};

/** The explanation as `tools check --json` and the gateway give it. */
export function explanationView(agent: string, { rules, ...rest }: Explanation): ExplanationView {
  const traces = rules.map(({ specificity, ...rule }) => ({ ...rule, specificity: [...specificity] }));
  return { agent, ...rest, words: VERDICT_WORDS[rest.verdict], rules: traces };
}

// Allow rules for commands whose programs run files that the agent may write unasked: a rule for `npm test` can permit anything.

/** Sample paths of further files that programs such as test runners run. */
const FURTHER = ['/src/index.js', '/test/index.js', '/node_modules/x/index.js', '/x'];
const ANY_COMMAND: RunsFiles = { program: 'any command', files: [], guarded: false, open: true };

/** One sentence for each rule and each tool that may write the files that its command runs; empty: none is known. */
export function exposedRules(policy: Policy, tools: readonly Tool[], tool: Tool, turn: TurnFacts): string[] {
  if (tool.ruleTarget?.kind !== 'command') return [];
  const writers = tools.filter((one) => one.ruleTarget?.kind === 'path' && /^(?:write|destructive)$/.test(one.class));
  return policy.rulesOf(ruledTool(tool)).flatMap((one) => (one.rule.effect === 'allow' ? exposed(one, writers) : []));

  function exposed({ rule }: ToolRule, by: readonly Tool[]): string[] {
    const runs = rule.pattern === null || /^\W*\*/.test(rule.pattern) ? ANY_COMMAND : runsFiles(rule.pattern);
    if (runs === null) return [];
    const boundFiles = rule.files === null || rule.files === 'any' ? [] : Object.keys(rule.files);
    const probes = [...runs.files.filter((path) => !boundFiles.includes(path)), ...(runs.open ? FURTHER : [])];
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
    const { verdict } = decideAtOnce(policy, { tool: ruledTool(writer), input: {}, targets: [path], turn });
    return verdict === 'allow' || verdict === 'classify';
  }
}
