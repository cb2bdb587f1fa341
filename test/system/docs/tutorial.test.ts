/**
 * docs/tutorial.md, typed as it stands into an empty folder: its commands in their terminals, its files, and what it says that they print
 * (`…` stands for what differs from run to run). The only changes: `npm install` links the packages of this checkout in place of those of
 * a registry (test/system/e2e/pack.test.ts installs the packed ones), ports are free ones, and the two values that the page tells the
 * reader to take from his own terminals.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect, environment, type Running } from '../cli/support/cli';
import { linkPackages } from '../cli/support/linked-packages';
import { family, stillThere } from '../cli/support/processes';
import { eventually } from '../../engine/support/engine';
import { pageOf, ROOT } from '../../support/named-tests';

jest.setTimeout(240_000);

const page = pageOf('tutorial.md');
const PID = '4711';
const DIGEST = '0123456789ab';

type Block =
  | { kind: 'file'; name: string; text: string }
  | { kind: 'type'; terminal: string; lines: string[] }
  | { kind: 'printed'; text: string };

const blocks: Block[] = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => {
  if (language === 'ts') return { kind: 'file', name: /^\/\/ ([\w.]+)\n/.exec(text!)![1]!, text: text! };
  if (language !== 'sh') return { kind: 'printed', text: text! };
  const [terminal, ...lines] = text!.trimEnd().split('\n');
  return { kind: 'type', terminal: terminal!.replace(/,.*/, ''), lines };
});

/** What the page shows, found in what was printed: each line of it after the one before. */
function shows(printed: string, expected: string): void {
  const lines = expected.replace(PID, '…').trimEnd().split('\n');
  const patterns = lines
    .filter((line) => line.trim() !== '…')
    .map((line) =>
      line
        .trim()
        .split('…')
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*'),
    );
  expect(printed).toMatch(new RegExp(patterns.join('[^]*?')));
}

describe('docs/tutorial.md', () => {
  let outside: string;
  let dev: Running | undefined;
  beforeAll(() => (outside = mkdtempSync(join(tmpdir(), 'holdfast-tutorial-'))));
  afterAll(async () => {
    if (dev !== undefined) {
      const all = family(dev.pid!);
      if (dev.exitCode === null && dev.signalCode === null) process.kill(-dev.pid!, 'SIGINT');
      expect(await stillThere(all, 15_000)).toEqual([]);
    }
    rmSync(outside, { recursive: true, force: true });
  });

  it('has two files, and commands for two terminals', () => {
    expect(blocks.flatMap((block) => (block.kind === 'file' ? [block.name] : []))).toEqual(['app.ts', 'service.ts']);
    const terminals = new Set(blocks.flatMap((block) => (block.kind === 'type' ? [block.terminal] : [])));
    expect([...terminals]).toEqual(['# first terminal', '# second terminal']);
  });

  it('leads from an empty folder to payments that happen once, though the worker is killed', async () => {
    const began = Date.now();
    const folder = join(outside, 'payables');
    const env = environment({ HOLDFAST_HOME: undefined });
    const inShell = (line: string, cwd: string) =>
      collect(spawn('bash', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }));
    /** Everything that the latest block printed on standard output. */
    let printed = '';
    let digest = '';

    for (const block of blocks) {
      if (block.kind === 'file') writeFileSync(join(folder, block.name), block.text);
      else if (block.kind === 'printed') shows(printed, block.text);
      else {
        printed = '';
        for (const line of block.lines) {
          if (line === 'mkdir payables') mkdirSync(folder);
          else if (line === 'cd payables') continue;
          else if (line === 'npm install holdfast zod') {
            linkPackages(folder);
            symlinkSync(join(ROOT, 'node_modules/tsx/dist/cli.mjs'), join(folder, 'node_modules/.bin/tsx'));
          } else if (line.startsWith('npx holdfast dev ')) {
            dev = inShell(`exec ${line} --port 0 --ui-port 0 --http-port 0`, folder);
            const started = dev;
            await eventually('the stack is up', async () => {
              if (started.exitCode !== null) throw new Error(`It has ended: ${started.output.stderr}`);
              return started.output.stdout.includes('Ctrl-C ends all of it');
            });
            printed = started.output.stdout + started.output.stderr;
          } else {
            const workers = [...(dev?.output.stderr ?? '').matchAll(/^worker (\d+):/gm)].map(([, pid]) => pid!);
            const typed = line.replace(PID, workers.at(-1) ?? PID).replace(DIGEST, digest);
            const { code, stdout, stderr } = await inShell(typed, folder).ended;
            expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
            printed += stdout;
            digest = /--call (\w{12})/.exec(stdout)?.[1] ?? digest;
            if (line.startsWith('kill'))
              await eventually('the worker is back', async () => dev!.output.stderr.includes('The worker is back'));
          }
        }
      }
    }
    console.info(`docs/tutorial.md took ${((Date.now() - began) / 1000).toFixed(0)} s without installation`);
  });
});
