/** The fleet as containers, by docker-compose.yml. `.ci/containers npm run bench -- fleet --containers` gives the daemon and the network. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { ComposeProject, containersHost, eventually } from '../../test/containers/support/compose-project';
import type { Around, Deployment, Measured, Size } from './deployment';
import type { Fault } from './plan';

/** Through the proxy before the gateways. */
const GATEWAYS = 'http://127.0.0.1:8480';
/** In the image: the app's imports are found in the folder above. */
const APP = '/app/fleet/app.ts';
const DOWN_MS = 1000;
/** More than a worker takes to end its calls. */
const STOP_SECONDS = '90';
const CONNECTIONS = `PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") psql --username "$POSTGRES_USER" --dbname holdfast --tuples-only --command "select count(*) from pg_stat_activity where datname = 'holdfast' and pid <> pg_backend_pid()"`;

export async function startContainers({ workers, gateways }: Size, around: Around): Promise<Deployment> {
  const relays = await Promise.all([around.ledger, around.model].map((url) => relayTo(url)));
  const project = await ComposeProject.checkOut({ ANTHROPIC_API_KEY: 'no-key-at-all', HOLDFAST_SMTP_PASS: 'none' });
  const close = async () => {
    await project.remove();
    for (const { relay } of relays) {
      relay.closeAllConnections();
      relay.close();
    }
  };
  try {
    await project.configure({
      HOLDFAST_SMTP_HOST: 'localhost',
      HOLDFAST_SMTP_USER: 'none',
      HOLDFAST_SMTP_FROM: 'a@bank.example',
    });
    const [ledger, model] = relays.map(({ url }) => url) as [string, string];
    writeFileSync(join(project.checkout, 'docker-compose.override.yml'), stringify(overrides(project, ledger, model)));
    await project.admit([around.people.starter.entry, around.people.approver.entry]);
    around.say('  building the image and starting the containers');
    await project.compose('build', 'worker');
    await project.up('--scale', `worker=${workers}`, '--scale', `gateway=${gateways}`);
    const containers = await Containers.of(project);
    return {
      urls: [GATEWAYS],
      impossible: ['stall-network', 'fill-disk', 'step-clock'],
      steady: ['worker-1', 'gateway-1'].map((name) => containers.measured(name)),
      connections: () => containers.connections(),
      inject: (fault, interrupted) => containers.inject(fault, interrupted),
      restarts: () => containers.restarts,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Passes requests to a server of this machine, which takes only those that name it: containers reach it at another address. */
async function relayTo(url: string): Promise<{ relay: Server; url: string }> {
  const { hostname, port, host } = new URL(url);
  const relay = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming;
    const outgoing = request({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => relay.listen(0, containersHost(), resolve));
  return { relay, url: `http://${containersHost()}:${(relay.address() as AddressInfo).port}` };
}

function overrides({ checkout }: ComposeProject, ledger: string, model: string) {
  const volumes = [`${join(checkout, 'bench/fleet')}:/app/fleet:ro`];
  const settings = { FLEET_LEDGER: ledger, HOLDFAST_MODEL: 'anthropic', ANTHROPIC_BASE_URL: model };
  return {
    services: {
      worker: { command: ['worker', '--app', APP], volumes, environment: settings },
      gateway: {
        command: ['gateway', '--app', APP],
        volumes,
        environment: { ...settings, HOLDFAST_HTTP_RATE: '9999999' },
      },
    },
  };
}

class Containers {
  restarts = 0;
  /** One fault of a container at a time. */
  private readonly busy = new Map<string, Promise<void>>();

  private constructor(
    private readonly project: ComposeProject,
    /** Ids by the names of the plan, and of the servers. */
    private readonly ids: ReadonlyMap<string, string>,
    /** The prefix of the names of networks. */
    private readonly prefix: string,
  ) {}

  static async of(project: ComposeProject): Promise<Containers> {
    const ids = new Map<string, string>();
    for (const service of ['worker', 'gateway'])
      for (const [index, id] of (await project.containersOf(service)).entries()) ids.set(`${service}-${index + 1}`, id);
    for (const service of ['temporal', 'postgresql']) ids.set(service, (await project.containersOf(service))[0]!);
    const label = '{{index .Config.Labels "com.docker.compose.project"}}';
    const name = await project.docker('inspect', '--format', label, ids.get('temporal')!);
    return new Containers(project, ids, name.trim());
  }

  measured(name: string): Measured {
    return { name, pid: () => this.pid(name).catch(() => null) };
  }

  /** To the database of the store. */
  async connections(): Promise<number | null> {
    const asked = this.project.docker('exec', this.ids.get('postgresql')!, 'sh', '-c', CONNECTIONS);
    return asked.then(Number, () => null);
  }

  inject(fault: Fault, interrupted: AbortSignal): Promise<void> {
    const name = fault.kind === 'kill-temporal' ? 'temporal' : fault.kind === 'restart-postgres' ? 'postgresql' : fault.member!;
    const made = (this.busy.get(name) ?? Promise.resolve()).then(() => this.make(fault, this.ids.get(name)!, interrupted));
    this.busy.set(name, made);
    return made;
  }

  private async make({ kind, server, seconds }: Fault, id: string, interrupted: AbortSignal): Promise<void> {
    const { project } = this;
    const lasts = () => sleep(seconds * 1000, undefined, { signal: interrupted }).catch(() => undefined);
    if (kind.startsWith('kill-')) return this.restart(id, ['kill', '--signal', 'KILL']);
    if (kind === 'restart-postgres') return this.restart(id, ['kill', '--signal', 'QUIT']);
    if (kind.startsWith('stop-')) return this.restart(id, ['stop', '--time', STOP_SECONDS]);
    if (kind.startsWith('pause-')) {
      // Docker cannot freeze a container that is just starting a process, such as a health check.
      await eventually('the container is paused', async () => (await project.docker('pause', id)) !== '');
      await lasts();
      await project.docker('unpause', id);
    } else {
      const network = `${this.prefix}_${server === 'postgres' ? 'store' : 'temporal'}`;
      await project.docker('network', 'disconnect', network, id);
      await lasts();
      await project.docker('network', 'connect', network, id);
    }
  }

  /** Docker does not start a container by itself that somebody has ended. */
  private async restart(id: string, how: string[]): Promise<void> {
    await this.project.docker(...how, id);
    await this.project.docker('wait', id); // PostgreSQL takes a moment to end
    await sleep(DOWN_MS);
    await this.project.docker('start', id);
    this.restarts += 1;
  }

  /** The first process of a container starts ours, and waits for it. */
  private async pid(name: string): Promise<number | null> {
    const first = (await this.project.docker('inspect', '--format', '{{.State.Pid}}', this.ids.get(name)!)).trim();
    const [child] = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').split(' ');
    return child ? Number(child) : null;
  }
}
