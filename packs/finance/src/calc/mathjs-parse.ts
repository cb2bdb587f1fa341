/**
 * Loads only the parser of mathjs: loading the whole package takes half a second, the parser alone a tenth. The package's export
 * map does not list the parser, so it is loaded by path (the version is pinned). If that fails, the number-only build does the same
 * at three times the cost.
 */
import { dirname, join } from 'node:path';

/** The fields of a mathjs node that the evaluator reads. */
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
