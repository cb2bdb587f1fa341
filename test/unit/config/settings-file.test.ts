/** `holdfast.config.ts`: where it is looked for, and what it may set. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSettingsFile } from '../../../src/cli/support/settings-file';
import { ConfigError, loadConfig } from '../../../src/config';
import { explainSettings } from '../../../src/config/explain';
import { applySettings, type HoldfastConfig } from '../../../src/config/settings-file';

const PATH = 'holdfast.config.ts';
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-settings-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const apply = (settings: HoldfastConfig, env: NodeJS.ProcessEnv = {}) => {
  const file = applySettings(PATH, { default: settings }, env);
  return { env, file };
};

describe('the place of the file', () => {
  it.each(['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'])('holdfast.config.%s', (extension) => {
    writeFileSync(join(folder, `holdfast.config.${extension}`), '');
    expect(findSettingsFile(undefined, [folder])).toBe(join(folder, `holdfast.config.${extension}`));
  });

  it('the first folder wins, and none is null', () => {
    const other = mkdtempSync(join(folder, 'other-'));
    expect(findSettingsFile(undefined, [other, folder])).toBeNull();
    writeFileSync(join(folder, 'holdfast.config.ts'), '');
    expect(findSettingsFile(undefined, [other, folder])).toBe(join(folder, 'holdfast.config.ts'));
    writeFileSync(join(other, 'holdfast.config.js'), '');
    expect(findSettingsFile(undefined, [other, folder])).toBe(join(other, 'holdfast.config.js'));
  });

  it('HOLDFAST_CONFIG names another one, or turns it off', () => {
    writeFileSync(join(folder, 'holdfast.config.ts'), '');
    expect(findSettingsFile('elsewhere.ts', [folder])).toBe('elsewhere.ts');
    expect(findSettingsFile('off', [folder])).toBeNull();
  });
});

describe('the settings in the file', () => {
  it('are read as if they were in the environment', () => {
    const { env } = apply({ HOLDFAST_TASK_QUEUE: 'payments', HOLDFAST_HTTP_PORT: 9000, HOLDFAST_SMTP_SECURE: true });
    expect(env).toEqual({ HOLDFAST_TASK_QUEUE: 'payments', HOLDFAST_HTTP_PORT: '9000', HOLDFAST_SMTP_SECURE: 'true' });
    expect(loadConfig({ HOLDFAST_HOME: folder, ...env })).toMatchObject({ taskQueue: 'payments', httpPort: 9000 });
  });

  it('may be Temporal’s own variables too', () => {
    const settings = { TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com', TEMPORAL_GRPC_META_TENANT: 'acme' };
    const { env, file } = apply({ ...settings, TEMPORAL_ADDRESS: 'far:7233' });
    expect(loadConfig({ HOLDFAST_HOME: folder, ...env }).temporal.connectionOptions).toMatchObject({
      tls: { serverNameOverride: 'temporal.example.com' },
      metadata: { tenant: 'acme' },
    });
    expect(explainSettings(env, file).find(({ name }) => name === 'TEMPORAL_TLS_SERVER_NAME')).toMatchObject({
      source: 'config',
    });
    expect(() => applySettings(PATH, { default: { TEMPORAL_UI_PORT: 8233 } }, {})).toThrow('which is no setting');
  });

  it('count less than the environment, even if that names a file', () => {
    const given = { HOLDFAST_TASK_QUEUE: 'q', HOLDFAST_SMTP_PASS_FILE: '/a', HOLDFAST_TOKEN: 't', HOLDFAST_HTTP_PORT: '' };
    const settings = {
      HOLDFAST_TASK_QUEUE: 'payments',
      HOLDFAST_SMTP_PASS: 'secret',
      HOLDFAST_TOKEN_FILE: '/b',
      HOLDFAST_HTTP_PORT: 9000,
      HOLDFAST_UI_URL: undefined,
    };
    const { env, file } = apply(settings, { ...given });
    expect(env).toEqual({ ...given, HOLDFAST_HTTP_PORT: '9000' });
    expect([...file.names]).toEqual(['HOLDFAST_HTTP_PORT']);
  });

  it('are shown by holdfast config with their source, and without secrets', () => {
    const settings = { HOLDFAST_TASK_QUEUE: 'payments', HOLDFAST_SMTP_PASS: 'very-secret', TEMPORAL_ADDRESS: 'far:7233' };
    const { env, file } = apply(settings, { HOLDFAST_HOME: folder });
    const all = explainSettings(env, file);
    const named = (name: string) => all.find((setting) => setting.name === name);
    expect(named('HOLDFAST_TASK_QUEUE')).toMatchObject({ value: 'payments', source: 'config', file: PATH });
    expect(named('TEMPORAL_ADDRESS')).toMatchObject({ value: 'far:7233', source: 'config', file: PATH });
    expect(named('HOLDFAST_SMTP_PASS')).toMatchObject({ value: null, source: 'config', file: PATH, secret: true });
    expect(named('HOLDFAST_HOME')).toMatchObject({ source: 'environment' });
    expect(JSON.stringify(all)).not.toContain('very-secret');
  });

  it.each([
    [{ HOLDFAST_TASK_QEUE: 'q' }, 'holdfast.config.ts sets HOLDFAST_TASK_QEUE, which is no setting; is it HOLDFAST_TASK_QUEUE?'],
    [{ taskQueue: 'q' }, 'holdfast.config.ts sets taskQueue, which is no setting.'],
    [{ PATH: '/bin' }, 'holdfast.config.ts sets PATH, which is no setting.'],
    [{ HOLDFAST_TOKENS: [] }, 'holdfast.config.ts sets HOLDFAST_TOKENS to a list; it must be a string, a number or a boolean.'],
    [{ HOLDFAST_JWT: {} }, 'holdfast.config.ts sets HOLDFAST_JWT to an object; it must be a string, a number or a boolean.'],
    [{ HOLDFAST_DATA: null }, 'holdfast.config.ts sets HOLDFAST_DATA to null; it must be a string, a number or a boolean.'],
  ])('%j is an error, and nothing is set', (settings, message) => {
    const env = {};
    expect(() => applySettings(PATH, { default: settings }, env)).toThrow(new ConfigError(message));
    expect(env).toEqual({});
  });

  it.each([
    ['an ES module', (settings: object) => ({ default: settings })],
    ['a CommonJS module', (settings: object) => settings],
    ['a compiled ES module', (settings: object) => ({ __esModule: true, default: { default: settings } })],
  ])('come from %s', (_, module) => {
    const env = {};
    applySettings(PATH, module({ HOLDFAST_TASK_QUEUE: 'payments' }), env);
    expect(env).toEqual({ HOLDFAST_TASK_QUEUE: 'payments' });
  });

  it.each([[{}], [{ default: 1 }], [{ default: ['HOLDFAST_HOME'] }], [null], [() => ({})]])(
    'a module without settings is an error: %j',
    (module) => {
      const message = `${PATH} has no default export with settings, such as { HOLDFAST_TASK_QUEUE: 'payments' }.`;
      expect(() => applySettings(PATH, module, {})).toThrow(new ConfigError(message));
    },
  );
});
