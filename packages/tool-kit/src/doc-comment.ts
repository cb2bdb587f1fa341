/** Reads the documentation comments (TSDoc) of functions and of the members of types. */
import type * as TS from 'typescript';
import { words } from './source';
import type { TypeScript } from './typescript';

export interface FunctionDoc {
  /** The first paragraph. Like all texts here: one line, bounded, empty when there is none. */
  does: string;
  returns: string;
  example: string;
  /** `@param` name, which may have dots, → text. */
  params: Map<string, string>;
  throws: string[];
  deprecated: boolean;
}

export function functionDoc(ts: TypeScript, node: TS.SignatureDeclaration): FunctionDoc {
  const tags = ts.getJSDocTags(node);
  const tagTexts = (...names: string[]) => tags.filter((tag) => names.includes(tag.tagName.text)).map((tag) => textOf(ts, tag));
  const params = tags.filter((tag) => ts.isJSDocParameterTag(tag)).map((tag) => [tag.name.getText(), textOf(ts, tag)] as const);
  return {
    does: docOf(ts, node),
    returns: tagTexts('returns', 'return')[0] ?? '',
    example: tagTexts('example')[0] ?? '',
    params: new Map(params),
    throws: tagTexts('throws', 'exception'),
    deprecated: tags.some((tag) => tag.tagName.text === 'deprecated'),
  };
}

/** The first paragraph of the comment above the node. */
export function docOf(ts: TypeScript, node: TS.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter((each) => ts.isJSDoc(each));
  const [first = ''] = (ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? '').split(/\n[ \t\r]*\n/);
  return plain(first);
}

function textOf(ts: TypeScript, tag: TS.JSDocTag): string {
  const type = ts.isJSDocThrowsTag(tag) && tag.typeExpression ? `${tag.typeExpression.type.getText()} ` : '';
  return plain(type + (ts.getTextOfJSDocComment(tag.comment) ?? ''));
}

/** Removes TSDoc's own syntax: fences, the hyphen before a text, `{@link x}`. */
function plain(text: string): string {
  const content = text
    .replace(/```\w*/g, ' ')
    .replace(/\{@\w+ ([^{}]*)\}/g, '$1')
    .replace(/^\s*-\s/, '');
  return words(content, '');
}
