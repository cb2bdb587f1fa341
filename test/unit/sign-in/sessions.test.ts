import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayWord } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import type { JsonObject } from '../../../src/shared/json/json';
import { csrfTokenOf, hashOfId, SignIns, type Proof } from '../../../src/sign-in/sessions';
import { FileRegisters } from '../../../src/store/files/file-registers';

const MINUTE = 60_000;
const LIMITS = { idleMs: 30 * MINUTE, longestMs: 12 * 60 * MINUTE };
const proof: Proof = { by: 'token', token_sha256: 'a'.repeat(64) };
const key = SigningKey.generate();
const word = new GatewayWord(key, 'store', async () => []);
const START = Date.parse('2026-11-28T09:00:00Z');

describe('a sign-in', () => {
  let dir: string;
  let now = START;
  let registers: FileRegisters;
  let signIns: SignIns;
  const open = async () => FileRegisters.open(dir, tmpdir(), () => now);
  beforeEach(async () => {
    now = START;
    dir = await mkdtemp(join(tmpdir(), 'holdfast-sign-ins-'));
    registers = await open();
    signIns = new SignIns(registers, LIMITS, word);
  });
  afterEach(async () => {
    registers.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('is found by its id, also by another gateway of the store, and nobody else’s', async () => {
    const { id } = await signIns.begin(proof);
    const other = await open();
    expect(await new SignIns(other, LIMITS, word).find(id, true)).toMatchObject({ id, proof });
    other.close();
    for (const guess of ['', 'x', id.slice(1), `${id}A`, hashOfId(id), '../'.repeat(15), csrfTokenOf(id)])
      expect(await signIns.find(guess, true)).toBeNull();
  });

  it('has another id of 256 bits each time, which is not in the store, nor is the token of its page', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await signIns.begin(proof)).id));
    expect(new Set(ids).size).toBe(20);
    const [first] = ids as [string];
    expect(Buffer.from(first, 'base64url')).toHaveLength(32);
    const folders = await readdir(join(dir, 'registers'));
    const texts = await Promise.all(
      folders.map(async (folder) => folder + (await readFile(join(dir, 'registers', folder, '1'), 'utf8'))),
    );
    for (const id of ids) for (const secret of [id, csrfTokenOf(id)]) expect(texts.join('\n')).not.toContain(secret);
  });

  it('ends after 30 minutes without a request, counted from the last one', async () => {
    const { id, idleEnds } = await signIns.begin(proof);
    expect(idleEnds).toBe(START + LIMITS.idleMs);
    now += 29 * MINUTE;
    expect(await signIns.find(id, true)).toMatchObject({ idleEnds: now + LIMITS.idleMs });
    now += 29 * MINUTE;
    expect(await signIns.find(id, true)).not.toBeNull();
    now += 30 * MINUTE;
    expect(await signIns.find(id, true)).toBeNull();
  });

  it('is not kept alive by streams, which nobody needs to look at', async () => {
    const { id } = await signIns.begin(proof);
    now += 20 * MINUTE;
    expect(await signIns.find(id, false)).toMatchObject({ idleEnds: START + LIMITS.idleMs });
    now += 10 * MINUTE;
    expect(await signIns.find(id, false)).toBeNull();
  });

  it('ends after 12 hours however busy it is, and earlier where the provider says so', async () => {
    const { id, ends } = await signIns.begin(proof);
    const short = await signIns.begin(proof, START + 5 * MINUTE);
    const long = await signIns.begin(proof, START + 99 * LIMITS.longestMs);
    expect([ends, short.ends, long.ends]).toEqual([START + LIMITS.longestMs, START + 5 * MINUTE, START + LIMITS.longestMs]);
    for (; now < START + LIMITS.longestMs; now += 20 * MINUTE) expect(await signIns.find(id, true)).not.toBeNull();
    expect(await signIns.find(id, true)).toBeNull();
    expect(await signIns.find(short.id, true)).toBeNull();
  });

  it('ends at once everywhere, and no request that is under way brings it back', async () => {
    const { id } = await signIns.begin(proof);
    const other = await open();
    now += 5 * MINUTE;
    const busy = Array.from({ length: 10 }, () => new SignIns(other, LIMITS, word).find(id, true));
    await signIns.end(hashOfId(id));
    await Promise.all(busy);
    expect(await new SignIns(other, LIMITS, word).find(id, true)).toBeNull();
    expect(await signIns.find(id, true)).toBeNull();
    other.close();
  });

  it('is written once a minute at most, however many requests there are', async () => {
    const { id } = await signIns.begin(proof);
    const [folder] = (await readdir(join(dir, 'registers'))) as [string];
    for (let n = 0; n < 100; n++, now += 3000) await signIns.find(id, true);
    expect(await readdir(join(dir, 'registers', folder))).toHaveLength(1 + 4);
  });

  it('of a register that is damaged, or of another form, does not count', async () => {
    const { id } = await signIns.begin(proof);
    const name = `sign-in/${hashOfId(id)}`;
    for (const value of [null, 'yes', [], { v: 'holdfast.sign-in/2', seen: now, ends: now + 9e9, proof: { ...proof } }]) {
      await registers.update(name, () => ({ value, answer: null }));
      expect(await signIns.find(id, true)).toBeNull();
    }
  });

  it('that was changed in the store does not count, nor one that no gateway signed, but for the time of its last request', async () => {
    const { id } = await signIns.begin(proof);
    const name = `sign-in/${hashOfId(id)}`;
    const real = (await registers.read(name)).value as JsonObject;
    const { signature: _, ...unsigned } = real;
    const other = await signIns.begin({ by: 'oidc', issuer: 'https://id.example', principal: 'eve', groups: [] });
    const changes: JsonObject[] = [
      unsigned,
      { ...real, signature: 'A'.repeat(86) },
      { ...real, signature: 7 },
      { ...real, kid: '0'.repeat(16) },
      { ...real, ends: now + 9e9 },
      { ...real, since: now - 1 },
      { ...real, proof: { by: 'token', token_sha256: 'b'.repeat(64) } },
      { ...real, proof: { ...proof, more: 'ana' } },
      (await registers.read(`sign-in/${hashOfId(other.id)}`)).value as JsonObject,
      { ...real, ...new GatewayWord(SigningKey.generate(), 'store', async () => []).say(saidOf(id, real)) },
      { ...real, ...new GatewayWord(key, 'another store', async () => []).say(saidOf(id, real)) },
    ];
    for (const value of changes) {
      await registers.update(name, () => ({ value, answer: null }));
      expect(await signIns.find(id, true)).toBeNull();
    }
    await registers.update(name, () => ({ value: { ...real, seen: now + 1 }, answer: null }));
    expect(await signIns.find(id, true)).toMatchObject({ id, proof });
  });
});

const saidOf = (id: string, { proof: of, since, ends }: JsonObject) =>
  ({ v: 'holdfast.gateway-says/sign-in', id_hash: hashOfId(id), proof: of!, since: since!, ends: ends! }) as const;
