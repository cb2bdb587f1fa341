/**
 * Evaluates the conditions and expressions of rules and budgets for a call: on the worker's thread where that takes few steps,
 * else in a thread that can be terminated (decision 0023).
 */
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ConditionFacts, Condition, Expression, Outcome } from '../../rules';
import { compileCondition, compileExpression } from '../../rules/conditions/compile';
import { isToolError } from '../define/errors';
import { defineJob } from '../isolation/job';
import { inThread } from '../isolation/pool';

/** About 5 ms. */
const FEW_STEPS = 2_500_000;

type ExpressionResult = ReturnType<Expression['evaluate']>;

/** Whether all of them together take few enough steps for the worker's thread. */
export function fewSteps(expressions: readonly Pick<Expression, 'steps'>[], call: ConditionFacts): boolean {
  let sum = 0;
  return expressions.every((expression) => (sum += expression.steps(call)) <= FEW_STEPS);
}

/** The outcome of each condition for the call. */
export async function outcomesInThread(conditions: readonly Condition[], call: ConditionFacts): Promise<Outcome[]> {
  const texts = conditions.map(({ text }) => text);
  return catchToolError(inThread(conditionsJob, { texts, call: plain(call) }, lane(call)), (error) =>
    texts.map(() => ({ error })),
  );
}

/** The value of an expression, evaluated on this thread or in another. */
export async function evaluateExpression(expression: Expression, call: ConditionFacts): Promise<ExpressionResult> {
  if (fewSteps([expression], call)) return expression.evaluate(call);
  return catchToolError(inThread(expressionJob, { text: expression.text, call: plain(call) }, lane(call)), (error) => ({
    error,
  }));
}

const lane = ({ turn }: ConditionFacts) => ({ lane: 'admission', owner: turn.requester }) as const;

/** Copies only what can be cloned, and what expressions read. */
function plain({ tool, input, turn }: ConditionFacts): ConditionFacts {
  const { schema } = tool;
  return { tool: { ...tool, schema }, input, turn };
}

async function catchToolError<T>(work: Promise<T>, onError: (error: string) => T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isToolError(error)) return onError(error.message);
    throw error;
  }
}

/** Exported so that tests can shorten the time limit. */
export const LIMITS = { ms: 5000, reason: 'condition_too_slow', hint: 'Send less.' };
const HERE = join(__dirname, 'expressions');
const conditionsJob = defineJob<{ texts: string[]; call: ConditionFacts }, Outcome[]>(HERE, 'askConditions', 'It', LIMITS);
const expressionJob = defineJob<{ text: string; call: ConditionFacts }, ExpressionResult>(HERE, 'askExpression', 'It', LIMITS);

/** Runs in a thread. */
export function askConditions({ texts, call }: { texts: string[]; call: ConditionFacts }): Outcome[] {
  return texts.map((text) => conditionOf(text).holds(call));
}

/** Runs in a thread. An object is replaced by null: it cannot be an amount, and might not be cloneable. */
export function askExpression({ text, call }: { text: string; call: ConditionFacts }): ExpressionResult {
  const result = expressionOf(text).evaluate(call);
  return 'value' in result && typeof result.value === 'object' ? { value: null } : result;
}

const conditionOf = memoize((text) => {
  const compiled = compileCondition(text);
  if (!compiled.ok) throw new Error(compiled.fault);
  return compiled.condition;
});

const expressionOf = memoize((text) => {
  const compiled = compileExpression(text);
  if (!compiled.ok) throw new Error(compiled.fault);
  return compiled.expression;
});

/** Compiles each text once per thread. */
function memoize<T extends object>(make: (text: string) => T): (text: string) => T {
  const cache = new LRUCache<string, T>({ max: 500 });
  return (text) => {
    const value = cache.get(text) ?? make(text);
    cache.set(text, value);
    return value;
  };
}
