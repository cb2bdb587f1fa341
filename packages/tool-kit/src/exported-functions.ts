/** Finds the functions that a TypeScript file exports, from its syntax alone. */
import type * as TS from 'typescript';
import type { TypeScript } from './typescript';

export interface ExportedFunction {
  /** The name to import it by; `default` for the default export. */
  name: string;
  /** The last one of several overloads: by convention it is the most general. */
  node: TS.SignatureDeclaration;
}

type FunctionNode = TS.FunctionDeclaration | TS.FunctionExpression | TS.ArrowFunction;

export function exportedFunctions(ts: TypeScript, source: TS.SourceFile): ExportedFunction[] {
  const functions = new Map<string, FunctionNode>();
  /** Export → local name. */
  const localNames = new Map<string, string>();

  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement)) {
      const name = statement.name?.text ?? 'default';
      // The implementation of an overloaded function is not one of its signatures.
      if (!(statement.body && functions.has(name))) functions.set(name, statement);
      if (has(ts, statement, ts.SyntaxKind.ExportKeyword)) {
        localNames.set(has(ts, statement, ts.SyntaxKind.DefaultKeyword) ? 'default' : name, name);
      }
    } else if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        const value = functionIn(ts, initializer);
        if (!value || !ts.isIdentifier(name)) continue;
        functions.set(name.text, value);
        if (has(ts, statement, ts.SyntaxKind.ExportKeyword)) localNames.set(name.text, name.text);
      }
    } else if (ts.isExportAssignment(statement) && !statement.isExportEquals) {
      const value = functionIn(ts, statement.expression);
      if (value) functions.set('default', value);
      localNames.set('default', ts.isIdentifier(statement.expression) ? statement.expression.text : 'default');
    } else if (ts.isExportDeclaration(statement) && !statement.moduleSpecifier) {
      const clause = statement.exportClause;
      if (!clause || !ts.isNamedExports(clause) || statement.isTypeOnly) continue;
      for (const { name, propertyName } of clause.elements) localNames.set(name.text, (propertyName ?? name).text);
    }
  }
  return [...localNames].flatMap(([name, local]) => {
    const node = functions.get(local);
    return node ? [{ name, node }] : [];
  });
}

function functionIn(ts: TypeScript, value: TS.Expression | undefined): FunctionNode | undefined {
  if (value && ts.isParenthesizedExpression(value)) return functionIn(ts, value.expression);
  return value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) ? value : undefined;
}

function has(ts: TypeScript, node: TS.HasModifiers, kind: TS.SyntaxKind): boolean {
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false;
}
