/** The official MCP test programs, with the Node 22 that they need: installed into our cache from test/mcp-suite's lock file. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Node22Packages } from './node-22';

const packages = new Node22Packages(join(__dirname, '../../mcp-suite'), 'HOLDFAST_REQUIRE_MCP_SUITE', '340 MB');

export const mcpSuite = {
  missing: () => packages.missing(),
  install: () => packages.install(),
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
  const child = spawn(packages.node, [join(packages.folder, 'node_modules', program), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (ran.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (ran.stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ran, code }));
  });
}
