/** Writes a document as Markdown, without the picture. Text of others is fenced, or escaped so that it cannot be markup. */
import { fenceText, inlineCode, visible } from '../../shared/text/visible';
import type { Doc, Inline, Node, Text } from './doc';

export function markdown({ title, body }: Doc): string {
  return `${[`# ${plain(title)}`, ...body.map((node) => write(node, 2))].filter((part) => part !== '').join('\n\n')}\n`;
}

function write(node: Node, level: number): string {
  const inner = (nodes: Node[], deeper = 1) =>
    nodes
      .map((each) => write(each, Math.min(6, level + deeper)))
      .filter((part) => part !== '')
      .join('\n\n');
  const hashes = '#'.repeat(level);
  switch (node.is) {
    case 'section':
      return `${hashes} ${line(node.title)}\n\n${inner(node.body)}`;
    case 'heading':
      return `${hashes} ${line(node.text)}`;
    case 'paragraph':
      return line(node.text);
    case 'notice':
      return [`**${plain(node.title)}**`, ...(node.items.length > 0 ? [items(node.items)] : [])].join('\n\n');
    case 'list':
      return items(node.items);
    case 'facts':
      return node.rows.map(([name, value]) => `- ${plain(name)}: ${line(value)}`).join('\n');
    case 'table':
      return table(node);
    case 'quote':
      return `${plain(node.label)}:\n\n${fenceText(node.text)}`;
    case 'fold':
      return `**${line(node.title).replaceAll('**', '')}**\n\n${inner(node.body, 0)}`;
    case 'picture':
    case 'image':
      return '';
    case 'columns':
      return node.columns.map((column) => inner(column, 0)).join('\n\n---\n\n');
  }
}

function items(texts: Text[]): string {
  return texts.map((text) => `- ${line(text)}`).join('\n');
}

function table({ caption, head, rows }: Extract<Node, { is: 'table' }>): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    `${plain(caption)}:`,
    '',
    row(head.map(plain)),
    row(head.map(() => '---')),
    ...rows.map((cells) => row(cells.map((cell) => line(cell).replaceAll('|', '\\|') || ' '))),
  ].join('\n');
}

function line(text: Text): string {
  return (Array.isArray(text) ? text : [text]).map(inline).join('');
}

function inline(piece: Inline): string {
  if (typeof piece === 'string') return plain(piece);
  if ('code' in piece) return inlineCode(piece.code);
  return 'strong' in piece ? `**${plain(piece.strong)}**` : plain(piece.text);
}

/** The text on one line, with all characters escaped that could be markup in Markdown or HTML. */
function plain(text: string): string {
  return visible(text)
    .replace(/[\n\t]+/g, ' ')
    .replace(/[\\`*_{}[\]<>#|~!&]/g, '\\$&')
    .replace(/:\/\//g, '&#58;//')
    .replace(/^(\s*)([-+]|\d+[.)])(?=\s)/, '$1\\$2');
}
