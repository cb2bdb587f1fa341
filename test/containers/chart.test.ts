/**
 * The Helm chart as helm renders it, in several settings: each object fits Kubernetes' own schemas (kubeconform, strict), and has what
 * docs/kubernetes.md promises. helm and kubeconform are built with Go once, which takes about three minutes; no cluster is needed.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { loadConfig } from '../../src/config';
import { cacheFolder } from '../../src/devserver/cli-cache';
import { goInstall } from '../../src/devserver/cli-go-install';

const HELM = { version: '3.22.0', path: 'helm.sh/helm/v3/cmd/helm' };
const KUBECONFORM = { version: '0.8.0', path: 'github.com/yannh/kubeconform/cmd/kubeconform' };
const KUBERNETES = '1.36.3';
const CHART = join(__dirname, '../../charts/holdfast');
const MINUTES = 60_000;

const run = promisify(execFile);
let folder: string;
let helm: string;
let kubeconform: string;
let schemas: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-chart-'));
  helm = await built('helm', HELM);
  kubeconform = await built('kubeconform', KUBECONFORM);
  schemas = await kubernetesSchemas();
}, 15 * MINUTES);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CHOSEN = {
  image: { repository: 'registry.example/holdfast' },
  temporal: { address: 'temporal-frontend.temporal:7233' },
  secretName: 'holdfast',
  trustedKeys: 'holdfast-trusted',
  gateway: { publicUrl: 'https://approve.example' },
};
const VERSIONS = [
  { buildId: '2026.11/21+a', tag: '1.3.0', replicas: 1 },
  { buildId: '2026-11-29', tag: '1.4.0' },
];

const JOBS = [
  { name: 'collect', schedule: '0 3 * * 0', args: ['store', 'collect', '--delete', '--older-than', '30d'] },
  { name: 'retain', schedule: '0 4 1 * *', timeZone: 'Europe/Berlin', args: ['audit', 'retain', '--older-than', '3650d'] },
];
const BUNDLES = { bundlesClaim: 'bundles', keyFiles: ['HOLDFAST_BUNDLE_KEY'] };

const SETTINGS: Record<string, object> = {
  'what must be chosen, and nothing else': {},
  'workers without a version beside two versions': { worker: { versions: VERSIONS, unversioned: true } },
  'two versions, scaled by the backlog': { worker: { versions: VERSIONS, autoscaling: { by: 'backlog' } } },
  'scaled by CPU': { worker: { autoscaling: { by: 'cpu' } }, gateway: { ...CHOSEN.gateway, autoscaling: { by: 'cpu' } } },
  'with a codec server, bundles, an app and a private registry': {
    codec: { enabled: true, uiUrl: 'https://temporal.example' },
    worker: {
      ...BUNDLES,
      settings: { HOLDFAST_SMTP_HOST: 'mail.example', HOLDFAST_SMTP_PORT: 587, HOLDFAST_SMTP_FROM: 'memos@bank.example' },
    },
    app: '/app/own/app.js',
    image: { ...CHOSEN.image, tag: 'own', pullSecrets: ['registry'] },
  },
  'with commands at set times': { jobs: JOBS, worker: BUNDLES },
  'without what can be left out': { approvals: 'any', trustedKeys: '', encryption: false, networkPolicy: { enabled: false } },
};
const CASES = Object.entries(SETTINGS).map(([name, more]) => [name, { ...CHOSEN, ...more }] as const);

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: any;
}

async function rendered(values: object, chart = CHART, release = 'bank'): Promise<string> {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  const args = ['template', release, chart, '--kube-version', KUBERNETES, '--values', file];
  return (await run(helm, args, { maxBuffer: 1e7 })).stdout;
}

async function render(values: object, chart = CHART, release = 'bank'): Promise<Manifest[]> {
  const documents = parseAllDocuments(await rendered(values, chart, release));
  return documents.flatMap((document) => (document.contents === null ? [] : [document.toJS() as Manifest]));
}

const refusal = (values: object) => render(values).then(() => 'rendered', (error: Error) => error.message); // oxfmt-ignore
const podOf = ({ spec }: Pick<Manifest, 'spec'>) => spec.template.spec;
const envOf = (manifest: Pick<Manifest, 'spec'>): Record<string, string> =>
  Object.fromEntries(podOf(manifest).containers[0].env.map(({ name, value }: { name: string; value: string }) => [name, value]));
const named = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name)!;

it.each(CASES)('fits the schemas of Kubernetes and its own lint: %s', async (_name, values) => {
  const file = join(folder, 'lint.yaml');
  writeFileSync(file, stringify(values));
  const { stdout } = await run(helm, ['lint', CHART, '--strict', '--kube-version', KUBERNETES, '--values', file]);
  expect(stdout).toContain('0 chart(s) failed');
  const manifests = join(folder, 'manifests.yaml');
  writeFileSync(manifests, await rendered(values));
  const location = `${schemas}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
  // KEDA's object has its schema in KEDA.
  const args = ['-strict', '-summary', '-skip', 'ScaledObject', '-schema-location', location, manifests];
  const result = await run(kubeconform, args).catch((error: { stdout: string }) => error);
  expect(result.stdout).toMatch(/Valid: [1-9]\d*, Invalid: 0, Errors: 0/);
});

it('the schemas are strict: a field that Kubernetes does not know is found', async () => {
  const manifests = join(folder, 'wrong.yaml');
  const [wrong] = (await render(CHOSEN)).filter(({ kind }) => kind === 'Deployment');
  podOf(wrong!).containers[0].readinesProbe = {};
  writeFileSync(manifests, stringify(wrong));
  const args = ['-strict', '-schema-location', `${schemas}/{{ .ResourceKind }}{{ .KindSuffix }}.json`, manifests];
  await expect(run(kubeconform, args)).rejects.toMatchObject({ stdout: expect.stringContaining('readinesProbe') });
});

it.each(CASES)('is hardened: %s', async (_name, values) => {
  const deployments = (await render(values)).filter(({ kind }) => kind === 'Deployment');
  expect(deployments.length).toBeGreaterThanOrEqual(2);
  for (const deployment of deployments) {
    const pod = podOf(deployment);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(envOf(deployment).HOLDFAST_DRAIN_SECONDS) + 10);
    expect(pod.topologySpreadConstraints).toHaveLength(2);
    for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources.limits.memory).toBeDefined();
      for (const { name, value } of container.env ?? []) if (/_FILE$/.test(name)) expect(value).toMatch(/^\/run\/secrets\//);
    }
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) expect(pod.containers[0][probe]).toBeDefined();
    expect(JSON.stringify(deployment)).not.toMatch(/valueFrom|secretKeyRef/); // secrets are files
  }
});

it('gives each version of the workers a Deployment of its own, found by labels of its own', async () => {
  const manifests = await render({ ...CHOSEN, worker: { versions: VERSIONS, autoscaling: { by: 'backlog' } } });
  const workers = manifests.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name.includes('-worker-'));
  expect(workers.map((each) => envOf(each).HOLDFAST_BUILD_ID)).toEqual(
    expect.arrayContaining(VERSIONS.map(({ buildId }) => buildId)),
  );
  expect(new Set(workers.map(({ spec }) => JSON.stringify(spec.selector.matchLabels))).size).toBe(2);
  for (const worker of workers) {
    const { HOLDFAST_BUILD_ID: buildId, HOLDFAST_DEPLOYMENT: deployment } = envOf(worker);
    const { tag } = VERSIONS.find((version) => version.buildId === buildId)!;
    expect(podOf(worker).containers[0].image).toBe(`registry.example/holdfast:${tag}`);
    expect(deployment).toBe('holdfast');
    expect(worker.spec.template.metadata.labels).toEqual(worker.spec.selector.matchLabels); // nothing that a later chart changes
    expect(worker.spec.replicas).toBeUndefined(); // KEDA's to say
    const scaled = named(manifests, 'ScaledObject', worker.metadata.name);
    expect(scaled.spec.triggers[0]).toMatchObject({
      type: 'temporal',
      metadata: {
        taskQueue: 'holdfast',
        workerDeploymentName: 'holdfast',
        workerDeploymentBuildId: buildId,
        targetQueueSize: '20',
      },
    });
  }
  const later = await render({ ...CHOSEN, worker: { versions: [...VERSIONS, { buildId: 'next', tag: '1.5.0' }] } });
  const before = await render({ ...CHOSEN, worker: { versions: VERSIONS } });
  for (const worker of before.filter(({ metadata }) => metadata.name.includes('-worker-')))
    expect(named(later, worker.kind, worker.metadata.name)).toEqual(worker); // a new version restarts no old one
});

it('keeps the workers without a version as they are beside the first version, and each pod has one Deployment and one budget', async () => {
  const before = await render(CHOSEN);
  const [version] = VERSIONS;
  const beside = await render({ ...CHOSEN, worker: { versions: [version], unversioned: true } });
  for (const kind of ['Deployment', 'PodDisruptionBudget'])
    expect(named(beside, kind, 'bank-holdfast-worker')).toEqual(named(before, kind, 'bank-holdfast-worker'));
  expect(envOf(named(beside, 'Deployment', 'bank-holdfast-worker')).HOLDFAST_BUILD_ID).toBeUndefined();
  const workers = beside.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name.includes('-worker'));
  expect(workers.map(({ spec }) => spec.template.metadata.labels['holdfast/build'])).toEqual([
    'none',
    expect.stringMatching(/-[0-9a-f]{6}$/),
  ]);
  for (const { metadata, spec } of workers)
    for (const kind of ['Deployment', 'PodDisruptionBudget']) {
      const selecting = beside.filter((one) => one.kind === kind && selects(one, spec.template.metadata.labels));
      expect(selecting.map((one) => one.metadata.name)).toEqual([metadata.name]);
    }
  const after = await render({ ...CHOSEN, worker: { versions: [version] } });
  expect(named(after, 'Deployment', 'bank-holdfast-worker')).toBeUndefined();
});

/** Whether an object with a selector by labels alone is for a pod with these labels. */
function selects({ spec: { selector } }: Manifest, labels: Record<string, string>): boolean {
  expect(Object.keys(selector)).toEqual(['matchLabels']);
  return Object.entries(selector.matchLabels).every(([name, value]) => labels[name] === value);
}

