import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PasskeyRegister } from '../../../src/attestation/passkey-register';
import { passkeyId } from '../../../src/attestation/passkey-key';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { SoftAuthenticator } from '../../support/authenticator';

describe('the register of passkeys', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-register-'));
  let store: Store;
  let register: PasskeyRegister;
  beforeEach(async () => {
    store = await FileStore.open(mkdtempSync(join(dir, 'store-')));
    register = new PasskeyRegister(store);
  });
  afterEach(() => store.close());
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const registered = async (principal = 'ana') => {
    const { credentialId, public: jwk, alg } = new SoftAuthenticator('EdDSA');
    const kid = passkeyId(jwk);
    const site = { rp_id: 'desk.example', origins: ['https://desk.example'] };
    const fault = await register.add({
      principal,
      credential_id: credentialId,
      public: jwk,
      alg,
      kid,
      ...site,
      transports: [],
      counter: 0,
    });
    expect(fault).toBeNull();
    return kid;
  };

  it('takes a challenge once, however many ask for it at once', async () => {
    const challenge = await register.newChallenge('ana');
    const taken = await Promise.all(Array.from({ length: 8 }, () => register.takeChallenge('ana', challenge)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('has a counter grow between different assertions, and lets the same one come again', async () => {
    const kid = await registered();
    expect(await register.count('ana', kid, 5, 'a')).toBeNull();
    expect(await register.count('ana', kid, 5, 'a')).toBeNull();
    expect(await register.count('ana', kid, 5, 'b')).toContain('counter did not grow');
    expect(await register.count('ana', kid, 4, 'b')).toContain('counter did not grow');
    expect(await register.count('ana', kid, 0, 'b')).toContain('counter did not grow');
    expect(await register.count('ana', kid, 6, 'b')).toBeNull();
    expect(await register.count('ana', kid, 5, 'a')).toContain('counter did not grow');
  });

  it('lets passkeys of several devices, which say 0, sign again and again', async () => {
    const kid = await registered();
    for (const assertion of ['a', 'b', 'c']) expect(await register.count('ana', kid, 0, assertion)).toBeNull();
  });

  it('counts one of two different assertions that come at once with the same counter', async () => {
    const kid = await registered();
    const counted = await Promise.all(['a', 'b', 'c', 'd'].map((assertion) => register.count('ana', kid, 1, assertion)));
    expect(counted.filter((fault) => fault === null)).toHaveLength(1);
  });

  it('counts nothing for another person', async () => {
    const kid = await registered();
    expect(await register.count('bob', kid, 1, 'a')).toBe('you have no such passkey');
    expect(await register.remove('bob', kid, () => true)).toBe('you have no such passkey');
    expect(await register.find(kid)).toMatchObject({ principal: 'ana' });
    expect(await register.find('constructor')).toBeNull();
  });

  it('knows a person under every spelling of the name', async () => {
    const kid = await registered('Ana  Lopez');
    expect(await register.of('ana lopez')).toMatchObject([{ kid }]);
  });
});
