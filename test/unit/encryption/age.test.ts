import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decrypterWith, encrypterFor } from '../../../src/encryption/age';
import { environment, run } from '../../support/command-line';

const BUNDLES = join(__dirname, '../../bundles');
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'holdfast-age-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

it('a bundle is encrypted to an auditor’s key; verify says what to do, and reads it with the identity', async () => {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const identity = await generateX25519Identity();
  const plain = readFileSync(join(BUNDLES, 'approval.jsonl'));
  const encrypt = await encrypterFor([await identityToRecipient(identity)]);
  const encrypted = await whole(encrypt(chunksOf(plain)));
  expect(encrypted.includes('"kind"')).toBe(false);
  const [file, key] = [join(folder, 'approval.age'), join(folder, 'identity.txt')];
  writeFileSync(file, encrypted);
  writeFileSync(key, `# created by a test\n${identity}\n`);

  const verify = (...args: string[]) =>
    run(['audit', 'verify', file, '--trust', join(BUNDLES, 'trust.json'), ...args], environment());
  expect(await verify()).toMatchObject({ code: 2, stderr: expect.stringContaining(`age -d -i IDENTITY ${file}`) });
  expect(await verify('--identity', key)).toMatchObject({ code: 0, stdout: expect.stringContaining('intact') });

  const other = await decrypterWith(await generateX25519Identity());
  await expect(whole(other(chunksOf(encrypted)))).rejects.toThrow('It is not encrypted to this identity');
  writeFileSync(file, Buffer.concat([encrypted.subarray(0, -1), Buffer.of(encrypted.at(-1)! ^ 1)]));
  expect((await verify('--identity', key)).code).toBe(2);
});

it('what is no key of age is refused, and an identity is not shown', async () => {
  await expect(encrypterFor(['age1nonsense'])).rejects.toThrow('"age1nonsense" is no recipient of age');
  await expect(decrypterWith('AGE-SECRET-KEY-1NONSENSE')).rejects.toThrow(/^(?!.*NONSENSE)/);
  await expect(decrypterWith('# nothing\n')).rejects.toThrow('has no line "AGE-SECRET-KEY-1…"');
});
