import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '../../src/config';
import { writeDevState } from '../../src/devserver/state-file';

const WEBHOOK_SECRET = `whsec_${'A'.repeat(44)}`;
const ROUTER = `0x${'0b'.repeat(20)}`;
const EVM = { HOLDFAST_EVM_URL: 'http://node/', HOLDFAST_EVM_CHAIN_ID: '1', HOLDFAST_EVM_ROUTER: ROUTER };

describe('settings', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'holdfast-config-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** Nothing of this machine: neither its environment nor its Temporal profile. */
  const load = (env: NodeJS.ProcessEnv = {}) =>
    loadConfig({ HOLDFAST_HOME: home, TEMPORAL_CONFIG_FILE: join(home, 'none.toml'), ...env });
  const stack = {
    pid: process.pid,
    address: '127.0.0.1:4711',
    namespace: 'mine',
    ui_url: 'http://127.0.0.1:4712',
    started_at: '2026-01-01T00:00:00Z',
  };

  it('are all optional: a local server, a store of files, the rehearsal model', () => {
    expect(load()).toMatchObject({
      temporal: { address: '127.0.0.1:7233', namespace: 'default' },
      model: 'rehearsal',
      taskQueue: 'holdfast',
      store: `file:${join(home, 'store')}`,
      httpPort: 8480,
      publicUrl: 'http://localhost:8480',
      debugInfo: false,
      home,
      childrenMayReadSecrets: false,
      trustedKeys: join(home, 'keys', 'trusted.json'),
      signingKey: null,
      tokens: null,
      gateway: null,
      logLevel: 'info',
      health: null,
      metrics: null,
      drainMs: 20_000,
      smtp: null,
      notify: { webhook: null, slack: null, teams: null, mail: [] },
      data: 'snapshot',
      edgar: null,
      rehearsedDespite: null,
      toolCalls: 'native',
      reference: { weather: 'sample' },
      evm: null,
    });
    expect(loadConfig({ TEMPORAL_CONFIG_FILE: join(home, 'none.toml') }).home).toBe('.holdfast');
  });

  it.each([
    [{ ANTHROPIC_API_KEY: 'k' }, { model: 'anthropic', anthropic: { apiKey: 'k' } }],
    [{ ANTHROPIC_API_KEY: 'k', HOLDFAST_MODEL: 'rehearsal' }, { model: 'rehearsal' }],
    [{ ANTHROPIC_API_KEY: '' }, { model: 'rehearsal', rehearsedDespite: null }],
    [{ ANTHROPIC_AUTH_TOKEN: 't' }, { model: 'anthropic', anthropic: { authToken: 't' } }],
    [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, { model: 'anthropic', anthropic: { baseUrl: 'http://127.0.0.1:1' } }],
    [
      { ANTHROPIC_API_KEY: 'k', ANTHROPIC_AUTH_TOKEN: 't' },
      { model: 'anthropic', anthropic: { apiKey: 'k' } },
    ],
    [
      { ANTHROPIC_MODEL: 'm' },
      { model: 'rehearsal', rehearsedDespite: expect.stringMatching(/^ANTHROPIC_MODEL is set, but none/) },
    ],
    [
      { HOLDFAST_TOOL_CALLS: 'prompted' },
      { model: 'rehearsal', rehearsedDespite: expect.stringMatching(/^HOLDFAST_TOOL_CALLS is set, but none/) },
    ],
    [
      { ANTHROPIC_AUTH_TOKEN: 't', HOLDFAST_MODEL: 'rehearsal' },
      { rehearsedDespite: expect.stringMatching(/^HOLDFAST_MODEL is "rehearsal"/) },
    ],
    [
      { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'gpt-5.2', HOLDFAST_MODEL: 'openai' },
      { model: 'openai', openai: { apiKey: 'k', model: 'gpt-5.2' }, rehearsesAll: false },
    ],
    [{ OPENAI_API_KEY: 'k' }, { model: 'rehearsal', rehearsedDespite: expect.stringMatching(/^settings of OpenAI count with/) }],
    [{ HOLDFAST_MODEL: 'rehearsal' }, { model: 'rehearsal', rehearsesAll: true }],
    [{ HOLDFAST_HTTP_PORT: '9000' }, { httpPort: 9000, publicUrl: 'http://localhost:9000' }],
    [
      { HOLDFAST_PUBLIC_URL: 'https://agents.bank.example/hf/' },
      { publicUrl: 'https://agents.bank.example/hf', pageUrl: 'https://agents.bank.example/hf', httpPort: 8480 },
    ],
    [{ HOLDFAST_PUBLIC_URL: 'http://localhost:9001' }, { publicUrl: 'http://localhost:9001', pageUrl: 'http://localhost:9001' }],
    [{}, { publicUrl: 'http://localhost:8480', pageUrl: null }],
    [{ HOLDFAST_DEBUG_INFO: 'on' }, { debugInfo: true }],
    [{ HOLDFAST_DEBUG_INFO: 'off' }, { debugInfo: false }],
    [{ HOLDFAST_HEALTH_PORT: '8481' }, { health: { host: '127.0.0.1', port: 8481 } }],
    [{ HOLDFAST_HEALTH_PORT: '0.0.0.0:8481' }, { health: { host: '0.0.0.0', port: 8481 } }],
    [{ HOLDFAST_METRICS_PORT: 'localhost:9464' }, { metrics: { host: '127.0.0.1', port: 9464 } }],
    [{ HOLDFAST_METRICS_PORT: '[::]:9464' }, { metrics: { host: '::', port: 9464 } }],
    [{ HOLDFAST_HTTP_HOST: '0.0.0.0' }, { httpHost: '0.0.0.0' }],
    [{ HOLDFAST_HTTP_HOST: '::' }, { httpHost: '::' }],
    [{ HOLDFAST_MAX_CACHED_WORKFLOWS: '500' }, { maxCachedWorkflows: 500 }],
    [{ HOLDFAST_DRAIN_SECONDS: '0' }, { drainMs: 0 }],
    [{ HOLDFAST_TOOL_CALLS: 'prompted' }, { toolCalls: 'prompted' }],
    [{ HOLDFAST_WEATHER: 'open-meteo', HOLDFAST_DOCUMENTS: 'd' }, { reference: { weather: 'open-meteo', documents: 'd' } }],
    [{ LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ LOG_LEVEL: 'debug', HOLDFAST_LOG_LEVEL: 'error' }, { logLevel: 'error' }],
    [{ HOLDFAST_UI_URL: 'https://ui.example/' }, { uiUrl: 'https://ui.example' }],
    [{ HOLDFAST_DEPLOYMENT: 'd', HOLDFAST_BUILD_ID: '1.7+a' }, { deployment: { name: 'd', buildId: '1.7+a' } }],
    [{ HOLDFAST_ENVIRONMENT: 'staging-2' }, { environment: 'staging-2' }],
    [{ HOLDFAST_SMTP_HOST: 'mx', HOLDFAST_SMTP_FROM: 'a@b' }, { smtp: { host: 'mx', port: 587, secure: false, from: 'a@b' } }],
    [
      { HOLDFAST_SMTP_HOST: 'mx', HOLDFAST_SMTP_FROM: 'a@b', HOLDFAST_SMTP_ALLOW_PLAIN: 'true' },
      { smtp: { secure: false, allowPlain: true } },
    ],
    [{ HOLDFAST_SMTP_HOST: 'mx', HOLDFAST_SMTP_FROM: 'a@b', HOLDFAST_SMTP_SECURE: '1' }, { smtp: { port: 465, secure: true } }],
    [
      { HOLDFAST_NOTIFY_WEBHOOK: 'https://hooks.example/k', HOLDFAST_NOTIFY_SECRET: WEBHOOK_SECRET },
      { notify: { webhook: { url: 'https://hooks.example/k', secret: WEBHOOK_SECRET }, mail: [] } },
    ],
    [{ HOLDFAST_NOTIFY_MAIL: 'ana@b.example, bob@b.example' }, { notify: { mail: ['ana@b.example', 'bob@b.example'] } }],
    [
      { HOLDFAST_DATA: 'edgar', HOLDFAST_EDGAR_USER_AGENT: 'Ana Bank a@b.example', HOLDFAST_EDGAR_URL: 'http://mirror/' },
      { data: 'edgar', edgar: { userAgent: 'Ana Bank a@b.example', url: 'http://mirror/' } },
    ],
    [
      { ...EVM, HOLDFAST_HOME: '/h' },
      {
        evm: {
          ...{ url: 'http://node/', chainId: 1, router: ROUTER, sessionKeys: {}, tokens: [] },
          ...{ journal: join('/h', 'evm'), confirmations: 1 },
        },
      },
    ],
    [
      {
        ...EVM,
        HOLDFAST_EVM_TOKENS: ` AAA=0x${'aB'.repeat(20)} , USDC.e=0x${'12'.repeat(20)}`,
      },
      {
        evm: {
          tokens: [
            { symbol: 'AAA', address: `0x${'aB'.repeat(20)}` },
            { symbol: 'USDC.e', address: `0x${'12'.repeat(20)}` },
          ],
        },
      },
    ],
    [{}, { workspace: null }],
    [{ HOLDFAST_WORKSPACE: '/w' }, { workspace: '/w' }],
    [
      {
        ...{ ...EVM, HOLDFAST_EVM_JOURNAL: '/j' },
        ...{ HOLDFAST_EVM_SESSION_KEYS: `{"demo":"0x${'a1'.repeat(32)}"}`, HOLDFAST_EVM_CONFIRMATIONS: '12' },
      },
      { evm: { sessionKeys: { demo: `0x${'a1'.repeat(32)}` }, journal: '/j', confirmations: 12 } },
    ],
    [{ ...EVM, HOLDFAST_EVM_MAX_GAS_COST: '20000000000000000' }, { evm: { maxGasCost: '20000000000000000' } }],
    [{ HOLDFAST_APPROVALS: 'attested' }, { approvals: 'attested' }],
    [
      { HOLDFAST_TRUSTED_KEYS: '/k/trusted.json', HOLDFAST_SIGNING_KEY: '/k/a.pem' },
      { trustedKeys: '/k/trusted.json', signingKey: '/k/a.pem' },
    ],
    [
      { HOLDFAST_TOKENS: `[{"principal":"ana","roles":["approver"],"token_sha256":"${'a1'.repeat(32)}"}]` },
      { tokens: [{ principal: 'ana', roles: ['approver'], token_sha256: 'a1'.repeat(32) }] },
    ],
    [
      { HOLDFAST_GATEWAY_URL: 'https://gw.bank.example/', HOLDFAST_TOKEN: 'hft_0123456789abcdef' },
      { gateway: { url: 'https://gw.bank.example', token: 'hft_0123456789abcdef' } },
    ],
    [
      { HOLDFAST_REHEARSAL_FAULTS: '429:retry-after=1, 529*3 ,cut,stream-error:type=api_error*all' },
      { rehearsalFaults: '429:retry-after=1, 529*3 ,cut,stream-error:type=api_error*all' },
    ],
    [{ XDG_CACHE_HOME: '/c' }, { cache: join('/c', 'holdfast') }],
    [{ HOLDFAST_CACHE: '/mine' }, { cache: '/mine' }],
    [{ TEMPORAL_ADDRESS: 'far:1', TEMPORAL_NAMESPACE: 'prod' }, { temporal: { address: 'far:1', namespace: 'prod' } }],
    [
      { TEMPORAL_ADDRESS: 'far:1', TEMPORAL_API_KEY: 'k' },
      { temporal: { connectionOptions: { address: 'far:1', apiKey: 'k', tls: true } } },
    ],
  ])('%j gives %j', (env, expected) => {
    expect(load(env)).toMatchObject(expected);
  });

  it.each([
    [{ HOLDFAST_HTTP_PORT: '70000' }, 'HOLDFAST_HTTP_PORT is "70000"; it must be a port from 1 to 65535.'],
    [{ HOLDFAST_HTTP_PORT: '0x10' }, 'HOLDFAST_HTTP_PORT is "0x10"; it must be a port from 1 to 65535.'],
    [
      { HOLDFAST_PUBLIC_URL: 'agents.bank.example' },
      'HOLDFAST_PUBLIC_URL is "agents.bank.example"; it must be an https URL (or http on localhost) without a password, ? and #.',
    ],
    [{ HOLDFAST_PUBLIC_URL: 'http://agents.bank.example' }, /^HOLDFAST_PUBLIC_URL is ".*"; it must be an https URL/],
    [{ HOLDFAST_PUBLIC_URL: 'https://bank.example/?tenant=1' }, /^HOLDFAST_PUBLIC_URL is ".*"; it must be an https URL/],
    [{ HOLDFAST_PUBLIC_URL: 'https://bank.example/#' }, /^HOLDFAST_PUBLIC_URL is ".*"; it must be an https URL/],
    [{ HOLDFAST_PUBLIC_URL: 'https://bank.example?' }, /^HOLDFAST_PUBLIC_URL is ".*"; it must be an https URL/],
    [{ HOLDFAST_PUBLIC_URL: 'https://u:secret@bank.example' }, /^HOLDFAST_PUBLIC_URL is .*; it must be an https URL/],
    [{ HOLDFAST_DEBUG_INFO: 'yes' }, 'HOLDFAST_DEBUG_INFO is "yes"; it must be on or off.'],
    [{ HOLDFAST_HEALTH_PORT: '0.0.0.0' }, /HOLDFAST_HEALTH_PORT is "0.0.0.0"; it must be a port \(on loopback\) or HOST:PORT/],
    [{ HOLDFAST_METRICS_PORT: '0.0.0.0:70000' }, /HOLDFAST_METRICS_PORT is "0.0.0.0:70000"; it must be a port/],
    [{ HOLDFAST_METRICS_PORT: '::1:9464' }, /HOLDFAST_METRICS_PORT is "::1:9464"; it must be a port/],
    [
      { HOLDFAST_HTTP_HOST: '0.0.0.0:8480' },
      /HOLDFAST_HTTP_HOST is "0.0.0.0:8480"; it must be an address of this machine without a port/,
    ],
    [{ HOLDFAST_MAX_CACHED_WORKFLOWS: '1' }, /it must be a number of workflows from 2 to 1000000, or 0 for none/],
    [{ HOLDFAST_DRAIN_SECONDS: '-1' }, 'HOLDFAST_DRAIN_SECONDS is "-1"; it must be a number of seconds from 0 to 3600.'],
    [{ HOLDFAST_DRAIN_SECONDS: '3601' }, /HOLDFAST_DRAIN_SECONDS is "3601"/],
    [{ HOLDFAST_MODEL: 'gpt' }, 'HOLDFAST_MODEL is "gpt"; it must be anthropic, openai or rehearsal.'],
    [{ HOLDFAST_MODEL: 'anthropic' }, /HOLDFAST_MODEL is "anthropic" but none of ANTHROPIC_API_KEY, .* is set/],
    [
      { HOLDFAST_REHEARSAL_FAULTS: '429;cut' },
      'HOLDFAST_REHEARSAL_FAULTS is "429;cut"; it must be faults with commas between them, such as 429:retry-after=1,529*3,cut,slow:ms=50*all.',
    ],
    [{ HOLDFAST_APPROVALS: 'none' }, 'HOLDFAST_APPROVALS is "none"; it must be any or attested.'],
    [{ HOLDFAST_TOKENS: '[{"principal":"ana","token":"hft_secret"}]' }, /HOLDFAST_TOKENS is not usable; .*holdfast keys token/],
    ...['schedule/a', 'trigger/a'].map((principal): [Record<string, string>, RegExp] => [
      { HOLDFAST_TOKENS: `[{"principal":"${principal}","roles":["approver"],"token_sha256":"${'a1'.repeat(32)}"}]` },
      /HOLDFAST_TOKENS is not usable/,
    ]),
    [{ HOLDFAST_TOKEN: 'short', HOLDFAST_GATEWAY_URL: 'http://g' }, /HOLDFAST_TOKEN is not usable/],
    [{ HOLDFAST_TOKEN: 'hft_0123456789abcdef' }, 'HOLDFAST_GATEWAY_URL is not set but HOLDFAST_TOKEN is; set both, or neither.'],
    [{ HOLDFAST_GATEWAY_URL: 'http://g' }, 'HOLDFAST_TOKEN is not set but HOLDFAST_GATEWAY_URL is; set both, or neither.'],
    [{ HOLDFAST_LOG_LEVEL: 'loud' }, /HOLDFAST_LOG_LEVEL is "loud"; it must be trace, debug/],
    [{ HOLDFAST_UI_URL: 'ftp://x' }, 'HOLDFAST_UI_URL is "ftp://x"; it must be an http or https URL.'],
    [{ HOLDFAST_ENVIRONMENT: 'a b' }, /HOLDFAST_ENVIRONMENT is "a b"; it must be a name of at most 64 letters/],
    [{ HOLDFAST_DEPLOYMENT: 'd' }, /HOLDFAST_BUILD_ID is not set but HOLDFAST_DEPLOYMENT is/],
    [{ HOLDFAST_BUILD_ID: '7' }, /HOLDFAST_DEPLOYMENT is not set but HOLDFAST_BUILD_ID is/],
    [{ HOLDFAST_DEPLOYMENT: 'a.b', HOLDFAST_BUILD_ID: '7' }, /HOLDFAST_DEPLOYMENT is "a.b"; it must be at most 100 letters/],
    [{ HOLDFAST_DEPLOYMENT: '__a', HOLDFAST_BUILD_ID: '7' }, /HOLDFAST_DEPLOYMENT is "__a".*not beginning with __/],
    [{ HOLDFAST_DEPLOYMENT: 'a', HOLDFAST_BUILD_ID: '7:8' }, /HOLDFAST_BUILD_ID is "7:8"; it must be at most 100 letters/],
    [{ HOLDFAST_SMTP_HOST: 'mx' }, /HOLDFAST_SMTP_FROM is not set/],
    [{ HOLDFAST_NOTIFY_WEBHOOK: 'https://h.example/' }, /HOLDFAST_NOTIFY_SECRET is not set but .* This makes one: node -p /],
    [{ HOLDFAST_NOTIFY_SECRET: WEBHOOK_SECRET }, /HOLDFAST_NOTIFY_WEBHOOK is not set but HOLDFAST_NOTIFY_SECRET is/],
    [
      { HOLDFAST_NOTIFY_MAIL: 'ana' },
      'HOLDFAST_NOTIFY_MAIL is "ana"; it must be at most 20 e-mail addresses with commas between them.',
    ],
    [{ HOLDFAST_NOTIFY_MAIL: 'a@b.example, c@d.example\r\nBcc: e@f.example' }, /HOLDFAST_NOTIFY_MAIL is/],
    [{ HOLDFAST_DATA: 'bloomberg' }, 'HOLDFAST_DATA is "bloomberg"; it must be snapshot or edgar.'],
    [{ HOLDFAST_DATA: 'edgar' }, /HOLDFAST_EDGAR_USER_AGENT is not set.*the SEC demands a name and an e-mail address/],
    [
      { HOLDFAST_EDGAR_USER_AGENT: 'curl/8', HOLDFAST_DATA: 'edgar' },
      /HOLDFAST_EDGAR_USER_AGENT is "curl\/8"; it must be a name/,
    ],
    [{ HOLDFAST_EDGAR_USER_AGENT: 'Ana\nX: a@b.example', HOLDFAST_DATA: 'edgar' }, /it must be a name and an e-mail/],
    [{ HOLDFAST_EVM_ROUTER: ROUTER }, /HOLDFAST_EVM_URL is not set but HOLDFAST_EVM_ROUTER is/],
    [{ ...EVM, HOLDFAST_EVM_ROUTER: undefined }, /HOLDFAST_EVM_ROUTER is not set but HOLDFAST_EVM_URL is/],
    [
      { ...EVM, HOLDFAST_EVM_CHAIN_ID: undefined },
      /HOLDFAST_EVM_CHAIN_ID is not set but HOLDFAST_EVM_URL is; set URL, CHAIN_ID and/,
    ],
    [{ ...EVM, HOLDFAST_EVM_CHAIN_ID: '0x1' }, /HOLDFAST_EVM_CHAIN_ID is "0x1"; it must be the id of a chain, a whole number/],
    [{ ...EVM, HOLDFAST_EVM_MAX_GAS_COST: '0.1' }, /HOLDFAST_EVM_MAX_GAS_COST is "0.1"; it must be a whole number of wei/],
    [{ ...EVM, HOLDFAST_EVM_ROUTER: '0x12' }, /HOLDFAST_EVM_ROUTER is "0x12"; it must be an address/],
    [
      { ...EVM, HOLDFAST_EVM_TOKENS: 'AAA:0x12' },
      /HOLDFAST_EVM_TOKENS is "AAA:0x12"; it must be symbols with their addresses: AAA=0x…,BBB=0x…/,
    ],
    [{ TEMPORAL_ADDRESS: 'nowhere' }, /"nowhere"; it must be HOST:PORT/],
  ])('%j stops with one line that says what is allowed', (env, message) => {
    expect(() => load(env)).toThrow(ConfigError);
    expect(() => load(env)).toThrow(message);
    expect(() => load(env)).not.toThrow(/\n/);
  });

  it('never repeat a secret in an error', () => {
    expect(() => load({ HOLDFAST_STORE: 'mysql://ana:hunter2@db/x' })).toThrow(
      /^HOLDFAST_STORE is "mysql:\/\/ana:…@db\/x"; it must be file:PATH or postgres:/,
    );
    expect(() => load({ HOLDFAST_STORE: 'mysql://ana:hunter2@db/x' })).not.toThrow(/hunter2/);
    for (const secret of ['hunter2', 'whsec_hunter2', `whsec_${'A'.repeat(31)}`, `whsec_${'A'.repeat(90)}`])
      expect(() => load({ HOLDFAST_NOTIFY_SECRET: secret })).toThrow(
        /^HOLDFAST_NOTIFY_SECRET is not usable; it must be whsec_ and the base64 of 24 to 64 random bytes\.$/,
      );
    for (const url of ['ftp://h/hunter2', 'https://ana:hunter2@h.example/'])
      expect(() => load({ HOLDFAST_NOTIFY_WEBHOOK: url })).toThrow(/^HOLDFAST_NOTIFY_WEBHOOK is not usable; it must be an http/);
    for (const keys of ['hunter2', '["hunter2"]', '{"demo":"hunter2"}', '{"Demo!":"hunter2"}', '"hunter2"']) {
      expect(() => load({ ...EVM, HOLDFAST_EVM_SESSION_KEYS: keys })).toThrow(
        /^HOLDFAST_EVM_SESSION_KEYS is not usable; it must be JSON, id to private key/,
      );
    }
    expect(() => load({ ...EVM, HOLDFAST_EVM_URL: 'ftp://node/hunter2' })).toThrow(/^HOLDFAST_EVM_URL is not usable; it must be/);
  });

  describe('from files (NAME_FILE)', () => {
    const file = (content: string) => {
      const path = join(home, 'secret');
      writeFileSync(path, content);
      return path;
    };

    it('are the trimmed content of the file', () => {
      const path = file('  k-1\r\n');
      expect(load({ ANTHROPIC_API_KEY_FILE: path })).toMatchObject({ model: 'anthropic', anthropic: { apiKey: 'k-1' } });
      const smtp = { HOLDFAST_SMTP_HOST: 'mx', HOLDFAST_SMTP_FROM: 'a@b', HOLDFAST_SMTP_USER: 'u' };
      expect(load({ ...smtp, HOLDFAST_SMTP_PASS_FILE: path }).smtp).toMatchObject({ user: 'u', pass: 'k-1' });
      const { connectionOptions } = load({ TEMPORAL_ADDRESS: 'far:1', TEMPORAL_API_KEY_FILE: path }).temporal;
      expect(connectionOptions).toMatchObject({ apiKey: 'k-1', tls: true });
      expect(load({ HOLDFAST_STORE_FILE: file('postgres://ana:hunter2@db/x\n') }).store).toBe('postgres://ana:hunter2@db/x');
    });

    it('count as not set if NAME_FILE is empty, or NAME beside it', () => {
      expect(load({ ANTHROPIC_API_KEY_FILE: '' }).model).toBe('rehearsal');
      expect(load({ ANTHROPIC_API_KEY: '', ANTHROPIC_API_KEY_FILE: file('k') }).anthropic).toMatchObject({ apiKey: 'k' });
    });

    it('stop the program if NAME is set too', () => {
      const env = { ANTHROPIC_API_KEY: 'k-1', ANTHROPIC_API_KEY_FILE: file('k-2') };
      expect(() => load(env)).toThrow(
        new ConfigError('ANTHROPIC_API_KEY and ANTHROPIC_API_KEY_FILE are both set; set one of them.'),
      );
    });

    it('stop the program if the file is missing, is not a file, is empty or far too long, and name it', () => {
      const stops = (path: string) => expect(() => load({ HOLDFAST_SMTP_PASS_FILE: path }));
      const missing = join(home, 'missing');
      stops(missing).toThrow(
        `HOLDFAST_SMTP_PASS_FILE is ${JSON.stringify(missing)}, which cannot be read (ENOENT); it must be a file that this process may read.`,
      );
      stops(home).toThrow(/cannot be read \(EISDIR\)/);
      stops(file(' \n')).toThrow(/which is empty; it must hold the value\.$/);
      stops(file('x'.repeat(65_537))).toThrow(/cannot be read \(more than 65536 bytes\)/);
    });

    it('are never repeated in an error, for any variable', () => {
      const path = file('hunter2\nhunter3');
      for (const name of ['HOLDFAST_STORE', 'HOLDFAST_HTTP_PORT', 'HOLDFAST_UI_URL', 'HOLDFAST_MODEL']) {
        const stops = () => load({ [`${name}_FILE`]: path });
        expect(stops).toThrow(new RegExp(`^${name}_FILE holds what is not usable; it must be [^\\n]+$`));
        expect(stops).not.toThrow(/hunter/);
      }
    });
  });

  it('find the stack that runs here', async () => {
    await writeDevState(home, stack);
    expect(load()).toMatchObject({ temporal: { address: '127.0.0.1:4711', namespace: 'mine' }, uiUrl: 'http://127.0.0.1:4712' });
  });

  it('prefer an address that is named to the stack that runs here', async () => {
    await writeDevState(home, stack);
    expect(load({ TEMPORAL_ADDRESS: 'far:1' })).toMatchObject({ temporal: { address: 'far:1' }, uiUrl: null });
  });

  it('prefer a profile to the stack that runs here', async () => {
    await writeDevState(home, stack);
    const profiles = join(home, 'temporal.toml');
    writeFileSync(profiles, '[profile.default]\naddress = "profile:1"\nnamespace = "p"\n');
    expect(load({ TEMPORAL_CONFIG_FILE: profiles }).temporal).toMatchObject({ address: 'profile:1', namespace: 'p' });
  });

  it('ignore a stack whose process is gone', async () => {
    await writeDevState(home, { ...stack, pid: 2 ** 22 + 1 });
    expect(load().temporal.address).toBe('127.0.0.1:7233');
  });
});
