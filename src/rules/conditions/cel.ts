/**
 * Compiles CEL expressions. CEL has no unbounded loops and no side effects. Expressions that could still take long are refused:
 * long ones, and nested loops.
 */
import {
  celEnv,
  celFunc,
  celList,
  type CelList,
  CelScalar,
  type CelValue,
  isCelError,
  listType,
  parse,
  plan,
} from '@bufbuild/cel';
import { celInput, type CelInput } from './cel-values';
import {
  type ConditionFacts,
  type CompiledCondition,
  type CompiledExpression,
  type Condition,
  type Expression,
} from './condition';
import { type Expr, stepsOver, weigh } from './condition-cost';
import { errorMessage } from '../../shared/text/error-message';

const LONGEST = 1000;
const VARIABLES = { input: CelScalar.DYN, tool: CelScalar.DYN, turn: CelScalar.DYN } as const;
const FIELDS: Record<string, readonly string[]> = {
  tool: ['name', 'version', 'class', 'group', 'egress'],
  turn: ['untrusted', 'requester', 'agent', 'step'],
};

/** `big("1000000000000000000000")`: a bound beyond 64 bits. */
const big = celFunc('big', [CelScalar.STRING], CelScalar.INT, (text) => {
  if (!/^-?\d{1,1000}$/.test(text)) throw new Error(`big(${JSON.stringify(text.slice(0, 40))}) is no whole number`);
  return BigInt(text);
});

const LIST = listType(CelScalar.DYN);
/** Makes one flat list. The library's own list of lists is read by recursion, so its result depended on the stack that was left. */
const concatLists = celFunc('_+_', [LIST, LIST], LIST, (first, second) => {
  const items = [...itemsOf(first), ...itemsOf(second)];
  const list = celList(items);
  itemsByList.set(list, items);
  return list;
});
/** A loop joins a list with each of its items: items that were joined before are not read one by one again. */
const itemsByList = new WeakMap<CelList, CelValue[]>();
const itemsOf = (list: CelList): CelValue[] => itemsByList.get(list) ?? [...list];

const env = celEnv({ variables: VARIABLES, funcs: [big, concatLists] });

export function compileCondition(text: unknown): CompiledCondition {
  const result = compileExpression(text);
  if (!result.ok) return result;
  const { evaluate, ...rest } = result.expression;
  const holds: Condition['holds'] = (call) => {
    const outcome = evaluate(call);
    if ('error' in outcome) return outcome;
    return typeof outcome.value === 'boolean' ? outcome.value : { error: `it gives ${typeof outcome.value}, not true or false` };
  };
  return { ok: true, condition: { ...rest, holds } };
}

export function compileExpression(text: unknown): CompiledExpression {
  if (typeof text !== 'string' || text.trim() === '') return { ok: false, fault: 'it must be a CEL expression' };
  if (text.length > LONGEST) return { ok: false, fault: `it has ${text.length} characters; at most ${LONGEST}` };
  try {
    const ast = parse(text);
    const root = ast.expr as unknown as Expr | undefined;
    const inspection = inspect(root);
    if (inspection.faults.length > 0) return { ok: false, fault: inspection.faults.join('; ') };
    const program = plan(env, ast);
    const evaluate: Expression['evaluate'] = (call) =>
      withoutStacks(() => {
        try {
          const value: unknown = program(bindings(call) as never);
          return isCelError(value) ? { error: value.message } : { value };
        } catch (error) {
          return { error: errorMessage(error) };
        }
      });
    const weight = weigh(root, text.length);
    const steps: Expression['steps'] = (call) => stepsOver(weight, call);
    const { inputFields, reads } = inspection;
    return { ok: true, expression: { text, inputFields, reads, evaluate, steps } };
  } catch (error) {
    return { ok: false, fault: errorMessage(error) };
  }
}

