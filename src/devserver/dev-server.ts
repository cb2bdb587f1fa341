/**
 * Starts the embedded Temporal server: `temporal server start-dev` with what holdfast needs. It ends when this process ends,
 * however that happens (supervisor.ts).
 */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { secretAddress, startGuardedProxy, type HostPort } from '../telemetry/guarded-proxy';
import { NAMESPACE_ATTRIBUTES } from '../shared/search-attributes';
import { waitUntilHealthy } from './wait-until-healthy';
import { choosePort, startOnPorts, type ChosenPort } from './ports';
import { startSupervisedProcess, type SupervisedProcess } from './server-process';
import { errorMessage } from '../shared/text/error-message';

export interface DevServerOptions {
  /** Path of a Temporal CLI: see findTemporalCli. */
  cli: string;
  /** @default 7233, or a free one; 0: any free one. A port named here that is taken is an error. */
  port?: number;
  /** @default 8233, likewise */
  uiPort?: number;
  /** Keeps workflows in this SQLite file. @default in memory */
  dbFilename?: string;
  /** Without the Web UI. */
  headless?: boolean;
  /** The codec server that the Web UI asks for the plain text of payloads; absent: none. */
  codecEndpoint?: string;
  /** Further host names of the Web UI. */
  hosts?: readonly string[];
  /** @default 'default' */
  namespace?: string;
  /** Further dynamic configuration, key to value. */
  dynamicConfig?: Record<string, number | boolean | string>;
  /** Called with each line that the server writes. */
  onLog?: (line: string) => void;
  /** @default 30000 */
  startTimeoutMs?: number;
}

export interface DevServer {
  /** `127.0.0.1:7233` */
  address: string;
  uiUrl: string | null;
  namespace: string;
  /** Process id of the server itself. */
  pid: number;
  /** What the user should know, e.g. that a port was taken. */
  notes: string[];
  stop(): Promise<void>;
  /** This process may end although the server runs: then the server ends too. */
  unref(): void;
  /** Resolves when the server has ended: exit code or signal, and its last lines. */
  exited: Promise<{ how: string; lastLines: string[] }>;
}

/**
 * Two settings for latency (without them, every round trip costs one poll interval), one that heeds the priority of activities, and
 * one that makes search attributes visible at once.
 */
const DYNAMIC_CONFIG: Record<string, number | boolean | string[]> = {
  'history.transferProcessorMaxPollRPS': 2000,
  'system.enableActivityEagerExecution': true,
  'matching.useNewMatcher': true,
  'system.forceSearchAttributesCacheRefreshOnRead': true,
  // Nobody here uses the server's HTTP API, which does not check Origin: it answers no Host.
  'frontend.httpAllowedHosts': [],
};

/**
 * What the server writes if another process took its port. If the port is taken after the server's own check, it crashes where it
 * looks up its gRPC listener.
 */
const PORT_CONFLICT = /address already in use|frontend\.NewHTTPAPIServer/;

/**
 * Starts the server and waits until it can run a turn.
 * @throws Error with the server's last lines when it does not start
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const choose = async (): Promise<[ChosenPort, ChosenPort | null]> => [
    await choosePort('Temporal', options.port, 7233),
    options.headless ? null : await choosePort('the Web UI', options.uiPort, 8233),
  ];
  return startOnPorts(
    choose,
    (port, uiPort) => start(options, port, uiPort),
    (error) => PORT_CONFLICT.test(String(error)),
  );
}

async function start(options: DevServerOptions, port: ChosenPort, uiPort: ChosenPort | null): Promise<DevServer> {
  const { cli, namespace = 'default', onLog = () => {}, startTimeoutMs = 30_000 } = options;
  if (options.dbFilename) mkdirSync(dirname(resolve(options.dbFilename)), { recursive: true });
  const address = `127.0.0.1:${port.port}`;
  // The Web UI does not check which page asks, so it listens where no page finds it, behind a port of ours that checks.
  const ui = uiPort && (await secretAddress());
  const server = startSupervisedProcess(cli, startArguments(options, port, ui), onLog);
  try {
    const pid = await server.pid;
    await waitUntilHealthy(address, namespace, startTimeoutMs, () => !server.hasExited());
    const proxy = ui && (await startGuardedProxy({ host: '127.0.0.1', port: uiPort!.port }, ui, { hosts: options.hosts }));
    void server.exited.then(() => proxy?.close());
    return {
      address,
      uiUrl: uiPort ? `http://127.0.0.1:${uiPort.port}` : null,
      namespace,
      pid,
      notes: [port.note, uiPort?.note].filter((note): note is string => typeof note === 'string'),
      stop: () => server.stop(),
      unref: () => server.unref(),
      exited: server.exited.then((how) => ({ how, lastLines: server.lastLines() })),
    };
  } catch (error) {
    await server.stop();
    throw new Error(failure(cli, error, server));
  }
}

function startArguments(
  { dbFilename, namespace, dynamicConfig, codecEndpoint }: DevServerOptions,
  port: ChosenPort,
  ui: HostPort | null,
): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port.port), '--log-level', 'error'],
    ...(ui ? ['--ui-ip', ui.host, '--ui-port', String(ui.port)] : ['--headless']),
    ...(ui && codecEndpoint ? ['--ui-codec-endpoint', codecEndpoint] : []),
    ...(dbFilename ? ['--db-filename', resolve(dbFilename)] : []),
    ...(namespace && namespace !== 'default' ? ['--namespace', namespace] : []),
    ...Object.entries({ ...DYNAMIC_CONFIG, ...dynamicConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
    ...[...NAMESPACE_ATTRIBUTES].flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}

function failure(cli: string, error: unknown, server: SupervisedProcess): string {
  const why = errorMessage(error);
  const lines = server.lastLines();
  const output = lines.length > 0 ? ` It wrote:\n${lines.map((line) => `  ${line}`).join('\n')}` : ' It wrote nothing.';
  return `The Temporal dev server (${cli}) did not come up: ${why}.${output}`;
}
