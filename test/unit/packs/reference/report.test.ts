import { parse } from 'parse5';
import { generateReport } from '../../../../packs/reference/src/tools/generate-report';
import type { FileResult } from '../../../../src/tools/results/result-files';
import { checkOutput } from '../../../../src/tools/schema/input-output';
import { docxHtml, embeddedText, pdfLinks, pdfPages, pdfText } from './report-text';
import { call, failure, watched } from '../../../support/packs/reference/support';

const tool = generateReport();
const MARKDOWN = `# Finding

The ratio **fell** to *1.2* – see [the filing](https://filings.example/a?b=1) and \`code\`.

- first
- second
  1. inner

> quoted words

\`\`\`js
let a = 1;
\`\`\`

| item | value |
|---|---|
| debt | 12 € |
`;
const HOSTILE = `<script>alert(1)</script> <img src=x onerror=alert(1)>

[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) [d](file:///etc/passwd) ![pic](https://evil.example/x.png)

<a href="https://evil.example">e</a> <iframe src="https://evil.example"></iframe> \u0000\u0007bell

[good](mailto:a@b.example)`;
const make = (content: string, format: string, title = 'Credit review: ÄCME') => call(tool, { title, content, format });

/** All elements and attributes of a page, by another parser than ours. */
function elements(html: string): { tag: string; attributes: Record<string, string> }[] {
  const out: { tag: string; attributes: Record<string, string> }[] = [];
  const visit = (node: any) => {
    if (node.tagName)
      out.push({ tag: node.tagName, attributes: Object.fromEntries(node.attrs.map((a: any) => [a.name, a.value])) });
    for (const child of node.childNodes ?? []) visit(child);
  };
  visit(parse(html));
  return out;
}

