/** Isolates the process that replays: without network if the system allows it, without the settings of this machine. */
import { spawnSync } from 'node:child_process';

/** All environment variables that a replay gets: program paths, locale, temporary folder. No keys, no addresses. */
const ENV_ALLOWLIST = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot'];

/** Commands that run a process in its own network namespace, without a way out: for any user, if the system allows it; for root. */
const WAYS = [
  ['unshare', '-r', '-n', '--'],
  ['unshare', '-n', '--'],
];

let isolationCommand: string[] | undefined;

/** The words before a command that take its network away; empty: the system has no way to do it. */
export function withoutNetwork(): string[] {
  isolationCommand ??=
    WAYS.find(([command, ...args]) => spawnSync(command!, [...args, process.execPath, '-e', ''], QUIET).status === 0) ?? [];
  return isolationCommand;
}

const QUIET = { stdio: 'ignore', env: filterEnv(process.env), timeout: 20_000 } as const;

export function filterEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(ENV_ALLOWLIST.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
