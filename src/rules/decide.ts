/**
 * Decides whether a call runs by itself, asks a person, or is refused, and names the rule that decided. Deny wins; then the most
 * specific rule, where ask wins a tie; then the tool's list of approval rules; then the mode, and under it the class.
 */
import { GIVE_RESULT } from '../shared/turn/result';
import { CLASS_RULES } from '../shared/turn/tool-class';
import { applyEntries, type EntryVerdict } from './approval-entries';
import type { Condition, Outcome } from './conditions/condition';
import type { Policy, ToolRule } from './policy';
import { simpleCommands } from './targets';
import { runsFiles } from './programs';
import { compareSpecificity, isExact, type Rule } from './rule';
import { type CallFacts, type Mode, READ_RESULT, type RuledTool, type RuleTrace, type TurnFacts, type Verdict } from './types';

type RuleDecision = Omit<Verdict, 'considered'>;
type RuleTrial = RuleTrace & { why: string | null };

/**
 * @param evaluate the result of a condition, if it is known already; by default the condition is evaluated, however long that takes
 */
export function decide(
  policy: Policy,
  call: CallFacts,
  evaluate: (condition: Condition) => Outcome = (condition) => condition.holds(call),
): Verdict {
  const trials = policy.rulesOf(call.tool).map((rule) => tryRule(rule, call, evaluate));
  const traces = trials.map(({ why: _, ...trace }) => trace);
  const list = policy.approvals?.get(call.tool.name);
  const entry = list === undefined ? null : applyEntries(list, evaluate);
  return {
    ...byRules(
      policy,
      call,
      trials.filter((rule) => rule.matched),
      entry,
    ),
    ...(entry === null ? {} : { approval: entry.policy }),
    considered: traces,
  };
}

