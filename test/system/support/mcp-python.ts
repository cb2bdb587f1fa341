/** MCP servers of PyPI, in a virtual environment beside our other caches. Made where HOLDFAST_REQUIRE_MCP_SERVERS=1 demands them; used wherever they are. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = ['mcp-server-git==2026.10.19', 'mcp-server-time==2026.10.19'];
const FOLDER = join(process.env.HOLDFAST_CACHE || join(homedir(), '.cache', 'holdfast'), 'mcp-servers-2026.10.19');

/** The folder of their programs; null: they are not here, and nobody demands them. */
export function pythonMcpServers(): string | null {
  const bin = join(FOLDER, 'bin');
  if (existsSync(join(bin, '.complete'))) return bin;
  if (process.env.HOLDFAST_REQUIRE_MCP_SERVERS !== '1') return null;
  // In the place where it stays: a virtual environment cannot be moved. The mark comes last.
  rmSync(FOLDER, { recursive: true, force: true });
  run('python3', ['-m', 'venv', FOLDER]);
  run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  writeFileSync(join(bin, '.complete'), '');
  return bin;
}

function run(command: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}
