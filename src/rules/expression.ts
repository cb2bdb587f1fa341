/** What is read of a parsed expression (google/cel-spec, syntax.proto). */
export interface Expr {
  exprKind: { case?: string; value?: any };
}

type Part = Expr | undefined;

/** The expressions that stand right below one. */
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
