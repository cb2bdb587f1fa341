/** The settings and their sources, and the page that is made of the same table. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainSettings, configurationPage } from '../../../src/config/explain';
import { isSetting, unknownSettings } from '../../../src/config/files';
import { VARIABLES } from '../../../src/config/variables';

const ROOT = join(__dirname, '../../..');
let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-explain-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const explained = (env: NodeJS.ProcessEnv, name: string) =>
  explainSettings({ HOLDFAST_HOME: folder, ...env }).find((setting) => setting.name === name);

it('names the value and where it comes from', () => {
  expect(explained({ HOLDFAST_TASK_QUEUE: 'q' }, 'HOLDFAST_TASK_QUEUE')).toEqual({
    group: 'Workers',
    name: 'HOLDFAST_TASK_QUEUE',
    value: 'q',
    source: 'environment',
  });
  expect(explained({}, 'HOLDFAST_TASK_QUEUE')).toMatchObject({ value: 'holdfast', source: 'default' });
  expect(explained({}, 'HOLDFAST_MODEL')).toMatchObject({ value: null, unset: expect.stringMatching(/^anthropic with a key/) });
});

it('never shows a secret, the content of a file, or a password in an address', () => {
  const file = join(folder, 'secret');
  writeFileSync(file, 'very-secret');
  const env = {
    HOLDFAST_HOME: folder,
    HOLDFAST_SMTP_PASS_FILE: file,
    TEMPORAL_API_KEY_FILE: file,
    HOLDFAST_ENVIRONMENT_FILE: file,
    HOLDFAST_STORE: 'postgres://user:very-secret@host/db',
    ...Object.fromEntries(
      Object.entries(VARIABLES)
        .filter(([name, setting]) => 'secret' in setting && name !== 'HOLDFAST_SMTP_PASS')
        .map(([name]) => [name, 'very-secret']),
    ),
  };
  const all = explainSettings(env);
  expect(JSON.stringify(all)).not.toContain('very-secret');
  expect(all.find(({ name }) => name === 'HOLDFAST_SMTP_PASS')).toMatchObject({ source: 'file', file, secret: true });
  expect(all.find(({ name }) => name === 'TEMPORAL_API_KEY')).toMatchObject({ source: 'file', file, secret: true });
  expect(all.find(({ name }) => name === 'ANTHROPIC_API_KEY')).toMatchObject({
    value: null,
    source: 'environment',
    secret: true,
  });
  expect(all.find(({ name }) => name === 'HOLDFAST_STORE')?.value).toBe('postgres://user:…@host/db');
});

it('shows Temporal’s settings from a profile, and the stack that runs here', () => {
  const profile = join(folder, 'temporal.toml');
  writeFileSync(profile, '[profile.default]\naddress = "far:7233"\nnamespace = "prod"\n');
  expect(explained({ TEMPORAL_CONFIG_FILE: profile }, 'TEMPORAL_ADDRESS')).toMatchObject({
    value: 'far:7233',
    source: 'profile',
  });
  const over = { TEMPORAL_CONFIG_FILE: profile, TEMPORAL_ADDRESS: 'near:7233' };
  expect(explained(over, 'TEMPORAL_ADDRESS')).toMatchObject({ value: 'near:7233', source: 'environment' });
  expect(explained(over, 'TEMPORAL_NAMESPACE')).toMatchObject({ value: 'prod', source: 'profile' });
});

it('finds variables that nothing reads, and the setting that each may mean', () => {
  const env = { HOLDFAST_STROE: 'x', HOLDFAST_ELSE: '1', HOLDFAST_STORE: 'file:x', HOLDFAST_TOKEN_FILE: 'y', PATH: '/bin' };
  expect(unknownSettings(env)).toEqual([
    { name: 'HOLDFAST_STROE', meant: 'HOLDFAST_STORE' },
    { name: 'HOLDFAST_ELSE', meant: null },
  ]);
});

it('shows the variables of Temporal’s own reader, and hides keys, certificates and headers', () => {
  const shown = {
    TEMPORAL_PROFILE: 'default',
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com',
    TEMPORAL_TLS_CLIENT_KEY_PATH: __filename,
  };
  const hidden = { TEMPORAL_TLS_CLIENT_KEY_DATA: 'very-secret', TEMPORAL_GRPC_META_AUTHORIZATION: 'very-secret' };
  const profile = join(folder, 'profiles.toml');
  writeFileSync(profile, '[profile.default]\napi_key = "very-secret"\n');
  const env = { HOLDFAST_HOME: folder, TEMPORAL_CONFIG_FILE: profile, TEMPORAL_UI_PORT: '8233' };
  const views = (given: NodeJS.ProcessEnv) => explainSettings({ ...env, ...given }).filter(({ name }) => /^TEMPORAL_/.test(name));
  const all = views(shown);
  for (const [name, value] of Object.entries(shown))
    expect(all.find((setting) => setting.name === name)).toEqual({ group: 'Temporal', name, value, source: 'environment' });
  for (const name of Object.keys(hidden))
    expect(views(hidden).find((setting) => setting.name === name)).toMatchObject({
      value: null,
      source: 'environment',
      secret: true,
    });
  expect(all.find(({ name }) => name === 'TEMPORAL_API_KEY')).toMatchObject({ value: null, source: 'profile', secret: true });
  expect(JSON.stringify([all, views(hidden)])).not.toContain('very-secret');
  expect(all.map(({ name }) => name)).not.toContain('TEMPORAL_UI_PORT');
  const always = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY'];
  expect(views({}).map(({ name }) => name)).toEqual([...always, 'TEMPORAL_CONFIG_FILE']);
});

/** The fd through which a process of ours hands its environment to one that it starts. */
const NO_SETTING = ['HOLDFAST_ENVIRONMENT_FD'];

it('every variable in the source is a setting', () => {
  const packages = ['packs', 'packages'].flatMap((all) => readdirSync(join(ROOT, all)).map((one) => join(ROOT, all, one, 'src')));
  const named = [join(ROOT, 'src'), ...packages.filter((folder) => existsSync(folder))].flatMap((source) =>
    readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(join(source, file), 'utf8').match(/\bHOLDFAST_[A-Z][A-Z0-9_]*\b/g) ?? []),
  );
  expect([...new Set(named)].filter((name) => !isSetting(name))).toEqual(NO_SETTING);
});

it('docs/configuration.md is made of the table: `npx tsx src/cli/main.ts config --markdown > docs/configuration.md`', () => {
  expect(readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')).toBe(configurationPage());
});

it.each(Object.entries(VARIABLES))('the default of %s is a valid value', (_name, setting) => {
  if ('default' in setting) expect(setting.schema.safeParse(setting.default).success).toBe(true);
});
