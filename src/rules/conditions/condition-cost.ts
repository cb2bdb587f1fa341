/**
 * Bounds how long an expression takes over an input: a short one is evaluated on the worker's thread, a longer one in a thread
 * that can be ended. Bounds, not estimates: a value is at most as large as the input that the expression names, times the values
 * that it joins; each look reads a whole value; a loop repeats all of it for each item. A function that is not listed below has
 * no bound. A step takes at most 2 ns, as measured (test/unit/rules/condition-cost.test.ts).
 */
import { RE2JS } from 're2js';
import { isJsonObject, type Json } from '../../shared/json/json';
import { MOST_VALUES } from './cel-values';
import type { ConditionFacts } from './condition';

export interface ExpressionWeight {
  /** Fields of the input that are read; null: all. */
  fields: readonly string[] | null;
  /** Calls, fields, loops: each may read a value, or fail, which takes longest. */
  looks: number;
  /** How many values may be joined into one. */
  joins: number;
  loops: number;
  /** A loop builds a list. */
  makesLists: boolean;
  /** Each character of a value may be compared with each of another. */
  squares: boolean;
  /** Characters of all patterns, and their instructions. */
  patterns: { length: number; size: number };
  /** Characters of the expression. */
  length: number;
}

/** Functions that read each character or item once. */
const ONCE = new Set(
  '_==_ _!=_ _<_ _<=_ _>_ _>=_ _+_ _-_ -_ !_ _&&_ _||_ _?_:_ _[_] @in @not_strictly_false size startsWith endsWith bool type dyn'.split(
    ' ',
  ),
);
/** Text search, and numbers of a thousand digits. */
const SQUARES = new Set(['contains', '_*_', '_/_', '_%_', 'int', 'double', 'string', 'big']);

/** Steps per look, at least: a failure creates an error. */
const LOOK = 2000;
const ITEM = 20;
const CHARACTER = 10;
/** For a pattern, which is compiled each time. */
const PATTERN = { character: 15_000, instruction: 1500 } as const;
/** To convert one value of the input to CEL. */
const VALUE = 1000;

/** Null: some part of it has no bound. */
export function weigh(root: Expr | undefined, length: number): ExpressionWeight | null {
  const weight = { looks: 0, joins: 1, loops: 0, makesLists: false, squares: false, patterns: { length: 0, size: 0 }, length };
  const fields = new Set<string>();
  let all = false;
  let hasBound = true;
  const visit = (expr: Expr): void => {
    const { case: kind, value } = expr.exprKind;
    if (kind === 'selectExpr' && isInput(value.operand)) {
      weight.looks += 1;
      return void fields.add(value.field);
    }
    if (isInput(expr)) all = true;
    else if (kind === 'callExpr') hasBound &&= weighCall(value, weight);
    else if (kind === 'listExpr' || kind === 'structExpr') weight.joins += partsOf(expr).length;
    else if (kind === 'comprehensionExpr') {
      weight.loops += 1;
      if (value.accuInit?.exprKind.case === 'listExpr') {
        weight.makesLists = true;
        weight.joins -= 2; // the `+ [item]` of each round
      }
      if (hasLoop(value.iterRange)) hasBound = false; // a loop over the result of another loop has no bound
    }
    if (kind !== 'constExpr' && kind !== 'identExpr') weight.looks += 1;
    partsOf(expr).forEach(visit);
  };
  if (root) visit(root);
  return hasBound ? { ...weight, fields: all ? null : [...fields] } : null;
}

interface Call {
  function: string;
  args: Expr[];
}

function weighCall({ function: name, args }: Call, weight: Omit<ExpressionWeight, 'fields'>): boolean {
  if (name === '_+_') weight.joins += 1;
  if (SQUARES.has(name)) weight.squares = true;
  if (name !== 'matches') return ONCE.has(name) || SQUARES.has(name);
  const pattern: unknown = args.at(-1)?.exprKind.value?.constantKind?.value;
  if (typeof pattern !== 'string') return false;
  weight.patterns.length += pattern.length;
  weight.patterns.size += instructionsOf(pattern);
  return true;
}

/** An invalid pattern fails at once. */
function instructionsOf(pattern: string): number {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return 0;
  }
}

function isInput(expr: Expr | undefined): boolean {
  return expr?.exprKind.case === 'identExpr' && expr.exprKind.value.name === 'input';
}

function hasLoop(expr: Expr): boolean {
  return expr.exprKind.case === 'comprehensionExpr' || partsOf(expr).some(hasLoop);
}

/** Most steps for a call; `Infinity` if there is no bound. */
export function stepsOver(weight: ExpressionWeight | null, { input, tool, turn }: ConditionFacts): number {
  if (weight === null) return Infinity;
  const whole = sizeOf(input);
  if (whole.items > MOST_VALUES) return Infinity;
  const { fields, joins, looks, loops, makesLists, squares, patterns, length } = weight;
  const size =
    fields === null
      ? whole
      : sizeOf(Object.fromEntries(fields.filter((field) => Object.hasOwn(input, field)).map((field) => [field, input[field]!])));
  const around =
    length + tool.name.length + tool.version.length + (tool.group ?? '').length + turn.requester.length + turn.agent.length;
  const characters = joins * (size.characters + around);
  const items = joins * size.items;
  const rounds = loops > 0 ? items : 1;
  const oneSize = (characters * CHARACTER + items * ITEM) * (makesLists ? items : 1);
  const oneLook = LOOK + oneSize + (squares ? characters ** 2 / 10 : 0);
  const matching = patterns.length * PATTERN.character + patterns.size * (PATTERN.instruction + 10 * characters);
  const setup = whole.items * VALUE + whole.characters;
  return setup + (looks * oneLook + matching) * rounds;
}

interface Size {
  /** Of texts, names and numbers. */
  characters: number;
  /** Values, of all depths. */
  items: number;
}

/** Stops counting after `MOST_VALUES` items. */
function sizeOf(value: Json): Size {
  const size: Size = { characters: 0, items: 0 };
  const visit = (one: Json): void => {
    size.items += 1;
    if (size.items > MOST_VALUES) return;
    if (typeof one === 'string') size.characters += one.length;
    else if (typeof one === 'number') size.characters += 25;
    else if (Array.isArray(one)) one.slice(0, MOST_VALUES + 1).forEach(visit);
    else if (isJsonObject(one))
      for (const [name, below] of Object.entries(one)) {
        size.characters += name.length;
        visit(below);
      }
  };
  visit(value);
  return size;
}

/** The parts of a parsed expression that are read here (google/cel-spec, syntax.proto). */
export interface Expr {
  // oxlint-disable-next-line typescript/no-explicit-any -- each case has a value of another shape
  exprKind: { case?: string; value?: any };
}

type Part = Expr | undefined;

/** The direct sub-expressions. */
export function partsOf({ exprKind: { case: kind, value } }: Expr): Expr[] {
  const parts = (): Part[] => {
    switch (kind) {
      case 'selectExpr':
        return [value.operand];
      case 'callExpr':
        return [value.target, ...value.args];
      case 'listExpr':
        return value.elements;
      case 'structExpr':
        return value.entries.flatMap((entry: { keyKind?: { value?: Part }; value?: Part }) => [
          entry.keyKind?.value,
          entry.value,
        ]);
      case 'comprehensionExpr':
        return [value.iterRange, value.accuInit, value.loopCondition, value.loopStep, value.result];
      default: // a name or a constant
        return [];
    }
  };
  return parts().filter((part): part is Expr => typeof part === 'object');
}
