import { createHash } from 'node:crypto';
import { z } from 'zod';
import { gatewayApp } from '../../../src/gateway/app';
import { binaryFile, INLINE_FILE_BYTES } from '../../../src/tools/results/result-files';
import { defineTool } from '../../../src/tools/define/define';
import { fetchAllPages, pageInput, pageOfList, type Page } from '../../../src/tools/results/pages';
import { truncated, truncateInput } from '../../../src/tools/results/truncate';
import { withEngine, type Engine } from '../support/engine';
import { gatewayParts } from '../../support/gateway';
import { ask, results, say } from '../../support/scripted-model';
import { reads } from '../../support/tools';

const dataOf = async (engine: Engine, tool: string, input = {}, more = {}): Promise<any> => {
  const envelope = await (await engine.call(tool, input, more)).result();
  return envelope.success ? envelope.data : envelope.error;
};
const download = (store: Engine['store'], url: string) => {
  const { pathname, search, origin } = new URL(url);
  expect(origin).toBe('http://files.example:9999');
  return gatewayApp(gatewayParts({ store })).inject({ method: 'GET', url: `${pathname}${search}` });
};
const settings = { publicUrl: 'http://files.example:9999' };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const file = reads(
  'file',
  ({ size }) => ({ report: binaryFile({ filename: '../r.pdf', contentType: 'application/pdf', bytes: Buffer.alloc(size, 7) }) }),
  {
    input: z.object({ size: z.number().int() }),
    cacheTtlMs: 600_000,
  },
);