it('scales by the backlog of a Temporal that asks who one is, under names that fit into a label', async () => {
  const autoscaling = { by: 'backlog', authenticationRef: 'temporal' };
  const worker = { versions: [{ buildId: 'a-build-id-that-is-quite-long', tag: '1' }], autoscaling };
  const manifests = await render({ ...CHOSEN, worker }, CHART, 'a-release-whose-name-is-quite-long-too');
  const [scaled] = manifests.filter(({ kind }) => kind === 'ScaledObject');
  const target = scaled!.spec.scaleTargetRef.name as string;
  expect(target.length).toBeGreaterThan(63);
  expect(named(manifests, 'Deployment', target)).toBeDefined();
  expect(scaled!.metadata.name).toMatch(/^[a-z0-9-]{1,56}-[0-9a-f]{6}$/);
  expect(scaled!.spec.triggers[0].authenticationRef).toEqual({ name: 'temporal' });
});

it('lets a setting of yours count more than the chart’s own, also 0, false and an empty one', async () => {
  const settings = { HOLDFAST_DRAIN_SECONDS: 5, HOLDFAST_LOG_LEVEL: 'warn', HOLDFAST_PUBLIC_URL: '' };
  const gateway = { ...CHOSEN.gateway, settings: { HOLDFAST_HTTP_PROXIES: 0, HOLDFAST_DRAIN_SECONDS: 0, TEMPORAL_TLS: false } };
  const manifests = await render({ ...CHOSEN, settings, gateway });
  expect(envOf(named(manifests, 'Deployment', 'bank-holdfast-gateway'))).toMatchObject({
    HOLDFAST_HTTP_PROXIES: '0',
    HOLDFAST_DRAIN_SECONDS: '0',
    HOLDFAST_PUBLIC_URL: '',
    HOLDFAST_LOG_LEVEL: 'warn',
    TEMPORAL_TLS: 'false',
  });
  const worker = envOf(named(manifests, 'Deployment', 'bank-holdfast-worker'));
  expect(worker).toMatchObject({ HOLDFAST_DRAIN_SECONDS: '5', HOLDFAST_METRICS_PORT: '0.0.0.0:9464' });
  expect(worker.TEMPORAL_TLS).toBeUndefined();
});

