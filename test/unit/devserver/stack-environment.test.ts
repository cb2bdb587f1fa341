import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config';
import { stackEnvironment } from '../../../src/devserver/stack-environment';

const PROFILES = '[profile.default]\naddress = "cloud.example:7233"\napi_key = "key"\n[profile.cloud]\napi_key = "key"\n';

describe('the environment on the embedded stack', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-stack-'));
    for (const folder of ['.config', 'Library/Application Support'].map((name) => join(home, name, 'temporalio'))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'temporal.toml'), PROFILES);
    }
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it.each([
    ['an address', { TEMPORAL_ADDRESS: 'cloud.example:7233', TEMPORAL_NAMESPACE: 'a.b' }],
    ['an API key', { TEMPORAL_API_KEY: 'key' }],
    ['TLS', { TEMPORAL_TLS: 'true', TEMPORAL_TLS_SERVER_NAME: 'x' }],
    ['a profile', { TEMPORAL_PROFILE: 'cloud' }],
    ['headers', { TEMPORAL_GRPC_META_TENANT: 'x' }],
    ['the default profile', {}],
  ])('has nothing of %s', (_what, more) => {
    const user = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), HOLDFAST_HOME: home, ...more };
    const { temporal } = loadConfig(stackEnvironment(user, home, { address: '127.0.0.1:7240', namespace: 'default' }));
    expect(temporal).toEqual({
      address: '127.0.0.1:7240',
      namespace: 'default',
      connectionOptions: { address: '127.0.0.1:7240' },
    });
  });
});
