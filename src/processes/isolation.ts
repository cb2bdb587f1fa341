/**
 * What keeps the programs that we start for others (commands of `bash`, MCP servers) away from our own processes: a user and a
 * PID namespace with a /proc and terminals of their own. Without it a program reads `/proc/<pid>/environ` and `/proc/<pid>/mem` of every process
 * of the same user, and with them its keys and passwords. The user namespace would be enough for that (the kernel asks for rights
 * over the other's namespace before it shows either); the PID namespace hides the processes too, and all in it die together.
 * Terminals belong to their user as well: programs have some of their own.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { findProgram } from './inside';

/** Setting that takes the risk where nothing keeps programs apart. */
export const RISK = 'HOLDFAST_CHILDREN_MAY_READ_SECRETS';

export type Isolation =
  /** `words` stand before a command; its process is the child of an init that reaps, and dies with the process that started it. */
  { how: 'bubblewrap' | 'unshare'; words: readonly string[] } | { how: 'none'; why: string };

/** Nothing keeps programs apart here, and nobody has said that it may be so. */
export class NotIsolated extends Error {
  override readonly name = 'NotIsolated';
}

const bubblewrap = () => [
  ...['bwrap', '--dev-bind', '/', '/', '--dev', '/dev', ...devices(), '--proc', '/proc', '--unshare-user', '--unshare-pid'],
  ...['--die-with-parent', '--cap-drop', 'ALL', '--new-session', '--'],
];
/** Of /dev what programs use besides, each of which costs a millisecond; terminals and the machine's own disks are not among it. */
function devices(): string[] {
  const used = readdirSync('/dev').filter((name) => USED_DEVICES.test(name));
  return used.flatMap((name) => ['--dev-bind-try', `/dev/${name}`, `/dev/${name}`]);
}
const USED_DEVICES = /^(?:shm|mqueue|hugepages|log|kvm|fuse|net|dri|kfd|accel|nvidia.*)$/;

/** With the rights of its user namespace, for what comes next. */
const UNSHARE = [
  ...['unshare', '--user', '--map-current-user', '--keep-caps', '--pid', '--mount-proc', '--fork', '--kill-child', '--'],
];
/** Terminals of its own: in those of this user a program would read what is typed, and write what it likes. The first word is `mount`. */
const OWN_TERMINALS = [
  ...['sh', '-c'],
  '"$0" -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts && "$0" --bind /dev/pts/ptmx /dev/ptmx && exec "$@"',
];
/** With rights over its namespace a program could take its /proc away again, and would see the one below. */
const WITHOUT_RIGHTS = [...['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs', '--']];
/** Away from our terminal: through it a program would type into the shell that we were started from (TIOCSTI). */
const NEW_SESSION = ['setsid'];
/** The first process of a namespace ignores signals and has to reap: a shell does that, so that the program need not. */
const INIT = ['sh', '-c', '"$@"; exit "$?"', 'sh'];

/** Says in which namespaces it is, how many processes it sees, and whether it sees a terminal, which none of its own can be. */
const LOOK =
  'readlink /proc/self/ns/user; readlink /proc/self/ns/pid; set -- /proc/[0-9]*; echo $#; for t in /dev/pts/[0-9]*; do [ ! -e "$t" ] || echo terminal; done';
const MAX_VISIBLE_PROCESSES = 5;
const PATIENCE_MS = 20_000;

/** By PATH, which says where the programs for it are. */
const isolationByPath = new Map<string, Promise<Isolation>>();
let allowsNoIsolation = false;

/** What keeps programs apart here: found out once, by trying. */
export function isolation(): Promise<Isolation> {
  const path = process.env.PATH ?? '';
  const known = isolationByPath.get(path) ?? tryAll();
  isolationByPath.set(path, known);
  return known;
}

/** From now on programs run without isolation where there is none: they may read what this process and its like know. */
export function acceptNoIsolation(): void {
  allowsNoIsolation = true;
}

/** Words that stand before a command. @throws NotIsolated, which says what to do */
export async function isolated(): Promise<readonly string[]> {
  const present = await isolation();
  if (present.how !== 'none') return present.words;
  if (allowsNoIsolation) return [];
  throw new NotIsolated(`${present.why} ${whatToDo()}`);
}

/** For the operator. */
export function whatToDo(contained = inContainer()): string {
  const mend = contained
    ? 'This is a container: have unshare or bubblewrap in it (apt-get install bubblewrap), and start it with a seccomp profile that allows what that needs and with systempaths=unconfined (docs/workspace.md, "In a container")'
    : 'Install bubblewrap (apt-get install bubblewrap), or let this user make user namespaces (docs/workspace.md, "Isolation")';
  return `${mend}; or set ${RISK}=true, if every command and MCP server that runs here may read the keys and passwords of all processes of this user.`;
}

/** As Docker, Podman and Kubernetes say it. */
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
      await look(words);
      return { how, words };
    } catch (error) {
      faults.push(`${how}: ${(error as Error).message}`);
    }
  }
  return { how: 'none', why: `Nothing keeps programs away from the processes of this user (${faults.join('; ')}).` };
}

/** By its whole path: a program may be given another PATH. */
function byPath([name, ...words]: readonly string[]): string[] {
  const found = findProgram(name!, process.env.PATH ?? '');
  if (found === undefined) throw new Error(`${name} is not installed`);
  return [found, ...words];
}

/** @throws Error that says why these words keep nothing apart */
function look([command, ...words]: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH ?? '' };
  return new Promise((resolve, reject) => {
    execFile(command!, [...words, 'sh', '-c', LOOK], { env, timeout: PATIENCE_MS }, (error, stdout, stderr) => {
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
