import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeUpEdgar } from '../support/edgar-files';
import { startEdgar } from '../support/edgar-server';
import { testAddress } from '../../engine/support/engine';
import { run as runHere } from '../../support/command-line';
import { environment, run, start } from './support/cli';

const nowhere = (more: NodeJS.ProcessEnv = {}) =>
  environment({ HOLDFAST_HOME: join(tmpdir(), 'holdfast-no-such-home'), TEMPORAL_ADDRESS: '127.0.0.1:1', ...more });

/** Every command is a process of its own, and several wait five seconds for a server that is not there: they run at once. */
const atOnce = (runs: string[][], env: NodeJS.ProcessEnv) => Promise.all(runs.map((args) => run(args, env)));

describe('holdfast without a server', () => {
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
    ])('%s in the working directory has settings', async (name, text) => {
      writeFileSync(join(folder, name), text);
      const queue = { value: 'payments', source: 'config', file: name };
      expect(await config()).toMatchObject({ code: 0, stderr: '', queue });
    });

    it('counts less than the environment, which may also leave it out', async () => {
      writeFileSync(join(folder, 'holdfast.config.cjs'), 'module.exports = { HOLDFAST_TASK_QUEUE: "payments" };');
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

    it('stops every command if it cannot be loaded, with what is wrong, and where', async () => {
      writeFileSync(join(folder, 'holdfast.config.ts'), 'export default {\n  HOLDFAST_TASK_QUEUE: missing,\n};');
      const { code, stderr } = await config();
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^holdfast: holdfast\.config\.ts cannot be loaded: missing is not defined\n.*:2:\d+/),
      });
    });
  });

  it('exits with 2 for bad usage', async () => {
    const ran = await run(['list', '--colour'], nowhere());
    expect(ran).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining("unknown option '--colour'") });
  });

  it('says where it looked for a server, and what to do', async () => {
    for (const { code, stderr } of await atOnce([['list'], ['worker']], nowhere())) {
      expect(code).toBe(1);
      expect(stderr).toContain('No Temporal server answers at 127.0.0.1:1');
      expect(stderr).toContain('npx holdfast dev');
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  const doctor = async (more: NodeJS.ProcessEnv = {}, by = run) => {
    const { code, stdout } = await by(['doctor', '--json'], nowhere(more));
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: { what: string; ok: boolean; detail: string }[] };
    return { code, ok, of: (name: string) => findings.find(({ what }) => what === name)! };
  };

  it('doctor --json exits 1 and says what to do; it says what isolates programs, that they are refused where nothing does, and that a setting accepts the risk', async () => {
    const [here, nothing, accepted] = await Promise.all([
      doctor(),
      doctor({ PATH: '/nonexistent' }),
      doctor({ PATH: '/nonexistent', HOLDFAST_CHILDREN_MAY_READ_SECRETS: 'true' }),
    ]);
    expect(here).toMatchObject({ code: 1, ok: false });
    expect(here.of('Temporal')).toMatchObject({ ok: false, detail: expect.stringContaining('127.0.0.1:1') });
    expect(here.of('Temporal').detail).toContain('holdfast dev');
    expect(here.of('data')).toEqual({ what: 'data', ok: true, detail: 'the embedded snapshot' });
    const apart = [here, nothing, accepted].map(({ of }) => of('child processes'));
    expect(apart).toMatchObject([
      { ok: true, detail: expect.stringMatching(/namespaces of their own \((?:bubblewrap|unshare)\)/) },
      { warning: true, detail: expect.stringMatching(/are refused.*apt-get install bubblewrap/) },
      { warning: true, detail: expect.stringMatching(/^HOLDFAST_CHILDREN_MAY_READ_SECRETS is true: .*can read/) },
    ]);
  });

  it('doctor says whether EDGAR answers', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'holdfast-cache-'));
    const server = await startEdgar(madeUpEdgar());
    const edgar = {
      TEMPORAL_ADDRESS: testAddress(),
      HOLDFAST_DATA: 'edgar',
      HOLDFAST_CACHE: cache,
      HOLDFAST_EDGAR_USER_AGENT: 'Kettle Bank data@bank.example',
      HOLDFAST_EDGAR_URL: server.url,
    };
    try {
      const data = async () => (await doctor(edgar, runHere)).of('data');
      expect(await data()).toMatchObject({ ok: true, detail: expect.stringContaining(`EDGAR at ${server.url} answers`) });
      server.misbehave((_request, response) => void response.writeHead(403).end());
      expect(await data()).toMatchObject({ ok: false, detail: expect.stringContaining('403') });
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
