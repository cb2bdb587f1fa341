import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goInstall } from '../../../src/devserver/cli-go-install';

describe('a build with Go', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const target = () => join(folder, 'bin/tool');
  const build = () =>
    goInstall(
      { what: 'a tool', takes: 'a second', packages: ['example.com/tool@v1.0.0'], files: { tool: target() } },
      env,
      () => {},
    );

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-go-'));
    env = { PATH: `${join(folder, 'path')}:/usr/bin:/bin`, XDG_CACHE_HOME: join(folder, 'cache'), HOME: folder };
    mkdirSync(join(folder, 'path'));
    const go = `#!/bin/sh\necho built >> '${folder}/builds'\nsleep 0.3\necho tool > "$GOBIN/tool"\n`;
    writeFileSync(join(folder, 'path/go'), go, { mode: 0o755 });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made once, also if several want it at the same time', async () => {
    await Promise.all([build(), build(), build()]);
    expect(readFileSync(target(), 'utf8')).toBe('tool\n');
    expect(readFileSync(join(folder, 'builds'), 'utf8')).toBe('built\n');
  });

  it('does not wait for a process that was killed', async () => {
    mkdirSync(join(folder, 'bin'));
    symlinkSync(String(2 ** 31 - 1), `${target()}.lock`);
    await build();
    expect(readFileSync(target(), 'utf8')).toBe('tool\n');
  });
});
