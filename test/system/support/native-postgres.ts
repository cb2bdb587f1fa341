/** A PostgreSQL of the test's own, in a folder of its own, on the loopback, with a password that only a file holds. */
import { execFile } from 'node:child_process';
import { chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startSupervisedProcess, type SupervisedProcess } from '../../../src/devserver/server-process';

const run = promisify(execFile);

export const SQL_USER = 'temporal';
const READY_WITHIN_MS = 30_000;

export interface PostgresOptions {
  /** The folder of its binaries. */
  bin: string;
  /** An empty folder, which becomes PostgreSQL's. */
  folder: string;
  port: number;
  passwordFile: string;
}

/** @throws Error with what it wrote, when it does not come up */
export async function startPostgres({ bin, folder, port, passwordFile }: PostgresOptions): Promise<SupervisedProcess> {
  const as = await asPostgresUser([folder, passwordFile]);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  await as.own(data);
  const how = [
    '--username',
    SQL_USER,
    '--pwfile',
    passwordFile,
    '--auth',
    'scram-sha-256',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
  ];
  const [initdb, ...initArgs] = [...as.prefix, join(bin, 'initdb'), '--pgdata', data, ...how];
  await run(initdb!, initArgs, { cwd: folder });
  return servePostgres({ bin, folder, port });
}

/** The same again, on the folder of a server that has ended in any way. @throws Error as `startPostgres` */
export async function servePostgres({ bin, folder, port }: Omit<PostgresOptions, 'passwordFile'>): Promise<SupervisedProcess> {
  const as = await asPostgresUser([]);
  const data = join(folder, 'data');
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((setting) => ['-c', setting]);
  const [postgres, ...args] = [...as.prefix, join(bin, 'postgres'), '-D', data, '-p', String(port), ...settings];
  const server = startSupervisedProcess(postgres!, args, () => undefined);
  // What docker-compose.yml asks as its health check.
  const ready = () => run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-U', SQL_USER]);
  for (const until = Date.now() + READY_WITHIN_MS; ; await sleep(50)) {
    try {
      await ready();
      return server;
    } catch {
      if (!server.hasExited() && Date.now() < until) continue;
      await server.stop();
      throw new Error(`PostgreSQL did not come up. It wrote:\n${server.lastLines().join('\n')}`);
    }
  }
}

interface OtherUser {
  /** The words before a command that run it as that user. */
  prefix: string[];
  own(path: string): Promise<void>;
}

/** The words that run a program of PostgreSQL as the user that its server has. @param paths those that it writes */
export async function asPostgres(words: string[], paths: string[] = []): Promise<[string, ...string[]]> {
  const { prefix } = await asPostgresUser(paths);
  return [...prefix, ...words] as [string, ...string[]];
}

/** PostgreSQL refuses to run as root: then it runs as the user `postgres` that its package makes, who needs the paths for itself. */
async function asPostgresUser(paths: string[]): Promise<OtherUser> {
  if (process.getuid?.() !== 0) return { prefix: [], own: async () => undefined };
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((entry) => entry.startsWith('postgres:'));
  if (!line) throw new Error('PostgreSQL cannot run as root, and there is no user postgres: install the postgresql package.');
  const [uid, gid] = line.split(':').slice(2, 4).map(Number) as [number, number];
  const own = (path: string) => chown(path, uid, gid);
  for (const path of paths) await own(path);
  return { prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'], own };
}
