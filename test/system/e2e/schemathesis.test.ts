/**
 * schemathesis tests the whole gateway with requests that it makes up from the OpenAPI document, valid and invalid, one by one and
 * in sequences. No answer may be a 5xx, or differ from the document. fixtures/schemathesis.toml says what is left out.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES } from '../../../src/gateway/auth/principals';
import { environment } from '../cli/support/cli';
import { startDev, type Dev } from '../cli/support/dev';
import { person } from '../../support/gateway';
import { sampled } from '../../support/runs';
import { schemathesis } from '../support/schemathesis';

const FIXTURES = join(__dirname, 'fixtures');
const program = schemathesis();
const whatFor = program === null ? describe.skip : describe;
const suffix = program === null ? ' (needs HOLDFAST_REQUIRE_SCHEMATHESIS=1, or schemathesis in the cache)' : '';

interface Ran {
  code: number;
  text: string;
  /** Requests that it made up. */
  cases: number;
}

whatFor(`schemathesis finds nothing wrong with the gateway${suffix}`, () => {
  const admin = person('olga', ...ROLES);
  const single = ROLES.map((role) => [role, person(`acme/${role}`, role)] as const);
  const people = [admin, ...single.map(([, one]) => one)];
  let dev: Dev;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-schemathesis-'));
    dev = await startDev(['--app', join(FIXTURES, 'every-class.app.ts')], {
      HOLDFAST_MODEL: 'rehearsal',
      HOLDFAST_TOKENS: JSON.stringify(people.map(({ entry }) => entry)),
      HOLDFAST_HTTP_RATE: '1000000',
    });
  });
  afterAll(async () => {
    await dev?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (token: string, args: string[]) =>
    new Promise<Ran>((resolve) => {
      const common = ['--config-file', join(FIXTURES, 'schemathesis.toml'), 'run', `${dev.facts.http_url}/openapi.json`];
      const as = ['-H', `Authorization: Bearer ${token}`, '--no-color', '--generation-deterministic'];
      const env = environment({ PYTHONPATH: FIXTURES, PYTHONDONTWRITEBYTECODE: '1', SCHEMATHESIS_HOOKS: 'schemathesis_hooks' });
      const options = { env, cwd: folder, maxBuffer: 50_000_000 };
      const checks = args.includes('--checks') ? [] : ['--exclude-checks', 'ignored_auth'];
      execFile(program!, [...common, ...as, ...checks, ...args], options, (error, stdout, stderr) => {
        const cases = Number(/(\d+) generated/.exec(stdout)?.[1] ?? 0);
        resolve({ code: Number(error?.code ?? 0), text: stdout + stderr, cases });
      });
    });
  /** What it has found begins after this heading. */
  const found = ({ code, text }: Ran) => (code === 0 ? '' : text.slice(text.indexOf('= FAILURES =') + 1).slice(0, 20_000));

  // First and separately: after 60 wrong tokens a minute from one address the answer is 429, and the test would show nothing.
  it('without a token, or with a wrong one', async () => {
    const ran = await run(admin.token, ['--checks', 'ignored_auth', '--max-examples', '1', '--phases', 'examples']);
    expect(found(ran)).toBe('');
    expect(ran.cases).toBeGreaterThan(4);
  });

  it('with all roles', async () => {
    const ran = await run(admin.token, [
      '--max-examples',
      '2',
      '--phases',
      'examples,coverage,fuzzing,stateful',
      '--max-time',
      '60',
    ]);
    expect(found(ran)).toBe('');
    expect(ran.cases).toBeGreaterThan(100);
  });

  // All roles get the same answer for what they may not do.
  it.each([single[0]!, ...sampled(single.slice(1), 3)])('with the role %s only', async (_role, { token }) => {
    const ran = await run(token, ['--max-examples', '1', '--phases', 'examples,fuzzing', '--max-time', '20']);
    expect(found(ran)).toBe('');
    expect(ran.cases).toBeGreaterThan(15);
  });
});
