/** `holdfast mcp`, as a person uses it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, run } from '../../support/command-line';

const SERVER = join(__dirname, '../../support/packs/mcp/fixtures/odd-server.mjs');

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'holdfast-mcp-cli-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function holdfast(args: string[], more: NodeJS.ProcessEnv = {}) {
  const { code, stdout, stderr } = await run(args, environment({ HOLDFAST_HOME: home, ...more }));
  return { code, stdout, output: stdout + stderr };
}
async function holdfastJson<T>(args: string[]): Promise<T> {
  const { code, stdout, output } = await holdfast([...args, '--json']);
  if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}:\n${output}`);
  return JSON.parse(stdout) as T;
}

type Row = { tool: string; class: string; state: string };
const rows = async () =>
  Object.fromEntries((await holdfastJson<Row[]>(['mcp', 'list', 'odd'])).map((row) => [row.tool, `${row.class} ${row.state}`]));
const accepted = () => JSON.parse(readFileSync(join(home, 'mcp.accepted.json'), 'utf8')).servers.odd;

describe('holdfast mcp', () => {
  it('adds a server, proposes classes, and accepts them with one confirmation; a change withdraws them', async () => {
    const marker = join(home, 'changed');
    const added = await holdfastJson<{ accepted: boolean }>([
      'mcp',
      'add',
      'odd',
      '--env',
      `CHANGED=${marker}`,
      '--',
      process.execPath,
      SERVER,
    ]);
    expect(added.accepted).toBe(false); // nobody was asked: there is no terminal
    expect(await rows()).toMatchObject({ look: 'destructive new', pay: 'destructive new' });

    await holdfastJson(['mcp', 'accept', 'odd', '--yes', '--by', 'ana', '--class', 'big=read']);
    expect(await rows()).toMatchObject({ look: 'read accepted', pay: 'destructive accepted', big: 'read accepted' });
    expect(accepted().look).toMatchObject({ class: 'read', by: 'ana', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });

    writeFileSync(marker, '');
    expect(await rows()).toMatchObject({ look: 'destructive changed', big: 'read accepted' });

    expect(await holdfastJson(['mcp', 'remove', 'odd'])).toEqual({ removed: 'odd' });
    expect(await holdfastJson(['mcp', 'list'])).toEqual([]);
  });

  it('treats an error code of the server as a refusal only if a person says so, shows who did, and forgets it with the server', async () => {
    await holdfastJson(['mcp', 'add', 'odd', '--yes', '--by', 'ana', '--', process.execPath, SERVER]);
    const answer = await holdfastJson([
      'mcp',
      'accept',
      'odd',
      '--trust-error',
      '-32602',
      '--trust-error',
      'http-403',
      '--yes',
      '--by',
      'bob',
    ]);
    expect(answer).toMatchObject({ accepted: true, trusted_errors: ['-32602', 'http-403'] });
    const trusted = () => JSON.parse(readFileSync(join(home, 'mcp.accepted.json'), 'utf8')).trusted_errors;
    expect(trusted().odd).toMatchObject({ '-32602': { by: 'bob' }, 'http-403': { by: 'bob' } });
    expect(await holdfastJson(['mcp', 'list'])).toMatchObject([{ name: 'odd', trusted_errors: ['-32602', 'http-403'] }]);
    await holdfastJson(['mcp', 'accept', 'odd', '--yes', '--class', 'big=read']);
    const shown = await holdfast(['mcp', 'list', 'odd']);
    expect(shown.code).toBe(0);
    expect(shown.output).toMatch(/an answer -32602 means: it has done nothing, and may be called again \(bob, 20/);
    await holdfastJson(['mcp', 'remove', 'odd']);
    expect(trusted()).toEqual({});
  });

  it('keeps variables in the file as they are written, and prints no value of one', async () => {
    const added = await holdfast(['mcp', 'add', 'odd', '--env', 'TOKEN=${ODD_TOKEN}', '--', process.execPath, SERVER], {
      ODD_TOKEN: 'a-very-secret-token',
    });
    expect(added.code).toBe(0);
    expect(added.output).not.toContain('a-very-secret-token');
    expect(readFileSync(join(home, 'mcp.json'), 'utf8')).toContain('${ODD_TOKEN}');
  });

  it('takes classes by pattern: a name wins over a pattern, and of two patterns the strictest wins; it names defaults that do not fit', async () => {
    const classes = ['look*=read', 'pay*=read', 'pay*err=write', 'odd__look_again=write', 'hang*=read'];
    const added = await holdfast([
      ...['mcp', 'add', 'odd', '--yes', ...classes.flatMap((one) => ['--class', one])],
      ...['--', process.execPath, SERVER],
    ]);
    expect(added.code).toBe(0);
    expect(added.output).toMatch(
      /odd__look_again .*\n +\/inputSchema\/properties\/q\/default: a default that is null, which does not fit: must be string/,
    );
    expect(await rows()).toMatchObject({
      look: 'read accepted',
      look_again: 'write accepted',
      pay: 'read accepted',
      pay_and_err: 'write accepted',
      hang_and_pay: 'read accepted',
    });
    const wrong = await holdfast(['mcp', 'accept', 'odd', '--yes', '--class', 'nothing_*=read']);
    expect(wrong.code).toBe(2);
    expect(wrong.output).toMatch(/--class names "nothing_\*", which the server does not have/);
  });

  it.each([
    [['add', 'odd'], /either --url, or a program/],
    [['add', 'Odd', '--url', 'https://x'], /a name must be/],
    [['add', 'odd', '--url', 'https://x', '--env', 'A=b'], /takes --header/],
    [['add', 'odd', '--trust-error', '-32000', '--', process.execPath, SERVER], /-32000 .*mean that no answer came/],
    [['list', 'none'], /There is no server "none"/],
    [['remove', 'none'], /There is no server "none"/],
    [['login', 'none'], /There is no server "none"/],
  ])('%j is refused, with what to do', async (args, message) => {
    const refused = await holdfast(['mcp', ...args]);
    expect(refused.code).toBe(2);
    expect(refused.output).toMatch(message);
  });

  it('says how to accept what it has shown, with the classes and codes that were given', async () => {
    const given = ['--class', 'look=destructive', '--class', 'b*g=write', '--trust-error', '-32602'];
    const shown = await holdfast(['mcp', 'add', 'odd', ...given, '--', process.execPath, SERVER]);
    expect(shown.code).toBe(0); // nobody was asked: there is no terminal
    const said = /`holdfast (mcp accept odd .*)` accepts the classes above/.exec(shown.output)![1]!;
    expect(said).toBe("mcp accept odd --class look=destructive --class 'b*g=write' --trust-error -32602 --yes");
    await holdfastJson(said.replaceAll("'", '').split(' '));
    expect(await rows()).toMatchObject({ look: 'destructive accepted', big: 'write accepted' });
  });

  it('has its tools in `tools list`, beside those of the agents that have it; a server that is not there is named', async () => {
    const list = () =>
      holdfastJson<{ tools: { name: string }[]; outside: object[]; missing: Record<string, string> }>([
        ...['tools', 'list', '--app', join(__dirname, '../fault/fixtures/mcp.app.ts')],
      ]);
    const before = await list();
    expect(before.outside).toEqual([]);
    expect(before.missing.odd).toMatch(/mcp\.json does not have it; `holdfast mcp add odd` adds it/);
    await holdfastJson(['mcp', 'add', 'odd', '--yes', '--by', 'ana', '--', process.execPath, SERVER]);
    const { tools, outside, missing } = await list();
    expect(missing).toEqual({});
    expect(outside).toContainEqual({ name: 'odd__look', class: 'read', server: 'odd', state: 'accepted', agents: ['memo'] });
    expect(tools.map(({ name }) => name)).not.toContain('odd__look');
  });

  it('does not add a server that does not answer', async () => {
    const refused = await holdfast(['mcp', 'add', 'gone', '--', process.execPath, '-e', 'process.exit(3)']);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/MCP server gone cannot be reached/);
    expect(await holdfastJson(['mcp', 'list'])).toEqual([]);
  });
});
