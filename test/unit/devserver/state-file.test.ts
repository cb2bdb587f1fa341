import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDevState, removeDevState, writeDevState } from '../../../src/devserver/state-file';

describe('dev.json', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'holdfast-state-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const state = {
    pid: process.pid,
    address: '127.0.0.1:1',
    namespace: 'default',
    ui_url: null,
    started_at: '2026-01-01T00:00:00Z',
    smtp_port: 25,
  };

  it('is read back as written, and leaves no other file', async () => {
    await writeDevState(home, state);
    expect(readDevState(home)).toEqual(state);
    expect(readdirSync(home)).toEqual(['dev.json']);
  });

  it('may be read by other users, as far as the umask lets them', async () => {
    await writeDevState(home, state);
    expect(statSync(join(home, 'dev.json')).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('counts for nothing when it is missing, damaged, or its process is gone', async () => {
    expect(readDevState(join(home, 'nowhere'))).toBeNull();
    writeFileSync(join(home, 'dev.json'), '{"pid":');
    expect(readDevState(home)).toBeNull();
    await writeDevState(home, { ...state, pid: 2 ** 22 + 1 });
    expect(readDevState(home)).toBeNull();
  });

  it('is removed by its own stack only', async () => {
    await writeDevState(home, state);
    removeDevState(home, process.pid + 1);
    expect(readDevState(home)).toEqual(state);
    removeDevState(home);
    expect(readdirSync(home)).toEqual([]);
  });
});
