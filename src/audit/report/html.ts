/** Writes a document as one HTML file. Every text goes through `escapeHtml`; all markup, links and styles are written here. */
import { createHash } from 'node:crypto';
import type { Doc, Inline, Node, Text } from './doc';
import { SCRIPT } from './script';
import { STYLE } from './style';
import { escapeHtml } from '../../shared/text/visible';

export function html({ title, body }: Doc): string {
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(STYLE)}'`,
    `script-src '${hashOf(SCRIPT)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="robots" content="noindex">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<a class="skip" href="#report">To the report</a>',
    `<header><h1>${escapeHtml(title)}</h1></header>`,
    contents(body),
    `<main id="report" tabindex="-1">${body.map((node) => write(node, 2)).join('\n')}</main>`,
    `<script>${SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function contents(body: Node[]): string {
  const entries = body.flatMap((node) => (node.is === 'section' ? [node] : []));
  if (entries.length < 2) return '';
  const items = entries.map(({ id, title }) => `<li><a href="#${id}">${plain(title)}</a></li>`);
  return `<nav aria-label="Contents"><ol>${items.join('')}</ol></nav>`;
}

function write(node: Node, level: number): string {
  const inner = (nodes: Node[], deeper = 1) => nodes.map((each) => write(each, Math.min(6, level + deeper))).join('\n');
  switch (node.is) {
    case 'section':
      return `<section id="${node.id}"><h${level}>${line(node.title)}</h${level}>\n${inner(node.body)}</section>`;
    case 'heading':
      return `<h${level}>${line(node.text)}</h${level}>`;
    case 'paragraph':
      return `<p>${line(node.text)}</p>`;
    case 'notice':
      return `<div class="notice ${node.tone}"><p class="title">${escapeHtml(node.title)}</p>${items(node.items)}</div>`;
    case 'list':
      return items(node.items);
    case 'facts':
      return `<dl>${node.rows.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${line(value)}</dd></div>`).join('')}</dl>`;
    case 'table':
      return table(node);
    case 'quote':
      return `<figure><figcaption>${escapeHtml(node.label)}</figcaption><pre dir="auto">${escapeHtml(node.text)}</pre></figure>`;
    case 'fold':
      return `<details id="${node.id}"${node.open ? ' open' : ''}><summary>${line(node.title)}</summary><div class="inside">${inner(node.body, 0)}</div></details>`;
    case 'picture':
      return picture(node.svg, node.label);
    case 'image':
      return `<figure><img src="data:${escapeHtml(node.mediaType)};base64,${escapeHtml(node.base64)}" alt="${escapeHtml(node.label)}" class="thumbnail"><figcaption>${escapeHtml(node.label)}</figcaption></figure>`;
    case 'columns':
      return `<div class="columns">${node.columns.map((column) => `<div class="column">${inner(column, 0)}</div>`).join('')}</div>`;
  }
}

function items(texts: Text[]): string {
  return texts.length === 0 ? '' : `<ul>${texts.map((text) => `<li>${line(text)}</li>`).join('')}</ul>`;
}

function table({ caption, head, rows }: Extract<Node, { is: 'table' }>): string {
  const heads = head.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${line(cell)}</td>`).join('')}</tr>`).join('');
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escapeHtml(caption)}"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function picture(svg: string, label: string): string {
  const buttons = Object.entries({ in: 'Larger', out: 'Smaller', reset: 'As it was' }).map(
    ([does, says]) => `<button type="button" data-zoom="${does}">${says}</button>`,
  );
  const hint = 'Keys + − 0 change the size, arrows move it.';
  return `<div class="picture"><div class="zoom">${buttons.join('')}<span>${hint}</span></div><div class="scroll" data-picture tabindex="0" role="group" aria-label="${escapeHtml(label)}. ${hint}">${svg}</div></div>`;
}

function line(text: Text): string {
  return (Array.isArray(text) ? text : [text]).map(inline).join('');
}

function inline(piece: Inline): string {
  if (typeof piece === 'string') return escapeHtml(piece);
  if ('code' in piece) return `<code>${escapeHtml(piece.code)}</code>`;
  if ('strong' in piece) return `<strong>${escapeHtml(piece.strong)}</strong>`;
  return `<a href="#${piece.to}">${escapeHtml(piece.text)}</a>`;
}

/** Text without links, for use inside a link. */
function plain(text: Text): string {
  const pieces = Array.isArray(text) ? text : [text];
  return pieces.map((piece) => escapeHtml(plainText(piece))).join('');
}

export function plainText(piece: Inline): string {
  if (typeof piece === 'string') return piece;
  return 'code' in piece ? piece.code : 'strong' in piece ? piece.strong : piece.text;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
}
