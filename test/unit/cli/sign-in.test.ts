/** `holdfast sign-in forget`, over the store of a gateway. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config';
import { GatewayWord } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import { personOf } from '../../../src/sign-in/oidc-person';
import { FileStore } from '../../../src/store/files/file-store';
import { environment, run } from '../../support/command-line';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'holdfast-sign-in-cli-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const SETTINGS = {
  HOLDFAST_OIDC_ISSUER: 'https://id.example',
  HOLDFAST_OIDC_CLIENT_ID: 'desk',
  HOLDFAST_OIDC_GROUPS: '{"payments":["approver"]}',
  HOLDFAST_OIDC_TENANT_CLAIM: 'org',
};
const forget = (name: string, settings: NodeJS.ProcessEnv = SETTINGS) =>
  run(
    ['sign-in', 'forget', name],
    environment({ HOLDFAST_HOME: home, HOLDFAST_STORE: `file:${join(home, 'store')}`, ...settings }),
  );
const word = new GatewayWord(SigningKey.generate(), 'store', async () => []);
const come = async (org: string) => {
  const store = await FileStore.open(join(home, 'store'));
  const claims = { sub: 'ana', groups: ['payments'], org };
  return personOf(claims, loadConfig(SETTINGS).http.signIn.oidc!, { registers: store.registers, word }).finally(() =>
    store.close(),
  );
};

it('lets a person come with another tenant, and says what stays with the old name', async () => {
  expect(await come('acme')).toMatchObject({ principal: 'acme/ana' });
  expect(await come('globex')).toBe('other_tenant');
  const { code, stdout } = await forget('acme/ana');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Forgotten: acme\/ana\. .*two people\./s) });
  expect(await come('globex')).toMatchObject({ principal: 'globex/ana' });
});

it('refuses a name that no account has, and settings without a provider', async () => {
  await come('acme');
  expect(await forget('ana')).toMatchObject({ code: 2, stderr: expect.stringContaining('No account of https://id.example') });
  expect(await forget('acme/ana', {})).toMatchObject({ code: 2, stderr: expect.stringContaining('HOLDFAST_OIDC_ISSUER') });
  expect(await come('acme')).toMatchObject({ principal: 'acme/ana' });
});
