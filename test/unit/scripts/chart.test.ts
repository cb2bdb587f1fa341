/** The Helm chart, as far as it can be judged without helm; test/containers/chart.test.ts renders it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { isTemporalVariable, VARIABLES, type Setting } from '../../../src/config/variables';

const ROOT = join(__dirname, '../../..');
const CHART = join(ROOT, 'charts/holdfast');
const read = (path: string) => readFileSync(join(CHART, path), 'utf8');
const values = parse(read('values.yaml')) as Record<string, Record<string, unknown>>;
const schema = JSON.parse(read('values.schema.json')) as { properties: Record<string, { properties?: object }> };
const fits = (more: object) => new Ajv({ strict: false }).validate(schema, { ...values, ...more });

it('the version of the chart and of what it runs is that of the package', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

it('the schema knows exactly the values that there are', () => {
  expect(fits({})).toBe(true);
  const names = (of: object | undefined) => Object.keys(of ?? {}).sort(); // oxfmt-ignore
  expect(names(schema.properties).filter((name) => name !== 'global')).toEqual(names(values)); // `global` is helm's own
  for (const [name, { properties }] of Object.entries(schema.properties))
    if (properties !== undefined) expect({ name, has: names(properties) }).toEqual({ name, has: names(values[name]) });
});

it('values that would do harm are refused: a secret as a plain setting, an address without a port, a page without TLS', () => {
  const wrong = [
    { settings: { ANTHROPIC_API_KEY: 'sk' } },
    { settings: { HOLDFAST_STORE: 'postgres://u:p@h/d' } },
    { worker: { ...values.worker, settings: { HOLDFAST_SMTP_PASS: 'secret' } } },
    { temporal: { address: 'temporal' } },
    { gateway: { ...values.gateway, publicUrl: 'http://approve.example' } },
    { worker: { ...values.worker, versions: [{ buildId: '__x', tag: '1' }] } },
    { worker: { ...values.worker, autoscaling: { by: 'backlog', min: 0, max: 3 } } }, // turns that wait are asked by queries
    { networkPolicy: { ...values.networkPolicy, from: [] } }, // that would be everybody
    { jobs: [{ name: 'Collect', schedule: '@weekly', args: ['store', 'collect'] }] },
    { jobs: [{ name: 'collect', schedule: '@weekly', args: [] }] },
    { approvals: 'all' },
    { worker: { ...values.worker, unversioned: 'yes' } },
    { worker: { ...values.worker, autoscaling: { by: 'backlog', authenticationRef: { name: 'temporal' } } } },
    { workers: {} },
  ];
  expect(wrong.filter((more) => fits(more))).toEqual([]);
});

it('no setting that is a secret is taken as a plain one', () => {
  const secrets = Object.entries<Setting>(VARIABLES).flatMap(([name, { secret }]) => (secret ? [name] : []));
  expect(secrets.length).toBeGreaterThan(15);
  const ofTemporal = ['TEMPORAL_API_KEY', 'TEMPORAL_TLS_CLIENT_KEY_DATA', 'TEMPORAL_GRPC_META_AUTHORIZATION'];
  expect([...secrets, ...ofTemporal].filter((name) => fits({ settings: { [name]: 'secret' } }))).toEqual([]);
  expect(fits({ settings: { HOLDFAST_TRUSTED_KEYS: 'keys.json', HOLDFAST_LOG: 'debug' } })).toBe(true);
});

it('all settings that the chart sets exist', () => {
  const text = [...readdirSync(join(CHART, 'templates')).map((name) => read(`templates/${name}`)), read('values.yaml')].join(
    '\n',
  );
  const named = new Set(text.match(/\b(?:HOLDFAST|TEMPORAL|ANTHROPIC)_[A-Z_]+\b/g));
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((name) => !Object.hasOwn(VARIABLES, name) && !isTemporalVariable(name))).toEqual([]);
});

it('the step of the page that the notes name makes the namespace', () => {
  const [, step] = /docs\/kubernetes\.md, "Install", step (\d)/.exec(read('templates/NOTES.txt'))!;
  const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const [, text] = new RegExp(`\n${step}\\. ([^]*?)\n\\d\\. `).exec(page)!;
  expect(text).toContain('docker/temporal/set-up-namespace.sh');
});

it('the settings that must be chosen have no default, and the others are the safe ones', () => {
  const { image, temporal, gateway, worker } = values;
  expect([image!.repository, temporal!.address, values.secretName, values.trustedKeys, gateway!.publicUrl]).toEqual([
    '',
    '',
    '',
    '',
    '',
  ]);
  expect(values).toMatchObject({ approvals: 'attested', encryption: true, networkPolicy: { enabled: true } });
  expect(worker!.secrets).toContain('HOLDFAST_STORE');
});