/** @param entry of the tool's approval rules; it decides where no permission rule does */
function byRules(policy: Policy, call: CallFacts, trials: RuleTrial[], entry: EntryVerdict | null): RuleDecision {
  const ranking = trials.toSorted(
    (a, b) => compareSpecificity(b.specificity, a.specificity) || STRICTNESS[b.effect] - STRICTNESS[a.effect],
  );
  const deny = ranking.find((rule) => rule.effect === 'deny');
  if (deny) return { verdict: 'deny', reason: reasonOf(deny), word: 'denied_by_rule', rule: deny.rule };
  if (isModeInForce(policy, 'plan') && hasEffects(call)) {
    const reason = `mode plan runs nothing with effects, and ${call.tool.name} is of class ${call.tool.class}`;
    return { verdict: 'deny', reason, word: 'plan_mode', rule: null };
  }
  const best = ranking[0];
  // Also where a permission rule asks: it would ask people of whom nobody knows whether they are the right ones.
  if (entry?.verdict === 'refuse' && best?.effect !== 'allow')
    return { verdict: 'deny', reason: entry.reason, word: 'denied_by_rule', rule: null };
  if (best) return { verdict: best.effect, reason: reasonOf(best), word: null, rule: best.rule };
  // Mode `locked` runs only what a permission rule names.
  if (entry === null || isModeInForce(policy, 'locked')) return byMode(policy, call);
  return { verdict: entry.verdict === 'allow' ? 'allow' : 'ask', reason: entry.reason, word: null, rule: null };
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** The agent's own mode, or that of a parent turn. */
function isModeInForce({ mode, within = [] }: Policy, wantedMode: Mode): boolean {
  return mode === wantedMode || within.includes(wantedMode);
}

/** The engine's own tools that mode `locked` lets run, and why. */
const HARMLESS: ReadonlyMap<string, string> = new Map([
  [READ_RESULT, "it reads this conversation's own results"],
  [GIVE_RESULT, "it gives the turn's result"],
]);

function byMode(policy: Policy, { tool }: CallFacts): RuleDecision {
  const { mode } = policy;
  const no = { word: null, rule: null };
  if (isModeInForce(policy, 'locked')) {
    const harmless = HARMLESS.get(tool.name);
    return harmless !== undefined
      ? { ...no, verdict: 'allow', reason: harmless }
      : {
          ...no,
          verdict: 'deny',
          reason: `mode locked runs only what a rule allows, and none allows ${tool.name}`,
          word: 'locked_mode',
        };
  }
  if (CLASS_RULES[tool.class].approval === 'always') return { ...no, verdict: 'ask', reason: `class ${tool.class} always asks` };
  if (mode === 'auto' && (tool.class === 'write' || tool.class === 'agent' || tool.egress === true)) {
    const what = tool.egress === true ? `${tool.name} can carry data out` : `class ${tool.class} is not harmless`;
    return { ...no, verdict: 'classify', reason: `mode auto: ${what}` };
  }
  return { ...no, verdict: 'allow', reason: `class ${tool.class} does not ask` };
}

function hasEffects({ tool }: CallFacts): boolean {
  return tool.class === 'write' || tool.class === 'destructive' || tool.class === 'agent';
}

function reasonOf({ effect, rule, because, why }: RuleTrial): string {
  const notes = [because === MATCHES ? null : because, why].filter((note) => note !== null);
  return [`the agent's rule ${effect} ${rule}`, ...notes].join(': ');
}

const MATCHES = 'it matches';

function tryRule({ rule, specificity, matches }: ToolRule, call: CallFacts, ask: (condition: Condition) => Outcome): RuleTrial {
  const { targets } = call;
  const trace = { effect: rule.effect, rule: rule.text, specificity, why: rule.why };
  const allows = rule.effect === 'allow';
  if (allows && call.tool.class === 'destructive' && !isExact(rule))
    return { ...trace, matched: false, because: 'a destructive tool is allowed only by a rule that names it exactly' };
  if (rule.pattern !== null) {
    if (targets === null || matches === null)
      return { ...trace, matched: !allows, because: 'what the call touches could not be read' };
    const fits = allows ? targets.every(matches) : targets.some(matches);
    if (!fits) return { ...trace, matched: false, because: `the pattern does not fit ${formatTargets(targets)}` };
  }
  const holds = rule.condition === null || ask(rule.condition);
  if (typeof holds === 'object')
    return { ...trace, matched: !allows, because: `its condition failed (${holds.error.slice(0, 200).toWellFormed()})` };
  const mismatch = holds && allows ? describeMismatch(rule, call) : null;
  return { ...trace, matched: holds && mismatch === null, because: mismatch ?? (holds ? MATCHES : 'its condition is false') };
}

/** Why an allow rule does not cover the files that the command runs, or null. A rule without pattern and condition covers all. */
function describeMismatch({ files: hashes, pattern, condition }: Rule, { tool, targets, files }: CallFacts): string | null {
  if (hashes === 'any' || tool.target !== 'command') return null;
  if (hashes === null) {
    if (files === undefined || targets === null || (pattern === null && condition === null)) return null;
    const runs = targets.flatMap(simpleCommands).map(runsFiles);
    const programRun = runs.find((one) => one !== null && !one.guarded);
    return programRun
      ? `${programRun.program} runs what lies in ${programRun.files[0]}, and the rule has no files that say what that is`
      : null;
  }
  const commands = (targets ?? []).flatMap(simpleCommands);
  if (commands.some((command) => GOES_ELSEWHERE.test(command))) return 'it runs in another folder than the files of the rule';
  const unlistedRun = commands
    .map(runsFiles)
    .find((one) => one !== null && !one.open && !one.guarded && !Object.hasOwn(hashes, one.files[0]!));
  if (unlistedRun)
    return `${unlistedRun.program} runs what lies in ${unlistedRun.files[0]}, which is none of the files of the rule`;
  for (const [path, hash] of Object.entries(hashes)) {
    const actual = files?.hashOf(path);
    if (actual === undefined) return `what ${path} held was not written down`;
    if (actual !== hash) return actual === null ? `there is no file ${path}` : `${path} is another than the rule has: ${actual}`;
  }
  return null;
}

/** The command leaves its folder: `files` are from the root, its paths from where it runs. */
const GOES_ELSEWHERE = /^\W*(?:(?:builtin|command)\s+)*(?:cd|pushd|chdir)\b|\benv\b.*\s(?:-[A-Za-z0-9]*C|--c)/;

function formatTargets(targets: readonly string[]): string {
  const [first = ''] = targets;
  const more = targets.length > 1 ? ` and ${targets.length - 1} more` : '';
  return `${JSON.stringify(first.slice(0, 100).toWellFormed())}${more}`;
}

/** The requester of a call, and the agent. */
export type Asker = Pick<TurnFacts, 'requester' | 'agent'>;

const WITH_EFFECTS: ReadonlySet<string> = new Set(['write', 'destructive', 'agent']);
const OF_ASKER = /^(?:tool\..+|turn\.requester|turn\.agent)$/;
/** About two milliseconds. */
const FEW_STEPS = 1_000_000;

/** @param asker absent: any requester and agent */
export function neverRuns(policy: Policy, tool: RuledTool, asker?: Asker): boolean {
  const rules = policy.rulesOf(tool).map(({ rule }) => rule);
  const fits = (rule: Rule) => fitsEveryCall(rule, tool, asker);
  if (rules.some((rule) => rule.effect === 'deny' && fits(rule) === true)) return true;
  const modes = [policy.mode, ...(policy.within ?? [])];
  if (modes.includes('plan') && WITH_EFFECTS.has(tool.class)) return true;
  if (!modes.includes('locked') || HARMLESS.has(tool.name)) return false;
  return !rules.some((rule) => rule.effect !== 'deny' && fits(rule) !== false);
}

/** True: every call; false: none; null: it depends on the call. */
function fitsEveryCall({ pattern, condition, effect }: Rule, tool: RuledTool, asker: Asker | undefined): boolean | null {
  const whole = pattern === null ? true : null;
  if (condition === null) return whole;
  if (asker === undefined || !condition.reads.every((name) => OF_ASKER.test(name))) return null;
  const call = { tool, input: {}, turn: { ...asker, untrusted: false, step: 1 } };
  if (condition.steps(call) > FEW_STEPS) return null;
  const holds = condition.holds(call);
  // A condition that fails counts as the stricter result, as in `tryRule`.
  return (typeof holds === 'boolean' ? holds : effect !== 'allow') ? whole : false;
}
