/**
 * `doctor --production`: what docs/deployment.md asks for, from the settings of this process, its files, its store and the server. Run it
 * with the settings of each worker and each gateway. A fault is what nobody should run with; a warning may be meant so.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { version as sdkVersion } from '@temporalio/client/package.json';
import { bundleKeyPlaces, defaultSigningKey } from '../../config/keys';
import { approvalsChannel } from '../../config/http';
import type { Config } from '../../config';
import { isJsonObject, type Json } from '../../shared/json/json';
import { isLoopback } from '../../temporal/address';
import { fault, fine, warn, type Finding } from './findings';
import type { ServerFacts } from './server-facts';

const DAY_MS = 24 * 3_600_000;
/** A daily backup, with two hours to be made. */
const BACKUP_AGE_MS = 26 * 3_600_000;
/** Two clocks of one deployment may differ by this, ms. */
const CLOCKS_APART_MS = 2000;
/** The oldest server on which the tests run. */
const LEAST_SERVER = [1, 28];

export interface StoreFacts {
  /** The clock of the store, ms since 1970, and ours at the same moment. */
  now: number;
  ownNow: number;
  /** How far bundles are made, ms since 1970; null: no worker has made any. */
  sweptTo: number | null;
  /** Bundles that failed, and are tried again. */
  failedBundles: number;
}

export async function examineProduction(
  config: Config,
  { server, store }: { server: ServerFacts | null; store: StoreFacts | null },
): Promise<Finding[]> {
  return [
    examineChannel(config),
    examineTls(config),
    ...(await examineKeyFiles(config)),
    examineEncryption(config),
    examineStoreKind(config),
    examineAddress(config),
    examinePorts(config),
    examineModel(config),
    examineVersioning(config),
    ...examineVersions(server),
    ...examineRetention(config, server, store, Date.now()),
    ...examineClocks(server, store, Date.now()),
    await examineBackups(config.backups, Date.now()),
  ];
}

export function examineChannel(config: Config): Finding {
  return approvalsChannel(config) === 'attested'
    ? fine('signed decisions', 'only signed decisions count')
    : fault(
        'signed decisions',
        'anybody who reaches Temporal approves under any name',
        'HOLDFAST_APPROVALS=attested (docs/approvals.md)',
      );
}

