/** An S3-compatible server for stores: versitygw over a folder. A bucket for each test, and a way to kill it. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSupervisedProcess, type SupervisedProcess } from '../../../../src/devserver/server-process';
import { freePort } from '../../../support/free-port';
import { filesIn } from '../../../support/store/store-dir';
import { cachedS3Server, s3Server } from '../../support/native-binaries';

const READY_WITHIN_MS = 30_000;
const ACCESS_KEY = 'holdfast-tests';
const SECRET_KEY = 'a secret of tests/+=';

const required = process.env.HOLDFAST_REQUIRE_S3 === '1';
const missing =
  process.platform !== 'linux'
    ? 'the tests start it on Linux only'
    : required || existsSync(cachedS3Server())
      ? null
      : 'it is not in the cache';
if (missing) console.warn(`Tests of parts in S3 are skipped: versitygw: ${missing}. HOLDFAST_REQUIRE_S3=1 builds it with Go.`);

/** `describe`, or `describe.skip` where there is no such server and nobody insists. */
export const describeS3 = missing && !required ? describe.skip : describe;

export class S3Server {
  static readonly CREDENTIALS = {
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  private count = 0;

  private constructor(
    private readonly folder: string,
    readonly port: number,
    private server: SupervisedProcess,
  ) {}

  static async start(): Promise<S3Server> {
    // The SDK's own chain reads them.
    Object.assign(process.env, S3Server.CREDENTIALS);
    const binary = await s3Server();
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-s3-'));
    const port = await freePort();
    return new S3Server(folder, port, await serve(binary, folder, port));
  }

  /** HOLDFAST_PARTS of a bucket of its own. */
  async fresh(prefix = 'parts'): Promise<string> {
    const bucket = `bucket-${++this.count}`;
    await mkdir(join(this.folder, 'root', bucket), { recursive: true });
    return `s3://${bucket}/${prefix}?endpoint=${this.endpoint}`;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Where the objects of a bucket are, below its folder. */
  objects(parts: string): { folder: string; names: string[] } {
    const folder = join(this.folder, 'root', new URL(parts).hostname);
    return { folder, names: filesIn(folder).sort() };
  }

  async kill(): Promise<void> {
    process.kill(await this.server.pid, 'SIGKILL');
    await this.server.exited;
  }

  async again(): Promise<void> {
    this.server = await serve(await s3Server(), this.folder, this.port);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function serve(binary: string, folder: string, port: number): Promise<SupervisedProcess> {
  await mkdir(join(folder, 'root'), { recursive: true });
  await mkdir(join(folder, 'attributes'), { recursive: true });
  const keys = ['--access', ACCESS_KEY, '--secret', SECRET_KEY];
  // A folder for what are attributes of files elsewhere: not every file system of a test has them.
  const backend = ['posix', '--sidecar', join(folder, 'attributes'), join(folder, 'root')];
  const server = startSupervisedProcess(binary, ['--port', `127.0.0.1:${port}`, '--quiet', ...keys, ...backend], () => undefined);
  for (const until = Date.now() + READY_WITHIN_MS; ; await sleep(50)) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null); // any answer: it speaks
    if (answer !== null) return server;
    if (!server.hasExited() && Date.now() < until) continue;
    await server.stop();
    throw new Error(`versitygw did not come up. It wrote:\n${server.lastLines().join('\n')}`);
  }
}
