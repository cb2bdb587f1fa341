/**
 * Compiles CEL expressions when an agent is defined. The compiler is loaded with the first expression: most agents have none, and it
 * takes as long to load as a Temporal client.
 */
import type { CompiledCondition, CompiledExpression } from './condition';

// oxlint-disable-next-line typescript/no-require-imports -- agents are defined without waiting
const cel = () => require('./cel') as typeof import('./cel');

export function compileCondition(text: unknown): CompiledCondition {
  return cel().compileCondition(text);
}

export function compileExpression(text: unknown): CompiledExpression {
  return cel().compileExpression(text);
}
