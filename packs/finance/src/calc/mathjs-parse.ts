/**
 * The parser of mathjs, and nothing else of it: loading the whole package takes half a second, its
 * parser alone a tenth. The part lies behind the package's export map, so it is loaded by path (the
 * version is pinned); where that fails, the number-only build does the same at three times the cost.
 */
import { dirname, join } from 'node:path';

/** What we read of a node; the evaluator checks each field before it uses it. */
export interface MathNode {
  type: string;
  value?: unknown;
  op?: string;
  implicit?: boolean;
  name?: string;
  fn?: { type?: string; name?: string };
  content?: MathNode;
  args?: MathNode[];
}

let parser: ((expression: string) => MathNode) | undefined;

/** @throws SyntaxError of mathjs, with the position */
export function parseMath(expression: string): MathNode {
  parser ??= load();
  return parser(expression);
}

/* oxlint-disable typescript/no-require-imports -- by path and on first use: the package's entry takes half a second to load */
function load(): (expression: string) => MathNode {
  try {
    const root = join(dirname(require.resolve('mathjs/package.json')), 'lib/cjs');
    const { create } = require(join(root, 'core/create.js'));
    const { parseDependencies } = require(join(root, 'entry/dependenciesNumber/dependenciesParse.generated.js'));
    return create(parseDependencies).parse;
  } catch {
    return require('mathjs/number').parse;
  }
}
