/** docker-compose.yml of a clean checkout, in Docker. `.ci/containers` gives the daemon and the network. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const PATIENCE_MS = 300_000;
export const GATEWAY = 'http://127.0.0.1:8480';
/** Services that stay up. */
export const SERVICES = ['postgresql', 'temporal', 'temporal-ui', 'web-ui', 'worker', 'gateway', 'codec', 'proxy', 'prometheus'];

/** The address of this machine, as containers reach it. */
export function containersHost(): string {
  const host = process.env.HOLDFAST_CONTAINERS_HOST;
  if (!host) throw new Error('HOLDFAST_CONTAINERS_HOST is missing: run .ci/containers');
  return host;
}

export class ComposeProject {
  private readonly settings: Record<string, string> = {};

  private constructor(
    /** For files beside the checkout. */
    readonly folder: string,
    readonly checkout: string,
  ) {}

  /** A folder with a compose file of its own. */
  static at(folder: string): ComposeProject {
    return new ComposeProject(folder, folder);
  }

  /** @param secrets what docker/make-secrets.sh asks for */
  static async checkOut(secrets: { ANTHROPIC_API_KEY: string; HOLDFAST_SMTP_PASS: string }): Promise<ComposeProject> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-containers-'));
    const project = new ComposeProject(folder, join(folder, 'holdfast'));
    await run('git', ['clone', '--quiet', ROOT, project.checkout], ROOT);
    await run('docker/make-secrets.sh', [], project.checkout, secrets);
    return project;
  }

  /** Writes the file `.env`; then removes what a run has left that was killed. */
  async configure(settings: Record<string, string>): Promise<void> {
    await this.set(settings);
    await this.compose('down', '--volumes', '--timeout', '5');
  }

  /** Adds these settings to `.env`, or changes them there. */
  async set(settings: Record<string, string>): Promise<void> {
    Object.assign(this.settings, settings);
    const lines = Object.entries(this.settings).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(this.checkout, '.env'), lines.join(''));
  }

  /** Who may use the gateways that start from now on. */
  async admit(entries: readonly object[]): Promise<void> {
    const file = join(this.checkout, 'docker/secrets/gateway_tokens');
    await rm(file);
    await writeFile(file, JSON.stringify(entries), { mode: 0o444 });
  }

  compose(...args: string[]): Promise<string> {
    return this.run('docker', ['compose', ...args]);
  }

  docker(...args: string[]): Promise<string> {
    return this.run('docker', args);
  }

  /** In the checkout. */
  run(program: string, args: string[]): Promise<string> {
    return run(program, args, this.checkout);
  }

  /** Starts what is down, and waits until every service is healthy. */
  async up(...options: string[]): Promise<void> {
    const began = Date.now();
    try {
      await this.compose('up', '--detach', ...options);
      await this.healthy();
    } catch (error) {
      say(await this.compose('logs', '--tail', '20', '--no-color'));
      throw error;
    }
    say(`all services are healthy: ${Date.now() - began} ms`);
  }

  async healthy(): Promise<void> {
    await eventually('all services are healthy', async () => {
      const states = await this.states();
      return SERVICES.every((service) => states.get(service)?.every((state) => state === 'healthy' || state === 'running'));
    });
  }

  /** Of each service's containers: `healthy`, `unhealthy`, `starting`; without a health check `running`, `exited`, … */
  async states(): Promise<Map<string, string[]>> {
    const format = '{{.Label "com.docker.compose.service"}}\t{{.State}}\t{{.Status}}';
    const all = new Map<string, string[]>();
    for (const line of (await this.docker('ps', '--all', '--format', format)).trim().split('\n')) {
      const [service = '', state = '', status = ''] = line.split('\t');
      const [, health = state] = /\((?:health: )?(\w+)\)$/.exec(status) ?? [];
      all.set(service, [...(all.get(service) ?? []), state === 'running' ? health : state]);
    }
    return all;
  }

  /** A token for the gateway, and the entry by which gateways know it. */
  async token(principal: string, role: string): Promise<{ token: string; entry: object }> {
    const args = [
      'run',
      '--rm',
      '-T',
      '--no-deps',
      'gateway',
      'keys',
      'token',
      '--principal',
      principal,
      '--role',
      role,
      '--json',
    ];
    return JSON.parse((await this.compose(...args)).trim().split('\n').at(-1)!) as { token: string; entry: object };
  }

  /** Ids of the containers. */
  async containersOf(service: string): Promise<string[]> {
    return (await this.compose('ps', '--quiet', service)).split('\n').filter((id) => id !== '');
  }

  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--timeout', '5').catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Of the gateway that the compose file publishes. @throws Error with its answer, if that is no success */
export async function ask<T>(bearer: string, path: string, body?: object, key?: string): Promise<T> {
  const headers = {
    authorization: `Bearer ${bearer}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const answer = await fetch(`${GATEWAY}${path}`, { headers, ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** @returns stdout @throws Error with what the program printed */
function run(program: string, args: string[], cwd: string, env: { [name: string]: string } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')}: ${error.code}\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`));
    });
  });
}

export async function eventually<T>(what: string, probe: () => Promise<T | undefined | false>): Promise<T> {
  const began = Date.now();
  let last: unknown;
  while (Date.now() - began < PATIENCE_MS) {
    const found = await probe().catch((error: unknown) => void (last = error));
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`Did not happen within 5 minutes: ${what}`, { cause: last });
}

export function say(line: string): void {
  process.stderr.write(`containers: ${line}\n`);
}
