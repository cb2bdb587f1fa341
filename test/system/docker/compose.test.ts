/** docker-compose.yml is valid by the compose specification, and keeps our own rules beyond it. No container engine is needed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSetting, loadConfig } from '../../../src/config';
import { siteFault } from '../../../src/shared/wire/cross-site-check';
import { NAMESPACE_ATTRIBUTES } from '../../../src/shared/search-attributes';
import { version } from '../../../src/version';
import { composeFaults, composeText, defaultEnvironment, readCompose, ROOT, type ComposeService } from '../support/compose-file';
import { SERVER_VERSION } from '../support/native-binaries';

const compose = readCompose();
const services = Object.entries(compose.services);
/** Of our own image. */
const OURS = ['worker', 'gateway'];
const ONE_SHOTS = ['temporal-schema', 'temporal-namespace'];

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
    expect(image).toMatch(/^[a-z]+(\/[a-z-]+)?:\d+\.\d+(\.\d+)?(-[a-z0-9.-]+)?$/);
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
    const ownUser = /^(temporalio\/(server|admin-tools)|holdfast):/.test(service.image);
    expect(service.user ?? (ownUser ? 'of the image' : 'root')).toMatch(/^([1-9]\d*:[1-9]\d*|of the image)$/);
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
    expect(ports.map((port) => port.split(':').at(-1)).sort()).toEqual(['7233', '8233', '8480']);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(compose.services.postgresql).toMatchObject({ networks: ['database'] });
    expect(compose.networks.database).toEqual({ internal: true });
  });

  it('publishes no HTTP server that checks neither Host nor Origin: Temporal’s Web UI is reached through our proxy alone', () => {
    // 7233 speaks gRPC, which no page can; an HTTP API of Temporal's is not configured.
    const published = services.filter(([, service]) => service.ports).map(([name]) => name);
    expect(published).toEqual(['temporal', 'web-ui', 'gateway']);
    expect(readFileSync(join(ROOT, 'docker/temporal/server.yaml'), 'utf8')).not.toMatch(/httpPort/i);
    const { command, environment, ports, networks, volumes, secrets } = compose.services['web-ui']!;
    expect(command).toEqual(['proxy', 'temporal-ui:8080']);
    expect(ports).toEqual([`127.0.0.1:8233:${environment!.HOLDFAST_HTTP_PORT}`]);
    // It needs nothing but the Web UI, and has nothing else.
    expect([networks, volumes, secrets]).toEqual([['web-ui'], undefined, undefined]);
    const others = services.filter(([, service]) => service.networks?.includes('web-ui')).map(([name]) => name);
    expect(others).toEqual(['temporal-ui', 'web-ui']);
  });

  it('passes secrets as files: it contains no value of a secret, and Git ignores the files', () => {
    for (const [name, { environment = {} }] of services) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!/PASS|PWD|KEY|TOKEN|SECRET/.test(variable)) continue;
        expect(`${name} ${variable}`).toMatch(/_FILE$/);
        expect(value).toMatch(/^\/run\/secrets\/[a-z_]+$/);
        expect(compose.services[name]!.secrets).toContain(value.slice('/run/secrets/'.length));
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

  it('has a gateway that listens on its published port, and reads its principals from a secret', () => {
    const { command, environment, ports } = compose.services.gateway!;
    expect(command).toEqual(['gateway']);
    expect(environment).toMatchObject({ HOLDFAST_HTTP_HOST: '0.0.0.0', HOLDFAST_TOKENS_FILE: '/run/secrets/gateway_tokens' });
    expect(ports).toEqual([`127.0.0.1:8480:${environment!.HOLDFAST_HTTP_PORT}`]);
  });

  it('has the gateway check Host, over the network of its container too', () => {
    const { HOLDFAST_HOSTS = '', HOLDFAST_PUBLIC_URL: publicUrl = '' } = defaultEnvironment(compose.services.gateway!);
    const site = { hosts: loadConfig({ HOLDFAST_HOSTS }).hosts, publicUrl };
    const fault = (host: string) => siteFault({ host, origin: `http://${host}` }, '172.18.0.5', site);
    expect(fault('evil.example:8480')).toContain('The header Host is "evil.example:8480"');
    for (const host of ['127.0.0.1:8480', 'localhost:8480', 'gateway:8480']) expect([host, fault(host)]).toEqual([host, null]);
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
    expect(Object.keys(compose.volumes).sort()).toEqual(['holdfast', 'postgresql']);
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
});
