import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeUpEdgar } from '../support/edgar-files';
import { startEdgar } from '../support/edgar-server';
import { environment, run, start } from './support/cli';

const nowhere = (more: NodeJS.ProcessEnv = {}) =>
  environment({ HOLDFAST_HOME: join(tmpdir(), 'holdfast-no-such-home'), TEMPORAL_ADDRESS: '127.0.0.1:1', ...more });

const COMMANDS = [
  ['dev', '--app', '--port', '--ui-port', '--http-port', '--db', '--headless', '--data'],
  ['worker', '--app', '--data'],
  ['gateway', '--http-port', '--host'],
  ['call', '<tool>', '<json>', '--agent', '--id', '--by', '--no-cache', '--no-retry', '--no-stream', '--debug'],
  ['start', '--hold', '--data'],
  ['run', '--agent', '--session', '--id', '--follow'],
  ['show', '<turn>'],
  ['watch', '<turn>'],
  ['list', '--state', '--agent', '--limit', 'awaiting_approval'],
  ['pending', '--watch'],
  ['approve', '<turn>', '--call', '--by', '--note', '--key', '--role', '--input'],
  ['deny', '<turn>', '--call', '--by', '--note', '--key', '--role'],
  ['settle', '<turn>', 'not_applied', '--call', '--by', '--note', '--key', '--role'],
  ['sign', '<turn>', '[decision]', '[outcome]', '--call', '--by', '--note', '--key', '--role', '--input', '--steer'],
  ['steer', '<turn>', '<text...>', '--by', '--key', '--role'],
  ['keys', 'create', 'list', 'export', 'revoke', 'token'],
  ['trail', '--tool', '--by', '--requester', '--state', '--turn', '--from', '--to', '--limit', '--cursor', 'in_doubt'],
  ['cancel', '<turn>'],
  ['tools', 'check'],
  ['incident', '<turn>', '--output', '--trust'],
  ['config', '--set', '--markdown'],
  ['doctor'],
];

/** Every command is a process of its own, and several wait five seconds for a server that is not there: they run at once. */
const atOnce = (runs: string[][], env: NodeJS.ProcessEnv) => Promise.all(runs.map((args) => run(args, env)));

