/**
 * Renders a report as A4 pages with page numbers, with pdfkit. Western European text uses the standard fonts, which every reader
 * has. Text with other characters, such as Chinese and Japanese, uses Noto Sans SC; the file embeds the glyphs that it needs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import PDFDocument from 'pdfkit';
import { ToolError } from 'holdfast/tools';
import type { Block, Span } from './markdown';
import type { Report, Step } from './report';

const SIZES = [0, 20, 16, 14, 12, 11, 11];
const BODY = 10.5;
const CODE = 9;
const INDENT = 18;
const MARGIN = 60;
/** Blocks between two progress reports. */
const BLOCKS_PER_PROGRESS = 50;
const MAX_PAGES = 1_000;

/** @throws ToolError INVALID_PARAMS `characters_not_in_font`, `report_too_large` */
export async function toPdf(report: Report, step: Step): Promise<Buffer> {
  const { title, date, blocks } = report;
  const info = { Title: title, Creator: 'holdfast', Producer: 'pdfkit', CreationDate: date, ModDate: date };
  const document = new PDFDocument({ size: 'A4', margin: MARGIN, bufferPages: true, info, lang: 'en' });
  const chunks: Buffer[] = [];
  const finish = new Promise<void>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve());
    document.on('error', reject);
  });
  openFonts(document, report);
  document.font(fontsFor(title)('Helvetica-Bold')).fontSize(24).text(title).moveDown(0.6);
  for (const [index, block] of blocks.entries()) {
    draw(document, block);
    if (document.bufferedPageRange().count > MAX_PAGES) throw tooManyPages();
    if (index % BLOCKS_PER_PROGRESS === BLOCKS_PER_PROGRESS - 1) await step(index / blocks.length);
  }
  numberPages(document);
  document.end();
  await finish;
  return Buffer.concat(chunks);
}

type Document = InstanceType<typeof PDFDocument>;

function draw(document: Document, block: Block): void {
  const { left, right } = document.page.margins;
  const width = document.page.width - left - right;
  switch (block.kind) {
    case 'heading':
      document.moveDown(0.4);
      write(document, block.spans, { x: left, width, size: SIZES[block.level] ?? BODY, bold: true });
      document.moveDown(0.3);
      return;
    case 'paragraph': {
      const x = left + block.depth * INDENT + (block.quote ? INDENT : 0);
      if (block.marker !== null) marker(document, block.marker, x, fontsFor(textOf(block))('Helvetica'));
      write(document, block.spans, { x, width: left + width - x, size: BODY, italic: block.quote });
      document.moveDown(block.depth > 0 ? 0.2 : 0.6);
      return;
    }
    case 'code': {
      const x = left + block.depth * INDENT;
      document
        .font(fontsFor(block.text)('Courier'))
        .fontSize(CODE)
        .text(breakable(block.text), x, document.y, { width: left + width - x })
        .moveDown(0.6);
      return;
    }
    case 'table': {
      const font = fontsFor(textOf(block));
      document.x = left;
      document.font('Helvetica').fontSize(CODE + 0.5);
      document.table({
        defaultStyle: { border: 0.5, padding: 4 },
        data: block.rows.map((row, index) => row.map((spans) => cell(spans, font(index === 0 ? 'Helvetica-Bold' : 'Helvetica')))),
      });
      document.x = left;
      document.moveDown(0.8);
      return;
    }
    case 'rule':
      document
        .moveDown(0.3)
        .moveTo(left, document.y)
        .lineTo(left + width, document.y)
        .lineWidth(0.5)
        .stroke()
        .moveDown(0.6);
  }
}

function cell(spans: Span[], src: string) {
  const text = breakable(spans.map((span) => span.text).join(''));
  return { text, font: { src } };
}

/** Writes the marker of a list item. Begins a new page if the item's first line, which goes beside the marker, does not fit. */
function marker(document: Document, text: string, x: number, font: string): void {
  document.font(font).fontSize(BODY);
  if (document.y + document.currentLineHeight(true) > document.page.maxY()) document.addPage();
  const { y } = document;
  document.text(text, x - INDENT + 3, y, { lineBreak: false });
  document.y = y;
}

interface Style {
  x: number;
  width: number;
  size: number;
  bold?: boolean;
  italic?: boolean;
}

