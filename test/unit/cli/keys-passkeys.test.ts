/** Passkeys by command: listed, enrolled and taken back, over the store and through a gateway. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passkeyId } from '../../../src/attestation/passkey-key';
import { PasskeyRegister } from '../../../src/attestation/passkey-register';
import { readSignedEnrolment } from '../../../src/attestation/enrolment';
import { serveGateway } from '../../../src/gateway/serve';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { SoftAuthenticator } from '../../support/authenticator';
import { environment, run } from '../../support/command-line';
import { gatewayParts, person } from '../../support/gateway';

let home: string;
let store: Store;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-passkeys-cli-'));
  store = await FileStore.open(join(home, 'store'));
});
afterEach(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

const holdfast = (args: string[], more: NodeJS.ProcessEnv = {}) =>
  run(args, environment({ HOLDFAST_HOME: home, HOLDFAST_STORE: `file:${join(home, 'store')}`, ...more }));
const json = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
  const { code, stdout, stderr } = await holdfast([...args, '--json'], more);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const registered = async (principal: string) => {
  const { credentialId, public: jwk, alg } = new SoftAuthenticator();
  const site = { rp_id: 'desk.example', origins: ['https://desk.example'], transports: [], counter: 0 };
  await new PasskeyRegister(store).add({
    principal,
    credential_id: credentialId,
    public: jwk,
    alg,
    kid: passkeyId(jwk),
    ...site,
  });
  return passkeyId(jwk);
};

describe('holdfast keys, of passkeys', () => {
  it('makes an enroller’s key, lists who waits, and enrols one in the roles that are given', async () => {
    const key = await json(['keys', 'create', '--enroller', '--role', 'treasurer']);
    expect(key).toMatchObject({ use: 'enroller', roles: ['treasurer'] });
    expect(key.private_key).not.toContain('gateway.pem');
    const id = await registered('ana');
    expect(await json(['keys', 'passkeys', '--waiting'])).toMatchObject([{ id, principal: 'ana', state: 'waiting' }]);
    const done = await json(['keys', 'enroll', id, '--key', key.private_key, '--role', 'treasurer', '--days', '30']);
    expect(done).toMatchObject({ id, principal: 'ana', roles: ['treasurer'], enrolled_by: key.kid });
    expect(readSignedEnrolment(done.enrolment)!.enrolment.exp).toBeGreaterThan(Date.now() / 1000);
    expect(await json(['keys', 'passkeys'])).toMatchObject([
      { id, state: 'enrolled', roles: ['treasurer'], enrolled_by: key.kid },
    ]);
    expect(await json(['keys', 'passkeys', '--waiting'])).toEqual([]);
    expect((await holdfast(['keys', 'passkeys'])).stdout).toContain(`${id}  ana  enrolled by ${key.kid} as treasurer`);
    const { entries } = await json(['trail', '--state', 'enrolled']);
    expect(entries).toMatchObject([
      {
        kind: 'enrolment',
        workflow_id: `passkey/${id}`,
        requester: 'ana',
        by: key.kid,
        digest: done.fingerprint,
        verified: true,
      },
    ]);
    expect((await holdfast(['trail', '--by', key.kid])).stdout).toContain(`passkey/${id}  by ${key.kid}, for ana`);
  });

  it('prints an enrolment without sending it', async () => {
    const key = await json(['keys', 'create', '--enroller']);
    const id = await registered('ana');
    const { stdout } = await holdfast(['keys', 'enroll', id, '--key', key.private_key, '--print']);
    expect(readSignedEnrolment(stdout.split('\n')[0]!)).toMatchObject({
      enrolment: { principal: 'ana', roles: [], kid: key.kid },
    });
    expect(await json(['keys', 'passkeys'])).toMatchObject([{ id, state: 'waiting' }]);
  });

  it('enrols with an enroller’s key only, and only what is registered and not revoked', async () => {
    const gateway = await json(['keys', 'create']);
    const enroller = await json(['keys', 'create', '--enroller']);
    const id = await registered('ana');
    const enrol = async (which: string, key: string) => (await holdfast(['keys', 'enroll', which, '--key', key])).stderr;
    expect(await enrol(id, gateway.private_key)).toContain("no enroller's");
    expect(await enrol('0'.repeat(16), enroller.private_key)).toContain('There is no passkey');
    await json(['keys', 'revoke', id, '--passkey']);
    expect(await enrol(id, enroller.private_key)).toContain('was revoked');
    expect(await json(['keys', 'passkeys'])).toMatchObject([{ id, state: 'revoked' }]);
  });

  it('takes a passkey back in the file of trusted keys, once, and lists it there', async () => {
    const id = await registered('ana');
    expect(await holdfast(['keys', 'revoke', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('--passkey') });
    expect(await holdfast(['keys', 'revoke', 'ana', '--passkey'])).toMatchObject({ code: 2 });
    await json(['keys', 'revoke', id, '--passkey']);
    const file = () => JSON.parse(readFileSync(join(home, 'keys', 'trusted.json'), 'utf8'));
    expect(file()).toEqual([{ kid: id, use: 'passkey', revoked_at: expect.any(String) }]);
    const before = file();
    await json(['keys', 'revoke', id, '--passkey']);
    expect(file()).toEqual(before);
    expect((await holdfast(['keys', 'list'])).stdout).toContain(`${id}  a passkey  revoked at`);
    expect(await json(['keys', 'export'])).toEqual(before);
  });

  it('limits a gateway’s key to what needs no person', async () => {
    const gateway = await json(['keys', 'create']);
    const bundle = await json(['keys', 'create', '--bundle']);
    await json(['keys', 'limit', gateway.kid]);
    expect(await json(['keys', 'list'])).toMatchObject([{ kid: gateway.kid, decides: false }, { kid: bundle.kid }]);
    expect((await holdfast(['keys', 'list'])).stdout).toContain('in force, but decides nothing');
    expect(await holdfast(['keys', 'limit', bundle.kid])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not a gateway's"),
    });
  });

  it('lists who signs receipts of bundles', async () => {
    const { kid, public: raw, created_at } = await json(['keys', 'create', '--bundle']);
    const witness = { kid, public: raw, use: 'witness', created_at };
    writeFileSync(join(home, 'keys', 'trusted.json'), JSON.stringify([witness]));
    expect((await holdfast(['keys', 'list'])).stdout).toContain(`${kid}  a witness of audit bundles  since`);
  });

  it('makes one kind of key at a time', async () => {
    expect(await holdfast(['keys', 'create', '--enroller', '--bundle'])).toMatchObject({ code: 2 });
    expect(await holdfast(['keys', 'create', '--enroller', '--principal', 'ana'])).toMatchObject({ code: 2 });
  });

  it('does the same through the gateway, as an administrator', async () => {
    const root = person('root', 'admin');
    const ana = person('ana', 'approver');
    const key = await json(['keys', 'create', '--enroller']);
    const id = await registered('ana');
    const trustedKeys = join(home, 'keys', 'trusted.json');
    const parts = gatewayParts({ people: [root, ana], store, trustedKeys });
    const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
    const as = ({ token }: { token: string }) => ({
      HOLDFAST_GATEWAY_URL: gateway.url,
      HOLDFAST_TOKEN: token,
      HOLDFAST_STORE: `file:${join(home, 'none')}`,
    });
    try {
      expect(await json(['keys', 'passkeys'], as(root))).toMatchObject([{ id, state: 'waiting' }]);
      await json(['keys', 'enroll', id, '--key', key.private_key, '--role', 'treasurer'], as(root));
      expect(await json(['keys', 'passkeys'], as(root))).toMatchObject([{ id, state: 'enrolled', roles: ['treasurer'] }]);
      expect(await holdfast(['keys', 'passkeys'], as(ana))).toMatchObject({ code: 1, stderr: expect.stringContaining('admin') });
    } finally {
      await gateway.close();
    }
  });
});
