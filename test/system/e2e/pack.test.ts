import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { preProcessFile } from 'typescript';
import { readDevState } from '../../../src/devserver/state-file';
import { collect, environment, type Running } from '../cli/support/cli';
import { family, stillThere } from '../cli/support/processes';
import { eventually } from '../../engine/support/engine';
import { replayAll } from '../support/replay-all';
import { createProject, npm, pack, unpackCreator, writeExample, type Packed } from './pack-project';

jest.setTimeout(240_000);

/** What `tsc --init` writes today, and stricter: the declarations of every dependency are checked too. */
const STRICT = [
  '--strict',
  '--noUncheckedIndexedAccess',
  '--exactOptionalPropertyTypes',
  '--module',
  'nodenext',
  '--target',
  'es2022',
];

const BESIDE = ['finance', 'onchain', 'workspace', 'reference', 'showcase', 'tool-kit'];
const KINDS = ['module', 'commonjs'] as const;

describe('in an empty TypeScript project outside of the repository', () => {
  let packed: Packed[];
  let tarballs: string;
  let project: string;
  beforeAll(() => {
    tarballs = mkdtempSync(join(tmpdir(), 'holdfast-pack-'));
    packed = pack(tarballs, '.', ...BESIDE.map((name) => `${name === 'tool-kit' ? 'packages' : 'packs'}/${name}`));
    project = createProject(packed.map(({ tarball }) => tarball));
  });
  afterAll(() => {
    for (const path of [tarballs, project]) if (path) rmSync(path, { recursive: true, force: true });
  });

  /** A program of the installed packages; npx takes half a second more. */
  const run = (name: string, ...args: string[]) => started(project, join('node_modules/.bin', name), args).ended;

  describe('the packages, with the packs and the tool kit', () => {
    it('draft tools, and have types for projects of both kinds', async () => {
      writeFileSync(join(project, 'tables.sql'), 'CREATE TABLE orders (id serial PRIMARY KEY, status text NOT NULL);\n');
      const drafted = await run('holdfast', 'tools', 'draft', 'sql', 'tables.sql', '-o', 'draft.ts');
      expect(drafted).toMatchObject({ code: 0 });
      writeFileSync(join(project, 'packs.ts'), PACKS);
      for (const kind of KINDS) writeExample(join(project, kind), kind);
      const examples = KINDS.flatMap((kind) => [`${kind}/app.ts`, `${kind}/service.ts`]);
      expect(await typeFaults(project, 'draft.ts', 'packs.ts', ...examples)).toEqual([]);
    });

    it('run a job of a pack in a thread, and list the tools of all packs for the agents that ship', async () => {
      writeFileSync(join(project, 'packs.ts'), PACKS);
      const { code, stdout, stderr } = await run('tsx', 'packs.ts');
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
      const [checked, ...packs] = stdout.trim().split('\n');
      expect(checked).toBe('credit-analyst: 6 * 7 is checked');
      expect(packs.map((line) => line.replace(/: .*/, ''))).toEqual(['finance', 'onchain', 'workspace', 'reference']);
      const listed = await run('holdfast', 'tools', 'list', '--json');
      const { tools } = JSON.parse(listed.stdout) as { tools: { name: string }[] };
      const named = packs.flatMap((line) => line.replace(/^.*: /, '').split(' '));
      expect(tools.map(({ name }) => name).filter((name) => name !== 'read_result')).toEqual(expect.arrayContaining(named));
      expect(named).toHaveLength(tools.length - 1);
    });

    it('ship what is built, with licence and README: no sources, no tests, no mark of the build', () => {
      for (const { paths } of packed) {
        expect(paths).toEqual(
          expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
        );
        const stray = /^(src|test|scripts)\/|\.test\.|(?<!\.d)\.ts$|tsconfig|\.tsbuildinfo$|(^|\/)\.[^/]+$/;
        expect(paths.filter((path) => stray.test(path))).toEqual([]);
      }
      expect(packed.slice(0, 2).filter(({ paths }) => paths.includes('NOTICE'))).toHaveLength(2);
    });
  });

  describe('the engine alone', () => {
    beforeAll(() => void npm(['uninstall', '--no-audit', '--no-fund', ...BESIDE.map((name) => `@holdfast/${name}`)], project));

    it('brings nothing of a pack along, and says how to get the agents that ship and the tool that drafts tools', async () => {
      const ofPacks = ['docx', 'htmlparser2', 'mathjs', 'pdfkit', 'viem', 'csv-parse', 'pgsql-ast-parser'];
      const optional = ['@fastify/swagger-ui', 'nodemailer', 'pg', 'prom-client', 'smtp-server'];
      expect([...ofPacks, ...optional].filter(isInstalled)).toEqual([]);
      const scopes = ['@holdfast', '@foundry-rs', '@modelcontextprotocol'].filter(isInstalled); // npm leaves empty folders
      expect(scopes.flatMap((scope) => readdirSync(join(project, 'node_modules', scope)))).toEqual([]);
      for (const command of ['start', 'dev', 'worker']) {
        const { code, stderr } = await run('holdfast', command);
        expect([command, code, stderr]).toEqual([command, 2, expect.stringContaining('npm install @holdfast/showcase')]);
        expect(stderr).toContain('--app FILE');
      }
      const draft = await run('holdfast', 'tools', 'draft', 'sql', 'tables.sql');
      expect(draft).toMatchObject({ code: 2, stderr: expect.stringContaining('npm install @holdfast/tool-kit') });
    });

    it('has types of what it brings along only', () => {
      const engine = join(project, 'node_modules/holdfast');
      const manifest = readFileSync(join(engine, 'package.json'), 'utf8');
      const entries = Object.values((JSON.parse(manifest) as { exports: Record<string, { types?: string }> }).exports);
      const reached = new Set(entries.flatMap(({ types }) => (types === undefined ? [] : [join(engine, types)])));
      const packages = new Set<string>();
      for (const file of reached) {
        for (const { fileName: name } of preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles) {
          const path = join(dirname(file), name.replace(/\.js$/, ''));
          if (name.startsWith('.')) reached.add([`${path}.d.ts`, join(path, 'index.d.ts')].find(existsSync)!);
          else if (!isBuiltin(name)) packages.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
        }
      }
      expect([...packages]).toContain('@temporalio/client');
      expect([...packages].filter((name) => !isInstalled(name))).toEqual([]);
    });

    it.each(KINDS)('pays once, after a person approved (%s)', async (kind) => {
      writeExample(project, kind);
      rmSync(join(project, '.holdfast'), { recursive: true, force: true });
      await duringDev(project, ['npx', '--no-install', 'holdfast', 'dev', '--app', './app.ts'], async (dev) => {
        const { code, stdout, stderr } = await run('tsx', 'service.ts');
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toMatch(/pay_invoice: succeeded with \{"paid":"INV-7","key":"hf_[0-9a-f]{40}"\}/);

        expect(await run('holdfast', 'audit', 'export', 'inv-7', '-o', 'inv-7.jsonl')).toMatchObject({ code: 0, stderr: '' });
        expect(await run('holdfast', 'audit', 'replay', 'inv-7.jsonl')).toMatchObject({ code: 0 });

        const { address } = readDevState(join(project, '.holdfast'))!;
        expect(await replayAll(address)).toBe(1);

        // A terminal's Ctrl-C reaches the whole group; `kill` only npx, which passes SIGTERM on to its shell and no further.
        if (kind === 'module') process.kill(-dev.pid!, 'SIGINT');
        else dev.kill('SIGTERM');
      });
    });

    describe('with a project of create-holdfast', () => {
      let creator: string;
      beforeAll(() => (creator = unpackCreator(tarballs)));

      /** In a folder below the project, whose packages it finds there. @returns what it printed */
      const succeeds = async (name: string, command: string, ...args: string[]) => {
        const { code, stdout, stderr } = await started(join(project, name), command, args).ended;
        if (code !== 0) throw new Error(`${command} ${args.join(' ')} in ${name} ended with ${code}:\n${stdout}${stderr}`);
        return stdout;
      };

      it.each(['payables', 'support', 'research'])('%s: compiles, and its tests and evals pass', async (name) => {
        await succeeds('.', process.execPath, creator, name, '--template', name);
        await succeeds(name, 'npm', 'run', 'types');
        expect(await succeeds(name, 'npm', 'test')).toMatch(/pass [1-9]\d*\n.*fail 0\n/s);
        expect(await succeeds(name, 'npm', 'run', 'evals')).toMatch(/(\d) of \1 runs passed/);
      });

      it('payables: pays once, after a person approved as its README says', async () => {
        const holdfast = (...args: string[]) => succeeds('payables', 'npx', '--no-install', 'holdfast', ...args);
        const asks = () => succeeds('payables', 'npm', 'run', 'service', '--', 'INV-7', '70000');
        await duringDev(join(project, 'payables'), ['npm', 'run', 'dev', '--'], async (dev) => {
          const asked = asks();
          let digest = '';
          await eventually('the payment waits', async () => {
            digest = /"digest":\s*"([0-9a-f]+)"/.exec(await holdfast('pending', '--json'))?.[1] ?? '';
            return digest !== '';
          });
          await holdfast('approve', 'pay-INV-7-70000', '--call', digest, '--by', 'ana');
          for (const text of [await asked, await asks()]) expect(text).toMatch(/^completed: .*pay_invoice: succeeded/ms);
          const ledger = readFileSync(join(project, 'payables/ledger.jsonl'), 'utf8').trim().split('\n');
          expect(ledger.map((line) => (JSON.parse(line) as { reference: string }).reference)).toEqual(['INV-7']);
          process.kill(-dev.pid!, 'SIGINT');
        });
      });
    });

    const isInstalled = (name: string) => existsSync(join(project, 'node_modules', name));
  });
});

