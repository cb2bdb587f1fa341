/** `holdfast tools check`: shows which rule decides a call, and why. Reads the app, and runs nothing of it. */
import { Option, type Command } from 'commander';
import { type App, defineAgent } from '../agents/define';
import { loadConfig } from '../config';
import { isJsonObject, type JsonObject } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { entryText } from '../cards/card';
import type { ApprovalSettings } from '../rules/approvals';
import { readPermissions } from '../rules/read-permissions';
import { MODES, type Mode } from '../tools/admit/policy';
import { explain, explanationView, VERDICT_WORDS, type Explanation } from '../tools/lint/explain-permission';
import { Registry, type PreparedAgent } from '../tools/catalogue/registry';
import { appOf } from './support/app';
import { oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Output } from './support/output';
import type { Agent } from '../agents/agent';
import { errorMessage } from '../shared/text/error-message';
import { optional } from '../shared/json/optional';

interface CheckOptions {
  agent?: string;
  app?: string;
  rules?: string;
  mode?: Mode;
  untrusted?: boolean;
  requester: string;
}

export function toolsCheck(tools: Command, output: () => Output): void {
  tools
    .command('check')
    .description(
      'Which rule decides a call, and why. Runs nothing: neither tool nor hook nor classifier. Exit 3: it would be refused.',
    )
    .argument('<tool>', 'name of the tool')
    .argument('<json>', 'the input, one JSON object')
    .option('--agent <name>', 'whose rules; default: the only agent that has the tool')
    .option('--app <file>', 'module whose default export is defineApp({…}); default: the agents that ship')
    .option('--rules <file>', "YAML or JSON file of rules to try instead of the agent's")
    .addOption(new Option('--mode <mode>', "try this mode instead of the agent's").choices(MODES))
    .option('--untrusted', 'as if the conversation had read what outsiders wrote')
    .option('--requester <name>', 'who asked for the turn', 'local')
    .action(async (tool: string, json: string, options: CheckOptions) => {
      const input = inputOf(json);
      const config = loadConfig();
      const settings = { channel: config.approvals ?? 'any', notify: false } as const;
      const agent = chooseAgent(await appOf(config, options.app), tool, options, settings);
      const { untrusted = false, requester } = options;
      const turn = { untrusted, requester, agent: agent.agent.name, step: 1 };
      const explanation = (await explain(agent, tool, input, turn))!;
      output().answer(explanationView(agent.agent.name, explanation), describe(agent, explanation));
      if (explanation.verdict === 'deny' || explanation.verdict === 'rejected') throw new Exit(EXIT.refused);
    });
}

function inputOf(json: string): JsonObject {
  try {
    const input = parseJson(json);
    if (isJsonObject(input)) return input;
  } catch (error) {
    throw new UsageError(`The input is not valid JSON: ${errorMessage(error)}`);
  }
  throw new UsageError('The input must be a JSON object, e.g. \'{"ticker": "AAPL"}\'.');
}

/** The agent whose rules apply, with the rules and the mode to try. */
function chooseAgent(app: App, tool: string, options: CheckOptions, approvals: ApprovalSettings): PreparedAgent {
  const registry = new Registry(app, { approvals });
  const having = registry.names().filter((name) => registry.agent(name)!.tools.has(tool));
  const name = options.agent ?? having[0];
  const namedAgent = name === undefined ? undefined : registry.agent(name);
  if (options.agent !== undefined && !namedAgent)
    throw new UsageError(`There is no agent ${JSON.stringify(options.agent)}; there are: ${registry.names().join(', ')}.`);
  if (!namedAgent?.tools.has(tool)) {
    const tools = (namedAgent ? [namedAgent] : registry.names().map((each) => registry.agent(each)!)).flatMap((each) => [
      ...each.tools.keys(),
    ]);
    throw new UsageError(`There is no tool ${JSON.stringify(tool)}; there are: ${[...new Set(tools)].join(', ')}.`);
  }
  if (options.agent === undefined && having.length > 1)
    throw new UsageError(`Several agents have ${tool}: say --agent ${having.join(' or --agent ')}.`);
  if (options.rules === undefined && options.mode === undefined) return namedAgent;
  const changedRegistry = new Registry({ ...app, agents: [withRules(namedAgent.agent, options)] }, { approvals });
  return changedRegistry.agent(namedAgent.agent.name)!;
}

function withRules(agent: Agent, { rules, mode }: CheckOptions): Agent {
  try {
    const permissions = rules === undefined ? agent.permissions : readPermissions(rules);
    const { limits, model, ...rest } = agent;
    return defineAgent({
      ...rest,
      limits,
      ...optional({ model }),
      permissions: { ...permissions, ...optional({ mode }) },
    } as Parameters<typeof defineAgent>[0]);
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

/** What an approval needs, and which entry of a list says so. */
function approvalLines({ approval, verdict }: Explanation): string[] {
  if (approval === null || (approval.entry === undefined && verdict !== 'ask')) return [];
  const { quorum, channel, roles, four_eyes, escalate = [], entry } = approval;
  const needs = [
    `${quorum} ${quorum === 1 ? 'person' : 'people'}`,
    ...(roles.length > 0 ? [`of the roles ${roles.join(', ')}`] : []),
    ...escalate.map((one) => `after ${one.after_ms} ms also ${one.roles.join(', ')}`),
    channel === 'attested' ? 'signed decisions only' : 'names are not proved',
    ...(four_eyes ? ['nobody who asked for it'] : []),
  ];
  return [
    ...(entry ? [`  approval rules     ${oneLine(entryText(entry), 300)}`] : []),
    `  an approval needs  ${needs.join(', ')}`,
  ];
}

function describe({ agent }: PreparedAgent, explanation: Explanation): string[] {
  const { fault, hooks, rules } = explanation;
  const hookNames = hooks.map(({ name, io }) => (io ? `${name} (I/O)` : name)).join(', ');
  return [
    `${explanation.tool}@${explanation.version}, class ${explanation.class}, agent ${agent.name}, mode ${explanation.mode}`,
    fault
      ? `  schema and check   ${fault.code} ${fault.reason}: ${oneLine(fault.message, 400)}`
      : '  schema and check   the input is valid',
    ...(fault
      ? []
      : [
          `  before-hooks       ${hookNames === '' ? 'none' : `${hookNames}; not run here: they may refuse it or change the input`}`,
          ...(rules.length === 0 ? ['  rules              none names it'] : []),
          ...rules.map(
            (rule, index) =>
              `  ${index === 0 ? 'rules' : '     '}              ${rule.matched ? '✓' : '·'} ${rule.effect.padEnd(5)} ${oneLine(rule.rule, 120)}  [${rule.specificity.join('.')}]  ${oneLine(rule.because, 200)}`,
          ),
        ]),
    ...approvalLines(explanation),
    `  verdict            ${explanation.verdict}: ${VERDICT_WORDS[explanation.verdict]}`,
    `  because            ${oneLine(explanation.reason, 400)}`,
    ...explanation.warnings.map((warning) => `  warning            ${oneLine(warning, 400)}`),
  ];
}
