/**
 * Loads markdown-it, with our own types for the part that is used. Its published types are those of an ECMAScript module, which do
 * not compile in a CommonJS package.
 */
export interface Token {
  type: string;
  tag: string;
  /** 1: opens, 0: stands alone, -1: closes. */
  nesting: -1 | 0 | 1;
  level: number;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
}

export interface MarkdownIt {
  utils: { escapeHtml(text: string): string };
  renderer: { rules: Record<string, (tokens: Token[], index: number) => string> };
  validateLink(url: string): boolean;
  parse(text: string, env: object): Token[];
  render(text: string): string;
}

interface Options {
  html: boolean;
  linkify: boolean;
  typographer: boolean;
  maxNesting: number;
}

type Library = new (options: Options) => MarkdownIt;

// oxlint-disable-next-line typescript/no-require-imports -- an import would load the published types
const library = require('markdown-it') as Library & { default?: Library };

export function makeMarkdownIt(options: Options): MarkdownIt {
  return new (library.default ?? library)(options);
}
