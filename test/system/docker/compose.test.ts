/** docker-compose.yml is valid by the compose specification, and keeps our own rules beyond it. No container engine is needed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isSetting, loadConfig } from '../../../src/config';
import { siteFault } from '../../../src/shared/wire/cross-site-check';
import { NAMESPACE_ATTRIBUTES } from '../../../src/shared/search-attributes';
import { version } from '../../../src/version';
import { composeFaults, composeText, environmentOf, readCompose, ROOT, type ComposeService } from '../support/compose-file';
import { SERVER_VERSION } from '../support/native-binaries';

const compose = readCompose();
const services = Object.entries(compose.services);
/** Of our own image. */
const OURS = ['worker', 'gateway', 'codec'];
const ONE_SHOTS = ['store-database', 'temporal-schema', 'temporal-namespace'];
/** Named by an image, or by one of its parts, as its own user. */
const OWN_USER = /^(temporalio\/(server|admin-tools)|holdfast):/;

/** Seconds of `90s`. */
const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? '')?.[1]);

describe('docker-compose.yml', () => {
  it('is valid by the JSON schema of the compose specification', () => {
    expect(composeFaults(compose)).toEqual([]);
  });

  it('is invalid with mistakes in it: the schema finds them', () => {
    const wrong = structuredClone(compose) as any;
    wrong.services.worker.restarts = 'always';
    wrong.services.worker.stop_grace_period = 'soon';
    wrong.services.temporal.ports = ['here:7233'];
    wrong.services['temporal-ui'].read_only = 1;
    expect(composeFaults(wrong).map((fault) => fault.split(' ')[0])).toEqual(
      expect.arrayContaining([
        '/services/worker',
        '/services/worker/stop_grace_period',
        '/services/temporal/ports/0',
        '/services/temporal-ui/read_only',
      ]),
    );
  });

  it.each(services)('%s: pins its image by a full version', (_name, { image }) => {
    expect(image).toMatch(/^[a-z]+(\/[a-z-]+)?:v?\d+\.\d+(\.\d+)?(-[a-z0-9.-]+)?$/);
  });

  it('runs one version of Temporal, the one that the tests run, and our own package', () => {
    const images = services.map(([, { image }]) => image);
    for (const image of images.filter((name) => /^temporalio\/(server|admin-tools):/.test(name))) {
      expect(image.split(':')[1]!.split('-')[0]).toBe(SERVER_VERSION);
    }
    expect(images).toContain(`holdfast:${version}`);
  });

  it.each(services)('%s: is read-only, without capabilities and new privileges, bounded, and never root', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.tmpfs).toContain('/tmp');
    expect(service.deploy?.resources?.limits).toEqual({ cpus: expect.any(String), memory: expect.stringMatching(/^\d+[mg]$/) });
    // Whose image names a user of its own: the server's and the admin tools' (temporal), ours (Dockerfile).
    expect(service.user ?? (OWN_USER.test(service.image) ? 'of the image' : 'root')).toMatch(
      /^([1-9]\d*:[1-9]\d*|of the image)$/,
    );
  });

  it.each(services)('%s: starts again by itself, or is a one-shot that others wait for', (name, service) => {
    const waitedFor = services.some(([, { depends_on }]) => depends_on?.[name]?.condition === 'service_completed_successfully');
    expect([service.restart, waitedFor]).toEqual(ONE_SHOTS.includes(name) ? ['no', true] : ['unless-stopped', false]);
  });

  it('has a health check for every service that others wait for', () => {
    for (const [, { depends_on }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on ?? {})) {
        const asked: ComposeService | undefined = compose.services[other];
        expect(condition === 'service_healthy' ? asked?.healthcheck?.test[0] : condition).toMatch(
          /^(CMD|service_completed_successfully)$/,
        );
      }
    }
  });

  it('publishes ports on the loopback only, and none of the database', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports.map((port) => port.split(':').at(-1)).sort()).toEqual(['3000', '7233', '8233', '8480', '9090']);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
    expect(compose.services.postgresql).toMatchObject({ networks: ['database', 'store'] });
    expect(compose.networks).toMatchObject({ database: { internal: true }, store: { internal: true } });
    const near = (network: string) =>
      services.filter(([, { networks = [] }]) => networks.includes(network)).map(([name]) => name);
    expect(near('database')).toEqual(['postgresql', 'temporal-schema', 'temporal']);
    expect(near('store')).toEqual(['postgresql', 'store-database', 'worker', 'gateway', 'codec']);
  });

  it('publishes no HTTP server but the proxy', () => {
    // 7233 speaks gRPC, which no page can; an HTTP API of Temporal's is not configured.
    const published = services.filter(([, service]) => service.ports).map(([name]) => name);
    expect(published).toEqual(['temporal', 'proxy']);
    expect(readFileSync(join(ROOT, 'docker/temporal/server.yaml'), 'utf8')).not.toMatch(/httpPort/i);
    expect(compose.services.proxy).toMatchObject({ networks: ['http'], secrets: ['operators'] });
  });

  it('reaches Temporal’s Web UI, which checks neither Host nor Origin, through our proxy alone', () => {
    const { command, networks, volumes, secrets } = compose.services['web-ui']!;
    expect(command).toEqual(['proxy', 'temporal-ui:8080']);
    // It needs nothing but the Web UI, and has nothing else.
    expect([networks, volumes, secrets]).toEqual([['web-ui', 'http'], undefined, undefined]);
    const others = services.filter(([, service]) => service.networks?.includes('web-ui')).map(([name]) => name);
    expect(others).toEqual(['temporal-ui', 'web-ui']);
  });

  it('has the proxy listen on what is published, ask for a password everywhere but before gateways and codec, and find each service', () => {
    const sections = proxySections();
    const listening = sections.filter(({ kind }) => kind === 'frontend');
    const published = compose.services.proxy!.ports!.map((port) => `:${port.split(':').at(-1)}`);
    expect(listening.flatMap(({ lines }) => valuesOf(lines, 'bind')).sort()).toEqual(published.sort());
    const open = listening.filter(
      ({ lines }) => !lines.some((line) => /^http-request auth .* unless \{ http_auth\(operators\) \}$/.test(line)),
    );
    expect(open.map(({ name }) => name)).toEqual(['gateway']);
    const servers = sections.flatMap(({ lines }) =>
      lines.flatMap((line) => /^server(?:-template)? \S+(?: \d+)? ([a-z-]+):(\d+)/.exec(line)?.slice(1, 3).join(':') ?? []),
    );
    expect(servers).toEqual(['gateway:8480', 'codec:8480', 'web-ui:8233', 'prometheus:9090', 'dashboards:3000']);
    for (const server of servers) expect(compose.services[server.split(':')[0]!]!.networks).toContain('http');
  });

  it('encrypts: every process of ours that reads turns has the key ring', () => {
    for (const name of OURS) {
      const { environment, secrets } = compose.services[name]!;
      expect(environment).toMatchObject({
        HOLDFAST_CODEC_KEYS_COMMAND: 'cat /run/secrets/codec_keys',
        HOLDFAST_STORE_FILE: '/run/secrets/store_url',
      });
      expect(secrets).toEqual(expect.arrayContaining(['codec_keys', 'store_url']));
    }
    expect(compose.services['temporal-ui']!.secrets).toBeUndefined();
  });

  it('has Prometheus read every worker and gateway where they serve metrics, and all files of rules', () => {
    const folder = join(ROOT, 'docker/prometheus');
    const { rule_files, scrape_configs } = parse(readFileSync(join(folder, 'prometheus.yml'), 'utf8')) as PrometheusFile;
    const targets = scrape_configs.flatMap(({ dns_sd_configs }) =>
      dns_sd_configs.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
    );
    expect(targets).toEqual(['worker:9464', 'gateway:8480']);
    expect(compose.services.worker!.environment!.HOLDFAST_METRICS_PORT).toBe('0.0.0.0:9464');
    expect(compose.services.gateway!.environment!.HOLDFAST_HTTP_METRICS).toBe('open');
    expect(rule_files).toEqual(['holdfast-*.yml']);
    const kept = /^--storage\.tsdb\.retention\.time=(\d+)d$/m.exec(compose.services.prometheus!.command!.join('\n'));
    expect(Number(kept?.[1])).toBeGreaterThan(28); // what objectives look at: docs/operations.md
    const rules = readdirSync(folder).filter((file) => file !== 'prometheus.yml');
    for (const file of rules) expect(file).toMatch(/^holdfast-.*\.yml$/);
  });

  it('passes secrets as files: it contains no value of a secret, and Git ignores the files', () => {
    for (const [name, { environment = {} }] of services) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!/PASS|PWD|KEY|TOKEN|SECRET/.test(variable)) continue;
        expect(`${name} ${variable}`).toMatch(/_(FILE|KEYS_COMMAND)$/);
        const [, secret] = /^(?:cat )?\/run\/secrets\/([a-z_]+)$/.exec(value) ?? [];
        expect(compose.services[name]!.secrets).toContain(secret);
      }
    }
    expect(composeText).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@|sk-ant-/);
    const files = Object.values(compose.secrets).map(({ file }) => file);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files)
      expect(execFileSync('git', ['check-ignore', file], { cwd: ROOT, encoding: 'utf8' }).trim()).toBe(file);
  });

  it.each([...OURS, 'web-ui'])('gives %s only settings that exist', (name) => {
    const names = Object.keys(compose.services[name]!.environment!);
    const temporals = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'];
    expect(names.filter((setting) => !isSetting(setting))).toEqual(OURS.includes(name) ? temporals : []);
    expect(isSetting('HOLDFAST_HEALTH_PROT')).toBe(false);
  });

  it.each(OURS)('has %s take signed decisions only, unless the operator says otherwise', (name) => {
    expect(compose.services[name]!.environment!.HOLDFAST_APPROVALS).toBe('${HOLDFAST_APPROVALS:-attested}');
    expect(composeText.match(/HOLDFAST_APPROVALS:-\w+/g)).toEqual(['HOLDFAST_APPROVALS:-attested']);
  });

  it('has two gateways, which read their principals from a secret, as the codec server does, and know of the proxy', () => {
    expect(compose.services.gateway!.deploy).toMatchObject({ replicas: 2 });
    for (const name of ['gateway', 'codec']) {
      const { command, environment } = compose.services[name]!;
      expect(command).toEqual([name]);
      expect(environment).toMatchObject({
        HOLDFAST_HTTP_HOST: '0.0.0.0',
        HOLDFAST_HTTP_PORT: '8480',
        HOLDFAST_HTTP_PROXIES: '${HOLDFAST_HTTP_PROXIES:-1}',
        HOLDFAST_TOKENS_FILE: '/run/secrets/gateway_tokens',
      });
    }
  });

  it('has the gateway check Host, over the network of its container too', () => {
    const fault = faultOf('gateway');
    expect(fault('evil.example:8480')).toContain('The header Host is "evil.example:8480"');
    for (const host of ['127.0.0.1:8480', 'localhost:8480', 'gateway:8480']) expect([host, fault(host)]).toEqual([host, null]);
  });

  it('takes a list of hosts of the operator’s beside its own names, also that which the proxy’s check uses', () => {
    const own = { HOLDFAST_HOSTS: 'agents.example,10.0.0.7' };
    const check = proxySections().flatMap(({ lines }) => valuesOf(lines, 'http-check send meth GET uri /readyz hdr Host'));
    expect(check).toHaveLength(1);
    for (const name of ['gateway', 'codec'])
      for (const host of ['agents.example', '10.0.0.7:8480', 'localhost:8480', `${name}:8480`, ...check])
        expect([name, host, faultOf(name, own)(host)]).toEqual([name, host, null]);
    expect(faultOf('gateway', own)('evil.example')).toContain('The header Host is "evil.example"');
  });

  it('gives Temporal only settings that its scripts and configuration read', () => {
    const folder = join(ROOT, 'docker/temporal');
    const read = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    for (const name of ['temporal-schema', 'temporal', 'temporal-namespace']) {
      for (const variable of Object.keys(compose.services[name]!.environment!)) expect(read).toContain(variable);
    }
  });

  it.each(OURS)('lets the %s drain before it is killed', (name) => {
    const { environment, stop_grace_period } = compose.services[name]!;
    expect(seconds(stop_grace_period)).toBeGreaterThan(Number(environment!.HOLDFAST_DRAIN_SECONDS));
  });

  it('keeps the state of workers and gateway, which share it, and of the database on volumes', () => {
    const mounted = (name: string) => compose.services[name]!.volumes!.map((volume) => volume.split(':'));
    for (const name of OURS) expect(mounted(name)).toEqual([['holdfast', '/var/lib/holdfast']]);
    expect(mounted('postgresql')).toEqual([['postgresql', '/var/lib/postgresql/data']]);
    expect(mounted('prometheus')).toContainEqual(['prometheus', '/prometheus']);
    expect(Object.keys(compose.volumes).sort()).toEqual(['holdfast', 'postgresql', 'prometheus']);
  });

  it('mounts files that exist, read-only', () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes).filter((volume) => volume.startsWith('.'));
    expect(mounts.length).toBeGreaterThan(0);
    for (const mount of mounts) {
      const [from, to, mode] = mount.split(':');
      expect([existsSync(join(ROOT, from!)), to, mode]).toEqual([true, from!.replace('./docker', '/etc/holdfast'), 'ro']);
    }
    for (const [, { entrypoint }] of services.filter(([, service]) => service.entrypoint)) {
      accessSync(join(ROOT, entrypoint![1]!.replace('/etc/holdfast', 'docker')), constants.X_OK);
    }
  });
});

