/** Servers of tests that the project does not ship: PostgreSQL of the system, Temporal's server and versitygw (S3) built with Go. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../../src/devserver/cli-cache';
import { goInstall } from '../../../src/devserver/cli-go-install';
import { onPath } from '../../../src/devserver/on-path';

/** The server's release: the one that docker-compose.yml pins. */
export const SERVER_VERSION = '1.29.1';

const SERVER_MODULE = 'go.temporal.io/server';
/** Where Debian keeps each major version. */
const POSTGRES_HOME = '/usr/lib/postgresql';

/** The folder of `initdb`, `postgres` and `pg_isready`: HOLDFAST_POSTGRES_BIN, the newest of the system, or the PATH's; null when there is none. */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.HOLDFAST_POSTGRES_BIN) return env.HOLDFAST_POSTGRES_BIN;
  const versions = existsSync(POSTGRES_HOME) ? readdirSync(POSTGRES_HOME).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(POSTGRES_HOME, version, 'bin')), ...(env.PATH ?? '').split(':')];
  return (
    folders.find((folder) => folder !== '' && existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null
  );
}

export interface ServerBinaries {
  server: string;
  sqlTool: string;
}

/** The folder of our builds: each version has its own, so that a new version is built again. */
export function cachedServer(env: NodeJS.ProcessEnv = process.env): ServerBinaries {
  const at = (name: string) => join(cacheFolder(env), 'bin', `${name}-${SERVER_VERSION}`);
  return { server: at('temporal-server'), sqlTool: at('temporal-sql-tool') };
}

/**
 * Temporal's server and its schema tool: from our cache, else built into it (about two minutes).
 * @throws Error when they have to be built and there is no Go, or it fails
 */
export async function temporalServer(
  env: NodeJS.ProcessEnv = process.env,
  onProgress: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Promise<ServerBinaries> {
  const cached = cachedServer(env);
  if (existsSync(cached.server) && existsSync(cached.sqlTool)) return cached;
  const build = {
    what: `the Temporal server ${SERVER_VERSION}`,
    takes: 'about 2 minutes',
    packages: ['cmd/server', 'cmd/tools/sql'].map((command) => `${SERVER_MODULE}/${command}@v${SERVER_VERSION}`),
    files: { server: cached.server, sql: cached.sqlTool },
  };
  await goInstall(build, env, onProgress);
  return cached;
}

const S3_SERVER_VERSION = '1.8.0';

export function cachedS3Server(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), 'bin', `versitygw-${S3_SERVER_VERSION}`);
}

/** Versitygw, a server that speaks the API of S3: from our cache, else built into it. @throws Error as `temporalServer` */
export async function s3Server(
  env: NodeJS.ProcessEnv = process.env,
  onProgress: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Promise<string> {
  const cached = cachedS3Server(env);
  if (existsSync(cached)) return cached;
  const build = {
    what: `versitygw ${S3_SERVER_VERSION}`,
    takes: 'about 3 minutes',
    packages: [`github.com/versity/versitygw/cmd/versitygw@v${S3_SERVER_VERSION}`],
    files: { versitygw: cached },
  };
  await goInstall(build, env, onProgress);
  return cached;
}

/** Why a native cluster cannot run here, with what to do; null if it can. */
export function whyNoNativeCluster(env: NodeJS.ProcessEnv = process.env): string | null {
  if (process.platform !== 'linux') return 'the native cluster runs on Linux only';
  if (!findPostgres(env))
    return 'there is no PostgreSQL: install it (apt-get install postgresql), or name its bin folder in HOLDFAST_POSTGRES_BIN';
  const cached = cachedServer(env);
  if (existsSync(cached.server) && existsSync(cached.sqlTool)) return null;
  return onPath('go', env) ? null : `there is no Temporal server in ${cacheFolder(env)}, and no Go to build it: install Go`;
}
