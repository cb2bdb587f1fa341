/** `audit verify`: its exit codes, and what it prints. What it finds: test/unit/audit/verify. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sample, SAMPLES, TRUST_FILE } from '../../../support/bundle-keys';

describe('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-verify-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const main = join(__dirname, '../../../../dist/cli/main.js');
  const run = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) =>
      execFile(process.execPath, [main, 'audit', 'verify', ...args], { maxBuffer: 10_000_000 }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      ),
    );
  const plain = join(SAMPLES, 'plain.jsonl');

  test('exits 0 for an intact bundle, 1 for an unknown signer or a broken bundle, 2 for a file that cannot be read', async () => {
    const broken = join(folder, 'broken.jsonl');
    writeFileSync(broken, (await sample('plain')).replace('"kind":"run"', '"kind":"ran"'));
    const answers = await Promise.all([
      run(plain, '--trust', TRUST_FILE),
      run(plain),
      run(broken, '--trust', TRUST_FILE, '--json'),
      run(join(folder, 'none'), '--trust', TRUST_FILE),
      run(plain, '--trust', plain),
    ]);
    expect(answers.map(({ code }) => code)).toEqual([0, 1, 1, 2, 2]);
    expect(answers[0]!.out).toContain('intact since signing by');
    expect(answers[1]!.out).toContain('consistent, signer unknown');
    expect(JSON.parse(answers[2]!.out)).toMatchObject({ verdict: 'broken', rule: 'S3' });
    expect(answers[3]!.err).toContain('cannot be read');
    expect(answers[4]!.err).toContain('trusted keys');
  });

  test('prints all of a long answer, which a pipe takes in pieces', async () => {
    const files = Array<string>(150).fill(plain);
    const { out } = await run(...files, '--trust', TRUST_FILE, '--json');
    expect((JSON.parse(out) as { bundles: unknown[] }).bundles).toHaveLength(files.length);
  });
});
