import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readmeExample } from '../e2e/pack-project';
import { environment, run as runCli } from '../../support/command-line';
import { start } from './support/cli';

const ROOT = join(__dirname, '../../..');

describe('holdfast tools', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-tools-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const tools = (...args: string[]) => runCli(['tools', ...args], environment({ HOLDFAST_HOME: folder }));
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await tools(...args, '--json');
    expect({ code, stderr, args }).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(stdout) as any;
  };

  it('list shows each tool with its cost, and the cost of all', async () => {
    const { tools: listed, definition_tokens } = await json('list');
    expect(listed).toContainEqual(
      expect.objectContaining({ name: 'get_quote', class: 'read', agents: expect.arrayContaining(['credit-analyst']) }),
    );
    expect(definition_tokens).toBe(
      listed.filter((tool: any) => !tool.internal_only).reduce((sum: number, tool: any) => sum + tool.definition_tokens, 0),
    );
    expect((await tools('list', '--agent', 'credit-analyst')).stdout).toMatch(
      /send_credit_memo +1\.0\.0 +destructive +\d+ tokens/,
    );
  });

  it('show gives the card, and with --json the definition; a wrong name names the nearest', async () => {
    expect((await tools('show', 'get_quote')).stdout).toContain('## Input');
    expect(await json('show', 'get_quote')).toMatchObject({ name: 'get_quote', strict: true, cacheable: true });
    const wrong = await tools('show', 'get_qoute');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean get_quote') });
    expect(await tools('list', '--agent', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('credit-analyst'),
    });
  });

  it('export writes definitions for other systems, and lists what is lost', async () => {
    const { tools: exported, losses } = await json('export', '--format', 'openai');
    expect(exported[0]).toMatchObject({ type: 'function', function: { strict: true } });
    expect(losses).toContainEqual(expect.objectContaining({ tool: 'get_quote', path: '/version' }));
    const { stdout, stderr } = await tools('export', '--format', 'anthropic');
    expect(JSON.parse(stdout)[0]).toHaveProperty('input_schema');
    expect(stderr).toContain('/version');
    expect((await tools('export', '--format', 'soap')).code).toBe(2);
  });

  it('cards writes a page for each tool', async () => {
    const { files } = await json('cards', '--format', 'html', '-o', join(folder, 'cards'));
    expect(readdirSync(join(folder, 'cards')).sort()).toEqual([...files].sort());
    expect(readFileSync(join(folder, 'cards/index.html'), 'utf8')).toContain('<h1 id="get_quote">');
  });

  it('migrate compares a version with a saved one: exit 1 when the version step is missing', async () => {
    const old = await json('show', 'get_quote');
    const file = (name: string, definition: object) => {
      writeFileSync(join(folder, name), JSON.stringify(definition));
      return join(folder, name);
    };
    const before = file('old.json', old);
    const same = await tools('migrate', '--tool', 'get_quote', '--from-file', before, '--to', old.version);
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing changed') });
    const next = { ...old, version: '1.0.1', parameters: { ...old.parameters, properties: {}, required: [] } };
    const broken = await tools('migrate', '--from-file', before, '--to-file', file('new.json', next), '--json');
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout)).toMatchObject({ breaking: true, due: 'major', satisfied: false });
    expect((await tools('migrate', '--tool', 'get_quote', '--from', '9.9.9', '--to', '1.0.0')).stderr).toContain(
      'has no version "9.9.9"',
    );
    expect((await tools('migrate', '--from', '1.0.0')).code).toBe(2);
  });

  it('draft writes a new file, and never over one', async () => {
    const source = join(folder, 'rows.csv');
    writeFileSync(source, 'a,b\n1,x\n2,y\n');
    const out = join(folder, 'rows.tools.ts');
    expect((await tools('draft', 'csv', source, '-o', out)).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('// decide:');
    expect(await tools('draft', 'csv', source, '-o', out)).toMatchObject({ code: 2, stderr: expect.stringContaining('exists') });
    expect((await tools('draft', 'sql', join(folder, 'none.sql'))).code).toBe(2);
  });

  it('draft function reads one export or all, and imports the file from where the draft is written', async () => {
    mkdirSync(join(folder, 'src'), { recursive: true });
    const source = join(folder, 'src', 'sums.mts');
    writeFileSync(source, '/** Adds. */\nexport function add(a: number, b: number) {}\nexport const sub = (a: number) => a;\n');
    const out = join(folder, 'sums.tools.ts');
    expect((await tools('draft', 'function', source, '--name', 'add', '-o', out)).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('import * as source from "./src/sums.mjs";');
    expect(readFileSync(out, 'utf8')).not.toContain('sub');
    const wrong = await tools('draft', 'function', source, '--name', 'mul');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('it exports the functions "add", "sub"') });
    expect((await tools('draft', 'csv', source, '--name', 'add')).code).toBe(2);
  });

  it('list --by leaves out the tools that this principal may not call, and those that this environment lacks', async () => {
    const app = join(folder, 'rules.app.cjs');
    const tool = (name: string, more: string) =>
      `defineTool({ name: '${name}', version: '1.0.0', class: 'destructive', description: 'Pays.', input: { type: 'object' }, run: async () => 1, ${more} })`;
    writeFileSync(
      app,
      `const { defineAgent, defineApp, defineTool } = require(${JSON.stringify(join(ROOT, 'dist/index.js'))});
       const tools = [${tool('pay_invoice', '')}, ${tool('wire_money', "environments: ['live']")}];
       const permissions = { deny: [{ rule: 'pay_invoice', when: 'turn.requester != "ana"' }] };
       exports.default = defineApp({ agents: [defineAgent({ name: 'clerk', prompt: 'p', tools, permissions })] });`,
    );
    const listed = async (by: string) => (await json('list', '--app', app, '--by', by)).tools.map((each: any) => each.name);
    expect(await listed('ana')).toEqual(['pay_invoice', 'read_result']);
    expect(await listed('bob')).toEqual(['read_result']);
    const live = environment({ HOLDFAST_HOME: folder, HOLDFAST_ENVIRONMENT: 'live' });
    const { stdout } = await runCli(['tools', 'list', '--app', app, '--by', 'bob', '--json'], live);
    expect(JSON.parse(stdout).tools.map((each: any) => each.name)).toEqual(['wire_money', 'read_result']);
  });

  it('lint has nothing to mend in the README’s own tool', async () => {
    const project = mkdtempSync(join(tmpdir(), 'holdfast-readme-'));
    try {
      mkdirSync(join(project, 'node_modules'));
      symlinkSync(ROOT, join(project, 'node_modules/holdfast'));
      symlinkSync(join(ROOT, 'node_modules/zod'), join(project, 'node_modules/zod'));
      writeFileSync(join(project, 'package.json'), '{"type":"module"}');
      const app = join(project, 'app.ts');
      writeFileSync(app, readmeExample()['app.ts']);
      // An ES module: Jest cannot load it.
      const lint = () => start(['tools', 'lint', '--app', app], environment({ HOLDFAST_HOME: folder })).ended;
      const { code, stdout, stderr } = await lint();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Nothing to mend\.$/m);
      writeFileSync(app, readmeExample()['app.ts'].replace("'pay_invoice'", "'do_thing'"));
      expect(await lint()).toMatchObject({ code: 1, stdout: expect.stringContaining('name_says_nothing') });
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });

  it('lint answers with findings, or with nothing to mend', async () => {
    const { code, stdout } = await tools('lint', '--json');
    expect(code).toBe(JSON.parse(stdout).findings.length === 0 ? 0 : 1);
  });
});