it('runs commands at set times, with the settings and the bundles of a worker', async () => {
  const manifests = await render({ ...CHOSEN, worker: BUNDLES, jobs: JOBS });
  const worker = named(manifests, 'Deployment', 'bank-holdfast-worker');
  for (const { name, schedule, timeZone = 'Etc/UTC', args } of JOBS) {
    const { spec } = named(manifests, 'CronJob', `bank-holdfast-${name}`);
    expect(spec).toMatchObject({ schedule, timeZone, concurrencyPolicy: 'Forbid', jobTemplate: { spec: { backoffLimit: 0 } } });
    const { template } = spec.jobTemplate.spec;
    const [container] = template.spec.containers;
    const { HOLDFAST_HEALTH_PORT: _health, HOLDFAST_METRICS_PORT: _metrics, ...env } = envOf(worker);
    expect(envOf(spec.jobTemplate)).toEqual(env);
    expect(container.args).toEqual(args);
    expect(container.volumeMounts).toEqual(podOf(worker).containers[0].volumeMounts);
    expect(container.securityContext).toEqual(podOf(worker).containers[0].securityContext);
    expect(template.spec).toMatchObject({ restartPolicy: 'Never', securityContext: podOf(worker).securityContext });
    const { ingress, podSelector } = named(manifests, 'NetworkPolicy', 'bank-holdfast-job').spec;
    expect([ingress, podSelector.matchLabels]).toEqual([[], template.metadata.labels]);
  }
});

