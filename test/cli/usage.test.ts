import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeUpEdgar } from '../support/edgar-files';
import { startEdgar } from '../support/edgar-server';
import { environment, run } from './support/cli';

const nowhere = (more: NodeJS.ProcessEnv = {}) =>
  environment({ HOLDFAST_HOME: join(tmpdir(), 'holdfast-no-such-home'), TEMPORAL_ADDRESS: '127.0.0.1:1', ...more });

const COMMANDS = [
  ['dev', '--app', '--port', '--ui-port', '--db', '--headless', '--data'],
  ['worker', '--app', '--data'],
  ['start', '--hold', '--data'],
  ['run', '--agent', '--session', '--id', '--follow'],
  ['show', '<turn>'],
  ['watch', '<turn>'],
  ['list', '--state', '--agent', '--limit', 'awaiting_approval'],
  ['pending'],
  ['approve', '<turn>', '--call', '--by', '--note'],
  ['deny', '<turn>', '--call', '--by', '--note'],
  ['settle', '<turn>', 'not_applied', '--call', '--by', '--note'],
  ['cancel', '<turn>'],
  ['doctor'],
];

describe('holdfast without a server', () => {
  it.each(COMMANDS)('%s --help says what it takes', async (command, ...words) => {
    const { code, stdout, stderr } = await run([command!, '--help'], nowhere());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['Usage: holdfast', command!, '--json', ...words]) expect(stdout).toContain(word);
  });

  it('lists its commands, and tells its version', async () => {
    const { stdout } = await run(['--help'], nowhere());
    for (const [command] of COMMANDS) expect(stdout).toContain(`\n  ${command} `);
    expect(await run(['--version'], nowhere())).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [[], 'Usage: holdfast'],
    [['run', 'hello'], '--agent <name>'],
    [['run', '--agent', 'a'], "missing required argument 'text'"],
    [['show'], "missing required argument 'turn'"],
    [['approve', 'x'], '--call <digest>'],
    [['settle', 'x', 'maybe', '--call', 'y'], 'outcome is "maybe"; it must be applied or not_applied.'],
    [['list', '--limit', 'many'], "argument 'many' is invalid. It must be a whole number from 1."],
    [['list', '--limit', '0x10'], 'It must be a whole number from 1.'],
    [['dev', '--port', '70000'], 'It must be a port from 0 to 65535.'],
    [['worker', '--data', 'bloomberg'], "argument 'bloomberg' is invalid. Allowed choices are snapshot, edgar."],
    [['worker', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['start', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['dev', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['worker', '--app', './no-such-app.ts'], 'There is no app file ./no-such-app.ts.'],
    [['show', 'x', 'y'], 'too many arguments'],
    [['list', '--colour'], "unknown option '--colour'"],
  ])('%j is bad usage: exit 2, and the reason', async (args, reason) => {
    const { code, stdout, stderr } = await run(args, nowhere());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    [{ HOLDFAST_STORE: 'nonsense' }, ['HOLDFAST_STORE', 'file:PATH', 'postgres://']],
    [{ HOLDFAST_MODEL: 'x' }, ['HOLDFAST_MODEL', '"x"', 'anthropic or rehearsal']],
    [{ HOLDFAST_MODEL: 'anthropic' }, ['HOLDFAST_MODEL', 'ANTHROPIC_API_KEY is not set']],
    [{ HOLDFAST_HTTP_PORT: '99999' }, ['HOLDFAST_HTTP_PORT', '"99999"', '1 to 65535']],
    [{ ANTHROPIC_BASE_URL: 'not a url' }, ['ANTHROPIC_BASE_URL', '"not a url"', 'http']],
    [{ HOLDFAST_LOG_LEVEL: 'loud' }, ['HOLDFAST_LOG_LEVEL', '"loud"', 'debug']],
    [{ TEMPORAL_PROFILE: 'no-such-profile' }, ['no-such-profile']],
  ])('%j stops every command with one line that names variable, value and what is allowed', async (setting, words) => {
    const env = nowhere({ ANTHROPIC_API_KEY: '', ...setting });
    for (const args of [['list'], ['dev', '--headless', '--port', '0']]) {
      const { code, stdout, stderr } = await run(args, env);
      expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
      for (const word of words) expect(stderr).toContain(word);
    }
  });

  it('says where it looked for a server, and what to do', async () => {
    for (const args of [['list'], ['worker']]) {
      const { code, stderr } = await run(args, nowhere());
      expect(code).toBe(1);
      expect(stderr).toContain('No Temporal server answers at 127.0.0.1:1');
      expect(stderr).toContain('npx holdfast dev');
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  it('doctor --json exits 1 and says what to do', async () => {
    const { code, stdout } = await run(['doctor', '--json'], nowhere());
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: { what: string; ok: boolean; detail: string }[] };
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    const temporal = findings.find(({ what }) => what === 'Temporal')!;
    expect(temporal).toMatchObject({ ok: false, detail: expect.stringContaining('127.0.0.1:1') });
    expect(temporal.detail).toContain('holdfast dev');
  });

  it('doctor says which data are configured, and whether EDGAR answers', async () => {
    const dataOf = async (more: NodeJS.ProcessEnv) => {
      const { stdout } = await run(['doctor', '--json'], nowhere(more));
      return (JSON.parse(stdout) as { findings: { what: string }[] }).findings.find(({ what }) => what === 'data');
    };
    expect(await dataOf({})).toEqual({ what: 'data', ok: true, detail: 'the embedded snapshot' });
    const cache = mkdtempSync(join(tmpdir(), 'holdfast-cache-'));
    const server = await startEdgar(madeUpEdgar());
    const edgar = {
      HOLDFAST_DATA: 'edgar',
      HOLDFAST_CACHE: cache,
      HOLDFAST_EDGAR_USER_AGENT: 'Kettle Bank data@bank.example',
      HOLDFAST_EDGAR_URL: server.url,
    };
    try {
      expect(await dataOf(edgar)).toMatchObject({ ok: true, detail: expect.stringContaining(`EDGAR at ${server.url} answers`) });
      server.misbehave((_request, response) => void response.writeHead(403).end());
      expect(await dataOf(edgar)).toMatchObject({ ok: false, detail: expect.stringContaining('403') });
    } finally {
      await server.close();
      rmSync(cache, { recursive: true, force: true });
    }
  });

  it('repeats no secret, however wrong the settings are', async () => {
    const secrets = {
      ANTHROPIC_API_KEY: 'sk-canary-1',
      HOLDFAST_STORE: 'postgres://user:canary-2@127.0.0.1:1/db',
      TEMPORAL_API_KEY: 'canary-3',
      HOLDFAST_SMTP_PASS: 'canary-4',
    };
    for (const args of [['doctor'], ['doctor', '--json'], ['worker'], ['list']]) {
      const { stdout, stderr } = await run(args, nowhere({ HOLDFAST_LOG_LEVEL: 'debug', ...secrets }));
      expect(stdout + stderr).not.toMatch(/canary/);
    }
  });
});
