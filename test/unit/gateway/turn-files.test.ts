/** The files of a turn over HTTP: only those that its own calls made, or whose bytes its results have. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TurnNotFound } from '../../../src/client/errors';
import { gatewayApp } from '../../../src/gateway/app';
import { FileStore } from '../../../src/store/files/file-store';
import type { Json } from '../../../src/shared/json/json';
import type { Store } from '../../../src/store/store';
import { gatewayParts, person } from '../../support/gateway';

const rita = person('acme/rita', 'starter');
const eve = person('globex/eve', 'auditor');

describe('the files of a turn', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-files-'));
  let store: Store;
  let calls: object[];
  let more: object;
  let app: ReturnType<typeof gatewayApp>;
  beforeAll(async () => {
    store = await FileStore.open(dir);
    const look = async (id: string) => {
      if (id !== 'pays') throw new TurnNotFound(id);
      const summary = { turn_id: id, requester: 'acme/rita', ended_at: null, state: 'running' };
      const owner = { turn_id: id, requester: 'acme/rita', first_execution_run_id: 'run' };
      return { summary, owner, traceId: null, view: async () => ({ turn_id: id, calls, ...more }) };
    };
    const client = async () => ({ look, turn: (id: string) => ({ id }) }) as never;
    app = gatewayApp(gatewayParts({ store, people: [rita, eve], client }));
  });
  beforeEach(() => {
    calls = [];
    more = {};
  });
  afterAll(async () => {
    await app.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** As a call of a turn stores a file, and names it in its result. */
  const file = async (text: string, turn = 'pays', filename = 'report.pdf') => {
    const sha256 = await store.putBytes(Buffer.from(text));
    const of = { filename, content_type: 'application/pdf', size: text.length, sha256 };
    const ref = await store.putPart('run', { turn_id: turn, call_id: '1.1', file: of });
    return { ...of, ref };
  };
  const inline = (text: string) => ({ content_base64: Buffer.from(text).toString('base64') });
  const called = async (id: string, tool: string, data: Json, { turn_id = 'pays', run = 'run' } = {}) => {
    const envelope = { success: true, data, metadata: { tool_name: tool, cache: { hit: false } } } as never;
    const owner = { turn_id, session_id: null, call_id: id };
    const result_ref = await store.putPart(run, { ...owner, envelope, summary: '', inline: true });
    calls.push({ id, tool, result_ref });
  };
  const list = async (who = rita) => {
    const answer = await app.inject({ url: '/v1/turns/pays/files', headers: who.headers });
    return { ...(answer.json() as { files: { filename: string; url: string }[]; complete: boolean }), status: answer.statusCode };
  };

  it('are listed with the call that made them, and can be saved by their addresses', async () => {
    const large = await file('%PDF large', 'pays', 'large.pdf');
    await called('1.1', 'make_report', { note: 'Two files.', files: [{ ...(await file('%PDF-1.7')), ...inline('%PDF-1.7') }] });
    await called('2.1', 'make_more', { ...large, url: 'https://elsewhere.example/', expires_at: '2020-01-01T00:00:00.000Z' });
    calls.push({ id: '3.1', tool: 'fails', result_ref: null }, { id: '3.2', tool: 'gone', result_ref: 'f'.repeat(64) });
    const { status, files, complete } = await list();
    expect({ status, complete }).toEqual({ status: 200, complete: true });
    expect(files).toMatchObject([
      { call_id: '1.1', tool: 'make_report', filename: 'report.pdf', content_type: 'application/pdf', size: 8 },
      { call_id: '2.1', tool: 'make_more', filename: 'large.pdf' },
    ]);
    const bodies = await Promise.all(files.map(async ({ url }) => (await app.inject({ url })).body));
    expect(bodies).toEqual(['%PDF-1.7', '%PDF large']);
  });

  it('do not include a file of another turn that a tool only names', async () => {
    const secret = await file('a secret of another tenant', 'theirs');
    await called('1.1', 'echo', { ...secret, url: 'https://elsewhere.example/', expires_at: '' });
    await called('1.2', 'echo', { ...secret, ...inline('not its bytes') });
    await called('1.3', 'echo', { ...secret, ref: '../salt.key', ...inline('x') });
    expect(await list()).toMatchObject({ status: 200, files: [] });
    // A result that was taken from the cache has the bytes of a file that another turn made.
    await called('1.4', 'cached', { ...secret, filename: 'renamed.exe', ...inline('a secret of another tenant') });
    expect((await list()).files).toMatchObject([{ call_id: '1.4', filename: 'report.pdf' }]);
  });

  it('do not include those of a result of another turn that the workflow names', async () => {
    const claim = { ...(await file('bytes')), ...inline('bytes') };
    await called('1.1', 'pay', claim, { turn_id: 'theirs' });
    await called('1.2', 'pay', claim, { run: 'an earlier run under the same id' });
    expect(await list()).toMatchObject({ status: 200, files: [] });
  });

  it('are listed once each, to a limit, and the answer says if some are missing', async () => {
    const same = { ...(await file('once')), ...inline('once') };
    await called('1.1', 'make_report', [same, same]);
    more = { earlier_calls: { count: 1 } };
    expect(await list()).toMatchObject({ files: [{ filename: 'report.pdf' }], complete: false });
    more = {};
    const many = Array.from({ length: 201 }, async (_, n) => ({ ...(await file(`file ${n}`)), ...inline(`file ${n}`) }));
    await called('1.2', 'make_many', await Promise.all(many));
    const { files, complete } = await list();
    expect({ count: files.length, complete }).toEqual({ count: 200, complete: false });
  });

  it('are hidden from another tenant', async () => {
    expect((await list(eve)).status).toBe(404);
  });
});
