/**
 * Parses Markdown into blocks, from which PDF and DOCX are made. HTML in it becomes text, links lead only to http, https and
 * mailto, and pictures are replaced by their description: nothing is fetched, nothing runs.
 */
import { ToolError } from 'holdfast/tools';
import { makeMarkdownIt, type Token } from './markdown-it';

export interface Span {
  text: string;
  bold?: boolean;
  italic?: boolean;
  code?: boolean;
  strike?: boolean;
  link?: string;
}

export type Block =
  | { kind: 'heading'; level: number; spans: Span[] }
  | { kind: 'paragraph'; spans: Span[]; depth: number; quote: boolean; marker: string | null }
  | { kind: 'code'; text: string; depth: number }
  | { kind: 'table'; rows: Span[][][] }
  | { kind: 'rule' };

/** Deeper lists are shown at this depth: a page has no more room. */
const MAX_DEPTH = 8;
const MAX_COLUMNS = 20;
const MAX_BLOCKS = 20_000;
/** Cells of all tables. */
const MAX_CELLS = 10_000;
/** Spans of the whole report: pieces of text of one style. */
const MAX_SPANS = 15_000;
const MAX_NESTING = 60;

export const markdown = makeMarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: MAX_NESTING });
markdown.validateLink = (url) => /^(?:https?:\/\/|mailto:)[^\s]+$/i.test(url);
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(pictureWords(tokens[index]!));

function pictureWords({ content }: Token): string {
  return `[picture${content === '' ? '' : `: ${content}`}]`;
}

/** Removes control characters, which neither XML nor a page can show. */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFE\uFFFF]/g, '');
}

/** @throws ToolError INVALID_PARAMS `report_too_large` */
export function blocksOf(text: string): Block[] {
  const reader = new Reader();
  for (const token of markdown.parse(text, {})) reader.take(token);
  return reader.blocks;
}

interface List {
  ordered: boolean;
  next: number;
}

/** Reads the flat list of tokens, in which each opening token has a closing one. */
class Reader {
  readonly blocks: Block[] = [];
  private readonly lists: List[] = [];
  private quotes = 0;
  private marker: string | null = null;
  private heading = 0;
  private rows: Span[][][] | null = null;
  private cells = 0;
  private spans = 0;

  take(token: Token): void {
    // The parser leaves out deeper content: no report is better than an incomplete one.
    if (token.nesting === 1 && token.level >= MAX_NESTING - 1) throw tooLarge('its lists or quotations are nested too deeply');
    switch (token.type) {
      case 'bullet_list_open':
      case 'ordered_list_open':
        this.lists.push({ ordered: token.type === 'ordered_list_open', next: Number(token.attrGet('start') ?? 1) });
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        this.lists.pop();
        break;
      case 'list_item_open':
        this.marker = this.nextMarker();
        break;
      case 'list_item_close':
        this.marker = null;
        break;
      case 'blockquote_open':
        this.quotes += 1;
        break;
      case 'blockquote_close':
        this.quotes -= 1;
        break;
      case 'heading_open':
        this.heading = Number(token.tag.slice(1));
        break;
      case 'heading_close':
        this.heading = 0;
        break;
      case 'table_open':
        this.rows = [];
        break;
      case 'table_close':
        this.add({ kind: 'table', rows: this.rows ?? [] });
        this.rows = null;
        break;
      case 'tr_open':
        this.rows?.push([]);
        break;
      case 'inline':
        this.inline(spansOf(token.children ?? []));
        break;
      case 'fence':
      case 'code_block':
        this.add({ kind: 'code', text: token.content.replace(/\n$/, ''), depth: this.depth });
        break;
      case 'hr':
        this.add({ kind: 'rule' });
        break;
    }
  }

  private inline(spans: Span[]): void {
    if ((this.spans += spans.length) > MAX_SPANS) throw tooLarge(`it changes its style more than ${MAX_SPANS} times`);
    const row = this.rows?.at(-1);
    if (row !== undefined) {
      if (row.push(spans) > MAX_COLUMNS) throw tooLarge(`a table has more than ${MAX_COLUMNS} columns`);
      if (++this.cells > MAX_CELLS) throw tooLarge(`the tables have more than ${MAX_CELLS} cells`);
    } else if (this.heading > 0) {
      this.add({ kind: 'heading', level: this.heading, spans });
    } else {
      this.add({ kind: 'paragraph', spans, depth: this.depth, quote: this.quotes > 0, marker: this.marker });
      this.marker = null; // a second paragraph of an item has none
    }
  }

  private add(block: Block): void {
    if (this.blocks.push(block) > MAX_BLOCKS) throw tooLarge(`it has more than ${MAX_BLOCKS} paragraphs`);
  }

  private get depth(): number {
    return Math.min(this.lists.length, MAX_DEPTH);
  }

  private nextMarker(): string {
    const list = this.lists.at(-1);
    return list?.ordered ? `${list.next++}.` : '•';
  }
}

function tooLarge(what: string): ToolError {
  return new ToolError('INVALID_PARAMS', 'report_too_large', `The report cannot be made: ${what}.`, {
    hint: 'Split it into several reports.',
  });
}

function spansOf(tokens: Token[]): Span[] {
  const spans: Span[] = [];
  const open = { bold: 0, italic: 0, strike: 0 };
  let link: string | undefined;
  const add = (text: string, code = false) => {
    if (text === '') return;
    spans.push({
      text,
      ...(open.bold > 0 ? { bold: true } : {}),
      ...(open.italic > 0 ? { italic: true } : {}),
      ...(open.strike > 0 ? { strike: true } : {}),
      ...(code ? { code } : {}),
      ...(link === undefined ? {} : { link }),
    });
  };
  for (const token of tokens) {
    if (token.type === 'strong_open' || token.type === 'strong_close') open.bold += token.nesting;
    else if (token.type === 'em_open' || token.type === 'em_close') open.italic += token.nesting;
    else if (token.type === 's_open' || token.type === 's_close') open.strike += token.nesting;
    else if (token.type === 'link_open') link = String(token.attrGet('href') ?? '') || undefined;
    else if (token.type === 'link_close') link = undefined;
    else if (token.type === 'code_inline') add(token.content, true);
    else if (token.type === 'softbreak') add(' ');
    else if (token.type === 'hardbreak') add('\n');
    else if (token.type === 'image') add(pictureWords(token));
    else add(token.content);
  }
  return spans;
}
