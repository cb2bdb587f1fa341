/**
 * A second reading of a filing, to check the first by: another parser (parse5, a whole tree), another method (the
 * links of the tables of contents, and the anchors that they name). It knows nothing of headings, and works only
 * for filings whose contents are linked. It shares no code with packs/finance/src/sections.
 */
import { type DefaultTreeAdapterMap, defaultTreeAdapter as tree, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

export interface Entry {
  /** Text of the table row, without white space: `Item7.Management’sDiscussion…21`. */
  row: string;
  /** Id of the anchor. */
  target: string;
}

export class AnchoredFiling {
  /** Rows of tables that hold a link within the document, in order. */
  readonly entries: Entry[] = [];
  /** Visible text without white space. */
  private text = '';
  /** Where in `text` each anchor stands. */
  private readonly anchors = new Map<string, number>();

  constructor(html: string) {
    this.walk(parse(html), null);
  }

  /** Text from one entry's anchor to another's, without white space. */
  between(from: Entry, to: Entry): string {
    const [start, end] = [this.anchors.get(from.target), this.anchors.get(to.target)];
    if (start === undefined || end === undefined || end <= start) throw new Error(`no text from ${from.row} to ${to.row}`);
    return this.text.slice(start, end);
  }

  /** The first entry after another one (or of all) whose row begins so. */
  entry(begins: string, after?: Entry): Entry {
    const from = after ? this.entries.indexOf(after) + 1 : 0;
    const found = this.entries.slice(from).find(({ row }) => row.startsWith(begins.replace(/\s/g, '')));
    if (!found) throw new Error(`no entry ${begins}`);
    return found;
  }

  private walk(node: Node, row: Element | null): void {
    if (tree.isTextNode(node)) {
      this.text += squeezed(node.value);
      return;
    }
    if (!tree.isElementNode(node)) {
      for (const child of 'childNodes' in node ? node.childNodes : []) this.walk(child, row);
      return;
    }
    const attribute = (name: string) => node.attrs.find((one) => one.name === name)?.value;
    if (['head', 'script', 'style', 'ix:header'].includes(node.tagName)) return;
    const style = attribute('style') ?? '';
    // The vendor's page footer is a box at the bottom of the page.
    if (/display:none|height:42\.75pt/.test(style)) return;
    const id = attribute('id');
    if (id && !this.anchors.has(id)) this.anchors.set(id, this.text.length);
    const href = attribute('href');
    if (row && href?.startsWith('#')) this.entries.push({ row: textOf(row), target: href.slice(1) });
    for (const child of node.childNodes) this.walk(child, node.tagName === 'tr' ? node : row);
  }
}

/** What both readings are counted by: characters without white space, and without our cell separators. */
export function squeezed(text: string): string {
  return text.replace(/[\s|]+/g, '');
}

function textOf(node: Node): string {
  if (tree.isTextNode(node)) return squeezed(node.value);
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
