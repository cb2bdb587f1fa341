import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareWorkspace } from '../../../src/cli/support/workspace';
import { ConfigError } from '../../../src/config';

describe('the workspace of the agents that ship', () => {
  let home: string;
  let said: string[];
  const prepare = (workspace: string | null = null, below = home) =>
    prepareWorkspace({ workspace, home: below }, (line) => said.push(line));
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
    said = [];
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is a folder below HOLDFAST_HOME for its user alone, with a README', () => {
    expect(prepare()).toBe(join(home, 'workspace'));
    expect(statSync(join(home, 'workspace')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, 'workspace'))).toEqual(['README.md']);
    expect(said).toEqual([]);
  });

  it('is not changed if it has files', () => {
    const mine = join(home, 'mine');
    mkdirSync(mine);
    writeFileSync(join(mine, 'a.txt'), 'x');
    expect(prepare(mine)).toBe(mine);
    expect(readdirSync(mine)).toEqual(['a.txt']);
  });

  it('that a setting names and that cannot be used stops the program with the reason', () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(() => prepare(file)).toThrow(ConfigError);
    expect(() => prepare(file)).toThrow(/^HOLDFAST_WORKSPACE is ".*file", but the folder cannot be used \(EEXIST\)/);
  });

  it('that cannot be created is done without, with a message', () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(prepare(null, file)).toBeNull();
    expect(said).toEqual([expect.stringMatching(/^The agent showcase is left out: .*\(ENOTDIR\)\. Set HOLDFAST_WORKSPACE/)]);
    expect(existsSync(join(file, 'workspace'))).toBe(false);
  });
});
