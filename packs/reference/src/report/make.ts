/** Makes a report file, in a thread: Markdown of 200,000 characters takes seconds, and page layout takes longer. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineJob, type Tell } from 'holdfast/tools';
import { toHtml } from './html';
import { blocksOf, printable } from './markdown';
import type { Report, Step } from './report';

export type Format = 'pdf' | 'docx' | 'html';

export interface ReportOrder {
  title: string;
  content: string;
  format: Format;
  date: Date;
}

export interface ReportFile {
  /** As it is in the file. */
  title: string;
  bytes: Uint8Array;
}

/** Progress of the work. */
export interface ReportProgress {
  message: string;
  fraction: number;
}

export const reportJob = defineJob<ReportOrder, ReportFile, ReportProgress>(join(__dirname, 'make'), 'makeReport', 'The report', {
  ms: 60_000,
  reason: 'report_too_slow',
  hint: 'Split it into several reports, or write it with fewer nested brackets and emphases.',
});

const load = createRequire(__filename);

export async function makeReport({ title, content, format, date }: ReportOrder, tell: Tell<ReportProgress>): Promise<ReportFile> {
  const text = printable(content);
  const report: Report = { title: printable(title).replace(/\s+/g, ' ').trim(), content: text, blocks: blocksOf(text), date };
  tell({ message: `Writing ${report.blocks.length} paragraphs as ${format}`, fraction: 0.1 });
  const step: Step = async (fraction) => tell({ message: `Writing as ${format}`, fraction: 0.1 + fraction * 0.8 });
  return { title: report.title, bytes: await write(format, report, step) };
}

/** The PDF and DOCX libraries take a quarter of a second to load, so each is loaded only when such a file is made. */
async function write(format: Format, report: Report, step: Step): Promise<Buffer> {
  if (format === 'html') return toHtml(report);
  if (format === 'pdf') return (load('./pdf') as typeof import('./pdf')).toPdf(report, step);
  return (load('./docx') as typeof import('./docx')).toDocx(report, step);
}
