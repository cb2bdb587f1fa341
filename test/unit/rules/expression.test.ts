/** The direct parts of an expression: a part that is left out would not be counted (condition-cost.ts). */
import { parse } from '@bufbuild/cel';
import { partsOf, type Expr } from '../../../src/rules/conditions/condition-cost';

/** Names and constants of an expression, at any depth. */
function leavesOf(expr: Expr): unknown[] {
  const { case: kind, value } = expr.exprKind;
  if (kind === 'identExpr') return [value.name];
  if (kind === 'constExpr') return [value.constantKind.value];
  return partsOf(expr).flatMap(leavesOf);
}

it.each([
  ['input.a.b', ['input']],
  ['has(input.a)', ['input']],
  ['f(a, b)', ['a', 'b']],
  ['a.f(b, c)', ['a', 'b', 'c']],
  ['a + b * c', ['a', 'b', 'c']],
  ['[a, b, [c]]', ['a', 'b', 'c']],
  ['{"x": a, b: c}', ['x', 'a', 'b', 'c']],
  ['T{x: a, y: b}', ['a', 'b']],
  ['a ? b : c', ['a', 'b', 'c']],
])('%s has all its names and constants', (text, leaves) => {
  expect(leavesOf(parse(text).expr as Expr)).toEqual(leaves);
});

it('a macro has its expanded parts, each once', () => {
  const expr = parse('list.exists(x, x == limit)').expr as Expr;
  const { iterRange, accuInit, loopCondition, loopStep, result } = expr.exprKind.value;
  expect(partsOf(expr)).toEqual([iterRange, accuInit, loopCondition, loopStep, result]);
  expect(leavesOf(expr)).toEqual(expect.arrayContaining(['list', 'x', 'limit']));
});

it('a name or a constant has no parts', () => {
  for (const text of ['a', '1', '"text"', 'null']) expect(partsOf(parse(text).expr as Expr)).toEqual([]);
  expect(partsOf({ exprKind: { case: 'selectExpr', value: { operand: undefined } } })).toEqual([]);
});