export function examineTls({ temporal: { address, connectionOptions } }: Pick<Config, 'temporal'>): Finding {
  const { tls } = connectionOptions;
  if (tls !== undefined && tls !== null && tls !== false) return fine('TLS to Temporal', `on, to ${address}`);
  if (isLoopback(address))
    return warn('TLS to Temporal', `off; ${address} is this machine`, 'TEMPORAL_TLS=true once the server is elsewhere');
  if (!/[.[]/.test(address))
    return warn('TLS to Temporal', `off; is ${address} a container on this machine?`, 'TEMPORAL_TLS=true if it is elsewhere');
  return fault(
    'TLS to Temporal',
    `off, and ${address} may be another machine`,
    'TEMPORAL_TLS=true, with TEMPORAL_TLS_… (docs/configuration.md)',
  );
}

/** Private keys: there, of their owner alone, and each for one purpose. */
export async function examineKeyFiles(config: Config): Promise<Finding[]> {
  const { named, made } = bundleKeyPlaces(config);
  const bundleFile = named === null ? made : 'file' in named ? named.file : null;
  const files: [string, string | null, string][] = [
    [
      'signing key',
      config.signingKey,
      `the gateway makes one at its start (${defaultSigningKey(config.home)}); a worker needs one for schedules only`,
    ],
    [
      'bundle key',
      config.bundles === null ? null : bundleFile,
      'a worker makes one with its first bundle, or HOLDFAST_BUNDLE_KEY names one',
    ],
    ['encryption keys', typeof config.codecKeys === 'string' ? config.codecKeys : null, ''],
  ];
  const found: Finding[] = [];
  const hashes = new Map<string, string>();
  for (const [what, file, todo] of files) {
    if (file === null) {
      if (todo !== '' && !(what === 'bundle key' && (config.bundles === null || named !== null)))
        found.push(warn(what, 'none here', todo));
      continue;
    }
    const info = await stat(file).catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
    if (typeof info === 'string') {
      found.push(warn(what, `${file} cannot be read (${info})`, todo === '' ? 'look at its path and owner' : todo));
      continue;
    }
    const isOpen = process.platform !== 'win32' && (info.mode & 0o077) !== 0;
    const hash = createHash('sha256')
      .update(await readFile(file).catch(() => Buffer.from(file)))
      .digest('hex');
    const other = hashes.get(hash);
    hashes.set(hash, what);
    if (isOpen) found.push(fault(what, `others may read ${file}`, `chmod 600 ${file}`));
    else if (other !== undefined)
      found.push(fault(what, `it is the ${other} too`, 'make a key for each purpose: `holdfast keys create`'));
    else found.push(fine(what, `${file}, its owner's alone`));
  }
  const trusted = await stat(config.trustedKeys).catch(() => null);
  if (trusted !== null && process.platform !== 'win32' && (trusted.mode & 0o022) !== 0)
    found.push(
      fault('trusted keys', `others may write ${config.trustedKeys}, and with it approve`, `chmod 644 ${config.trustedKeys}`),
    );
  return found;
}

export function examineEncryption({ codecKeys }: Pick<Config, 'codecKeys'>): Finding {
  return codecKeys === null
    ? warn(
        'encryption',
        'off: who reads Temporal or its database reads inputs and cards',
        'HOLDFAST_CODEC_KEYS (docs/encryption.md)',
      )
    : fine('encryption', 'payloads and store are encrypted');
}

export function examineStoreKind({ store }: Pick<Config, 'store'>): Finding {
  return store.startsWith('file:')
    ? warn(
        'kind of store',
        'files: all workers and gateways must share this folder',
        'PostgreSQL for several hosts (docs/operations.md)',
      )
    : fine('kind of store', 'PostgreSQL');
}

export function examineAddress({ pageUrl }: Pick<Config, 'pageUrl'>): Finding {
  if (pageUrl === null)
    return warn(
      'public address',
      'not set: messages to people have no links',
      'HOLDFAST_PUBLIC_URL=https://… (docs/deployment.md)',
    );
  return pageUrl.startsWith('https://')
    ? fine('public address', pageUrl)
    : fault(
        'public address',
        `${pageUrl} sends tokens and cookies in the open`,
        'a proxy with TLS before the gateway, and HOLDFAST_PUBLIC_URL=https://…',
      );
}

export function examinePorts({ metrics, health }: Pick<Config, 'metrics' | 'health'>): Finding {
  const missing = [...(metrics === null ? ['HOLDFAST_METRICS_PORT'] : []), ...(health === null ? ['HOLDFAST_HEALTH_PORT'] : [])];
  return missing.length === 0
    ? fine('monitoring', 'metrics and health are served')
    : warn(
        'monitoring',
        `not set: ${missing.join(', ')}`,
        'set it for workers; a gateway has /metrics, /healthz and /readyz on its own port (docs/operations.md)',
      );
}

export function examineModel({
  model,
  debugInfo,
  childrenMayReadSecrets,
}: Pick<Config, 'model' | 'debugInfo' | 'childrenMayReadSecrets'>): Finding {
  if (model === 'rehearsal')
    return fault('for tests only', 'a script stands in for the model', 'HOLDFAST_MODEL (docs/models.md)');
  if (childrenMayReadSecrets)
    return fault(
      'for tests only',
      'commands and MCP servers may read secrets',
      'remove HOLDFAST_CHILDREN_MAY_READ_SECRETS (docs/workspace.md)',
    );
  if (debugInfo) return warn('for tests only', 'callers get debug_info of tools', 'HOLDFAST_DEBUG_INFO=off');
  return fine('for tests only', 'nothing is set that is for tests');
}

export function examineVersioning({ deployment }: Pick<Config, 'deployment'>): Finding {
  return deployment === undefined
    ? warn(
        'worker versions',
        'off: a version that changes workflow code must wait until no turn runs',
        'HOLDFAST_DEPLOYMENT and HOLDFAST_BUILD_ID (docs/deployment.md)',
      )
    : fine('worker versions', `${deployment.name}, build ${deployment.buildId}`);
}

export function examineVersions(server: ServerFacts | null, node = process.version): Finding[] {
  const major = Number(/^v(\d+)/.exec(node)?.[1]);
  const own =
    major % 2 === 1
      ? warn('Node', `${node} is no long-term release`, 'an even version')
      : fine('Node', `${node}, Temporal's SDK ${sdkVersion}`);
  if (server === null) return [own];
  const [one = 0, two = 0] = server.version.split('.').map(Number);
  const [leastOne, leastTwo] = LEAST_SERVER as [number, number];
  if (server.version === '') return [own, warn('server version', 'the server does not say', 'nothing, on Temporal Cloud')];
  const isOld = one < leastOne || (one === leastOne && two < leastTwo);
  return [
    own,
    isOld
      ? fault('server version', server.version, `Temporal ${LEAST_SERVER.join('.')} or newer`)
      : fine('server version', server.version),
  ];
}

/** A bundle is made after a turn has ended, and while the namespace retains it. */
export function examineRetention(
  { bundles }: Pick<Config, 'bundles'>,
  server: ServerFacts | null,
  store: StoreFacts | null,
  now: number,
): Finding[] {
  const retention = server?.retentionMs ?? null;
  const what = 'retention';
  if (bundles === null)
    return [
      warn(what, 'no bundles are kept: a turn is gone when its namespace forgets it', 'HOLDFAST_BUNDLES (docs/retention.md)'),
    ];
  if (retention === null) return [];
  const days = Math.round((retention / DAY_MS) * 10) / 10;
  const longer = '`temporal operator namespace update --retention`, longer than the longest outage (docs/retention.md)';
  if (retention < 3 * DAY_MS) return [fault(what, `the namespace forgets ended turns after ${days} days`, longer)];
  if (store === null || store.sweptTo === null)
    return [warn(what, `${days} days; no worker has made bundles here yet`, 'start a worker with HOLDFAST_BUNDLES')];
  const behind = now - store.sweptTo;
  if (store.failedBundles > 0)
    return [
      fault(what, `${store.failedBundles} bundles could not be made yet`, 'the log of the workers says why: "bundle not kept"'),
    ];
  return behind > retention / 2
    ? [
        fault(
          what,
          `bundles are ${Math.round(behind / DAY_MS)} days behind, and turns are kept for ${days}`,
          'see `holdfast audit sweep` and the log of the workers',
        ),
      ]
    : [fine(what, `${days} days; bundles are made until ${new Date(store.sweptTo).toISOString()}`)];
}

/** Expiry, signatures and leases compare times of several clocks. */
export function examineClocks(server: ServerFacts | null, store: StoreFacts | null, now: number): Finding[] {
  const found: Finding[] = [];
  const todo = 'run NTP on all hosts';
  if (store !== null) {
    const apart = store.now - store.ownNow;
    found.push(
      Math.abs(apart) > CLOCKS_APART_MS
        ? fault('clock of the store', `${Math.round(Math.abs(apart))} ms ${apart > 0 ? 'ahead of' : 'behind'} ours`, todo)
        : fine('clock of the store', `within ${CLOCKS_APART_MS} ms of ours`),
    );
  }
  // The server tells no time, but when workers asked. A time in the future is a difference; one in the past says nothing.
  if (server !== null && server.lastPollMs !== null) {
    const ahead = server.lastPollMs - now;
    found.push(
      ahead > CLOCKS_APART_MS
        ? fault('clock of Temporal', `${Math.round(ahead)} ms ahead of ours, at least`, todo)
        : fine('clock of Temporal', 'not ahead of ours, by the last poll of a worker'),
    );
  }
  return found;
}

/** The newest file or folder in the folder, or the file itself. A name with a dot is a backup that is being made. */
export async function examineBackups(place: string | null, now: number): Promise<Finding> {
  const what = 'backups';
  if (place === null)
    return warn(
      what,
      'nobody says where they are',
      'HOLDFAST_BACKUPS=PATH, where `docker/backup.sh` or your own means write (docs/deployment.md)',
    );
  try {
    const info = await stat(place);
    const names = info.isDirectory() ? (await readdir(place)).filter((name) => !name.startsWith('.')) : [];
    const backups = info.isDirectory() ? names.map((name) => join(place, name)) : [place];
    const infos = await Promise.all(backups.map((backup) => stat(backup)));
    if (infos.length === 0) return fault(what, `there is none in ${place}`, 'make a backup');
    const age = now - Math.max(...infos.map(({ mtimeMs }) => mtimeMs));
    const hours = Math.round(age / 3_600_000);
    if (infos.some((one) => one.isFile() && one.size === 0))
      return fault(what, `a file in ${place} is empty`, 'make a backup, and look why');
    return age > BACKUP_AGE_MS
      ? fault(what, `the newest is ${hours} hours old`, 'make a backup every day')
      : fine(what, `the newest is ${hours} hours old`);
  } catch (error) {
    return fault(
      what,
      `${place} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
      'look at HOLDFAST_BACKUPS',
    );
  }
}

/** What the register of bundle sweeps says. */
export function sweepFacts(value: Json): Pick<StoreFacts, 'sweptTo' | 'failedBundles'> {
  const { swept_to: at = null, failed = null } = isJsonObject(value) ? value : {};
  return {
    sweptTo: typeof at === 'number' && at > 0 ? at : null,
    failedBundles: Array.isArray(failed) ? failed.length : 0,
  };
}
