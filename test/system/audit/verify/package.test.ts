/** `@holdfast/verify` beside `holdfast audit verify`: the same words, JSON and exit codes, for all bundles of the tests. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORGERIES } from '../../../support/audit/forgeries';
import { SAMPLES, TRUST_FILE } from '../../../support/bundle-keys';
import { sampled } from '../../../support/runs';

const ROOT = join(__dirname, '../../../..');
const ENGINE = [join(ROOT, 'dist/cli/main.js'), 'audit', 'verify'];
const ALONE = [join(ROOT, 'packages/verify/bin/holdfast-verify.cjs')];
const INCIDENTS = join(ROOT, 'docs/incidents');
const SOME = ['approval', 'in_doubt', 'session', 'sub_agent', 'set_aside'].map((name) => join(SAMPLES, `${name}.jsonl`));

describe('the package of the verifier', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-verify-package-'));
  const forged = join(folder, 'forged');
  beforeAll(async () => {
    mkdirSync(forged);
    for (const [index, { make }] of sampled(FORGERIES, 6).entries())
      writeFileSync(join(forged, `${index}.jsonl`), (await make()).bytes);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const bundlesIn = (from: string) => readdirSync(from).flatMap((name) => (name.endsWith('.jsonl') ? [join(from, name)] : []));
  const trusted = ['--trust', TRUST_FILE];
  const cases: [string, number, () => string[]][] = [
    ['samples', 1, () => [...bundlesIn(SAMPLES), ...trusted]],
    ['samples, as JSON', 1, () => [...SOME, ...trusted, '--json']],
    ['samples of an unknown signer', 1, () => SOME],
    ['one sample', 0, () => [join(SAMPLES, 'approval.jsonl'), ...trusted]],
    ['one sample, as JSON', 0, () => ['--json', join(SAMPLES, 'approval.jsonl'), ...trusted]],
    ['forgeries', 1, () => [...bundlesIn(forged), ...trusted]],
    ['forgeries, as JSON', 1, () => [...bundlesIn(forged), ...trusted, '--json']],
    ['an incident', 1, () => [...bundlesIn(INCIDENTS), '--trust', join(INCIDENTS, 'trust.json')]],
    ['a bundle that should follow another', 1, () => [join(SAMPLES, 'plain.jsonl'), ...trusted, '--after', '0'.repeat(64)]],
    ['tombstones that are none', 1, () => [join(SAMPLES, 'plain.jsonl'), ...trusted, '--tombstones', TRUST_FILE]],
    ['a file that is not there', 2, () => [join(folder, 'none')]],
    ['keys that are none', 2, () => [join(SAMPLES, 'plain.jsonl'), '--trust', join(SAMPLES, 'plain.jsonl')]],
    ['no file', 2, () => []],
    ['a root that is none', 2, () => [join(SAMPLES, 'plain.jsonl'), '--after', 'x']],
    ['an unknown option', 2, () => ['--trusted', 'x']],
    ['--help', 0, () => ['--help']],
  ];

  test.each(cases)('%s: both say the same, exit %i', async (_name, code, args) => {
    const [ours, alone] = await Promise.all([run([...ENGINE, ...args()]), run([...ALONE, ...args()])]);
    const out = alone.out.replace(/^ {2}-V, --version .*\n/m, '');
    expect({ ...alone, out }).toEqual({ code, out: asAlone(ours.out), err: asAlone(ours.err) });
    expect(ours.code).toBe(code);
  });

  test('standard input: both say the same', async () => {
    const bytes = readFileSync(join(SAMPLES, 'approval.jsonl'));
    const [ours, alone] = await Promise.all([ENGINE, ALONE].map((program) => run([...program, '-', ...trusted], bytes)));
    expect(alone).toEqual(ours);
    expect(alone!.code).toBe(0);
  });

  test('has the version of the engine, and brings no packages', () => {
    const [engine, alone] = ['package.json', 'packages/verify/package.json'].map(
      (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as Record<string, unknown>,
    );
    const { version, engines, license } = engine!;
    expect(alone).toMatchObject({ version, engines, license });
    expect(Object.keys(alone!).filter((key) => /dependencies/i.test(key))).toEqual([]);
    const licence = (of: string) => readFileSync(join(ROOT, of, 'LICENSE'), 'utf8');
    expect(licence('packages/verify')).toBe(licence('.'));
  });
});

/** What the name of the program changes. */
/** What the package says instead: it brings no packages, so it decrypts nothing. */
function asAlone(text: string): string {
  return text
    .replace(/^Usage: holdfast audit verify/m, 'Usage: holdfast-verify')
    .replace(/^holdfast: /m, 'holdfast-verify: ')
    .replace(/^ {2}--identity <file> .*\n {23}.*\n/m, '');
}

function run(args: string[], input?: Buffer): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { maxBuffer: 50_000_000 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin!.end(input);
  });
}