it('gives secrets as files, and key files to their owner alone', async () => {
  const gateway = named(await render(CHOSEN), 'Deployment', 'bank-holdfast-gateway');
  expect(envOf(gateway)).toMatchObject({
    HOLDFAST_APPROVALS: 'attested',
    HOLDFAST_STORE_FILE: '/run/secrets/holdfast/HOLDFAST_STORE',
    HOLDFAST_SIGNING_KEY: '/run/keys/HOLDFAST_SIGNING_KEY',
    HOLDFAST_CODEC_KEYS_COMMAND: 'cat /run/secrets/holdfast/HOLDFAST_CODEC_KEYS',
    HOLDFAST_TRUSTED_KEYS: '/etc/holdfast/trusted.json',
  });
  const { initContainers } = podOf(gateway);
  const [node, flag, script] = initContainers[0].command as string[];
  expect([node, flag]).toEqual(['node', '-e']);
  // The very script, with folders of this test.
  for (const name of ['secret', 'keys', 'secret/..data']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'secret/HOLDFAST_SIGNING_KEY'), 'key', { mode: 0o440 });
  const own = script!.replaceAll('/run/secrets/keys', join(folder, 'secret')).replaceAll('/run/keys', join(folder, 'keys'));
  const { stdout } = await run(process.execPath, [
    '-e',
    `${own} console.log(require('node:fs').statSync('${folder}/keys/HOLDFAST_SIGNING_KEY').mode & 0o777)`,
  ]);
  expect(Number(stdout)).toBe(0o600);
  expect(readFileSync(join(folder, 'keys/HOLDFAST_SIGNING_KEY'), 'utf8')).toBe('key');
});

