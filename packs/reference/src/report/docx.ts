/**
 * Renders a report as a Word document with docx. The library writes the current time into it, so two files of one report differ.
 */
import {
  AlignmentType,
  BorderStyle,
  Document,
  ExternalHyperlink,
  Footer,
  HeadingLevel,
  Packer,
  PageNumber,
  Paragraph,
  type ParagraphChild,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import type { Block, Span } from './markdown';
import type { Report, Step } from './report';

const LEVELS = [
  HeadingLevel.TITLE,
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
];
/** Twentieths of a point. */
const INDENT = 360;
const BLOCKS_PER_PROGRESS = 200;

export async function toDocx({ title, blocks }: Report, step: Step): Promise<Buffer> {
  const children: (Paragraph | Table)[] = [new Paragraph({ text: title, heading: HeadingLevel.TITLE })];
  for (const [index, block] of blocks.entries()) {
    for (const child of renderBlock(block)) children.push(child);
    if (index % BLOCKS_PER_PROGRESS === BLOCKS_PER_PROGRESS - 1) await step((index / blocks.length) * 0.5);
  }
  await step(0.5);
  const numbers = new Paragraph({
    alignment: AlignmentType.CENTER,
    children: [new TextRun({ children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES] })],
  });
  const document = new Document({
    title,
    creator: 'holdfast',
    sections: [{ footers: { default: new Footer({ children: [numbers] }) }, children }],
  });
  return Packer.toBuffer(document);
}

function renderBlock(block: Block): (Paragraph | Table)[] {
  switch (block.kind) {
    case 'heading':
      return [new Paragraph({ heading: LEVELS[block.level] ?? HeadingLevel.HEADING_6, children: runs(block.spans) })];
    case 'paragraph': {
      const indentation = block.depth * INDENT + (block.quote ? INDENT : 0);
      const mark = block.marker === null ? [] : [new TextRun(`${block.marker}\t`)];
      return [
        new Paragraph({
          children: [...mark, ...runs(block.spans, block.quote)],
          indent: { left: indentation, ...(block.marker === null ? {} : { hanging: INDENT }) },
          spacing: { after: block.depth > 0 ? 40 : 120 },
        }),
      ];
    }
    case 'code':
      return block.text.split('\n').map(
        (line) =>
          new Paragraph({
            children: [new TextRun({ text: line, font: 'Courier New', size: 18 })],
            indent: { left: block.depth * INDENT },
          }),
      );
    case 'table':
      return [table(block.rows), new Paragraph({})];
    case 'rule':
      return [new Paragraph({ border: { bottom: { style: BorderStyle.SINGLE, size: 4, color: 'BBBBBB' } } })];
  }
}

function table(rows: Span[][][]): Table {
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: rows.map(
      (cells, index) =>
        new TableRow({
          tableHeader: index === 0,
          children: cells.map((spans) => {
            const cellSpans = index === 0 ? spans.map((span) => ({ ...span, bold: true })) : spans;
            return new TableCell({ children: [new Paragraph({ children: runs(cellSpans) })] });
          }),
        }),
    ),
  });
}

function runs(spans: Span[], italic = false): ParagraphChild[] {
  return spans
    .map((span) => {
      const link = span.link === undefined ? {} : { style: 'Hyperlink' };
      const font = span.code ? { font: 'Courier New' } : {};
      const lines = span.text.split('\n').map(
        (text, index) =>
          new TextRun({
            text,
            bold: span.bold ?? false,
            italics: span.italic ?? italic,
            strike: span.strike ?? false,
            ...(index > 0 ? { break: 1 } : {}),
            ...font,
            ...link,
          }),
      );
      return span.link === undefined ? lines : [new ExternalHyperlink({ link: span.link, children: lines })];
    })
    .flat();
}
