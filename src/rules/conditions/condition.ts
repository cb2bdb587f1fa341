/** Types of CEL expressions over `input`, `tool` and `turn`: `when` of a rule, `measure` of a budget. */
import type { CallFacts } from '../types';

/** What expressions can read. */
export type ConditionFacts = Pick<CallFacts, 'tool' | 'input' | 'turn'>;

/** A compiled CEL expression, with a value of any type. */
export interface Expression {
  text: string;
  /** Fields of `input` that it names, to be compared with the tools' schemas. */
  inputFields: string[];
  /** What else it reads: `input`, `tool.class`, `turn.requester`, or `turn` as a whole. */
  reads: string[];
  /** Its value in CEL types (an integer is a bigint); or, in words, why there is none. */
  evaluate(call: ConditionFacts): { value: unknown } | { error: string };
  /** Most time that this takes, in steps of 2 ns; `Infinity` if there is no bound. */
  steps(call: ConditionFacts): number;
}

/** True or false; or, in words, why it could not be evaluated. */
export type Outcome = boolean | { error: string };

export interface Condition extends Pick<Expression, 'text' | 'inputFields' | 'reads' | 'steps'> {
  holds(call: ConditionFacts): Outcome;
}

export type CompiledCondition = { ok: true; condition: Condition } | { ok: false; fault: string };

export type CompiledExpression = { ok: true; expression: Expression } | { ok: false; fault: string };
