import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CLI_SOURCES, CliNotFound, findTemporalCli } from '../../../src/devserver/find-cli';

const answers = (version: string) => `echo "temporal version ${version} (Server 1.0.0, UI 2.0.0)"`;

describe('finding a Temporal CLI', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-find-'));
    env = { PATH: join(folder, 'path'), XDG_CACHE_HOME: join(folder, 'cache'), HOME: folder };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function executable(name: string, script: string): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const inCache = 'cache/holdfast/bin/temporal';
  /** Without the download, because a test uses no network. */
  const sources = CLI_SOURCES.filter(({ name }) => !name.includes('download'));

  it('uses the named one before any other', async () => {
    executable('path/temporal', answers('2.0.0'));
    const path = executable('named', answers('1.0.0'));
    expect(await findTemporalCli({ env: { ...env, HOLDFAST_TEMPORAL_CLI: path } })).toEqual({
      path,
      source: 'HOLDFAST_TEMPORAL_CLI',
      version: '1.0.0',
    });
  });

  it('never replaces the named one: a wrong name stops with one line', async () => {
    executable('path/temporal', answers('2.0.0'));
    const find = findTemporalCli({ env: { ...env, HOLDFAST_TEMPORAL_CLI: join(folder, 'nothing') } });
    await expect(find).rejects.toThrow(/^HOLDFAST_TEMPORAL_CLI is ".*nothing": there is no file .* Allowed: .*$/);
  });

  it('takes the one on the PATH before our cache', async () => {
    const path = executable('path/temporal', answers('2.0.0'));
    executable(inCache, answers('3.0.0'));
    expect(await findTemporalCli({ env })).toEqual({ path, source: 'temporal on the PATH', version: '2.0.0' });
  });

  it('skips a program that does not answer as a Temporal CLI', async () => {
    executable('path/temporal', 'echo "I am something else"');
    const path = executable(inCache, answers('3.0.0'));
    expect(await findTemporalCli({ env })).toEqual({ path, source: 'our cache', version: '3.0.0' });
  });

  it('builds one with Go into our cache, says so, and finds it there the next time', async () => {
    executable('built', answers('1.5.1'));
    executable('path/go', `[ "$1" = install ] && /bin/cp ${join(folder, 'built')} "$GOBIN/temporal"`);
    const said: string[] = [];
    const found = await findTemporalCli({ env, sources, onProgress: (line) => said.push(line) });
    expect(found).toEqual({ path: join(folder, inCache), source: 'go install (version 1.5.1)', version: '1.5.1' });
    expect(said[0]).toMatch(/^building the Temporal CLI: go install .*@v1\.5\.1 \(about 6 minutes/);
    expect(await findTemporalCli({ env, sources })).toMatchObject({ source: 'our cache' });
  });

  it('names each attempt, why it failed and the shortest way out, in one message', async () => {
    executable('path/temporal', 'exit 3');
    executable('path/go', 'echo "proxy unreachable" >&2; exit 1');
    const closed = { name: "the SDK's download", find: () => Promise.reject(new Error('connection refused')) };
    const error = await findTemporalCli({
      env,
      sources: CLI_SOURCES.map((source) => (source.name === closed.name ? closed : source)),
    }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CliNotFound);
    const lines = error.message.split('\n');
    expect(lines.slice(1, 6)).toEqual([
      '  - HOLDFAST_TEMPORAL_CLI: not set',
      expect.stringMatching(/^ {2}- temporal on the PATH: .*--version failed \(3\)$/),
      expect.stringMatching(/^ {2}- our cache: no file .*temporal$/),
      "  - the SDK's download: connection refused",
      '  - go install (version 1.5.1): go install failed: proxy unreachable',
    ]);
    expect(error.message).toContain('Shortest way out: install the Temporal CLI');
    expect(existsSync(join(folder, inCache))).toBe(false);
  });
});
