/**
 * The topology of docker-compose.yml without containers: PostgreSQL and a Temporal server as plain processes, set up and
 * started by the very scripts and configuration files of docker/. Only the Web UI is missing: it has no build of its own.
 * Everything ends with this process, even if it is killed (src/devserver/supervisor.ts).
 */
import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { waitUntilHealthy } from '../../../src/devserver/wait-until-healthy';
import { choosePort } from '../../../src/devserver/ports';
import { startSupervisedProcess, type SupervisedProcess } from '../../../src/devserver/server-process';
import { findPostgres, temporalServer, whyNoNativeCluster } from './native-binaries';
import { SQL_USER, startPostgres } from './native-postgres';

const run = promisify(execFile);

const DOCKER = join(__dirname, '../../../docker');
const NAMESPACE = 'default';
const READY_WITHIN_MS = 60_000;
/** The settings of docker/temporal/server.yaml that take a port; the first is the frontend's, for clients. */
const PORTS = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'].flatMap((service) => [
  `${service}_GRPC_PORT`,
  `${service}_MEMBERSHIP_PORT`,
]);

export interface NativeCluster {
  /** Of the frontend: `127.0.0.1:20001` */
  address: string;
  namespace: string;
  /** Of the database. */
  password: string;
  /** Of the database server and of Temporal's server. */
  pids(): number[];
  /** URL of the database `postgres`, where a store can be. */
  store: string;
  /** All databases, as SQL. */
  dump(): Promise<string>;
  /** All that the Temporal server has logged: one JSON object a line. */
  log(): string;
  /** Stops everything and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts it: a second or two for the databases, as much for the server, plus two minutes where the server must be built first.
 * @throws Error when something is missing, or does not come up; nothing is left behind
 */
export async function startNativeCluster(): Promise<NativeCluster> {
  const missing = whyNoNativeCluster();
  if (missing) throw new Error(`No native cluster: ${missing}.`);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cluster-'));
  const running: SupervisedProcess[] = [];
  const stop = async () => {
    for (const process of running.splice(0).reverse()) await process.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await start(folder, running)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(folder: string, running: SupervisedProcess[]): Promise<Omit<NativeCluster, 'stop'>> {
  await chmod(folder, 0o755); // PostgreSQL's user must get through
  const bin = await namedAsInImages(join(folder, 'bin'));
  const [sqlPort, ...ports] = await freePorts(1 + PORTS.length);
  const passwordFile = join(folder, 'postgres_password');
  // As awkward as a password may be: scripts and configuration pass it on unharmed. (A space Temporal itself cannot take.)
  const password = `${randomBytes(18).toString('base64')}"\\$'{{%`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  const sqlFolder = join(folder, 'postgres');
  await mkdir(sqlFolder);
  running.push(await startPostgres({ bin: findPostgres()!, folder: sqlFolder, port: sqlPort!, passwordFile }));

  const address = `127.0.0.1:${ports[0]}`;
  const env = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: folder,
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(sqlPort),
    SQL_USER,
    SQL_PASSWORD_FILE: passwordFile,
    ...Object.fromEntries(PORTS.map((name, index) => [name, String(ports[index])])),
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: NAMESPACE,
    NAMESPACE_RETENTION: '24h',
  };
  await script('set-up-schema.sh', env);
  const lines: string[] = [];
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const server = startSupervisedProcess('env', ['-i', ...settings, 'sh', join(DOCKER, 'temporal/start-server.sh')], (line) =>
    lines.push(line),
  );
  running.push(server);
  await untilServing(server, env);
  await script('set-up-namespace.sh', env);
  await waitUntilHealthy(address, NAMESPACE, READY_WITHIN_MS, () => !server.hasExited());
  const pids = await Promise.all(running.map(({ pid }) => pid));
  const dump = async () => {
    const where = ['--host', '127.0.0.1', '--port', String(sqlPort), '--username', SQL_USER];
    const options = { env: { ...process.env, PGPASSWORD: password }, maxBuffer: 512 * 1024 * 1024 };
    return (await run(join(findPostgres()!, 'pg_dumpall'), where, options)).stdout;
  };
  const store = `postgres://${SQL_USER}:${encodeURIComponent(password)}@127.0.0.1:${sqlPort}/postgres`;
  return { address, namespace: NAMESPACE, password, pids: () => pids, store, dump, log: () => lines.join('\n') };
}

/** A folder with the three commands that the scripts call, by the names that they have in Temporal's images. */
async function namedAsInImages(bin: string): Promise<string> {
  const [{ server, sqlTool }, { path: cli }] = [await temporalServer(), await findTemporalCli()];
  await mkdir(bin);
  await symlink(server, join(bin, 'temporal-server'));
  await symlink(sqlTool, join(bin, 'temporal-sql-tool'));
  await symlink(cli, join(bin, 'temporal'));
  return bin;
}

async function script(name: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run('sh', [join(DOCKER, 'temporal', name)], { env, timeout: READY_WITHIN_MS, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`docker/temporal/${name} failed. It wrote:\n${`${stdout}${stderr}`.slice(-4000)}`, { cause: error });
  }
}

/** Asks what docker-compose.yml asks as the server's health check. */
async function untilServing(server: SupervisedProcess, env: NodeJS.ProcessEnv): Promise<void> {
  for (const until = Date.now() + READY_WITHIN_MS; ; await sleep(100)) {
    try {
      await run('temporal', ['operator', 'cluster', 'health'], { env });
      return;
    } catch (error) {
      if (!server.hasExited() && Date.now() < until) continue;
      throw new Error(`The Temporal server did not come up. It wrote:\n${server.lastLines().join('\n')}`, { cause: error });
    }
  }
}

/** Neighbours below the ports that the system hands out: nobody is given one between our look and the server's start. */
async function freePorts(count: number): Promise<number[]> {
  for (let tries = 0; tries < 20; tries++) {
    const first = randomInt(20_000, 32_000 - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    try {
      for (const port of ports) await choosePort('the native cluster', port, port);
      return ports;
    } catch {
      // somebody has one of them
    }
  }
  throw new Error(`No ${count} free ports in a row were found between 20000 and 32000.`);
}
