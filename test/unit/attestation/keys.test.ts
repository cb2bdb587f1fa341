import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayKey, trustedEntry } from '../../../src/attestation/gateway-key';
import { keyId, publicKey } from '../../../src/attestation/public-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import { parseTrustedKeys, readTrustedKeys, updateTrustedKeys, type TrustedKey } from '../../../src/attestation/trusted-keys';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a signing key', () => {
  it('is a file that only its owner reads, and is the same key when it is read again', async () => {
    const path = join(folder, 'keys', 'a.pem');
    const key = SigningKey.generate();
    expect(await key.save(path)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await SigningKey.read(path)).kid).toBe(key.kid);
    expect(await SigningKey.generate().save(path)).toBe(false);
    expect((await SigningKey.read(path)).kid).toBe(key.kid);
  });

  it('shows no secret, however it is printed', async () => {
    const key = SigningKey.generate();
    await key.save(join(folder, 'a.pem'));
    const secret = readFileSync(join(folder, 'a.pem'), 'utf8').split('\n')[1]!;
    for (const text of [
      JSON.stringify(key),
      String(key),
      (await import('node:util')).inspect(key, { depth: 9, showHidden: true }),
    ])
      expect(text).not.toContain(secret);
  });

  it.each<[string, (path: string) => void, string]>([
    ['is missing', () => undefined, 'there is no such file'],
    ['others may read', (path) => (writeFileSync(path, 'x'), chmodSync(path, 0o644)), 'chmod 600'],
    ['is no key', (path) => writeFileSync(path, 'hello', { mode: 0o600 }), 'PKCS8 PEM'],
    [
      'is of another kind',
      (path) =>
        writeFileSync(path, generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 }),
      'type x25519',
    ],
  ])('that %s is refused, and the error says what to do', async (_what, make, words) => {
    const path = join(folder, 'k.pem');
    make(path);
    await expect(SigningKey.read(path)).rejects.toThrow(words);
  });

  it('has an id that follows from its public half', () => {
    const key = SigningKey.generate();
    expect(key.kid).toBe(keyId(key.public));
    expect(publicKey(key.public).asymmetricKeyType).toBe('ed25519');
    expect(() => publicKey('short')).toThrow('32 bytes');
  });
});

describe('the file of trusted keys', () => {
  let entry: TrustedKey;
  let own: TrustedKey;
  beforeEach(() => {
    entry = trustedEntry(SigningKey.generate());
    own = trustedEntry(SigningKey.generate(), { principal: 'ana', roles: ['treasurer'] });
  });

  it('gives back what was put into it', async () => {
    const path = join(folder, 'keys', 'trusted.json');
    await updateTrustedKeys(path, (keys) => [...keys, entry]);
    await updateTrustedKeys(path, (keys) => [...keys, own]);
    expect(await readTrustedKeys(path)).toEqual([entry, own]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('loses nothing when several change it at once', async () => {
    const path = join(folder, 'trusted.json');
    const entries = Array.from({ length: 8 }, () => trustedEntry(SigningKey.generate()));
    await Promise.all(entries.map((one) => updateTrustedKeys(path, (keys) => [...keys, one])));
    expect((await readTrustedKeys(path)).map(({ kid }) => kid).sort()).toEqual(entries.map(({ kid }) => kid).sort());
  });

  it.each<[string, () => unknown, () => string]>([
    ['no list', () => ({ keys: [] }), () => 'must be a JSON list'],
    ['a key under another id', () => [{ ...entry, kid: own.kid }], () => `kid must be ${entry.kid}`],
    ['the same key twice', () => [entry, entry], () => 'twice'],
    ['a field that there is not', () => [{ ...entry, admin: true }], () => 'nothing else'],
    ['a principal’s key without a name', () => [{ ...entry, use: 'principal' }], () => 'must name that principal'],
    ['a gateway’s key with a name', () => [{ ...own, use: 'gateway' }], () => 'speaks for all of them'],
    ['a time that is none', () => [{ ...entry, expires_at: 'soon' }], () => 'entry 1'],
    ['a key that is none', () => [{ ...entry, public: 'AAAA' }], () => '32 bytes'],
  ])('with %s is refused as a whole', (_what, content, words) => {
    expect(() => parseTrustedKeys(JSON.stringify(content()), 'F')).toThrow(words());
  });

  it('with a key named twice in one entry is refused: two readers could see two files', () => {
    const text = JSON.stringify([entry]).replace('"use"', '"use":"gateway","use"');
    expect(() => parseTrustedKeys(text, 'F')).toThrow('duplicate key');
  });
});

describe('the gateway’s key', () => {
  it('is made at the first start, entered among the trusted, and the same from then on', async () => {
    const places = { made: join(folder, 'keys', 'gateway.pem'), trustedKeys: join(folder, 'keys', 'trusted.json') };
    const key = await gatewayKey({ signingKey: null, ...places });
    expect(await readTrustedKeys(places.trustedKeys)).toMatchObject([{ kid: key.kid, use: 'gateway' }]);
    expect((await gatewayKey({ signingKey: places.made, ...places })).kid).toBe(key.kid);
    expect(await readTrustedKeys(places.trustedKeys)).toHaveLength(1);
  });

  it('must exist if a setting names it: no other is created', async () => {
    const places = { made: join(folder, 'gateway.pem'), trustedKeys: join(folder, 'trusted.json') };
    await expect(gatewayKey({ signingKey: join(folder, 'mine.pem'), ...places })).rejects.toThrow('there is no such file');
    expect(existsSync(places.made)).toBe(false);
  });
});
