/**
 * Starts the embedded stack: Temporal dev server with Web UI, a mail catcher, and one worker in a process of its own, so that it
 * can be killed and is started again. Everything ends with this process, however it ends.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Config } from '../config';
import { startDevServer, type DevServer } from './dev-server';
import { startChainWithContracts, type DeployContracts, type EquippedChain } from './chain-with-contracts';
import { findPackage } from '../optional-package';
import { splitEnvironment } from '../processes/environment';
import { findTemporalCli } from './find-cli';
import { startMailCatcher, type MailCatcher } from './mail-catcher';
import { stackEnvironment } from './stack-environment';
import { removeDevState, writeDevState } from './state-file';

export interface StackOptions {
  config: Config;
  appFile?: string | undefined;
  port?: number | undefined;
  uiPort?: number | undefined;
  /** SQLite file; absent: in memory. */
  db?: string | undefined;
  headless?: boolean | undefined;
  /** Starts a chain too, which this function prepares. Absent: no chain. */
  equipChain?: DeployContracts | undefined;
  /**
   * Loads the app file with the mail catcher's variables, before a server is started. Absent: the worker is the first to load it.
   */
  loadApp?: ((mail: MailEnvironment) => Promise<void>) | undefined;
  /** Gets the worker's messages; absent: they are dropped. */
  onMessage?: ((message: unknown) => void) | undefined;
  /** Prints a line for the user. */
  say(line: string): void;
}

export interface Stack {
  address: string;
  namespace: string;
  uiUrl: string | null;
  /** Folder of the .eml files; null when mail goes to a real server, or the package smtp-server is not installed. */
  outbox: string | null;
  /** JSON-RPC node of the embedded chain; null: there is none. */
  chainUrl: string | null;
  workerPid(): number | undefined;
  /** Rejects when the server dies, or the worker too often. */
  broken: Promise<never>;
  stop(): Promise<void>;
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, say } = options;
  const catchesMail = config.smtp === null && findPackage('smtp-server') !== null;
  const outbox = catchesMail ? join(config.home, 'outbox') : null;
  const catcher = outbox === null ? null : await startMailCatcher({ dir: outbox });
  await options.loadApp?.(mailOf(catcher)).catch(async (error: unknown) => {
    await catcher?.close();
    throw error;
  });
  // Starts beside the server: only the worker needs both.
  const chainStarting = options.equipChain ? startChainWithContracts(options.equipChain, say) : Promise.resolve(null);
  const server = await startServer(options).catch(async (error: unknown) => {
    await (await chainStarting)?.stop();
    await catcher?.close();
    throw error;
  });
  server.notes.forEach(say);
  const chain = await chainStarting;
  const worker = new RestartedWorker(options.appFile, workerEnvironment(config, server, catcher, chain), say, options.onMessage);
  const stop = () => stopAll(config.home, worker, catcher, chain, server);
  try {
    await writeDevState(config.home, {
      pid: process.pid,
      address: server.address,
      namespace: server.namespace,
      ui_url: server.uiUrl,
      started_at: new Date().toISOString(),
    });
    await worker.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address: server.address,
    namespace: server.namespace,
    uiUrl: server.uiUrl,
    outbox,
    chainUrl: chain?.rpcUrl ?? null,
    workerPid: () => worker.pid,
    broken: Promise.race([worker.gaveUp, failOnServerExit(server)]),
    stop,
  };
}

async function startServer({ config, port, uiPort, db, headless, say }: StackOptions): Promise<DevServer> {
  const cli = await findTemporalCli({ onProgress: say });
  const codecEndpoint = config.codecKeys === null ? undefined : `${config.publicUrl}/codec`;
  const wishes = dropUndefinedKeys({ port, uiPort, dbFilename: db, headless, codecEndpoint });
  return startDevServer({ cli: cli.path, ...wishes, hosts: config.hosts });
}

/** Without the keys whose value is undefined: a default applies only to an absent key. */
function dropUndefinedKeys<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

async function failOnServerExit(server: DevServer): Promise<never> {
  const { how, lastLines } = await server.exited;
  throw new Error([`The Temporal dev server has ended (${how}).`, ...lastLines].join('\n'));
}

async function stopAll(
  home: string,
  worker: RestartedWorker,
  catcher: MailCatcher | null,
  chain: EquippedChain | null,
  server: DevServer,
): Promise<void> {
  await worker.stop();
  await catcher?.close();
  await chain?.stop();
  await server.stop();
  removeDevState(home, process.pid);
}

