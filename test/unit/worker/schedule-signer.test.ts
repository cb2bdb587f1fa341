/** A gateway that starts beside its worker may make their key after the worker has read its settings. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayKey } from '../../../src/attestation/gateway-key';
import { readToken } from '../../../src/attestation/claims';
import { defaultSigningKey, loadConfig, signingKeyOf } from '../../../src/config';
import { scheduleSigner } from '../../../src/worker/schedule-signer';

const START = { workflow_id: 'turn-nightly', agent: 'payables', requester: 'schedule/nightly', message_hash: 'a'.repeat(64) };

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'holdfast-signer-'))));
afterEach(() => rmSync(home, { recursive: true }));

describe('starts of schedules', () => {
  it('are signed with the key that a gateway has made since the worker began', async () => {
    const config = loadConfig({ HOLDFAST_HOME: home });
    const sign = scheduleSigner(() => signingKeyOf(config), 'default')!;
    expect(await sign(START)).toBeUndefined();
    const made = defaultSigningKey(home);
    const { kid } = await gatewayKey({ signingKey: null, made, trustedKeys: null });
    const claims = { kid, aud: { namespace: 'default', workflow_id: START.workflow_id } };
    expect(readToken((await sign(START))!)).toMatchObject({ claims });
  });

  it('fail if the settings name a key that is missing', async () => {
    const config = loadConfig({ HOLDFAST_HOME: home, HOLDFAST_SIGNING_KEY: join(home, 'mine.pem') });
    await expect(scheduleSigner(() => signingKeyOf(config), 'default')!(START)).rejects.toThrow('there is no such file');
    expect(scheduleSigner(null, 'default')).toBeNull();
  });
});
