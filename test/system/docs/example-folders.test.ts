/** The folders of examples/, run as their READMEs say; the backends in other languages by test/system/docs/clients. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDev, type Dev } from '../cli/support/dev';
import { environment, run } from '../../support/command-line';
import { eventually } from '../../engine/support/engine';
import { ROOT } from '../../support/named-tests';

const EXAMPLES = join(ROOT, 'examples');

let folder: string | null = null;
let env: NodeJS.ProcessEnv;

/** A copy, below the packages that `npm install` would bring. */
function copyOf(name: string): string {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

let dev: Dev | undefined;
afterEach(async () => {
  await dev?.stop();
  dev = undefined;
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
  folder = null;
});

async function holdfast<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run([...args, '--json'], env);
  if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

interface Waiting {
  turn_id: string;
  calls: { tool: string; digest: string }[];
}

/** Approves the first call that waits. @returns its turn, at its end */
async function approveFirst() {
  const { turn_id: turn, calls } = await eventually('a call waits', async () => (await holdfast<Waiting[]>('pending'))[0]);
  const [{ tool, digest }] = calls as [Waiting['calls'][number]];
  await holdfast('approve', turn, '--call', digest, '--by', 'ana');
  const state = await eventually('the turn has ended', async () => {
    const view = await holdfast<{ state: string }>('show', turn);
    return view.state === 'completed' && view.state;
  });
  return { tool, turn, state };
}

it('each folder is run here, and listed', () => {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const page = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  expect(folders.map(({ name }) => name).toSorted()).toEqual(['go-backend', 'mcp-server', 'nightly-analyst', 'python-backend']);
  expect(folders.filter(({ name }) => !page.includes(`](${name})`))).toEqual([]);
});

it('nightly-analyst: begins by its schedule, and sends one memo once a person has approved', async () => {
  dev = await startDev(['--app', join(copyOf('nightly-analyst'), 'app.ts')]);
  env = dev.env;
  await holdfast('schedule', 'trigger', 'nightly');
  const { tool, turn } = await approveFirst();
  expect(tool).toBe('send_credit_memo');
  const outbox = join(dev.home, 'outbox');
  const mails = readdirSync(outbox, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.eml'));
  expect(mails).toHaveLength(1);
  expect(readFileSync(join(outbox, mails[0]!), 'utf8')).toContain('committee@bank.example');
  expect(JSON.stringify(await holdfast('schedule', 'show', 'nightly'))).toContain(turn);
});

it('mcp-server: reads without a question, and writes once a person has approved', async () => {
  const copy = copyOf('mcp-server');
  const home = join(copy, '.holdfast');
  env = environment({ HOLDFAST_HOME: home });
  const classes = ['--class', 'list_directory=read', '--class', 'read_text_file=read'];
  const server = [process.execPath, join(ROOT, 'node_modules/.bin/mcp-server-filesystem'), join(copy, 'notes')];
  await holdfast('mcp', 'add', 'files', ...classes, '--yes', '--by', 'ana', '--', ...server);
  dev = await startDev(['--app', join(copy, 'app.ts')], { HOLDFAST_MCP: join(home, 'mcp.json') });
  env = dev.env;
  const path = join(copy, 'notes/today.md');
  await holdfast('run', '--agent', 'clerk', `Write ${path}: the supplier has answered.`);
  expect(existsSync(path)).toBe(false);
  expect((await approveFirst()).tool).toBe('files__write_file');
  expect(readFileSync(path, 'utf8')).toContain('the supplier has answered');
});