const PACKS = `import { financeTools, SmtpMailer, snapshotData } from '@holdfast/finance';
import { onchainTools } from '@holdfast/onchain';
import { referenceTools } from '@holdfast/reference';
import { creditAnalyst } from '@holdfast/showcase';
import { workspaceTools } from '@holdfast/workspace';
import type { Agent, Tool } from 'holdfast';
import { testTool } from 'holdfast/testing';

async function main() {
  const mailer = new SmtpMailer({ host: '127.0.0.1', port: 25, from: 'memos@bank.example' });
  const finance = financeTools({ ...snapshotData(), mailer });
  const agent: Agent = creditAnalyst(finance);
  const calculate = finance.find((tool) => tool.name === 'calculate')!;
  const { tool } = await testTool(calculate, { input: { expression: '6 * 7' }, effects: () => 0 });
  console.log(\`\${agent.name}: 6 * 7 is \${tool.startsWith('calculate@') ? 'checked' : 'another tool'}\`);
  const packs: Record<string, Tool[]> = {
    finance, onchain: onchainTools(null), workspace: workspaceTools({ root: process.cwd() }), reference: referenceTools(),
  };
  for (const [name, tools] of Object.entries(packs)) console.log(\`\${name}: \${tools.map((each) => each.name).join(' ')}\`);
}
void main();
`;