it.each(CASES)('has settings that each process takes: %s', async (_name, values) => {
  const files: Record<string, string> = {
    HOLDFAST_STORE: 'postgres://holdfast:secret@postgresql/holdfast',
    HOLDFAST_TOKENS: '[]',
    ANTHROPIC_API_KEY: 'sk-of-this-test',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  for (const deployment of (await render(values)).filter(({ kind }) => kind === 'Deployment')) {
    const own = Object.entries(envOf(deployment)).map(([name, value]) => [name, value.replace('/run/secrets/holdfast', folder)]);
    const env = Object.fromEntries(own) as Record<string, string>;
    const config = loadConfig({ HOLDFAST_HOME: folder, ...env });
    expect(config).toMatchObject({
      store: files.HOLDFAST_STORE,
      approvals: env.HOLDFAST_APPROVALS,
      drainMs: 1000 * Number(env.HOLDFAST_DRAIN_SECONDS),
    });
    expect(config.temporal.address).toBe('temporal-frontend.temporal:7233');
  }
});

it('lets in and out only what is named', async () => {
  const manifests = await render({ ...CHOSEN, codec: { enabled: true, uiUrl: 'https://temporal.example' } });
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  expect(policies).toHaveLength(3);
  for (const { spec } of policies) {
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(spec.ingress[0].from).toEqual([{ podSelector: {} }]);
    expect(spec.egress[0].ports.map(({ port }: { port: number }) => port)).toEqual([53, 53, 7233, 5432, 443]);
  }
});

it('renders nothing without what must be chosen, and says what that is', async () => {
  for (const [name, values] of Object.entries({
    'image.repository': { ...CHOSEN, image: {} },
    'temporal.address': { ...CHOSEN, temporal: {} },
    secretName: { ...CHOSEN, secretName: '' },
    trustedKeys: { ...CHOSEN, trustedKeys: '' },
    'gateway.publicUrl': { ...CHOSEN, gateway: {} },
    'worker.secrets: HOLDFAST_STORE': { ...CHOSEN, worker: { secrets: ['ANTHROPIC_API_KEY'] } },
    'codec.uiUrl': { ...CHOSEN, codec: { enabled: true } },
    'nothing to decrypt': { ...CHOSEN, encryption: false, codec: { enabled: true, uiUrl: 'https://temporal.example' } },
    'worker.keyFiles: HOLDFAST_BUNDLE_KEY': { ...CHOSEN, worker: { bundlesClaim: 'bundles' } },
    'is there twice': { ...CHOSEN, worker: { versions: [VERSIONS[0], VERSIONS[0]] } },
    ANTHROPIC_API_KEY: { ...CHOSEN, settings: { ANTHROPIC_API_KEY: 'sk' } },
  }))
    expect(await refusal(values)).toContain(name);
});

it('says what to do next', async () => {
  // `helm install` alone shows the notes, and needs a cluster: here they are rendered as an object.
  const chart = join(folder, 'chart');
  cpSync(CHART, chart, { recursive: true });
  const file = (name: string) => join(chart, 'templates', name);
  writeFileSync(file('_notes.tpl'), `{{- define "notes" -}}${readFileSync(file('NOTES.txt'), 'utf8')}{{- end -}}`);
  writeFileSync(file('notes.yaml'), 'kind: Notes\nmetadata: { name: notes }\nspec: {{ include "notes" . | quote }}');
  const notes = async (more: object) => named(await render({ ...CHOSEN, ...more }, chart), 'Notes', 'notes').spec as string;
  expect(await notes({})).toContain('deployment/bank-holdfast-worker -- node dist/cli/main.js doctor --production');
  const [, worker] = / deployment\/(bank-holdfast-worker-\S+) /.exec(await notes({ worker: { versions: VERSIONS } }))!;
  const withVersions = await render({ ...CHOSEN, worker: { versions: VERSIONS } });
  expect(envOf(named(withVersions, 'Deployment', worker!)).HOLDFAST_BUILD_ID).toBe('2026-11-29');
  expect(await notes({ worker: { versions: VERSIONS } })).toContain(
    'set-current-version --deployment-name holdfast --build-id 2026-11-29',
  );
  expect(await notes({ approvals: 'any' })).toContain('WARNING: approvals=any');
});

async function built(name: string, { version, path }: { version: string; path: string }): Promise<string> {
  const file = join(cacheFolder(process.env), 'bin', `${name}-${version}`);
  const build = {
    what: `${name} ${version}`,
    takes: 'about 3 minutes',
    packages: [`${path}@v${version}`],
    files: { [name]: file },
  };
  if (!existsSync(file)) await goInstall(build, process.env, (line) => void process.stderr.write(`${line}\n`));
  return file;
}

interface Swagger {
  definitions: Record<string, any>;
}

/** Writes a JSON schema for each kind, strict, from the OpenAPI document of Kubernetes' own module. */
async function kubernetesSchemas(): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${KUBERNETES}`], { cwd: folder });
  const { Dir } = JSON.parse(stdout) as { Dir: string };
  const { definitions } = JSON.parse(readFileSync(join(Dir, 'api/openapi-spec/swagger.json'), 'utf8')) as Swagger;
  for (const definition of Object.values(definitions))
    if (definition.properties !== undefined) definition.additionalProperties ??= false;
  definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] = { type: ['string', 'integer'] };
  definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: ['string', 'number'] };
  const target = join(folder, 'schemas');
  mkdirSync(target);
  for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions))
    for (const { group, version, kind } of kinds) {
      const suffix = [...(group === '' ? [] : [group.split('.')[0]]), version].join('-');
      const used = closure(definitions, name);
      writeFileSync(
        join(target, `${kind}-${suffix}.json`.toLowerCase()),
        JSON.stringify({ $ref: `#/definitions/${name}`, definitions: used }),
      );
    }
  return target;
}

/** The definitions that one names, directly or through others. */
function closure(definitions: Swagger['definitions'], name: string): Swagger['definitions'] {
  const used: Swagger['definitions'] = {};
  const add = (one: string) => {
    if (Object.hasOwn(used, one)) return;
    used[one] = definitions[one];
    for (const [, next] of JSON.stringify(definitions[one]).matchAll(/"#\/definitions\/([^"]+)"/g)) add(next!);
  };
  add(name);
  return used;
}
