import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_DOCUMENTS } from '../../../../packs/reference/src';
import { DocumentIndex } from '../../../../packs/reference/src/documents';
import { documentsIn } from '../../../../packs/reference/src/documents/search-job';
import { LIMITS } from '../../../../packs/reference/src/documents/folder';
import { documentText } from '../../../../packs/reference/src/documents/text';
import { searchDocuments } from '../../../../packs/reference/src/tools/search-documents';
import { isZod } from '../../../../src/tools/schema/schema';
import { toolContext } from '../../../support/tool-context';
import { call, failure } from '../../../support/packs/reference/support';

describe('search_documents', () => {
  let folder: string;
  const put = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const search = (query: string, more: object = {}, limits = LIMITS) =>
    call(searchDocuments(documentsIn(folder, limits)), { query, ...more });
  const paths = (answer: any) => answer.items.map((item: any) => item.path);
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-documents-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('ranks the embedded samples, with title, snippet and score', async () => {
    const tool = searchDocuments(documentsIn(SAMPLE_DOCUMENTS));
    const answer = await call(tool, { query: 'hotel costs for a trip' });
    expect(answer.items[0]).toMatchObject({
      path: 'expense-policy.md',
      title: 'Expense policy',
      snippet: expect.stringContaining('hotel'),
    });
    expect(answer.searched).toEqual({ documents: 5, left_out: 0 });
    expect(isZod(tool.output) && tool.output.safeParse(answer).success).toBe(true);
    const html = await call(tool, { query: 'purchase order number' });
    expect(html.items[0]).toMatchObject({ path: 'release-notes.html', title: 'Release notes 4.2' });
    expect(html.items[0].snippet).not.toMatch(/<|console/);
    expect(paths(await call(tool, { query: 'console sans-serif' }))).not.toContain('release-notes.html');
  });

  it('gives pages by a cursor that binds the query', async () => {
    for (let n = 0; n < 25; n++) put(`note-${String(n).padStart(2, '0')}.md`, `# Note ${n}\n\nAbout apples.`);
    const tool = searchDocuments(documentsIn(folder));
    const key = { query: 'apples', limit: 10 };
    const { cursors } = toolContext();
    const first = await call(tool, key, { cursors });
    const second = await call(tool, { ...key, cursor: first.pagination.next_cursor }, { cursors });
    const third = await call(tool, { ...key, cursor: second.pagination.next_cursor }, { cursors });
    expect(first.pagination).toMatchObject({ has_more: true, total_count: 25 });
    expect(third.pagination).toEqual({ has_more: false, next_cursor: null, total_count: 25 });
    expect(new Set([first, second, third].flatMap(paths)).size).toBe(25);

    const cursor = first.pagination.next_cursor;
    expect(await failure(call(tool, { query: 'pears', cursor }, { cursors }))).toMatchObject({
      code: 'INVALID_PARAMS',
      reason: 'bad_cursor',
    });
    expect(await failure(call(tool, { ...key, cursor: `${cursor}x` }, { cursors }))).toMatchObject({ reason: 'bad_cursor' });
    expect(await failure(call(tool, { ...key, cursor: 'e30' }, { cursors }))).toMatchObject({ reason: 'bad_cursor' });
    put('more.md', 'apples');
    expect(await failure(call(tool, { ...key, cursor }, { cursors }))).toMatchObject({ reason: 'documents_changed' });
  });

  it('finds new and changed files, and no deleted ones', async () => {
    const tool = searchDocuments(documentsIn(folder));
    const find = async (query: string) => paths(await call(tool, { query }));
    put('a.md', 'about apples');
    expect(await find('apples')).toEqual(['a.md']);
    put('a.md', 'about cherry');
    utimesSync(join(folder, 'a.md'), 1, 1);
    put('b.txt', 'about apples');
    expect(await find('apples')).toEqual(['b.txt']);
    expect(await find('cherry')).toEqual(['a.md']);
    unlinkSync(join(folder, 'b.txt'));
    expect(await find('apples')).toEqual([]);
  });

  it('reads nothing through symbolic links, nothing hidden, and no other kinds of files', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'holdfast-outside-'));
    writeFileSync(join(outside, 'canary.md'), 'canary');
    symlinkSync(join(outside, 'canary.md'), join(folder, 'link.md'));
    symlinkSync(outside, join(folder, 'folder'));
    mkdirSync(join(folder, '.git'));
    put('.git/config.md', 'canary');
    put('.hidden.md', 'canary');
    put('script.js', 'canary');
    mkdirSync(join(folder, 'deep'));
    put('deep/real.md', 'canary');
    expect(paths(await search('canary'))).toEqual(['deep/real.md']);
    rmSync(outside, { recursive: true });
  });

  it('leaves out files that are too large or too many, and says how many', async () => {
    put('large.md', 'apple '.repeat(1000));
    for (const name of ['a', 'b', 'c']) put(`${name}.md`, 'apple');
    const answer = await search('apple', {}, { files: 2, fileBytes: 100, totalBytes: 1000 });
    expect(paths(answer)).toEqual(['a.md', 'b.md']);
    expect(answer.searched).toEqual({ documents: 2, left_out: 2 });
  });

  it('says that the folder cannot be read, without its path', async () => {
    const tool = searchDocuments(documentsIn(join(folder, 'none')));
    const error = await failure(call(tool, { query: 'apples' }));
    expect(error).toMatchObject({ code: 'EXECUTION_ERROR', reason: 'folder_unreadable' });
    expect(error.message).not.toContain(folder);
    mkdirSync(join(folder, 'none'));
    expect((await call(tool, { query: 'apples' })).items).toEqual([]); // and recovers
  });

  it('reads a file once for two searches at once', async () => {
    put('a.md', 'apples');
    const index = new DocumentIndex(folder);
    const found = await Promise.all([1, 2, 3].map(() => index.search('apples', 0, 10)));
    expect(found.map(({ total }) => total)).toEqual([1, 1, 1]);
  });

  it('finds words of scripts without spaces, and shows where they are', async () => {
    put('zh.md', `# 手册\n\n${'前言。'.repeat(100)}北京天气很好。`);
    const answer = await search('天气');
    expect(answer.items[0]).toMatchObject({ path: 'zh.md', title: '手册', snippet: expect.stringContaining('天气') });
  });

  it('shows the part of a long document that has the words', async () => {
    put('long.md', `${'Lorem ipsum dolor. '.repeat(500)}The needle is here. ${'Sit amet. '.repeat(500)}`);
    const [item] = (await search('needle')).items;
    expect(item.snippet).toContain('needle is here');
    expect(item.snippet.length).toBeLessThanOrEqual(250);
  });

  it.each([
    ['tags without end', '<b>'.repeat(400_000)],
    ['closing tags without beginning', '</b>'.repeat(400_000)],
    ['open brackets', '<'.repeat(1_500_000)],
    ['attributes', `<p ${'a=b '.repeat(400_000)}>x`],
    ['an unclosed comment', `<!--${'-'.repeat(1_500_000)}`],
  ])('survives HTML of %s', (_what, html) => {
    const document = documentText('a.html', html);
    expect(document === null || typeof document.text === 'string').toBe(true);
  });
});