function started(cwd: string, command: string, args: string[]): Running {
  const env = environment({ HOLDFAST_HOME: undefined });
  return collect(spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }));
}

/** Runs the embedded stack on free ports, until `body` has ended it. */
async function duringDev(cwd: string, [command, ...args]: string[], body: (dev: Running) => Promise<void>): Promise<void> {
  const dev = started(cwd, command!, [...args, '--headless', '--port', '0', '--http-port', '0']);
  try {
    await eventually('the stack is up', async () => {
      if (dev.exitCode !== null) throw new Error(`It ended: ${dev.output.stderr}`);
      return dev.output.stdout.includes('Ctrl-C ends all of it');
    });
    const all = family(dev.pid!);
    await body(dev);
    expect(await stillThere(all, 15_000)).toEqual([]);
  } finally {
    const left = dev.exitCode === null && dev.signalCode === null ? family(dev.pid!) : [];
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
  }
}

/** Temporal's own declarations do not pass without skipLibCheck beside the newest @types/node; ours and the project's do. */
async function typeFaults(project: string, ...files: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await started(project, 'node_modules/.bin/tsc', ['--noEmit', ...STRICT, ...files]).ended;
  // 1: it has run to its end, and found faults.
  expect({ code, stderr }).toEqual({ code: stdout === '' ? 0 : 1, stderr: '' });
  const faults = stdout.split('\n').filter((line) => /error TS/.test(line));
  return faults.filter((line) => !line.startsWith('node_modules/@temporalio/'));
}
