/** Completions that are too late, or too many, store nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { complete } from '../../../src/completions/complete';
import { issueToken } from '../../../src/completions/token';
import { FileStore } from '../../../src/store/files/file-store';

const call = { turn_id: 't', workflow_id: 'turn/t', scope: 'run', call_id: '1.1', tool: 'transfer', idempotency_key: 'hf_1' };

it('a completion after the call’s end is refused before it is stored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-completions-'));
  const store = await FileStore.open(folder);
  const { token } = await issueToken(store, { ...call, expires_ms: -120_000 });
  const put = jest.spyOn(store, 'putPart');
  const none = () => Promise.reject(new Error('This test has no Temporal.'));
  await expect(complete({ store, client: none }, token, { result: 1 })).rejects.toThrow(/^Not accepted: the call ended at /);
  expect(put).not.toHaveBeenCalled();
  const full = () => Promise.reject(new Error('too many'));
  const other = await issueToken(store, { ...call, idempotency_key: 'hf_2', expires_ms: 60_000 });
  await expect(complete({ store, client: none }, other.token, { result: 1 }, full)).rejects.toThrow('too many');
  expect(put).not.toHaveBeenCalled();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