describe('a file that a tool returns', () => {
  it('below 1 MB comes as base64 with name and type', async () => {
    await withEngine({ tools: [file], settings }, async (engine) => {
      expect(await dataOf(engine, 'file', { size: 3 })).toEqual({
        report: {
          filename: '_r.pdf',
          content_type: 'application/pdf',
          size: 3,
          sha256: sha256(Buffer.alloc(3, 7)),
          ref: expect.stringMatching(/^[0-9a-f]{64}$/),
          content_base64: 'BwcH',
        },
      });
    });
  });

  it('from 1 MB on comes as a presigned address, good for an hour, and is downloaded whole', async () => {
    await withEngine({ tools: [file], settings }, async (engine) => {
      const { report } = await dataOf(engine, 'file', { size: INLINE_FILE_BYTES });
      expect(report).toEqual({
        filename: '_r.pdf',
        content_type: 'application/pdf',
        size: 1_000_000,
        sha256: sha256(Buffer.alloc(1_000_000, 7)),
        ref: expect.any(String),
        url: expect.stringMatching(/\/v1\/blocks\/[0-9a-f]{64}\?expires=\d+&signature=[A-Za-z0-9_-]{43}$/),
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
      const seconds = (Date.parse(report.expires_at) - Date.now()) / 1000;
      expect(seconds).toBeGreaterThan(3000);
      expect(seconds).toBeLessThanOrEqual(3600);
      const response = await download(engine.store, report.url);
      expect(response.statusCode).toBe(200);
      expect(sha256(response.rawPayload)).toBe(report.sha256);
      // An address expires, so the result that holds it is not served again.
      const again = await (await engine.call('file', { size: INLINE_FILE_BYTES })).result();
      expect(again.metadata.cache).toEqual({ hit: false });
    });
  });

  it('just below 1 MB is too much for history: a direct call is given its address instead', async () => {
    await withEngine({ tools: [file], settings }, async (engine) => {
      const { report } = await dataOf(engine, 'file', { size: INLINE_FILE_BYTES - 1 });
      expect(report).not.toHaveProperty('content_base64');
      expect((await download(engine.store, report.url)).rawPayload.length).toBe(999_999);
    });
  });

  it('is never given to the model: it reads name, type, size and ref, also through read_result', async () => {
    const big = reads(
      'big',
      ({ size }) => ({
        text: 'x'.repeat(5000),
        file: binaryFile({ filename: 'a.bin', contentType: 'a/b', bytes: Buffer.alloc(size, 7) }),
      }),
      {
        input: z.object({ size: z.number().int() }),
      },
    );
    const content = Buffer.alloc(900, 7).toString('base64');
    const script = [ask(['file', { size: 900 }], ['file', { size: INLINE_FILE_BYTES }], ['big', { size: 900 }]), say('Done.')];
    await withEngine({ tools: [file, big], script, settings }, async ({ start, model, store }) => {
      const turn = await start();
      const view = await turn.result();
      const [small, large, stored] = results(model.requests[1]!);
      const shown = { report: { filename: '_r.pdf', content_type: 'application/pdf', size: 900, ref: expect.any(String) } };
      expect(small!.body.data).toEqual(shown);
      expect(large!.body.data).toEqual({ report: { ...shown.report, size: 1_000_000 } });
      expect(stored!.body.data.bytes).toBeLessThan(6000);
      const sent = JSON.stringify(model.requests);
      expect(sent).not.toContain(content.slice(0, 100));
      expect(sent).not.toContain('signature=');
      expect(view.calls.map(({ result_summary }) => result_summary).join()).not.toContain(content.slice(0, 100));
      expect(JSON.stringify(await store.getPart(view.calls[0]!.result_ref!))).toContain(content);
    });
  });
});

describe('a direct call', () => {
  it('whose result is too large for history is given the address of all of it', async () => {
    const text = 'y'.repeat(300_000);
    await withEngine({ tools: [reads('long', () => ({ text }))], settings }, async (engine) => {
      const data = await dataOf(engine, 'long');
      expect(data).toMatchObject({
        filename: 'long.json',
        content_type: 'application/json',
        size: 300_011,
        summary: expect.any(String),
      });
      expect((await download(engine.store, data.url)).json()).toEqual({ text });
    });
  });

  it('of a tool with pages walks them: every item once, and no cursor for anybody else', async () => {
    const all = Array.from({ length: 57 }, (_none, index) => index);
    const list = defineTool({
      name: 'list',
      version: '1.0.0',
      class: 'read',
      description: 'Lists numbers.',
      input: z.object({ above: z.number().default(-1), ...pageInput }),
      run: (input, ctx) =>
        pageOfList(
          ctx.cursors,
          input,
          all.filter((number) => number > input.above),
        ),
    });
    await withEngine({ tools: [list] }, async (engine) => {
      const fetchPage = (cursor?: string): Promise<Page<number>> =>
        dataOf(engine, 'list', { limit: 20, ...(cursor === undefined ? {} : { cursor }) });
      expect(await fetchAllPages(fetchPage)).toEqual({ items: all, ended: 'no_more' });
      const { pagination } = await fetchPage();
      expect(pagination).toEqual({ has_more: true, next_cursor: expect.any(String), total_count: 57 });
      const cursor = pagination.next_cursor!;
      const wrong = { code: 'INVALID_PARAMS' };
      expect(await dataOf(engine, 'list', { cursor }, { requester: 'mallory' })).toMatchObject({
        ...wrong,
        reason: 'bad_cursor',
      });
      expect(await dataOf(engine, 'list', { cursor, above: 3 })).toMatchObject({ ...wrong, reason: 'cursor_of_another_query' });
      expect(await dataOf(engine, 'list', { cursor: `${cursor}x` })).toMatchObject({ ...wrong, reason: 'bad_cursor' });
    });
  });

  it('of a tool that truncates says what was cut', async () => {
    const text = `# Title\n${'word '.repeat(1000)}`;
    const read = defineTool({
      name: 'read_text',
      version: '1.0.0',
      class: 'read',
      description: 'Reads a text.',
      input: z.object(truncateInput),
      run: ({ max_length, return_summary }) => truncated(text, { maxLength: max_length, summary: return_summary }),
    });
    await withEngine({ tools: [read] }, async (engine) => {
      expect(await dataOf(engine, 'read_text')).toEqual({
        content: text.slice(0, 2000),
        truncated: true,
        truncation_info: { original_length: 5008, returned_length: 2000, summary: '1 heading: Title' },
      });
      expect(await dataOf(engine, 'read_text', { max_length: 10_000 })).toEqual({ content: text, truncated: false });
    });
  });
});
