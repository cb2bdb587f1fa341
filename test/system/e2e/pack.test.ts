import { spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDevState } from '../../../src/devserver/state-file';
import { collect, type Running } from '../cli/support/cli';
import { family, stillThere } from '../cli/support/processes';
import { eventually } from '../../engine/support/engine';
import { replayAll } from '../support/replay-all';
import { createProject, install, pack, pathsIn, type Project } from './pack-project';

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

describe('the packed package, in an empty TypeScript project outside of the repository', () => {
  let folder: string;
  let tarball: string;
  const projects: Project[] = [];
  const project = (type: 'module' | 'commonjs') => {
    const made = createProject(tarball, type, projects.at(-1));
    projects.push(made);
    return made;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-pack-'));
    tarball = pack(folder);
  });
  afterAll(() => {
    for (const path of [folder, ...projects.map((made) => made.folder)]) rmSync(path, { recursive: true, force: true });
  });

  it.each(['module', 'commonjs'] as const)('pays once, after a person approved (%s)', async (type) => {
    const made = project(type);
    typeChecks(made);
    const dev = npx(made, 'holdfast', 'dev', '--app', './app.ts', '--headless', '--port', '0', '--http-port', '0');
    try {
      await eventually('the stack is up', async () => {
        if (dev.exitCode !== null) throw new Error(`It ended: ${dev.output.stderr}`);
        return dev.output.stdout.includes('Ctrl-C ends all of it');
      });
      const all = family(dev.pid!);
      const { code, stdout, stderr } = await npx(made, 'tsx', 'service.ts').ended;
      const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('npm warn'));
      expect({ code, said }).toEqual({ code: 0, said: [] });
      expect(stdout).toMatch(/pay_invoice: succeeded with \{"paid":"INV-7","key":"hf_[0-9a-f]{40}"\}/);

      const { address } = readDevState(join(made.folder, made.env.HOLDFAST_HOME ?? '.holdfast'))!;
      expect(await replayAll(address)).toBe(1);

      // A terminal's Ctrl-C reaches the whole group; `kill` only npx, which passes SIGTERM on to its shell and no further.
      if (type === 'module') process.kill(-dev.pid!, 'SIGINT');
      else dev.kill('SIGTERM');
      expect(await stillThere(all, 15_000)).toEqual([]);
    } finally {
      const left = dev.exitCode === null && dev.signalCode === null ? family(dev.pid!) : [];
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
    }
  });

  it('brings nothing of a pack along, and says how to have the agents that ship and what drafts tools', async () => {
    const made = project('commonjs');
    const ofPacks = [
      '@holdfast',
      '@foundry-rs',
      'docx',
      'htmlparser2',
      'mathjs',
      'pdfkit',
      'viem',
      'csv-parse',
      'pgsql-ast-parser',
    ];
    const optional = ['@fastify/swagger-ui', '@modelcontextprotocol', 'nodemailer', 'pg', 'prom-client', 'smtp-server'];
    expect([...ofPacks, ...optional].filter((name) => existsSync(join(made.folder, 'node_modules', name)))).toEqual([]);
    for (const command of ['start', 'dev', 'worker']) {
      const { code, stderr } = await npx(made, 'holdfast', command).ended;
      expect([command, code, stderr]).toEqual([command, 2, expect.stringContaining('npm install @holdfast/showcase')]);
      expect(stderr).toContain('--app FILE');
    }
    const draft = await npx(made, 'holdfast', 'tools', 'draft', 'sql', 'tables.sql').ended;
    expect(draft).toMatchObject({ code: 2, stderr: expect.stringContaining('npm install @holdfast/tool-kit') });
  });

  describe('with the packs and the tool kit installed beside it', () => {
    let made: Project;
    let beside: string[];
    beforeAll(() => {
      made = project('module');
      beside = BESIDE.map((name) => pack(folder, name));
      install(made.folder, tarball, ...beside);
    });

    it('drafts tools, and has the types of each package', async () => {
      writeFileSync(join(made.folder, 'tables.sql'), 'CREATE TABLE orders (id serial PRIMARY KEY, status text NOT NULL);\n');
      const drafted = await npx(made, 'holdfast', 'tools', 'draft', 'sql', 'tables.sql', '-o', 'draft.ts').ended;
      expect(drafted).toMatchObject({ code: 0 });
      writeFileSync(join(made.folder, 'packs.ts'), PACKS);
      typeChecks(made, 'draft.ts', 'packs.ts');
    });

    it('runs a job of a pack in a thread, and lists the tools of all packs for the agents that ship', async () => {
      writeFileSync(join(made.folder, 'packs.ts'), PACKS);
      const { code, stdout, stderr } = await npx(made, 'tsx', 'packs.ts').ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
      const [checked, ...packs] = stdout.trim().split('\n');
      expect(checked).toBe('credit-analyst: 6 * 7 is checked');
      expect(packs.map((line) => line.replace(/: .*/, ''))).toEqual(['finance', 'onchain', 'workspace', 'reference']);
      const listed = await npx(made, 'holdfast', 'tools', 'list', '--json').ended;
      const { tools } = JSON.parse(listed.stdout) as { tools: { name: string }[] };
      const named = packs.flatMap((line) => line.replace(/^.*: /, '').split(' '));
      expect(tools.map(({ name }) => name).filter((name) => name !== 'read_result')).toEqual(expect.arrayContaining(named));
      expect(named).toHaveLength(tools.length - 1);
    });

    it('ships what is built, with licence and README: no sources, no tests, no mark of the build', () => {
      for (const paths of [tarball, ...beside].map(pathsIn)) {
        expect(paths).toEqual(
          expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']),
        );
        const stray = /^(src|test|scripts)\/|\.test\.|(?<!\.d)\.ts$|tsconfig|\.tsbuildinfo$|(^|\/)\.[^/]+$/;
        expect(paths.filter((path) => stray.test(path))).toEqual([]);
      }
      expect([tarball, beside[0]!].filter((path) => pathsIn(path).includes('NOTICE'))).toHaveLength(2);
    });
  });
});

const BESIDE = ['finance', 'onchain', 'workspace', 'reference', 'showcase']
  .map((name) => `packs/${name}`)
  .concat('packages/tool-kit');

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

function npx(made: Project, ...args: string[]): Running {
  const options: SpawnOptions = { cwd: made.folder, env: made.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
  return collect(spawn('npx', ['--no-install', ...args], options));
}

/** Temporal's own declarations do not pass without skipLibCheck beside the newest @types/node; ours and the project's do. */
function typeChecks(made: Project, ...files: string[]): void {
  const checked = files.length > 0 ? files : ['app.ts', 'service.ts'];
  const tsc = join(made.folder, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '--noEmit', ...STRICT, ...checked], {
    cwd: made.folder,
    encoding: 'utf8',
  });
  // 2: it has run to its end, and found faults.
  expect({ status, stderr }).toEqual({ status: stdout === '' ? 0 : 2, stderr: '' });
  const faults = stdout.split('\n').filter((line) => /error TS/.test(line));
  expect(faults.filter((line) => !line.startsWith('node_modules/@temporalio/'))).toEqual([]);
}
