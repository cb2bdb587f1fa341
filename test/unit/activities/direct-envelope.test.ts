import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { envelopeOf } from '../../../src/activities/call/direct-envelope';
import { keepFile } from '../../../src/activities/call/tool-context';
import { FileStore } from '../../../src/store/files/file-store';
import { binaryFile, filesIn } from '../../../src/tools/results/result-files';

const AT = '2026-01-31T10:00:00.000Z';

describe('the answer of a direct call that is too large to be sent whole', () => {
  it('has addresses for the files of this call, and none for a ref that its tool only wrote as text', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-envelope-'));
    const store = await FileStore.open(dir);
    try {
      const deps = { store, publicUrl: 'http://localhost:8480' } as never;
      const turnOf = (id: string) => ({ turn_id: id, first_execution_run_id: `run-of-${id}` }) as never;
      const file = (name: string, bytes: string) =>
        binaryFile({ filename: name, contentType: 'text/plain', bytes: Buffer.from(bytes) }) as never;
      const secret = await keepFile(deps, turnOf('victim'), '1.1', file('salaries.txt', 'secret'));
      const other = await keepFile(deps, turnOf('own'), '1.2', file('other.txt', 'of another call'));
      const own = await keepFile(deps, turnOf('own'), '1.1', file('own.txt', 'x'.repeat(140_000)));
      const shaped = (ref: string) => ({ filename: 'a', content_type: 'text/plain', sha256: 'x', ref, content_base64: 'AA==' });
      const data = { own: { ...own }, written: [shaped(secret.ref), shaped(other.ref), shaped('0'.repeat(64)), shaped('../x')] };
      const envelope = { success: true, status: 'success', data, metadata: { tool_name: 'evil', cache: { hit: false } } };
      const result_ref = await store.putPart('run-of-own', {
        ...{ turn_id: 'own', session_id: null, call_id: '1.1', summary: '', inline: false },
        envelope,
      } as never);
      const input = { turn: turnOf('own'), at: AT } as never;
      const answer = await envelopeOf(deps, input, { tool: 'evil', error: null, result_ref, state: 'succeeded' } as never);
      if (!answer.success) throw new Error('it failed');
      const addressed = filesIn(answer.data).filter((found) => 'url' in found);
      expect(addressed.map(({ ref }) => ref)).toEqual([own.ref]);
      expect((answer.data as typeof data).written).toEqual(data.written);
    } finally {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
