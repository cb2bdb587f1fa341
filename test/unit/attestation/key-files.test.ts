/** Files of keys: the form of each entry, every limit, and the errors. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announceKey, announcedKeys, ownKey, trustedEntry } from '../../../src/attestation/gateway-key';
import { keyId, publicKey } from '../../../src/attestation/public-key';
import { BadSigningKey, SigningKey } from '../../../src/attestation/signing-key';
import { LONGEST_TOKEN, readToken, signedBytes, writeToken } from '../../../src/attestation/claims';
import {
  BadKeyFile,
  parseTrustedKeys,
  readTrustedKeys,
  updateTrustedKeys,
  type TrustedKey,
} from '../../../src/attestation/trusted-keys';
import type { Json } from '../../../src/shared/json/json';

/** Between two attempts to lock a file. */
const waits = { skip: false, count: 0 };
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => {
    waits.count += 1;
    return waits.skip ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));
  },
}));

let folder: string;
let entry: TrustedKey;
let own: TrustedKey;
let bundle: TrustedKey;
beforeEach(() => {
  Object.assign(waits, { skip: false, count: 0 });
  folder = mkdtempSync(join(tmpdir(), 'holdfast-key-files-'));
  entry = trustedEntry(SigningKey.generate());
  own = trustedEntry(SigningKey.generate(), { principal: 'ana', roles: ['treasurer'] });
  bundle = trustedEntry(SigningKey.generate(), { bundle: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const parse = (...list: object[]) => parseTrustedKeys(JSON.stringify(list), 'F');

describe('the file of trusted keys', () => {
  it('has keys of gateways, of people, and for bundles', () => {
    expect([entry.use, own.use, bundle.use]).toEqual(['gateway', 'principal', 'bundle']);
    expect(parse(entry, own, bundle)).toEqual([entry, own, bundle]);
    expect(parse({ ...own, roles: undefined, expires_at: '2027-01-01', revoked_at: '2027-01-01T00:00:00Z' })).toHaveLength(1);
    expect(parse()).toEqual([]);
  });

  const form =
    'entry 1: it must have kid, public, use ("gateway", "principal", "bundle", "enroller", "witness" or "timestamp") and created_at, may have principal, roles, expires_at, revoked_at and require, and nothing else';
  const long = `2026-01-01T00:00:00.${'0'.repeat(20)}Z`;
  const bad: [string, Json | undefined][] = [
    ['kid', undefined],
    ['kid', 7],
    ['public', undefined],
    ['public', ['x']],
    ['use', undefined],
    ['use', 'admin'],
    ['use', ['gateway']],
    ['principal', ''],
    ['principal', 7],
    ['roles', 'treasurer'],
    ['roles', ['a b']],
    ['created_at', undefined],
    ...['created_at', 'expires_at', 'revoked_at'].flatMap((field): [string, Json][] => [
      [field, 'soon'],
      [field, 2026],
      [field, ['2026-01-01']],
      [field, null],
      [field, long],
    ]),
  ];
  it.each(bad)('refuses an entry whose %s is %j', (field, value) => {
    const { [field as 'kid']: _, ...rest } = own;
    const changed = value === undefined ? rest : { ...rest, [field]: value };
    expect(() => parse(changed)).toThrow(`The file of trusted keys F cannot be used: ${form}`);
  });

  it('accepts times of up to 40 characters', () => {
    expect(long).toHaveLength(41);
    expect(parse({ ...entry, created_at: long.replace('0Z', 'Z') })).toHaveLength(1);
  });

  it('names a person for a key that speaks for one, and nobody for any other key', () => {
    const gateways = "entry 1: a gateway's key names no principal and no roles: it speaks for all of them";
    const bundles = 'entry 1: a key for bundles names no principal and no roles: it may sign bundles only';
    const { principal, roles, ...nobody } = own;
    expect(() => parse({ ...nobody })).toThrow('entry 1: the key of a principal must name that principal');
    for (const who of [{ principal }, { roles }, { principal, roles }]) {
      expect(() => parse({ ...entry, ...who })).toThrow(gateways);
      expect(() => parse({ ...bundle, ...who })).toThrow(bundles);
    }
  });

  it('has witnesses and timestamp authorities, which name nobody, and alone may be demanded', () => {
    const { kid, public: raw, created_at } = entry;
    const witness = { kid, public: raw, created_at, use: 'witness' as const };
    const certificate = Buffer.concat([Buffer.from([0x30, 0x82]), Buffer.alloc(200)]).toString('base64url');
    const authority = { kid: keyId(certificate), public: certificate, created_at, use: 'timestamp' as const };
    for (const one of [witness, authority]) {
      expect(parse({ ...one, require: true })).toEqual([{ ...one, require: true }]);
      expect(() => parse({ ...one, principal: 'ana' })).toThrow(`entry 1: a key of use ${one.use} names no principal`);
      expect(() => parse({ ...one, require: false } as never)).toThrow('entry 1: it must have');
    }
    expect(() => parse({ ...entry, require: true })).toThrow('"require": true is for a witness or a timestamp authority');
    expect(() => parse({ ...authority, public: raw })).toThrow('is its certificate: DER in base64url');
    expect(() => parse({ ...authority, kid })).toThrow(`kid must be ${authority.kid}`);
  });

  it('has each key once, under its own id', () => {
    expect(() => parse(entry, own, { ...own })).toThrow(`key ${own.kid} stands in it twice`);
    expect(() => parse(entry, { ...own, kid: entry.kid })).toThrow(
      `entry 2: kid must be ${own.kid}, the first 16 hex characters of the public key's SHA-256`,
    );
  });

  it('has a thousand keys at most, in a million bytes', async () => {
    const many = (count: number) => JSON.stringify(Array.from({ length: count }, () => 'x'));
    expect(() => parseTrustedKeys(many(1000), 'F')).toThrow('entry 1');
    expect(() => parseTrustedKeys(many(1001), 'F')).toThrow('it must be a JSON list of at most 1000 keys');
    expect(() => parseTrustedKeys('{}', 'F')).toThrow('it must be a JSON list of at most 1000 keys');
    const path = join(folder, 'trusted.json');
    const text = JSON.stringify([entry]);
    writeFileSync(path, text.padEnd(1_000_000));
    expect(await readTrustedKeys(path)).toEqual([entry]);
    writeFileSync(path, text.padEnd(1_000_001));
    await expect(readTrustedKeys(path)).rejects.toThrow(
      `The file of trusted keys ${path} cannot be read: it has more than 1000000 bytes`,
    );
  });

  it('causes an error that says so if it is missing or cannot be read', async () => {
    const error = await readTrustedKeys(join(folder, 'none')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadKeyFile);
    expect(error).toMatchObject({
      name: 'BadKeyFile',
      message: `The file of trusted keys ${join(folder, 'none')} cannot be read: there is none; \`holdfast keys create\` makes one`,
    });
    await expect(readTrustedKeys(folder)).rejects.toThrow(/cannot be read: EISDIR/);
    expect(() => parseTrustedKeys('[', 'F')).toThrow(/^The file of trusted keys F cannot be used: ./);
  });

  it('is changed completely or not at all, and unlocked in both cases', async () => {
    const path = join(folder, 'trusted.json');
    expect(await updateTrustedKeys(path, () => [entry])).toBeUndefined();
    await expect(updateTrustedKeys(path, () => [entry, entry])).rejects.toThrow('twice');
    expect(await readTrustedKeys(path)).toEqual([entry]);
    expect(
      await updateTrustedKeys(
        path,
        (keys) => [...keys, own],
        async () => 'done',
      ),
    ).toBe('done');
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify([entry, own], null, 2)}\n`);
    const lockGone = updateTrustedKeys(
      path,
      (keys) => keys,
      async () => rmSync(`${path}.lock`),
    );
    expect(await lockGone).toBeUndefined();
  });

  it('is tried a hundred times more if another process holds its lock; then an error says so', async () => {
    const path = join(folder, 'trusted.json');
    writeFileSync(`${path}.lock`, '');
    waits.skip = true;
    await expect(updateTrustedKeys(path, (keys) => keys)).rejects.toThrow(
      `Another process changes the keys (${path}.lock); if none does, remove that file`,
    );
    expect(waits.count).toBe(100);
  });

  it('causes an error at once if its lock cannot be created', async () => {
    const path = join(folder, 'x'.repeat(252));
    await expect(updateTrustedKeys(path, (keys) => keys)).rejects.toThrow('ENAMETOOLONG');
    expect(waits.count).toBe(0);
  });

  it('causes an error if its folder cannot be created', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(updateTrustedKeys(join(folder, 'file', 'trusted.json'), (keys) => keys)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

describe('a public key', () => {
  it('is 43 characters of base64url, in one spelling', () => {
    const { public: raw } = own;
    expect(publicKey(raw).asymmetricKeyType).toBe('ed25519');
    for (const bad of [
      '',
      raw.slice(1),
      `${raw}A`,
      `A${raw}`,
      `.${raw}`,
      `${raw}=`,
      `${raw.slice(0, 42)}${raw.endsWith('B') ? 'C' : 'B'}`,
    ])
      expect(() => publicKey(bad)).toThrow('a public key is 32 bytes in base64url');
  });

  it('has an id made of its 32 bytes', () => {
    // printf of 32 zero bytes | sha256sum
    expect(keyId('A'.repeat(43))).toBe('66687aadf862bd77');
  });
});

describe('a signing key', () => {
  it('in a malformed file causes an error that names the file and the reason', async () => {
    const error = await SigningKey.read(join(folder, 'none')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadSigningKey);
    const why = 'there is no such file; `holdfast keys create` makes one';
    expect(error).toMatchObject({
      name: 'BadSigningKey',
      message: `The signing key ${join(folder, 'none')} cannot be used: ${why}.`,
    });
    writeFileSync(join(folder, 'file'), '');
    const below = join(folder, 'file', 'key.pem');
    await expect(SigningKey.read(below)).rejects.toThrow(`The signing key ${below} cannot be used: ENOTDIR.`);
  });

  it('signs texts of up to 4,096 characters, each of which can be read back', () => {
    const key = SigningKey.generate();
    const token = (count: number) => key.token({ a: 'x'.repeat(count) });
    expect(token(2998)).toHaveLength(LONGEST_TOKEN - 1);
    expect(readToken(token(2998))?.claims).toEqual({ a: 'x'.repeat(2998) });
    expect(() => token(2999)).toThrow(RangeError);
    expect(() => token(2999)).toThrow('A signed decision of 4097 characters is too long: fewer roles, a shorter name');
  });
});

describe('the text of a signed statement', () => {
  const signature = Buffer.alloc(64, 7);
  const seal = signature.toString('base64url');
  const text = (body: string) => `${Buffer.from(body).toString('base64url')}.${seal}`;

  it('is read if it has the form that we write, byte for byte', () => {
    const written = writeToken({ a: 1 }, signature);
    expect(written).toBe(text('{"a":1}'));
    expect(readToken(written)).toEqual({ claims: { a: 1 }, bytes: signedBytes({ a: 1 }), signature });
  });

  it.each([
    '',
    '.',
    seal,
    `.${seal}`,
    text('{"a": 1}'),
    text('{"b":1,"a":2}'),
    text('{"a":1'),
    `!${text('{"a":1}')}`,
    `${text('{"a":1}')}!`,
    ` ${text('{"a":1}')}`,
    text('{"a":1}').slice(0, -1),
  ])('cannot be %j', (other) => {
    expect(readToken(other)).toBeNull();
  });
});

describe('the key of a gateway', () => {
  it('is created once, and first entered in the file of trusted keys', async () => {
    const [path, trusted] = [join(folder, 'keys', 'own.pem'), join(folder, 'trusted.json')];
    const made = await ownKey(path, trusted);
    expect((await ownKey(path, trusted)).kid).toBe(made.kid);
    expect(await readTrustedKeys(trusted)).toMatchObject([{ kid: made.kid, use: 'gateway' }]);
  });

  it('is entered nowhere if the file belongs to somebody else', async () => {
    const made = await ownKey(join(folder, 'own.pem'), null);
    expect((await ownKey(join(folder, 'own.pem'), null)).kid).toBe(made.kid);
  });

  it('is the same for several processes that start at once', async () => {
    const trusted = join(folder, 'trusted.json');
    const all = await Promise.all(Array.from({ length: 4 }, () => ownKey(join(folder, 'own.pem'), trusted)));
    expect(new Set(all.map(({ kid }) => kid)).size).toBe(1);
    expect(await readTrustedKeys(trusted)).toHaveLength(1);
  });

  const DAY = 86_400_000;
  const kept = (value: Json = null) => {
    const state = { value, now: 100 * DAY, name: '' };
    const update = async (name: string, change: (known: Json, now: number) => { value: Json }) => {
      const { value: next, ...rest } = change(state.value, state.now);
      expect(rest).toEqual({ answer: null });
      Object.assign(state, { value: next, name });
    };
    const read = async (name: string) => ({ value: name === state.name ? state.value : null, now: state.now });
    return { state, store: { registers: { update } } as never, read };
  };

  it('is announced, with the last key first, and fifty keys at most', async () => {
    const { state, store, read } = kept();
    await announceKey(store, { kid: 'k0' });
    expect(state).toMatchObject({ name: 'gateway-keys', value: { k0: state.now } });
    for (let n = 1; n <= 50; n++) await announceKey(store, { kid: `k${n}` });
    expect(Object.keys(state.value as object)).toHaveLength(50);
    expect(Object.keys(state.value as object)[0]).toBe('k50');
    expect(Object.keys(state.value as object)).not.toContain('k0');
    await announceKey(store, { kid: 'k7' });
    expect(Object.keys(state.value as object).filter((kid) => kid === 'k7')).toHaveLength(1);
    expect(Object.keys(state.value as object)[0]).toBe('k7');
    expect(await announcedKeys(read)).toHaveLength(50);
  });

  it('is forgotten after thirty days', async () => {
    const { state, read } = kept({ old: 70 * DAY, young: 70 * DAY + 1 });
    state.name = 'gateway-keys';
    expect(await announcedKeys(read)).toEqual(['young']);
    state.value = 'junk';
    expect(await announcedKeys(read)).toEqual([]);
  });
});
