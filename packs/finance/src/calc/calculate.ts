/**
 * Evaluates the arithmetic of the tool `calculate`. mathjs only parses; this file evaluates, so nothing of mathjs's language
 * (assignment, access, import, units, matrices, strings) is available except what this file lists.
 *
 * `%` after a number or a parenthesis always means "divided by 100": `100 + 10%` is 100.1, and `12% + 1` is 1.12. A remainder is
 * `mod(a, b)`. mathjs would read a `%` before a sign as a remainder, so it gets `!` instead, its postfix operator of the same rank,
 * and this file reads the tree's `!` nodes as per cent.
 */
import { join } from 'node:path';
import { defineJob, ToolError } from 'holdfast/tools';
import { CONSTANTS, FUNCTIONS } from './functions';
import { parseMath, type MathNode } from './mathjs-parse';

const MAX_LENGTH = 200;
const CHARACTERS = /^[0-9A-Za-z_.,+\-*/^%() \t]*$/;
const HELP =
  'Use numbers without thousands separators, + - * / ^ ** ( ), per cent as 12%, pi, e and ' +
  `${[...FUNCTIONS.keys()].join(', ')}.`;

/** Runs in a thread with a time limit, because the time that mathjs takes to parse an expression has no known bound. */
export const calculateJob = defineJob<string, number>(join(__dirname, 'calculate'), 'calculate', 'The calculation', {
  ms: 3000,
  reason: 'calc_too_slow',
  hint: 'Write a shorter expression, with fewer parentheses, or calculate it in steps.',
});

/** @throws ToolError INVALID_PARAMS `calc_failed` for text that is not arithmetic with a finite result; no other error */
export function calculate(expression: string): number {
  checkText(expression);
  let tree: MathNode;
  try {
    tree = parseMath(expression.replaceAll('**', '^').replaceAll('%', '!'));
  } catch (error) {
    throw calcError(`${JSON.stringify(expression)} could not be read: ${position(error)}`);
  }
  const result = evaluate(tree);
  return result === 0 ? 0 : result; // no negative zero: JSON has none
}

function checkText(text: string): void {
  if (text.trim() === '') throw calcError('The expression is empty.');
  if (text.length > MAX_LENGTH) throw calcError(`The expression has ${text.length} characters; ${MAX_LENGTH} are allowed.`);
  if (!CHARACTERS.test(text)) {
    const odd = [...text].find((c) => !CHARACTERS.test(c))!;
    throw calcError(`The character ${JSON.stringify(odd)} has no place in arithmetic.`);
  }
  if (/(^|[^\d.])\d{1,3},\d{3}(?!\d)/.test(text)) {
    throw calcError(
      'A comma before three digits could be a thousands separator.',
      'Write 1234.5, not 1,234.5; between arguments put a space after the comma.',
    );
  }
  if (/\b0[xbo][\w.]*i\d/i.test(text)) {
    throw calcError('A number has a word size behind it, such as i32.', 'Write 255 or 0xff, without a size.');
  }
  if (/%\s*[\w.(]/.test(text)) {
    throw calcError('A per cent sign stands before an operand.', '% means "divided by 100". For a remainder use mod(a, b).');
  }
}

function evaluate(node: MathNode): number {
  switch (node.type) {
    case 'ConstantNode':
      return finite(node.value, 'a number');
    case 'ParenthesisNode':
      return evaluate(node.content!);
    case 'SymbolNode': {
      const value = CONSTANTS.get(node.name ?? '');
      if (value === undefined) throw calcError(`There is no constant ${JSON.stringify(node.name)}.`);
      return value;
    }
    case 'OperatorNode':
      return operate(node);
    case 'FunctionNode':
      return call(node);
    default:
      throw calcError(`${node.type.replace(/Node$/, '')} is not arithmetic.`);
  }
}

function operate(node: MathNode): number {
  if (node.implicit) throw calcError('Two operands stand side by side without an operator.', 'Write 2 * 3, not 2(3).');
  const [a, b] = (node.args ?? []).map(evaluate);
  const key = `${node.op} ${node.args?.length}`;
  switch (key) {
    case '+ 1':
      return a!;
    case '- 1':
      return -a!;
    case '! 1':
      return a! / 100;
    case '+ 2':
      return finite(a! + b!, 'a sum');
    case '- 2':
      return finite(a! - b!, 'a difference');
    case '* 2':
      return finite(a! * b!, 'a product');
    case '/ 2':
      if (b === 0) throw calcError(`Division by zero: ${a} / 0.`);
      return finite(a! / b!, 'a quotient');
    case '^ 2':
      return finite(a! ** b!, 'a power');
    default:
      throw calcError(`The operator ${JSON.stringify(node.op)} is not available.`);
  }
}

function call(node: MathNode): number {
  const name = node.fn?.type === 'SymbolNode' ? (node.fn.name ?? '') : '';
  const definition = FUNCTIONS.get(name);
  if (!definition) throw calcError(`There is no function ${JSON.stringify(name)}.`);
  const args = (node.args ?? []).map(evaluate);
  if (args.length < definition.min || args.length > definition.max) {
    const arity = definition.min === definition.max ? String(definition.min) : `${definition.min} to ${definition.max}`;
    throw calcError(`${name} takes ${arity} argument(s), not ${args.length}.`);
  }
  return finite(definition.apply(args), `${name}(${args.join(', ')})`);
}

function finite(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw calcError(`${what[0]!.toUpperCase()}${what.slice(1)} is not finite or not a real number.`);
}

/** The parser's message, at most 120 characters, with `%` for our `!`. */
function position(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll('!', '%').slice(0, 120);
}

function calcError(message: string, hint = HELP): ToolError {
  return new ToolError('INVALID_PARAMS', 'calc_failed', message, { hint });
}