describe('generate_report', () => {
  it('declares its file in both forms: with the bytes, or with an address', async () => {
    const { ref, sha256 } = { ref: 'a'.repeat(64), sha256: 'b'.repeat(64) };
    const file = { filename: 'a.pdf', content_type: 'application/pdf', size: 3, sha256, ref };
    const results: FileResult[] = [
      { ...file, content_base64: 'AAAA' },
      { ...file, url: 'http://localhost/v1/blocks/a', expires_at: '2026-11-21T00:00:00.000Z' },
    ];
    for (const result of results) expect(await checkOutput(tool, result, 'rita')).toBeNull();
    expect(await checkOutput(tool, { ...file, size: 'large' }, 'rita')).toMatchObject({ reason: 'output_mismatch' });
  });

  it('makes a PDF with text, links, page numbers and the turn day as its date', async () => {
    const file = await make(MARKDOWN, 'pdf');
    expect(file).toMatchObject({ filename: 'credit-review-acme.pdf', contentType: 'application/pdf' });
    const bytes = Buffer.from(file.bytes);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const text = pdfText(bytes);
    for (const words of [
      'Credit review: ÄCME',
      'Finding',
      'fell',
      '1.2',
      '–',
      'the filing',
      'first',
      'inner',
      '•',
      'quoted words',
      'let a = 1;',
      'item',
      'debt',
      '12 €',
      '1 / 1',
    ]) {
      expect(text).toContain(words);
    }
    expect(pdfLinks(bytes)).toEqual(['https://filings.example/a?b=1']);
    expect(bytes.toString('latin1')).toContain('(D:20261121000000Z)');
  });

  it('numbers the pages of a long PDF', async () => {
    const bytes = Buffer.from((await make('A paragraph of some words.\n\n'.repeat(120), 'pdf')).bytes);
    const pages = pdfPages(bytes);
    expect(pages).toBeGreaterThan(2);
    expect(pdfText(bytes)).toContain(`${pages} / ${pages}`);
  });

  it('makes a DOCX that a reader opens: headings, emphasis, links, lists and tables', async () => {
    const file = await make(MARKDOWN, 'docx');
    expect(file.filename).toBe('credit-review-acme.docx');
    const html = await docxHtml(Buffer.from(file.bytes));
    expect(html).toContain('<h1>Finding</h1>');
    expect(html).toContain('<strong>fell</strong> to <em>1.2</em>');
    expect(html).toContain('<a href="https://filings.example/a?b=1">the filing</a>');
    expect(html).toMatch(/•\tsecond.*1\.\tinner/);
    expect(html).toMatch(/<table>.*debt.*12 €.*<\/table>/);
  });

  it('makes a page of HTML that needs no other file', async () => {
    const file = await make(MARKDOWN, 'html');
    const html = Buffer.from(file.bytes).toString('utf8');
    const found = elements(html);
    expect(found.map(({ tag }) => tag)).toEqual(
      expect.arrayContaining(['h1', 'strong', 'em', 'ul', 'ol', 'blockquote', 'pre', 'table']),
    );
    expect(found.find(({ attributes }) => attributes['http-equiv'])!.attributes.content).toMatch(/^default-src 'none'/);
    expect(html).toContain('<title>Credit review: ÄCME</title>');
  });

  it('gives the same bytes for the same input: PDF and HTML', async () => {
    for (const format of ['pdf', 'html']) {
      expect(Buffer.compare((await make(MARKDOWN, format)).bytes, (await make(MARKDOWN, format)).bytes)).toBe(0);
    }
  });

  it('shows writing of every script in DOCX and HTML, and says which PDF cannot', async () => {
    const words = 'Здравствуйте 你好';
    expect(await docxHtml(Buffer.from((await make(words, 'docx')).bytes))).toContain(words);
    expect(Buffer.from((await make(words, 'html')).bytes).toString('utf8')).toContain(words);
    const refused = await failure(make(words, 'pdf'));
    expect(refused).toMatchObject({
      code: 'INVALID_PARAMS',
      reason: 'characters_not_in_font',
      hint: expect.stringContaining('docx'),
    });
    expect(refused.message).toContain('"З"');
    expect(refused.message).not.toContain('你');
  });

  it('prints Chinese and Japanese in a PDF, with the font in the file, the same bytes each time', async () => {
    const content = `# 结论

营收增长 **百分之六**，见[报告](https://filings.example/zh)与 \`代码\`：Apple Inc.

1. ひらがな、カタカナ

| 项目 | 数值 |
|---|---|
| 负债 | 12 € |

\`\`\`
净利润 = 收入 - 成本
\`\`\`

Plain English.
`;
    const { bytes } = await make(content, 'pdf', '信用审查');
    const pdf = Buffer.from(bytes);
    const text = embeddedText(pdf);
    for (const words of [
      '信用审查',
      '结论',
      '百分之六',
      '报告',
      '代码',
      'ひらがな、カタカナ',
      '项目',
      '负债',
      '净利润 = 收入 - 成本',
    ])
      expect(text).toContain(words);
    expect(text).toContain('12 €');
    expect(pdfText(pdf)).toContain('Plain English.');
    expect(pdf.toString('latin1')).toMatch(/\/FontName \/[A-Z]{6}\+NotoSansSC/);
    expect(pdf.length).toBeLessThan(60_000);
    expect(Buffer.compare(pdf, (await make(content, 'pdf', '信用审查')).bytes)).toBe(0);
    expect(pdfPages(Buffer.from((await make('长'.repeat(20_000), 'pdf')).bytes))).toBeGreaterThan(5);
  });

  it('makes hostile Markdown harmless: no script, no picture, no link but http, https and mailto', async () => {
    const found = elements(Buffer.from((await make(HOSTILE, 'html', '<script>t</script>')).bytes).toString('utf8'));
    expect(found.filter(({ tag }) => ['script', 'img', 'iframe', 'object', 'link', 'base', 'form', 'svg'].includes(tag))).toEqual(
      [],
    );
    expect(found.filter(({ tag }) => tag === 'a').map(({ attributes }) => attributes.href)).toEqual(['mailto:a@b.example']);
    expect(
      found.flatMap(({ attributes }) => Object.keys(attributes)).filter((name) => name.startsWith('on') || name === 'src'),
    ).toEqual([]);
    const pdf = Buffer.from((await make(HOSTILE, 'pdf')).bytes);
    expect(pdfLinks(pdf)).toEqual(['mailto:a@b.example']);
    expect(pdf.toString('latin1')).not.toMatch(/\/JavaScript|\/Launch|\/EmbeddedFile/);
    const docx = await docxHtml(Buffer.from((await make(HOSTILE, 'docx')).bytes));
    expect([...docx.matchAll(/<a href="([^"]*)"/g)].map((match) => match[1])).toEqual(['mailto:a@b.example']);
    expect(docx).not.toContain('<img');
  });

  it.each([
    ['lists nested 300 deep', Array.from({ length: 300 }, (_, n) => `${'  '.repeat(n)}- x`).join('\n'), /nested too deeply/],
    ['a table of 60 columns', `|${'a|'.repeat(60)}\n|${'-|'.repeat(60)}\n`, /more than 20 columns/],
    ['a table of 12,000 cells', `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(6000)}`, /more than 10000 cells/],
    ['30,000 lines drawn', '---\n\n'.repeat(30_000), /more than 20000 paragraphs/],
    ['40,000 changes of style', '`a` '.repeat(40_000), /changes its style/],
  ])('refuses %s instead of leaving a part out', async (_what, content, message) => {
    const error = await failure(make(content, 'docx'));
    expect(error).toMatchObject({ code: 'INVALID_PARAMS', reason: 'report_too_large' });
    expect(error.message).toMatch(message);
  });

  it.each([
    ['a word of 50,000 letters', 'x'.repeat(50_000)],
    ['50,000 brackets', '['.repeat(50_000)],
    ['half-open emphasis', '*a '.repeat(5_000)],
    ['half-open links', '[a](b '.repeat(10_000)],
    ['quotations', '>'.repeat(100)],
  ])('survives %s', async (_what, content) => {
    for (const format of ['pdf', 'html']) {
      expect((await make(content, format).catch((error) => ({ bytes: [error.detail.reason] }))).bytes.length).toBeGreaterThan(0);
    }
  });

  it('refuses a megabyte, an empty title and an unknown format by its schema', async () => {
    await expect(make('- '.repeat(500_000), 'pdf')).rejects.toThrow(/content/);
    await expect(make('x', 'pdf', ' ')).rejects.toThrow(/title/);
    await expect(make('x', 'exe')).rejects.toThrow(/format/);
  });

  it('reports progress from 0 to 1, and stops when it is cancelled', async () => {
    const { said } = await watched(tool, { title: 't', content: 'word\n\n'.repeat(200), format: 'pdf' });
    const fractions = said.map(({ fraction }) => fraction!);
    expect(fractions.at(0)).toBe(0);
    expect(fractions.at(-1)).toBe(1);
    expect(fractions.length).toBeGreaterThan(4);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    const reason = new Error('cancelled');
    const signal = AbortSignal.abort(reason);
    expect(await failure(call(tool, { title: 't', content: 'word\n\n'.repeat(200), format: 'pdf' }, { signal }))).toBe(reason);
  });

  it('gives the file a name without any character of a path', async () => {
    expect((await make('x', 'html', '../../etc/passwd')).filename).toBe('etc-passwd.html');
    expect((await make('x', 'html', '你好')).filename).toBe('report.html');
  });
});