/** A failure within an expression creates an error, and its stack trace is the slow part: a tenth of a millisecond. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function bindings({ tool, input, turn }: ConditionFacts): Record<string, CelInput> {
  return {
    input: celInput(input, tool.schema),
    tool: new Map<string, CelInput>([
      ['name', tool.name],
      ['version', tool.version],
      ['class', tool.class],
      ['group', tool.group ?? ''],
      ['egress', tool.egress ?? false],
    ]),
    turn: new Map<string, CelInput>([
      ['untrusted', turn.untrusted],
      ['requester', turn.requester],
      ['agent', turn.agent],
      ['step', BigInt(turn.step)],
    ]),
  };
}

interface Inspection {
  faults: string[];
  inputFields: string[];
  reads: string[];
}

/** Finds unknown names, unknown functions and nested loops before a call is evaluated. */
function inspect(root: Expr | undefined): Inspection {
  const inspection: Inspection = { faults: [], inputFields: [], reads: [] };
  const visit = (expr: Expr | undefined, loopVariables: readonly string[], looping: boolean): void => {
    const { case: kind, value } = expr?.exprKind ?? {};
    switch (kind) {
      case 'identExpr':
        if (!Object.hasOwn(VARIABLES, value.name) && !loopVariables.includes(value.name) && !TYPES.has(value.name))
          inspection.faults.push(`${value.name} is unknown; there are input, tool and turn`);
        if (!loopVariables.includes(value.name)) inspection.reads.push(value.name);
        return;
      case 'selectExpr':
        if (!inspectField(value.operand, value.field, loopVariables, inspection)) visit(value.operand, loopVariables, looping);
        return;
      case 'callExpr':
        if (!env.funcs.find(value.function) && !BUILT_IN.has(value.function))
          inspection.faults.push(`there is no function ${value.function}`);
        return [value.target, ...value.args].forEach((part: Expr | undefined) => visit(part, loopVariables, looping));
      case 'listExpr':
        return value.elements.forEach((part: Expr) => visit(part, loopVariables, looping));
      case 'structExpr':
        return value.entries.forEach((entry: { keyKind?: { case?: string; value?: Expr }; value?: Expr }) => {
          if (entry.keyKind?.case === 'mapKey') visit(entry.keyKind.value, loopVariables, looping);
          visit(entry.value, loopVariables, looping);
        });
      case 'comprehensionExpr': {
        if (looping) inspection.faults.push('a loop (all, exists, map, filter…) within a loop');
        const inside = [...loopVariables, value.iterVar, value.iterVar2, value.accuVar];
        visit(value.iterRange, loopVariables, looping);
        visit(value.accuInit, loopVariables, looping);
        for (const part of [value.loopCondition, value.loopStep, value.result]) visit(part, inside, true);
        return;
      }
      default: // a constant
        return;
    }
  };
  visit(root, [], false);
  const { faults, inputFields, reads } = inspection;
  return { faults: [...new Set(faults)], inputFields: [...new Set(inputFields)], reads: [...new Set(reads)] };
}

/** Names of types, and operators that the planner knows by itself. */
const TYPES = new Set(['int', 'uint', 'double', 'string', 'bool', 'bytes', 'list', 'map', 'null_type', 'type']);
const BUILT_IN = new Set(['_&&_', '_||_', '_?_:_', '_[_]', '@not_strictly_false', '@in', '!_', '-_']);

/** @returns whether it is a field of `tool` or of `turn` */
function inspectField(operand: Expr, field: string, loopVariables: readonly string[], inspection: Inspection): boolean {
  if (operand.exprKind.case !== 'identExpr') return false;
  const { name } = operand.exprKind.value as { name: string };
  if (loopVariables.includes(name)) return false;
  if (name === 'input') inspection.inputFields.push(field);
  if (!Object.hasOwn(FIELDS, name)) return false;
  if (!FIELDS[name]!.includes(field)) inspection.faults.push(`${name} has no ${field}; it has ${FIELDS[name]!.join(', ')}`);
  inspection.reads.push(`${name}.${field}`);
  return true;
}
