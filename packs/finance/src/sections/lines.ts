/**
 * Reads a filing's HTML as a flat list of lines: each is a paragraph, a heading or a table row. Filings nest layout elements
 * without meaning, each vendor in its own way, so structure is read from what a person would see: where lines break, what is bold,
 * what is a link, where pages end.
 *
 * The document is hostile input. The parser streams, this reader keeps one frame for each open element, and depth is bounded, since
 * the parser's work for a closing tag grows with the depth: so time is linear in the length.
 */
import { Parser } from 'htmlparser2';
import { joinCells } from './row';
import { styleReader } from './style';

export interface Line {
  /** Plain text without line ends, spaces collapsed, never empty. */
  text: string;
  /** All of the text is bold. */
  bold: boolean;
  /** Some of the text is a link to a place in this document. */
  isLinked: boolean;
  /** Number of non-empty cells; 0 outside of tables. */
  cells: number;
  /** Number of page breaks before it. */
  page: number;
}

/** Real filings stay below 40. */
const MAX_DEPTH = 1_000;
/** The longest primary documents on EDGAR are about 30 MB. */
const MAX_CHARS = 60_000_000;

const BLOCKS = new Set(
  'address article aside blockquote body br caption center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

/** Sections cannot be read from the HTML; the message says why. */
export class UnreadableHtml extends Error {}

interface Frame {
  isHidden: boolean;
  bold: boolean;
  isLinked: boolean;
  breakAfter: boolean;
}

interface Row {
  /** Lines of each cell. Null once a table begins inside: then the row is layout, and each of its lines is put out alone. */
  cells: Line[][] | null;
}

/** @throws UnreadableHtml for a document that is too long or nested too deeply */
export function readLines(html: string): Line[] {
  if (html.length > MAX_CHARS) throw new UnreadableHtml(`the document has ${html.length} characters, more than ${MAX_CHARS}`);
  const reader = new LineReader();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.text(text),
      onclosetag: (name) => reader.close(name),
    },
    // Inline XBRL is XHTML: `<td/>` and `<a name="x"/>` are empty elements there.
    { recognizeSelfClosing: true },
  );
  parser.end(html);
  return reader.end();
}

class LineReader {
  private readonly lines: Line[] = [];
  private readonly frames: Frame[] = [{ isHidden: false, bold: false, isLinked: false, breakAfter: false }];
  private readonly rows: Row[] = [];
  private readonly styleOf = styleReader();
  private pieces: string[] = [];
  private bold = true;
  private isLinked = false;
  private page = 0;
  private linesBeforePage = 0;

  open(name: string, attributes: Record<string, string>): void {
    if (this.frames.length > MAX_DEPTH) throw new UnreadableHtml(`elements are nested more than ${MAX_DEPTH} deep`);
    const around = this.frame();
    const style = this.styleOf(name, attributes);
    this.frames.push({
      isHidden: around.isHidden || style.isHidden,
      bold: style.bold ?? around.bold,
      isLinked: around.isLinked || (name === 'a' && attributes.href?.startsWith('#') === true),
      breakAfter: style.breakAfter,
    });
    if (BLOCKS.has(name)) this.endLine();
    if (style.breakBefore) this.endPage();
    if (name === 'table' || name === 'tr') this.flushRow();
    if (name === 'tr') this.rows.push({ cells: [] });
    if (name === 'td' || name === 'th') this.rows.at(-1)?.cells?.push([]);
  }

  text(text: string): void {
    const { isHidden, bold, isLinked } = this.frame();
    if (isHidden) return;
    this.pieces.push(text);
    if (text.trim() === '') return;
    this.bold &&= bold;
    this.isLinked ||= isLinked;
  }

  close(name: string): void {
    if (BLOCKS.has(name)) this.endLine();
    if (name === 'tr') this.endRow();
    if (this.frame().breakAfter) this.endPage();
    if (this.frames.length > 1) this.frames.pop();
  }

  end(): Line[] {
    this.endLine();
    while (this.rows.length > 0) this.endRow();
    return this.lines;
  }

  private frame(): Frame {
    return this.frames[this.frames.length - 1]!;
  }

  private endLine(): void {
    if (this.pieces.length === 0) return;
    const text = plain(this.pieces.join(''));
    if (text) this.put({ text, bold: this.bold, isLinked: this.isLinked, cells: 0, page: this.page });
    this.pieces = [];
    this.bold = true;
    this.isLinked = false;
  }

  private put(line: Line): void {
    const cells = this.rows.at(-1)?.cells;
    if (!cells) this.lines.push(line);
    else if (cells.length === 0) cells.push([line]);
    else cells[cells.length - 1]!.push(line);
  }

  private endRow(): void {
    const filledCells = this.rows.pop()?.cells?.filter((cell) => cell.length > 0) ?? [];
    if (filledCells.length === 0) return;
    if (filledCells.length === 1) {
      for (const line of filledCells[0]!) this.lines.push({ ...line, cells: 1 });
      return;
    }
    const parts = filledCells.flat();
    this.lines.push({
      text: joinCells(filledCells.map((cell) => cell.map((line) => line.text).join(' '))),
      bold: parts.every((line) => line.bold),
      isLinked: parts.some((line) => line.isLinked),
      cells: filledCells.length,
      page: this.page,
    });
  }

  /** A table or row begins inside a row: puts out the row's lines so far, each alone. */
  private flushRow(): void {
    const row = this.rows.at(-1);
    if (!row?.cells) return;
    for (const line of row.cells.flat()) this.lines.push(line);
    row.cells = null;
  }

  private endPage(): void {
    this.endLine();
    if (this.lines.length > this.linesBeforePage) this.page++;
    this.linesBeforePage = this.lines.length;
  }
}

/** Removes controls, soft hyphens and zero-width characters; turns each run of white space into one space. */
function plain(text: string): string {
  return text
    .replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
    .replace(/^([•●○▪■])(?=\S)/, '$1 ');
}
