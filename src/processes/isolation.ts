/**
 * Isolates the programs that we start for others (commands of `bash`, MCP servers) from our own processes: in a user and a PID
 * namespace, with their own /proc and terminals. Without it a program can read `/proc/<pid>/environ` and `/proc/<pid>/mem` of every
 * process of the same user, and with them its keys and passwords. The user namespace alone would prevent that (the kernel requires
 * rights over the other's namespace for both). The PID namespace also hides the processes, and all in it die together. Terminals
 * belong to their user as well, so programs get their own.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { findProgram } from './command-runner';
import { errorMessage } from '../shared/text/error-message';

/** Setting that accepts the risk if programs cannot be isolated. */
export const RISK_SETTING = 'HOLDFAST_CHILDREN_MAY_READ_SECRETS';

export type Isolation =
  /**
   * `words` are put before a command; its process is the child of an init that reaps, and dies with the process that started it.
   */
  { how: 'bubblewrap' | 'unshare'; words: readonly string[] } | { how: 'none'; why: string };

/** Programs cannot be isolated here, and no setting accepts that. */
export class NotIsolated extends Error {
  override readonly name = 'NotIsolated';
}

const bubblewrap = () => [
  ...['bwrap', '--dev-bind', '/', '/', '--dev', '/dev', ...devices(), '--proc', '/proc', '--unshare-user', '--unshare-pid'],
  ...['--die-with-parent', '--cap-drop', 'ALL', '--new-session', '--'],
];
/** Further parts of /dev that programs use, each of which costs a millisecond; not terminals and the machine's own disks. */
function devices(): string[] {
  const used = readdirSync('/dev').filter((name) => USED_DEVICES.test(name));
  return used.flatMap((name) => ['--dev-bind-try', `/dev/${name}`, `/dev/${name}`]);
}
const USED_DEVICES = /^(?:shm|mqueue|hugepages|log|kvm|fuse|net|dri|kfd|accel|nvidia.*)$/;

/** Keeps the rights in its user namespace, for the next commands. */
const UNSHARE = [
  ...['unshare', '--user', '--map-current-user', '--keep-caps', '--pid', '--mount-proc', '--fork', '--kill-child', '--'],
];
/** Gives the program its own terminals: in those of this user it could read what is typed, and write. The first word is `mount`. */
const OWN_TERMINALS = [
  ...['sh', '-c'],
  '"$0" -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts && "$0" --bind /dev/pts/ptmx /dev/ptmx && exec "$@"',
];
/** With rights over its namespace a program could unmount its /proc, and would see the one below. */
const WITHOUT_RIGHTS = [...['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs', '--']];
/** Detaches from our terminal: through it a program could type into the shell that we were started from (TIOCSTI). */
const NEW_SESSION = ['setsid'];
/** The first process of a namespace ignores signals and has to reap: a shell does that instead of the program. */
const INIT = ['sh', '-c', '"$@"; exit "$?"', 'sh'];

/** Prints in which namespaces it is, how many processes it sees, and whether it sees a terminal, which none of its own can be. */
const CHECK_SCRIPT =
  'readlink /proc/self/ns/user; readlink /proc/self/ns/pid; set -- /proc/[0-9]*; echo $#; for t in /dev/pts/[0-9]*; do [ ! -e "$t" ] || echo terminal; done';
const MAX_VISIBLE_PROCESSES = 5;
const CHECK_TIMEOUT_MS = 20_000;

/** By PATH, which determines where the programs for it are. */
const isolationByPath = new Map<string, Promise<Isolation>>();
let allowsNoIsolation = false;

/** How programs are isolated here; tested once per PATH. */
export function isolation(): Promise<Isolation> {
  const path = process.env.PATH ?? '';
  const result = isolationByPath.get(path) ?? tryAll();
  isolationByPath.set(path, result);
  return result;
}

/** From now on programs run without isolation if there is none: they may read the secrets of this user's processes. */
export function acceptNoIsolation(): void {
  allowsNoIsolation = true;
}

/** Words to put before a command. @throws NotIsolated, which says what to do */
export async function isolated(): Promise<readonly string[]> {
  const present = await isolation();
  if (present.how !== 'none') return present.words;
  if (allowsNoIsolation) return [];
  throw new NotIsolated(`${present.why} ${whatToDo()}`);
}

/** Advice for the operator. */
export function whatToDo(isContained = inContainer()): string {
  const mend = isContained
    ? 'This is a container: have unshare or bubblewrap in it (apt-get install bubblewrap), and start it with a seccomp profile that allows what that needs and with systempaths=unconfined (docs/workspace.md, "In a container")'
    : 'Install bubblewrap (apt-get install bubblewrap), or let this user make user namespaces (docs/workspace.md, "Isolation")';
  return `${mend}; or set ${RISK_SETTING}=true, if every command and MCP server that runs here may read the keys and passwords of all processes of this user.`;
}

/** As Docker, Podman and Kubernetes mark it. */
function inContainer(): boolean {
  return ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)) || 'KUBERNETES_SERVICE_HOST' in process.env;
}

async function tryAll(): Promise<Isolation> {
  if (process.platform !== 'linux')
    return { how: 'none', why: `Nothing keeps programs away from the processes of this user on ${process.platform}.` };
  const ways = [
    { how: 'bubblewrap', parts: () => [bubblewrap()] },
    { how: 'unshare', parts: () => [UNSHARE, OWN_TERMINALS, ['mount'], WITHOUT_RIGHTS, NEW_SESSION, INIT] },
  ] as const;
  const faults: string[] = [];
  for (const { how, parts } of ways) {
    try {
      const words = parts().flatMap(byPath);
      await checkIsolation(words);
      return { how, words };
    } catch (error) {
      faults.push(`${how}: ${errorMessage(error)}`);
    }
  }
  return { how: 'none', why: `Nothing keeps programs away from the processes of this user (${faults.join('; ')}).` };
}

/** By its whole path: the program may get another PATH. */
function byPath([name, ...words]: readonly string[]): string[] {
  const path = findProgram(name!, process.env.PATH ?? '');
  if (path === undefined) throw new Error(`${name} is not installed`);
  return [path, ...words];
}

/** @throws Error that says why these words do not isolate */
function checkIsolation([command, ...words]: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH ?? '' };
  return new Promise((resolve, reject) => {
    execFile(command!, [...words, 'sh', '-c', CHECK_SCRIPT], { env, timeout: CHECK_TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error) return reject(new Error(oneLine(stderr) || oneLine(error.message)));
      const [user, pid, seen, terminal] = stdout.trim().split('\n');
      if (user === ours('user') || pid === ours('pid') || !(Number(seen) <= MAX_VISIBLE_PROCESSES))
        return reject(new Error(`a program still sees ${seen} processes`));
      if (terminal !== undefined) return reject(new Error('a program still sees terminals'));
      resolve();
    });
  });
}

function ours(namespace: 'user' | 'pid'): string {
  return readlinkSync(`/proc/self/ns/${namespace}`);
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ').slice(0, 200);
}