function workerEnvironment(
  config: Config,
  server: DevServer,
  catcher: MailCatcher | null,
  chain: EquippedChain | null,
): NodeJS.ProcessEnv {
  // For a user at the terminal: logs only what is wrong, and ends fast enough for Ctrl-C (see RestartedWorker.stop).
  const calm = { HOLDFAST_LOG_LEVEL: process.env.LOG_LEVEL || 'warn', HOLDFAST_DRAIN_SECONDS: '6' };
  const approvals = config.approvals && { HOLDFAST_APPROVALS: config.approvals, HOLDFAST_APPROVALS_FILE: undefined };
  // Without a gateway there is no page that messages could link to.
  const files = { HOLDFAST_PUBLIC_URL: config.pageUrl ?? undefined, HOLDFAST_PUBLIC_URL_FILE: undefined, ...approvals };
  return {
    ...calm,
    ...stackEnvironment(omitEmptyVariables(process.env), config.home, server),
    HOLDFAST_CONFIG: 'off', // this process has read it
    HOLDFAST_DATA: config.data,
    ...files,
    ...mailOf(catcher),
    ...settingsOf(chain),
  };
}

/** The worker's mail server; empty: the one of the settings. */
export type MailEnvironment = Partial<Record<'HOLDFAST_SMTP_HOST' | 'HOLDFAST_SMTP_PORT' | 'HOLDFAST_SMTP_FROM', string>>;

function mailOf(catcher: MailCatcher | null): MailEnvironment {
  if (catcher === null) return {};
  return {
    HOLDFAST_SMTP_HOST: '127.0.0.1',
    HOLDFAST_SMTP_PORT: String(catcher.port),
    HOLDFAST_SMTP_FROM: 'holdfast@localhost',
  };
}

/** Each replaces the value of the environment, also one from a file. */
function settingsOf(chain: EquippedChain | null): NodeJS.ProcessEnv {
  const settings = chain?.settings ?? {};
  const files = Object.keys(settings).map((name) => [`${name}_FILE`, undefined]);
  return { ...settings, ...Object.fromEntries(files) };
}

/** A version gets turns only after an operator makes it current; here is none. */
const VERSIONING = /^HOLDFAST_(DEPLOYMENT|BUILD_ID)(_FILE)?$/;

/** Without empty variables, which count as not set, and without a version. */
function omitEmptyVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== '' && !VERSIONING.test(name)));
}

const QUICK_DEATHS = 5;

/** A worker process that is started again when it dies. */
class RestartedWorker {
  readonly gaveUp: Promise<never>;
  private giveUp!: (error: Error) => void;
  private child: ChildProcess | undefined;
  private stopping = false;
  private deaths = 0;

  constructor(
    private readonly appFile: string | undefined,
    private readonly env: NodeJS.ProcessEnv,
    private readonly say: (line: string) => void,
    private readonly onMessage: (message: unknown) => void = () => undefined,
  ) {
    this.gaveUp = new Promise((_resolve, reject) => (this.giveUp = reject));
    this.gaveUp.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves once the worker polls; rejects when it cannot start. */
  start(): Promise<void> {
    const args = ['worker', ...(this.appFile === undefined ? [] : ['--app', this.appFile])];
    const { env, hand } = splitEnvironment(this.env, 4);
    const child = fork(join(__dirname, '..', 'cli', 'main.js'), args, {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    });
    hand(child);
    this.child = child;
    return new Promise((resolve, reject) => {
      let ready = false;
      child.on('message', this.onMessage);
      child.once('message', () => {
        ready = true;
        resolve();
      });
      child.once('exit', (code, signal) => {
        if (this.stopping) return;
        if (!ready) return reject(new Error('The worker did not start; its message stands above.'));
        this.again(`The worker has ended (${signal ?? `exit code ${code}`})`);
      });
    });
  }

  private again(what: string): void {
    this.deaths += 1;
    if (this.deaths > QUICK_DEATHS) return this.giveUp(new Error(`${what}, the ${this.deaths}th time; not started again.`));
    setTimeout(() => (this.deaths = Math.max(0, this.deaths - 1)), 30_000).unref();
    this.say(`${what}; starting it again. Nothing is lost.`);
    this.start().then(
      () => this.say(`The worker is back (pid ${this.pid}).`),
      (error: Error) => this.again(error.message),
    );
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await exit;
    clearTimeout(timer);
  }
}