function write(document: Document, spans: Span[], style: Style): void {
  const { x, width, size } = style;
  const visibleSpans = spans.length > 0 ? spans : [{ text: ' ' }];
  const font = fontsFor(visibleSpans.map(({ text }) => text).join('')); // a line in two fonts would have two heights
  visibleSpans.forEach((span, index) => {
    document
      .font(font(fontOf(span, style)))
      .fontSize(span.code ? size - 1 : size)
      .fillColor(span.link === undefined ? 'black' : '#0645ad');
    const options = {
      width,
      continued: index < visibleSpans.length - 1,
      link: span.link ?? null,
      underline: span.link !== undefined,
      strike: span.strike ?? false,
    };
    if (index === 0) document.text(breakable(span.text), x, document.y, options);
    else document.text(breakable(span.text), options);
  });
  document.fillColor('black');
}

/** Long words, without Chinese and Japanese: there a line may end between any two characters. */
const UNBROKEN = /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]{60,}/gu;

/** Puts soft hyphens into words that are longer than a line: pdfkit's time to break a word grows with the square of its length. */
function breakable(text: string): string {
  return text.replace(UNBROKEN, (word) => word.replace(/.{30}(?=.{10})/g, '$&\u00ad'));
}

function fontOf(span: Span, style: Style): string {
  const bold = span.bold || style.bold;
  const italic = span.italic || style.italic;
  const family = span.code ? 'Courier' : 'Helvetica';
  const variant = `${bold ? 'Bold' : ''}${italic ? 'Oblique' : ''}`;
  return variant === '' ? family : `${family}-${variant}`;
}

function numberPages(document: Document): void {
  const { start, count } = document.bufferedPageRange();
  for (let page = start; page < start + count; page++) {
    document.switchToPage(page);
    const { bottom } = document.page.margins;
    document.page.margins.bottom = 0; // text below the margin would begin a new page
    document
      .font('Helvetica')
      .fontSize(9)
      .text(`${page + 1} / ${count}`, MARGIN, document.page.height - 40, {
        width: document.page.width - 2 * MARGIN,
        align: 'center',
      });
    document.page.margins.bottom = bottom;
  }
}

/** The standard fonts have Windows-1252. Node's TextDecoder takes that for Latin-1, so the other characters are listed here. */
const BEYOND_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const STANDARD = new RegExp(`^[\\n\\t -~\\u00a0-\\u00ff${BEYOND_LATIN_1}]*$`, 'u');

const EMBEDDED_FONT = 'Noto Sans SC';
/** Version 2.001, characters of simplified Chinese; licence: data/fonts/OFL.txt. */
const EMBEDDED_FILE = join(__dirname, '..', '..', 'data', 'fonts', 'noto-sans-sc-400.woff2');

/** Maps a standard font to the font of a text: itself, or the embedded one, which has one weight and no italics. */
function fontsFor(text: string): (standard: string) => string {
  return STANDARD.test(text) ? (standard) => standard : () => EMBEDDED_FONT;
}

/**
 * Embeds the font if the text needs it. Fails for characters that the font lacks: a page of empty boxes would look like a report,
 * and the caller can choose another format.
 */
function openFonts(document: Document, { title, blocks }: Report): void {
  const text = title + blocks.map(textOf).join('');
  const others = [...new Set(text)].filter((char) => !STANDARD.test(char));
  if (others.length === 0) return;
  const font = embedFont(document);
  const missing = others.filter((char) => !font.hasGlyphForCodePoint(char.codePointAt(0)!));
  if (missing.length === 0) return;
  const examples = missing
    .slice(0, 10)
    .map((char) => JSON.stringify(char))
    .join(', ');
  throw new ToolError(
    'INVALID_PARAMS',
    'characters_not_in_font',
    `PDF cannot show ${missing.length} of the characters: ${examples}.`,
    {
      hint: 'Use format docx or html, which show every script, or write these characters otherwise.',
    },
  );
}

/** The part of fontkit's font that is used; pdfkit's types do not declare it. */
interface EmbeddedFont {
  hasGlyphForCodePoint(codePoint: number): boolean;
}

function embedFont(document: Document): EmbeddedFont {
  document.registerFont(EMBEDDED_FONT, readFileSync(EMBEDDED_FILE)).font(EMBEDDED_FONT);
  return (document as unknown as { _font: { font: EmbeddedFont } })._font.font;
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return block.spans.map(({ text }) => text).join('');
    case 'code':
      return block.text;
    case 'table':
      return block.rows
        .flat(2)
        .map(({ text }) => text)
        .join('');
    case 'rule':
      return '';
  }
}

function tooManyPages(): ToolError {
  return new ToolError('INVALID_PARAMS', 'report_too_large', `The report has more than ${MAX_PAGES} pages.`, {
    hint: 'Split it into several reports.',
  });
}
