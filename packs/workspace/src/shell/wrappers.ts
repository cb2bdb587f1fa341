/** Programs that run another command, such as `sudo`, `timeout` and `sh -c`, and where in their arguments it begins. */

export const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'python', 'python3', 'node', 'perl', 'ruby', 'php']);
/** Programs that run another command with other rights. */
export const OTHER_USER = new Set([
  'sudo',
  'sudoedit',
  'doas',
  'pkexec',
  'su',
  'runuser',
  'su-exec',
  'gosu',
  'run0',
  'calife',
  'super',
  'sg',
  'newgrp',
  'sudo-rs',
  'sudo.ws',
  'su-rs',
  'gksudo',
  'gksu',
  'kdesudo',
  'kdesu',
  'beesu',
  'please',
  'dzdo',
  'pfexec',
]);
const AFTER_A_WORD = new Set(['flock', 'taskset', 'chroot', 'chrt', 'setarch']);
/** Programs that run the text of an argument as a command. */
const RUNS_TEXT = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'fish',
  'busybox',
  'eval',
  'trap',
  'env',
  'watch',
  'script',
  'xargs',
  'parallel',
  'flock',
]);
const WRAPPERS = new Set([
  'dbus-run-session',
  ...OTHER_USER,
  'env',
  'nohup',
  'nice',
  'ionice',
  'time',
  'timeout',
  'xargs',
  'command',
  'exec',
  'builtin',
  'setsid',
  'stdbuf',
  'busybox',
  'flock',
  'script',
  'watch',
  'parallel',
  'strace',
  'chrt',
  'taskset',
  'unshare',
  'nsenter',
  'chroot',
  'setpriv',
  'systemd-run',
  'setarch',
  'linux32',
  'linux64',
  'unbuffer',
  'ltrace',
  'sshpass',
  'fakeroot',
]);

/** Commands that the machine's service manager runs, as the administrator unless told otherwise. */
export function asksTheManager(name: string, args: string[]): boolean {
  if (name === 'systemd-run') return !args.includes('--user');
  return name === 'machinectl' && args.some((arg) => arg === 'shell' || arg === 'login');
}

/** The commands that a program of these arguments may run. */
export function wrappedCommands(name: string, args: string[]): string[][] {
  return [...(WRAPPERS.has(name) ? readings(args) : []), ...(AFTER_A_WORD.has(name) ? [unwrap(args).slice(1)] : [])];
}

/** The arguments that it runs as the text of a command. */
export function commandTexts(name: string, args: string[]): string[] {
  const runsText = RUNS_TEXT.has(name) || (SHELLS.has(name) && args.some((arg) => /^-[a-z]*c$/.test(arg)));
  return runsText ? args.filter((arg) => /\s/.test(arg)).map((text) => text.replace(/^-S/, '')) : [];
}

/**
 * The commands that a wrapper may run. An option before the command may have taken its first word as a value, so there may be two.
 */
function readings(args: string[]): string[][] {
  const rest = unwrap(args);
  const before = args[args.length - rest.length - 1];
  const takesOne = before !== undefined && before.startsWith('-');
  return takesOne ? [rest, unwrap(rest.slice(1))] : [rest];
}

/**
 * The command that a wrapper such as `sudo -u x` or `timeout 5` runs: from the first word that is no option, number or assignment.
 */
export function unwrap(args: string[]): string[] {
  const takesValue = new Set(['-u', '-g', '-n', '-k', '-s', '-I', '-P', '-L']);
  let index = 0;
  while (index < args.length) {
    const arg = args[index]!;
    if (takesValue.has(arg)) index += 2;
    else if (arg.startsWith('-') || /^\d+(?:\.\d+)?[smhd]?$/.test(arg) || /^\w+=/.test(arg)) index += 1;
    else break;
  }
  return args.slice(index);
}
