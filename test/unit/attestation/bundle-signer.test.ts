import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verify } from 'node:crypto';
import { bundleSigner, attestDecision } from '../../../src/attestation/bundle-signer';
import { FileTrust } from '../../../src/attestation/file-trust';
import { publicKey } from '../../../src/attestation/public-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import { readTrustedKeys } from '../../../src/attestation/trusted-keys';
import { bundleKeyPlaces, loadConfig } from '../../../src/config';

const bytes = Buffer.from('what is signed');

describe('the signer of bundles', () => {
  let home: string;
  let key: SigningKey;
  let file: string;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-bundle-key-'));
    key = SigningKey.generate();
    file = join(home, 'own.pem');
    await key.save(file);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const signer = (env: NodeJS.ProcessEnv) => bundleSigner(bundleKeyPlaces(loadConfig({ HOLDFAST_HOME: home, ...env })));
  const command = (script: string, raw = key.public) => {
    const path = join(home, 'sign.mjs');
    writeFileSync(path, script);
    return signer({ HOLDFAST_BUNDLE_SIGNER: `"${process.execPath}" "${path}"`, HOLDFAST_BUNDLE_SIGNER_PUBLIC: raw });
  };
  const signing = () => `
    import { sign } from 'node:crypto';
    import { readFileSync } from 'node:fs';
    const bytes = readFileSync(0);
    console.log(sign(null, bytes, readFileSync(${JSON.stringify(file)})).toString('base64url'));
  `;

  it.each([
    ['a file', () => signer({ HOLDFAST_BUNDLE_KEY: file })],
    ['the environment', () => signer({ HOLDFAST_BUNDLE_KEY_PEM: readFileSync(file, 'utf8') })],
    ['a command, which is given the bytes', () => command(signing())],
  ])('is a key from %s', async (_where, make) => {
    const made = await make();
    expect(made.kid).toBe(key.kid);
    expect(verify(null, bytes, publicKey(key.public), await made.sign(bytes))).toBe(true);
  });

  it('is a key of our own if no signer is set: made once, and trusted for bundles only', async () => {
    const made = await signer({});
    expect((await signer({})).kid).toBe(made.kid);
    const path = join(home, 'keys', 'trusted.json');
    expect(await readTrustedKeys(path)).toMatchObject([{ kid: made.kid, use: 'bundle' }]);

    const trust = new FileTrust({ path, namespace: 'default', log: { error: () => undefined } });
    const own = await SigningKey.read(join(home, 'keys', 'bundle.pem'));
    const aud = { namespace: 'default', workflow_id: 'turn/x', first_execution_run_id: 'r' };
    const claims = { aud, digest: 'f'.repeat(64), decision: 'approve' as const, principal: 'ana', roles: [], head: null };
    const said = { attestation: attestDecision(own, claims, null), turn: aud, digest: claims.digest, decision: 'approve' };
    expect(await trust.check(said as never, [])).toEqual({
      ok: false,
      reason: expect.stringContaining('may sign bundles only'),
    });
  });

  it('is refused if it does not sign with its key, and the error names the setting', async () => {
    const other = SigningKey.generate();
    await expect((await command(signing(), other.public)).sign(bytes)).rejects.toThrow('not a signature made with the key');
    await expect((await command('console.log("hello")')).sign(bytes)).rejects.toThrow('printed no signature');
    await expect((await command('process.exit(3)')).sign(bytes)).rejects.toThrow('ended with code 3');
    await expect(command(signing(), 'A'.repeat(42) + 'B')).rejects.toThrow('32 bytes in base64url');
    await expect(signer({ HOLDFAST_BUNDLE_KEY_PEM: 'nonsense' })).rejects.toThrow('HOLDFAST_BUNDLE_KEY_PEM cannot be used');
    expect(() => loadConfig({ HOLDFAST_BUNDLE_KEY: file, HOLDFAST_BUNDLE_KEY_PEM: 'x' })).toThrow('one key signs bundles');
    expect(() => loadConfig({ HOLDFAST_BUNDLE_SIGNER: 'x' })).toThrow('go together');
  });

  it('is refused if its command prints more than a signature, or is killed', async () => {
    const printing = (text: string) => command(`process.stdout.write(${text})`);
    const none = 'it printed no signature: 64 bytes in base64url, 86 characters';
    for (const text of ['"A".repeat(87)', '"." + "A".repeat(86)', '"A".repeat(86) + "."', '"A".repeat(200000)'])
      await expect((await printing(text)).sign(bytes)).rejects.toThrow(none);
    await expect(
      (await signer({ HOLDFAST_BUNDLE_SIGNER: 'kill -TERM $$', HOLDFAST_BUNDLE_SIGNER_PUBLIC: key.public })).sign(bytes),
    ).rejects.toThrow('The signer of bundles (HOLDFAST_BUNDLE_SIGNER) failed: it was ended by SIGTERM; it has 60 s.');
  });
});