describe('holdfast without a server', () => {
  it.concurrent.each(COMMANDS)('%s --help says what it takes', async (command, ...words) => {
    const { code, stdout, stderr } = await run([command!, '--help'], nowhere());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['Usage: holdfast', command!, '--json', ...words]) expect(stdout).toContain(word);
  });

  it('says on a Node that is too old which one it needs, and nothing else', async () => {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-node-'));
    const older = join(home, 'older.cjs');
    writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '18.19.1' });");
    for (const args of [['--version'], ['dev'], ['doctor', '--json']])
      expect(await run(args, nowhere({ NODE_OPTIONS: `--require ${older}` }))).toEqual({
        ...{ code: 1, stdout: '' },
        stderr: 'holdfast needs Node 20.3 or later; this is 18.19.1.\n',
      });
    rmSync(home, { recursive: true });
  });

  it('config shows what is set and what is misspelt, and ends with what is wrong', async () => {
    const env = nowhere({ HOLDFAST_HTTP_PORT: '99999', HOLDFAST_TASK_QEUE: 'q', ANTHROPIC_API_KEY: 'sk-secret' });
    const { code, stdout, stderr } = await run(['config', '--set', '--json'], env);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'holdfast: HOLDFAST_HTTP_PORT is "99999"; it must be a port from 1 to 65535.\n',
    });
    expect(stdout).not.toContain('sk-secret');
    expect(JSON.parse(stdout)).toEqual({
      settings: expect.arrayContaining([
        { group: 'The gateway', name: 'HOLDFAST_HTTP_PORT', value: '99999', source: 'environment' },
        { group: 'The model', name: 'ANTHROPIC_API_KEY', value: null, source: 'environment', secret: true },
      ]),
      unknown: [{ name: 'HOLDFAST_TASK_QEUE', meant: 'HOLDFAST_TASK_QUEUE' }],
    });
  });

  describe('holdfast.config.ts', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'holdfast-settings-'));
      mkdirSync(join(folder, 'app'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));
    const config = async (more: NodeJS.ProcessEnv = {}) => {
      const { code, stdout, stderr } = await start(['config', '--set', '--json'], nowhere(more), folder).ended;
      const { settings } = stdout === '' ? { settings: [] } : JSON.parse(stdout);
      return { code, stderr, queue: settings.find(({ name }: { name: string }) => name === 'HOLDFAST_TASK_QUEUE') };
    };

    it.each([
      ['holdfast.config.ts', 'const queue: string = "payments";\nexport default { HOLDFAST_TASK_QUEUE: queue };'],
      ['holdfast.config.mts', 'export default { HOLDFAST_TASK_QUEUE: "payments" as string };'],
      ['holdfast.config.cjs', 'module.exports = { HOLDFAST_TASK_QUEUE: "payments" };'],
    ])('%s in the working directory has settings; the environment counts more', async (name, text) => {
      writeFileSync(join(folder, name), text);
      const queue = { value: 'payments', source: 'config', file: name };
      expect(await config()).toMatchObject({ code: 0, stderr: '', queue });
      expect(await config({ HOLDFAST_TASK_QUEUE: 'q' })).toMatchObject({ queue: { value: 'q', source: 'environment' } });
      expect(await config({ HOLDFAST_CONFIG: 'off' })).toMatchObject({ code: 0, queue: undefined });
    });

    it('the one beside the app counts, not the one in the working directory', async () => {
      writeFileSync(join(folder, 'holdfast.config.ts'), 'export default { HOLDFAST_LOG_LEVEL: "loud" };');
      writeFileSync(join(folder, 'app/holdfast.config.ts'), 'export default { HOLDFAST_LOG_LEVEL: "louder" };');
      const without = { ...nowhere(), HOLDFAST_LOG_LEVEL: undefined };
      const { code, stderr } = await start(['worker', '--app', 'app/app.ts'], without, folder).ended;
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('HOLDFAST_LOG_LEVEL is "louder"; it must be'),
      });
    });

    it('that cannot be loaded stops every command with what is wrong, and where', async () => {
      writeFileSync(join(folder, 'holdfast.config.ts'), 'export default {\n  HOLDFAST_TASK_QUEUE: missing,\n};');
      const { code, stderr } = await config();
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^holdfast: holdfast\.config\.ts cannot be loaded: missing is not defined\n.*:2:\d+/),
      });
    });
  });

  it('lists its commands, and tells its version', async () => {
    const { stdout } = await run(['--help'], nowhere());
    for (const [command] of COMMANDS) expect(stdout).toContain(`\n  ${command} `);
    expect(await run(['--version'], nowhere())).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('run takes a message, and says which one it takes without', async () => {
    const { code, stdout } = await run(['run', '--help'], nowhere());
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain('the message; default: "Show what you can do."');
  });

  it.concurrent.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [[], 'Usage: holdfast'],
    [['run', 'hello'], '--agent <name>'],
    [['show'], "missing required argument 'turn'"],
    [['approve', 'x'], '--call <digest>'],
    [['settle', 'x', 'maybe', '--call', 'y'], 'outcome is "maybe"; it must be applied or not_applied.'],
    [['approve', 'x', '--call', 'y', '--input', '[1]'], 'It must be a JSON object.'],
    [['approve', 'x', '--call', 'y', '--input', '{"a":1,"a":2}'], 'duplicate key'],
    [['sign', 'x', 'maybe', '--call', 'y'], 'decision is "maybe"; it must be approve, deny, settle, edit.'],
    [['sign', 'x'], 'decision is ""; it must be approve, deny, settle, edit.'],
    [['sign', 'x', 'approve'], 'A decision names its calls: --call DIGEST'],
    [['sign', 'x', 'approve', '--steer', 'Stop.'], '--steer goes without a decision'],
    [['steer', 'x'], "missing required argument 'text'"],
    [['list', '--limit', 'many'], "argument 'many' is invalid. It must be a whole number from 1."],
    [['list', '--limit', '0x10'], 'It must be a whole number from 1.'],
    [['dev', '--port', '70000'], 'It must be a port from 0 to 65535.'],
    [['worker', '--data', 'bloomberg'], "argument 'bloomberg' is invalid. Allowed choices are snapshot, edgar."],
    [['worker', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['start', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['dev', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['worker', '--app', './no-such-app.ts'], 'There is no app file ./no-such-app.ts.'],
    [['call', 'calculate'], "missing required argument 'json'"],
    [['call', 'calculate', '{oops'], '<json> is not JSON'],
    [['call', 'calculate', '[1]'], '<json> must be a JSON object'],
    [['gateway', '--http-port', 'x'], 'It must be a port from 0 to 65535.'],
    [['show', 'x', 'y'], 'too many arguments'],
    [['trail', '--state', 'praised'], "argument 'praised' is invalid. Allowed choices are rejected, asked"],
    [['trail', '--from', 'yesterday'], 'from is "yesterday"; it must be a day, 2026-01-31, or a time with its zone'],
    [['trail', '--limit', '1001'], 'limit is 1001; it must be a whole number from 1 to 1000.'],
    [['list', '--colour'], "unknown option '--colour'"],
  ])('%j is bad usage: exit 2, and the reason', async (args, reason) => {
    const { code, stdout, stderr } = await run(args, nowhere());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.concurrent.each([
    [{ HOLDFAST_STORE: 'nonsense' }, ['HOLDFAST_STORE', 'file:PATH', 'postgres://']],
    [{ HOLDFAST_MODEL: 'x' }, ['HOLDFAST_MODEL', '"x"', 'anthropic or rehearsal']],
    [{ HOLDFAST_MODEL: 'anthropic' }, ['HOLDFAST_MODEL', 'none of ANTHROPIC_API_KEY']],
    [{ HOLDFAST_HTTP_PORT: '99999' }, ['HOLDFAST_HTTP_PORT', '"99999"', '1 to 65535']],
    [{ ANTHROPIC_BASE_URL: 'not a url' }, ['ANTHROPIC_BASE_URL', '"not a url"', 'http']],
    [{ HOLDFAST_LOG_LEVEL: 'loud' }, ['HOLDFAST_LOG_LEVEL', '"loud"', 'debug']],
    [{ TEMPORAL_PROFILE: 'no-such-profile' }, ['no-such-profile']],
  ])('%j stops every command with one line that names variable, value and what is allowed', async (setting, words) => {
    const env = nowhere({ ANTHROPIC_API_KEY: '', ...setting });
    for (const { code, stdout, stderr } of await atOnce([['list'], ['dev', '--headless', '--port', '0']], env)) {
      expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
      for (const word of words) expect(stderr).toContain(word);
    }
  });

  it('says where it looked for a server, and what to do', async () => {
    for (const { code, stderr } of await atOnce([['list'], ['worker']], nowhere())) {
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

  it('doctor says what keeps programs apart, that they are refused where nothing does, and who has taken the risk', async () => {
    const foundWith = async (more: NodeJS.ProcessEnv) => {
      const { stdout } = await run(['doctor', '--json'], nowhere(more));
      return (JSON.parse(stdout) as { findings: { what: string }[] }).findings.find(({ what }) => what === 'child processes');
    };
    const [here, nothing, accepted] = await Promise.all([
      foundWith({}),
      foundWith({ PATH: '/nonexistent' }),
      foundWith({ PATH: '/nonexistent', HOLDFAST_CHILDREN_MAY_READ_SECRETS: 'true' }),
    ]);
    expect(here).toMatchObject({ ok: true, detail: expect.stringMatching(/namespaces of their own \((?:bubblewrap|unshare)\)/) });
    expect(nothing).toMatchObject({ warning: true, detail: expect.stringMatching(/are refused.*apt-get install bubblewrap/) });
    expect(accepted).toMatchObject({
      warning: true,
      detail: expect.stringMatching(/^HOLDFAST_CHILDREN_MAY_READ_SECRETS is true: .*can read/),
    });
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
    const env = nowhere({ HOLDFAST_LOG_LEVEL: 'debug', ...secrets });
    for (const { stdout, stderr } of await atOnce([['doctor'], ['doctor', '--json'], ['worker'], ['list']], env)) {
      expect(stdout + stderr).not.toMatch(/canary/);
    }
  });
});
