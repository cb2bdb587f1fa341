/**
 * Budgets of an agent: limits for what its destructive calls may spend together in a period. This file has their definition,
 * finds its faults, and computes the amount that one call spends.
 */
import { isAmount } from '../../shared/budget-book';
import { type JsonObject, isJsonObject, unknownFields } from '../../shared/json/json';
import type { TurnFacts } from '../../rules';
import { compileExpression } from '../../rules/conditions/compile';
import type { Expression } from '../../rules/conditions/condition';
import { matchesWildcard } from '../../rules/text-pattern';
import { evaluateExpression } from '../admit/expressions';
import { ruledTool } from '../admit/policy';
import { inputSchema } from '../schema/schema';
import { isFrom } from '../catalogue/tool-source';
import type { Tool } from '../define/tool';

export interface Budget {
  /** `[A-Za-z0-9._-]{1,64}`; people read it, and it names the budget that an approval lets a call exceed. */
  name: string;
  /** Names of destructive tools, or patterns such as `pay_*`. */
  tools: string[];
  /** What the cap applies to: the whole agent, or each session (or turn without one), each principal, or each tool separately. */
  per: (typeof PER)[number];
  /** The cap applies to any period of this length, ms; at most a year. */
  windowMs: number;
  /**
   * The amount that a call spends: `count` (1 per call, the default), or a CEL expression over `input`, `tool` and `turn` that
   * gives a whole number from 0 or a text of digits: `input.cents`, `size(input.recipients)`.
   */
  measure?: string;
  /** The limit: digits, or a safe integer. */
  cap: string | number;
  /** What happens to a call that exceeds the cap: `refuse` (default) with QUOTA_EXCEEDED, or `ask`: a person may approve it. */
  exhausted?: 'refuse' | 'ask';
}

/** A budget, compiled for one tool. */
export interface ToolBudget {
  name: string;
  per: Budget['per'];
  windowMs: number;
  /** Digits. */
  cap: string;
  exhausted: 'refuse' | 'ask';
  /** The amount that a call with this input spends, as digits; or why it cannot be computed. */
  amount(input: JsonObject, turn: TurnFacts): Promise<string | { error: string }>;
}

const PER = ['agent', 'session', 'principal', 'tool'] as const;
const FIELDS = ['name', 'tools', 'per', 'windowMs', 'measure', 'cap', 'exhausted'];
const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const MOST = 20;
const LONGEST_WINDOW = 365 * 24 * 3_600_000;

/** Every fault of an agent's budgets, as messages. */
export function budgetFaults(
  budgets: readonly Budget[] | undefined,
  tools: readonly Tool[],
  servers: readonly string[] = [],
): string[] {
  if (budgets === undefined) return [];
  if (!Array.isArray(budgets)) return ['budgets must be a list'];
  const names = budgets.map((budget: Partial<Budget> | null) => budget?.name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...(budgets.length > MOST ? [`there are ${budgets.length} budgets; at most ${MOST}`] : []),
    ...twice.map((name) => `two budgets have the name ${JSON.stringify(name)}`),
    ...budgets.flatMap((budget: unknown, index) => {
      const at = `budgets[${index}]`;
      if (!isJsonObject(budget as never)) return [`${at} must be an object`];
      return ownFaults(budget as Budget, tools, servers).map((fault) => `${at}: ${fault}`);
    }),
  ];
}

function ownFaults(budget: Budget, tools: readonly Tool[], servers: readonly string[]): string[] {
  const { name, per, windowMs, cap, exhausted = 'refuse' } = budget;
  const faults: [boolean, string][] = [
    [!(typeof name === 'string' && NAME.test(name)), `name ${JSON.stringify(name)} must match ${NAME.source}`],
    [!PER.includes(per), `per is ${JSON.stringify(per)}; it must be one of ${PER.join(', ')}`],
    [
      !(Number.isSafeInteger(windowMs) && windowMs >= 1 && windowMs <= LONGEST_WINDOW),
      `windowMs is ${windowMs}; it must be ms, an integer from 1 to a year`,
    ],
    [!isAmount(capText(cap)), `cap is ${JSON.stringify(cap)}; it must be digits, or a safe integer from 0`],
    [!['refuse', 'ask'].includes(exhausted), `exhausted is ${JSON.stringify(exhausted)}; it must be refuse or ask`],
  ];
  return [
    ...unknownFields(budget, FIELDS),
    ...faults.filter(([wrong]) => wrong).map(([, text]) => text),
    ...toolFaults(budget, tools, servers),
    ...measureFaults(budget, tools),
  ];
}

