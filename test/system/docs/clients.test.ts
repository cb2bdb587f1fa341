/**
 * Programs in other languages, against one engine, that of examples/python-backend: the client for Python as a user gets it (built,
 * installed, type-checked, run as docs/python.md says), and the services of examples/python-backend and examples/go-backend.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedHeaders } from '../../../src/notify/webhook';
import { eventually } from '../../engine/support/engine';
import { freePort } from '../../support/free-port';
import { pageOf, ROOT } from '../../support/named-tests';
import { collect, environment, type Running } from '../cli/support/cli';
import { startDev, type Dev } from '../cli/support/dev';
import { linkPackages } from '../cli/support/linked-packages';
import { startCuttingProxy } from '../support/cutting-proxy';
import { pythonClientTools } from '../support/python-client';

const page = pageOf('python.md');
const blocks = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, text]) => text).join('');
const program = blocks(/^```python\n(.*?)^```$/gms);
const printed = blocks(/^prints\n\n```\n(.*?)^```$/gms);

const tools = pythonClientTools();
const withPython = tools === null ? it.skip : it;
const needsPython = tools === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_CLIENT=1, or its packages in the cache)' : '';
const hasGo = process.env.HOLDFAST_REQUIRE_GO === '1' || spawnSync('go', ['version']).status === 0;
const withGo = hasGo ? it : it.skip;
const needsGo = hasGo ? '' : ' (needs Go, or HOLDFAST_REQUIRE_GO=1 to fail without it)';

let folder: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-clients-'));
});
afterAll(async () => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill();
  await Promise.all(children.map((child) => (child as Running).ended));
  rmSync(folder, { recursive: true, force: true });
});

function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}, cwd = folder): Running {
  const settings = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env };
  const child = collect(spawn(command, args, { cwd, env: settings, stdio: ['ignore', 'pipe', 'pipe'] }));
  children.push(child);
  return child;
}

const python = (args: string[], env: NodeJS.ProcessEnv = {}) => start(join(tools!, 'python3'), args, env).ended;

/** Its output is shown if it fails. */
async function succeed(args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, stderr } = await python(args, env);
  if (code !== 0) throw new Error(`python3 ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

describe('the client for Python', () => {
  const built = () => readdirSync(join(folder, 'built')).toSorted();

  beforeAll(async () => {
    if (tools === null) return;
    cpSync(join(ROOT, 'clients/python'), join(folder, 'source'), { recursive: true });
    writeFileSync(join(folder, 'page.py'), program);
    await succeed(['-m', 'build', '--no-isolation', '--outdir', 'built', 'source']);
    const wheel = join('built', built()[0]!);
    await succeed(['-m', 'pip', 'install', '--quiet', '--no-index', '--dry-run', wheel]); // what it needs is there
    await succeed(['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', 'site', wheel]);
  });

  it('has generated files as they would be generated now', () => {
    const args = [join(ROOT, 'scripts/generate-python-client.mjs'), '--check'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  withPython(`is built as a wheel and as source, with the version of the engine${needsPython}`, async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(built()).toEqual([`holdfast_client-${version}-py3-none-any.whl`, `holdfast_client-${version}.tar.gz`]);
    const names = await succeed(['-m', 'zipfile', '--list', join('built', built()[0]!)]);
    for (const name of ['holdfast_client/py.typed', 'holdfast_client/types.py', 'licenses/LICENSE'])
      expect(names).toContain(name);
  });

  withPython(`passes its own tests${needsPython}`, async () => {
    const tests = await python(['-m', 'unittest', 'discover', 'source/tests'], { PYTHONPATH: 'site' });
    expect(tests).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Ran \d\d tests[^]*^OK$/m) });
  });

  withPython(`passes the type checker, and so does docs/python.md${needsPython}`, async () => {
    const options = ['--config-file', 'source/pyproject.toml', '--cache-dir', 'mypy'];
    await succeed(['-m', 'mypy', ...options, 'source/src', 'source/tests', 'page.py'], { MYPYPATH: 'source/src' });
  });
});

describe('against an engine', () => {
  let engine: string;
  let dev: Dev;
  /** Those that settings.sh exports, and where the engine is. */
  let settings: Record<'HOLDFAST' | 'PORT' | 'STARTER' | 'APPROVER' | 'HOLDFAST_CALLBACK_SECRET', string>;

  beforeAll(async () => {
    engine = join(folder, 'engine');
    cpSync(join(ROOT, 'examples/python-backend'), engine, { recursive: true });
    linkPackages(engine);
    writeFileSync(join(engine, 'package.json'), '{"private":true}');
    const env = environment({ PORT: `${await freePort()}` });
    const line = `. ./settings.sh && exec '${process.execPath}' -p 'JSON.stringify(process.env)'`;
    settings = JSON.parse(execFileSync('bash', ['-c', line], { cwd: engine, env, encoding: 'utf8' }));
    dev = await startDev(['--app', 'app.ts'], { ...settings, HOLDFAST_MODEL: 'rehearsal' }, { cwd: engine });
    settings = { ...settings, HOLDFAST: dev.facts.http_url };
  });
  afterAll(() => dev?.stop());

  const paid = (invoice: string) =>
    readFileSync(join(engine, 'payments.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .filter((line) => (JSON.parse(line) as { invoice: string }).invoice === invoice);

  withPython(`the client does what docs/python.md says, and follows a turn across broken connections${needsPython}`, async () => {
    const proxy = await startCuttingProxy(dev.facts.http_url, 'within each event');
    // Without the pauses: only what is told counts here.
    const more = `time.sleep = lambda seconds: None
for event in Holdfast(os.environ["PROXY"], token=os.environ["STARTER"]).events("call-INV-8"):
    print(event["seq"], event["type"])`;
    writeFileSync(join(engine, 'run.py'), `${program}${more}\n`);
    try {
      const env = { ...settings, PYTHONPATH: join(folder, 'site'), PROXY: proxy.url };
      const { code, stdout, stderr } = await start(join(tools!, 'python3'), ['run.py'], env, engine).ended;
      expect({ code, stderr, stdout: stdout.slice(0, printed.length) }).toEqual({ code: 0, stderr: '', stdout: printed });
      const events = stdout.slice(printed.length).trim().split('\n');
      expect(events.map((line) => line.split(' ')[0])).toEqual(events.map((_, index) => `${index + 1}`));
      expect(events.at(-1)).toMatch(/ turn_completed$/);
      expect(proxy.cuts()).toBeGreaterThan(2);
      expect([paid('INV-7'), paid('INV-8')].map((lines) => lines.length)).toEqual([1, 1]);
    } finally {
      await proxy.close();
    }
  });

  /** What the READMEs of both services say, with what must not happen. */
  async function tryService(run: () => Running, invoice: string): Promise<void> {
    const service = run();
    const url = `http://localhost:${settings.PORT}`;
    const send = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${url}${path}`, {
        headers: { ...headers, connection: 'close' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    await eventually('the service listens', async () => {
      if (service.exitCode !== null) throw new Error(`The service has ended: ${service.output.stderr}`);
      return service.output.stdout.includes('listens on');
    });

    const first = await send('/invoices', { invoice, cents: 700 });
    expect(first).toMatchObject({ status: 200, body: { turn: expect.any(String) } });
    expect(await send('/invoices', { invoice, cents: 700 })).toEqual(first);
    expect(await send('/invoices', { invoice, cents: 900 })).toMatchObject({ status: 409, body: { error: 'key_used' } });
    expect(await send('/invoices/INV-0')).toMatchObject({ status: 404, body: { error: 'unknown_turn' } });

    const waiting = await eventually('a person is asked', async () => {
      const { body } = await send(`/invoices/${invoice}`);
      return body.state === 'awaiting_approval' && body.waiting;
    });
    expect(waiting).toEqual([{ call: expect.any(String), will_happen: `Pay 700 cents for ${invoice}` }]);
    const decision = { call: waiting[0].call };
    const approve = (token: string) => send(`/invoices/${invoice}/approval`, decision, as(token));
    expect(await approve(settings.STARTER)).toMatchObject({ status: 403, body: { error: 'role_missing' } });
    expect(await approve('hft_wrong')).toMatchObject({ status: 401 });
    expect(await approve(settings.APPROVER)).toEqual({ status: 200, body: { approved_by: 'acme/ana' } });
    await eventually('it is paid', async () => (await send(`/invoices/${invoice}`)).body.state === 'completed');
    expect(paid(invoice)).toHaveLength(1);

    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const forged = { type: 'turn.ended', turn: { state: 'forged' } };
    const { 'content-type': _type, ...headers } = signedHeaders(other, 'msg_1', JSON.stringify(forged));
    expect(await send('/holdfast', forged, headers)).toMatchObject({ status: 401, body: { error: 'invalid_signature' } });
    const calls = () => service.output.stdout.trim().split('\n').slice(1).toSorted();
    await eventually('both callbacks have come', async () => calls().length >= 2);
    expect(calls()).toEqual(['approval.requested awaiting_approval', 'turn.ended completed']);
    service.kill(); // the next one wants its port
    await service.ended;
  }

  withPython(`examples/python-backend pays once, and only what a person has approved${needsPython}`, () =>
    tryService(
      () => start(join(tools!, 'python3'), ['service.py'], { ...settings, PYTHONPATH: join(folder, 'site') }, engine),
      'INV-11',
    ),
  );

  withGo(`examples/go-backend pays once, and only what a person has approved${needsGo}`, async () => {
    const program = join(folder, 'go-backend');
    const env = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };
    const build = await start('go', ['build', '-o', program, '.'], env, join(ROOT, 'examples/go-backend')).ended;
    expect(build).toEqual({ code: 0, stdout: '', stderr: '' });
    const unset = await start(program, [], { ...settings, HOLDFAST_CALLBACK_SECRET: '' }).ended;
    expect(unset).toMatchObject({ code: 1, stderr: expect.stringContaining('HOLDFAST_CALLBACK_SECRET must be') });
    await tryService(() => start(program, [], settings), 'INV-12');
  });
});
