/** How the process that replays is cut off: without network where the system allows, without the settings of this machine. */
import { spawnSync } from 'node:child_process';

/** All that a replay gets of our environment: where programs are, and how text is written. No keys, no addresses. */
const ENV_ALLOWLIST = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot'];

/** Ways to a network namespace of one's own, which has no way out: for everybody, where the system allows it; for root. */
const WAYS = [
  ['unshare', '-r', '-n', '--'],
  ['unshare', '-n', '--'],
];

let isolationCommand: string[] | undefined;

/** Words before a command that take its network away; none where nothing can. */
export function withoutNetwork(): string[] {
  isolationCommand ??=
    WAYS.find(([command, ...args]) => spawnSync(command!, [...args, process.execPath, '-e', ''], QUIET).status === 0) ?? [];
  return isolationCommand;
}

const QUIET = { stdio: 'ignore', env: filterEnv(process.env), timeout: 20_000 } as const;

export function filterEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(ENV_ALLOWLIST.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
