/** The tool `generate_report`: makes a report file from Markdown. */
import { z } from 'zod';
import { binaryFile, type BinaryFile, defineTool, inThread, type ToolProgress } from 'holdfast/tools';
import { reportJob } from '../report/make';

const CONTENT_TYPES = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  html: 'text/html; charset=utf-8',
} as const;

/** `{title, content, format}` → a file. The same input gives the same bytes on the same day, except for DOCX. */
export function generateReport() {
  return defineTool({
    name: 'generate_report',
    version: '1.2.0',
    class: 'write',
    group: 'reference',
    streaming: true,
    timeoutMs: 120_000,
    concurrencySafe: () => true, // it makes a new file, and changes nothing else
    description: {
      does: 'Makes a report file from Markdown: PDF, DOCX or HTML, with headings, lists, tables, code, links and page numbers.',
      returns: 'The file: filename, content_type, and its content in base64 or, when it is large, a url with its expiry.',
      useWhen: 'Somebody wants a document to keep, print or pass on, and its text is ready.',
      dontUseFor: 'A short answer in the conversation, spreadsheets, slides, or a file with pictures: pictures stand as words.',
      example: '{"title": "Credit review ACME", "content": "## Finding\\n\\nThe ratio fell to **1.2**.", "format": "pdf"}',
      warning:
        'PDF shows Western European letters, simplified Chinese and kana; take docx or html for other scripts. The title is added above the content.',
    },
    input: z.object({
      title: z.string().min(1).max(200).regex(/\S/).describe('Title: it stands on top, and gives the file its name'),
      content: z.string().min(1).max(200_000).describe('The text, in Markdown; HTML in it is shown as text'),
      format: z.enum(['pdf', 'docx', 'html']).default('pdf').describe('Kind of file'),
    }),
    // Describes the file: its bytes are in content_base64, or behind url.
    output: z.object({
      filename: z.string(),
      content_type: z.string(),
      size: z.number().int(),
      sha256: z.string(),
      ref: z.string(),
      content_base64: z.string().optional(),
      url: z.string().optional(),
      expires_at: z.string().optional(),
    }),
    estimatedTokens: { input: 500, output: { min: 50, typical: 50, max: 100 } },
    changelog: {
      '1.2.0': 'HTML.',
      '1.1.0': 'DOCX, and progress while it works.',
      '1.0.0': 'First version.',
    },
    async *run({ title, content, format }, ctx): AsyncGenerator<ToolProgress, BinaryFile> {
      yield { message: 'Reading the Markdown', fraction: 0 };
      const order = { title, content, format, date: dayOf(ctx.traceId) };
      const report = await inThread(reportJob, order, {
        owner: ctx.principal,
        signal: ctx.signal,
        onMessage: ({ message, fraction }) => ctx.progress(message, fraction),
      });
      const bytes = Buffer.from(report.bytes);
      yield { message: `Written: ${bytes.length} bytes`, fraction: 1 };
      return binaryFile({ filename: `${slug(report.title)}.${format}`, contentType: CONTENT_TYPES[format], bytes });
    },
  });
}

/** The day of the turn, from its trace id (`trace_YYYYMMDD_…`): the same in every attempt, unlike the clock. */
function dayOf(traceId: string): Date {
  const [, year, month, day] = /^trace_(\d{4})(\d{2})(\d{2})_/.exec(traceId) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}

function slug(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 60).replace(/-+$/, '') || 'report';
}