function toolFaults({ tools: patterns }: Budget, tools: readonly Tool[], servers: readonly string[]): string[] {
  if (!Array.isArray(patterns) || patterns.length === 0) return ['tools must be a list of names or patterns'];
  return patterns.flatMap((pattern: unknown) => {
    if (typeof pattern !== 'string') return [`tools has ${JSON.stringify(pattern)}, which is no name`];
    if (isFrom(servers, pattern)) return [];
    const fitting = tools.filter((tool) => matchesWildcard(pattern, tool.name));
    if (fitting.length === 0) return [`tools: ${JSON.stringify(pattern)} fits no tool of the agent`];
    if (fitting.some(isSpending)) return [];
    return [`tools: ${JSON.stringify(pattern)} fits no destructive tool; only what is destructive has a record to settle by`];
  });
}

function measureFaults(budget: Budget, tools: readonly Tool[]): string[] {
  const compiled = compileMeasure(budget.measure);
  if (compiled === null) return [];
  if (!compiled.ok) return [`measure: ${compiled.fault}`];
  const { inputFields } = compiled.expression;
  return tools
    .filter((tool) => coversTool(budget, tool))
    .flatMap((tool) => {
      const { additionalProperties, properties } = inputSchema(tool.input as JsonObject);
      if (additionalProperties !== false || !isJsonObject(properties)) return [];
      const missing = inputFields.filter((field) => !Object.hasOwn(properties, field));
      return missing.map((field) => `measure: the input of ${tool.name} has no field ${field}`);
    });
}

/** The budgets that a tool's calls spend from. */
export function budgetsFor(budgets: readonly Budget[] | undefined, tool: Pick<Tool, 'name' | 'class'>): Budget[] {
  return (budgets ?? []).filter((budget) => coversTool(budget, tool));
}

/** The same, compiled. The budgets must have no faults. */
export function budgetsOf(budgets: readonly Budget[] | undefined, tool: Tool): ToolBudget[] {
  return budgetsFor(budgets, tool).map(({ name, per, windowMs, cap, measure, exhausted = 'refuse' }) => {
    const compiled = compileMeasure(measure);
    if (compiled?.ok === false) throw new Error(`Budget ${name}: measure: ${compiled.fault}`);
    const amount: ToolBudget['amount'] = async (input, turn) =>
      compiled === null ? '1' : measureAmount(compiled.expression, tool, input, turn);
    return { name, per, windowMs, cap: capText(cap), exhausted, amount };
  });
}

async function measureAmount(
  expression: Expression,
  tool: Tool,
  input: JsonObject,
  turn: TurnFacts,
): ReturnType<ToolBudget['amount']> {
  const result = await evaluateExpression(expression, { tool: ruledTool(tool), input, turn });
  if ('error' in result) return result;
  const text = typeof result.value === 'bigint' ? String(result.value) : result.value;
  if (isAmount(text)) return text;
  return { error: `it gives ${formatValue(result.value)}, which is no whole number from 0 of at most 100 digits` };
}

/** Null: each call counts as one. */
function compileMeasure(measure: string = 'count'): ReturnType<typeof compileExpression> | null {
  return measure === 'count' ? null : compileExpression(measure);
}

function coversTool({ tools }: Budget, tool: Pick<Tool, 'name' | 'class'>): boolean {
  return isSpending(tool) && Array.isArray(tools) && tools.some((pattern) => matchesWildcard(String(pattern), tool.name));
}

function isSpending(tool: Pick<Tool, 'class'>): boolean {
  return tool.class === 'destructive';
}

function capText(cap: unknown): string {
  return typeof cap === 'number' && Number.isSafeInteger(cap) ? String(cap) : typeof cap === 'string' ? cap : '';
}

function formatValue(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value).slice(0, 40);
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : `a ${typeof value}`;
}
