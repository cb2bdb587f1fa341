/** Which rule decides a given call, and why: every step of admission up to the verdict, without running anything. */
import type { CallError } from '../../shared/errors';
import type { JsonObject } from '../../shared/json';
import { checkInput } from '../admit';
import { hooksFor } from '../hooks';
import type { PreparedAgent } from '../registry';
import { compareSpecificity } from '../../rules/rule';
import type { RuleTrace, TurnFacts, Verdict } from '../../rules';
import { exposedRules } from './exposed';
import { decide } from './decide';

export interface Explanation {
  tool: string;
  version: string;
  class: string;
  mode: string;
  /** Null: the input fits the schema and the tool's own check; else what is wrong with it. */
  fault: CallError | null;
  /** The effective input, defaults applied. */
  input: JsonObject;
  /** Names of the before-hooks that would run; they are not run here, and may change the input or refuse. */
  hooks: { name: string; io: boolean }[];
  /** Every rule that names the tool, the most specific first. */
  rules: RuleTrace[];
  verdict: Verdict['verdict'] | 'rejected';
  reason: string;
  /** The rule that decides; null: mode or class does. */
  rule: string | null;
  /** Of a tool that runs commands: allow rules that hold less than they seem to, a sentence each. */
  warnings: string[];
}

/** Null when the agent has no tool of this name. */
export async function explain(
  agent: PreparedAgent,
  name: string,
  input: JsonObject,
  turn: TurnFacts,
): Promise<Explanation | null> {
  const prepared = agent.tools.get(name);
  if (!prepared) return null;
  const { tool } = prepared;
  const checked = checkInput(prepared, input);
  const hooks = hooksFor(agent.hooks.before, name).map((hook) => ({ name: hook.name, io: hook.io === true }));
  const tools = [...agent.tools.values()].map((one) => one.tool);
  const common = {
    warnings: exposedRules(agent.policy, tools, tool, turn),
    tool: name,
    version: tool.version,
    class: tool.class,
    mode: agent.policy.mode,
    input: checked.input,
    hooks,
  };
  if (!checked.ok) {
    const { error } = checked;
    return { ...common, fault: error, rules: [], verdict: 'rejected', reason: error.message, rule: null };
  }
  const { verdict, reason, rule, considered } = await decide(agent.policy, { tool, input: checked.input, turn });
  const rules = considered.toSorted((a, b) => compareSpecificity(b.specificity, a.specificity));
  return { ...common, fault: null, rules, verdict, reason, rule };
}