/** What is wrong with a request from another container of the network, where the operator has set only `own`. */
function faultOf(name: string, own: Record<string, string> = {}): (host: string) => string | null {
  const { HOLDFAST_HOSTS = '', HOLDFAST_PUBLIC_URL: publicUrl = '' } = environmentOf(compose.services[name]!, own);
  const site = { hosts: loadConfig({ HOLDFAST_HOSTS }).hosts, publicUrl };
  return (host) => siteFault({ host, origin: `http://${host}` }, '172.18.0.5', site);
}

interface PrometheusFile {
  rule_files: string[];
  scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
}

interface ProxySection {
  kind: string;
  name: string;
  lines: string[];
}

/** Those of docker/proxy/haproxy.cfg. */
function proxySections(): ProxySection[] {
  const sections: ProxySection[] = [];
  for (const text of readFileSync(join(ROOT, 'docker/proxy/haproxy.cfg'), 'utf8').split('\n')) {
    if (/^(#|$)/.test(text.trim())) continue;
    const [kind = '', name = ''] = text.trim().split(' ');
    if (!text.startsWith(' ')) sections.push({ kind, name, lines: [] });
    else sections.at(-1)!.lines.push(text.trim());
  }
  return sections;
}

function valuesOf(lines: string[], name: string): string[] {
  return lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
}

describe('docker/temporal/start-server.sh', () => {
  const start = (env: NodeJS.ProcessEnv) =>
    spawnSync('sh', [join(ROOT, 'docker/temporal/start-server.sh')], {
      env: { PATH: process.env.PATH, SQL_PASSWORD_FILE: '/dev/null', ...env },
      encoding: 'utf8',
    });

  it.each(['40000', '32768', '0', '99999999999999999999', '7234 ', 'x', '-1'])('refuses the port %s, and says why', (port) => {
    const { status, stderr } = start({ MATCHING_MEMBERSHIP_PORT: port });
    expect(stderr).toBe(
      `MATCHING_MEMBERSHIP_PORT is ${port}; it must be a port from 1 to 32767: PostgreSQL holds no higher one for Temporal.\n`,
    );
    expect(status).toBe(1);
  });

  it('starts the server with ports that PostgreSQL holds, and with none', () => {
    for (const env of [{}, { FRONTEND_MEMBERSHIP_PORT: '32767', WORKER_MEMBERSHIP_PORT: '1', FRONTEND_GRPC_PORT: '40000' }])
      expect(start({ ...env, PATH: '/nowhere:/bin:/usr/bin' }).stderr).toContain('temporal-server');
  });
});

describe('docker/temporal/set-up-namespace.sh', () => {
  it('makes exactly the search attributes that turns write', () => {
    const script = readFileSync(join(ROOT, 'docker/temporal/set-up-namespace.sh'), 'utf8');
    const made = [...script.matchAll(/--name (\w+) --type (\w+)/g)].map(([, name, type]) => [name, type]);
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(NAMESPACE_ATTRIBUTES));
  });

  it('does all of that in the namespace that it is given', () => {
    const bin = mkdtempSync(join(tmpdir(), 'holdfast-namespace-'));
    const temporal = '#!/bin/sh\necho "$*" >>"$LOG"\n[ "$3" != describe ]\n';
    writeFileSync(join(bin, 'temporal'), temporal, { mode: 0o755 });
    const LOG = join(bin, 'log');
    const env = { PATH: `${bin}:${process.env.PATH}`, LOG, TEMPORAL_NAMESPACE: 'bank', NAMESPACE_RETENTION: '720h' };
    const { status } = spawnSync('sh', [join(ROOT, 'docker/temporal/set-up-namespace.sh')], { env });
    const commands = readFileSync(LOG, 'utf8').trimEnd().split('\n');
    rmSync(bin, { recursive: true });
    expect([status, commands.length]).toEqual([0, 3]);
    for (const command of commands) expect(command).toContain(' --namespace bank');
  });
});
