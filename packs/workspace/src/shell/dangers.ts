/**
 * Finds what is dangerous in a command, for the person who decides about it. Pure, from the text alone. It is not the defence: a
 * command can be dangerous in ways that no list knows, and every command needs approval anyway unless a rule allows it. A few
 * commands that cannot be meant are `refused` before a person is asked.
 */
import { visible } from 'holdfast/tools';
import { simpleCommands, type SimpleCommand } from './words';

export interface Danger {
  /** The rule's name, snake_case. */
  rule: string;
  /** For the person: what the command would do. */
  why: string;
  /** Refused without asking a person, because the command can't be meant. */
  refused: boolean;
}

const DISK = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper\/|dm-|md)/;
/** The whole machine, a system folder, or a user's whole home: `/`, `/*`, `~`, `$HOME`. */
const EVERYTHING =
  /^(?:\/+(?:\.\/*)*\*?|\/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|sys|usr|var|Users)\/*\*?|~\/*\*?|\$\{?HOME\}?\/*\*?|--no-preserve-root)$/;
const OUTSIDE = /^(?:\/(?!dev\/(?:null|stdout|stderr|tty|fd\/)|tmp(?:\/|$))|~|\$\{?HOME\}?|(?:.*\/)?\.\.(?:\/|$))/;
const SECRETS =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.docker\/config\.json|id_(?:rsa|dsa|ecdsa|ed25519)|shadow|sudoers|credentials|\.env(?:\.[\w-]+)?)(?:$|\/)|^\/proc\/(?:\d+|self)\/environ$/;
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'python', 'python3', 'node', 'perl', 'ruby', 'php']);
const FETCHERS = new Set(['curl', 'wget', 'fetch']);
const SENDERS = new Set([
  'curl',
  'wget',
  'nc',
  'ncat',
  'netcat',
  'telnet',
  'ssh',
  'scp',
  'sftp',
  'rsync',
  'ftp',
  'socat',
  'aws',
  'gsutil',
  'mail',
  'sendmail',
]);
const EXECUTES = /^-(?:exec|execdir|ok|okdir)$/;
/** Programs that run another command with other rights. */
const OTHER_USER = new Set([
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

/** Each rule that the command meets, once. */
export function dangers(command: string): Danger[] {
  const found = new Map<string, Danger>();
  const add = (rule: string, why: string, refused = false) => {
    if (!found.get(rule)?.refused) found.set(rule, { rule, why, refused });
  };
  if (visible(command) !== command)
    add('invisible_characters', 'It holds characters that cannot be seen or that change the order of what is read.');
  if (isForkBomb(command.slice(0, 20_000)))
    add('fork_bomb', 'It starts itself again and again until the machine stands still.', true);
  for (const simple of simpleCommands(command)) look(simple, add, 0);
  return [...found.values()];
}

/** `f() { … f | f & … }`: each definition is checked once, and its name is compared as text. */
function isForkBomb(command: string): boolean {
  for (const [, name, body] of command.matchAll(/(?<![\w:.])([\w:.]{1,64})\s{0,20}\(\s{0,20}\)\s{0,20}\{([^{}]*)\}/g)) {
    const pipes = body!.split('|').map((part) => part.trim());
    if (pipes.some((part, at) => part.endsWith(name!) && pipes[at + 1]?.startsWith(name!) && pipes[at + 1]!.includes('&')))
      return true;
  }
  return false;
}

type Add = (rule: string, why: string, refused?: boolean) => void;

function look(simple: SimpleCommand, add: Add, depth: number): void {
  const { words, writesTo, assignments, pipedInto } = simple;
  for (const target of writesTo) {
    if (DISK.test(target)) add('raw_disk', `It writes straight to a disk, ${target}.`, true);
    else if (OUTSIDE.test(target)) add('outside_workspace', `It writes outside of the workspace: ${target}.`);
  }
  if (assignments.some((text) => /^(?:LD_PRELOAD|LD_LIBRARY_PATH|BASH_ENV|ENV|PATH|IFS|PROMPT_COMMAND)\+?=/.test(text)))
    add('changes_how_programs_run', `It sets ${assignments.join(' ').slice(0, 100)}.`);
  if (words.length === 0) return;

  const name = words[0]!.split('/').at(-1)!;
  const args = words.slice(1);
  const options = args.filter((arg) => arg.startsWith('-'));
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const flag = (letter: string, long: string) =>
    options.some((option) => option === long || (/^-[^-]/.test(option) && option.includes(letter)));
  const recursive = flag('r', '--recursive') || flag('R', '--recursive');

  // Refused even if a rule allows bash: the rule's author has not looked at what such a command may do.
  if (OTHER_USER.has(name) || asksTheManager(name, args))
    add('other_user', 'It takes the rights of another user, as a rule the administrator.', true);
  const again = (rest: string[]) => look({ words: rest, assignments: [], writesTo: [], pipedInto }, add, depth + 1);
  if (args[0] === '{' && depth < 5) again(args.slice(1)); // function name { …
  if (words[0]!.startsWith('-') && depth < 5) again(unwrap(words)); // time -p …
  switch (name) {
    case 'rm':
      if (recursive && args.some((arg) => EVERYTHING.test(arg)))
        add('deletes_everything', `It deletes all of ${args.find((arg) => EVERYTHING.test(arg))}.`, true);
      else if (operands.some((arg) => OUTSIDE.test(arg))) add('outside_workspace', 'It deletes files outside of the workspace.');
      if (recursive) add('deletes_folders', 'It deletes folders with all that is in them.');
      break;
    case 'dd':
      if (args.some((arg) => arg.startsWith('of=') && DISK.test(arg.slice(3))))
        add('raw_disk', 'It writes straight to a disk.', true);
      break;
    case 'shred':
    case 'wipefs':
      if (operands.some((arg) => DISK.test(arg))) add('raw_disk', 'It writes straight to a disk.', true);
      else add('destroys_data', 'It destroys data so that nothing brings it back.');
      break;
    case 'fdisk':
    case 'sfdisk':
    case 'parted':
      add('raw_disk', 'It changes the partitions of a disk.');
      break;
    case 'shutdown':
    case 'reboot':
    case 'halt':
    case 'poweroff':
      add('stops_the_machine', 'It stops or restarts the machine.', true);
      break;
    case 'init':
    case 'telinit':
      if (operands.some((arg) => arg === '0' || arg === '6')) add('stops_the_machine', 'It stops or restarts the machine.', true);
      break;
    case 'systemctl':
      if (operands.some((arg) => /^(?:poweroff|reboot|halt|kexec|rescue|emergency)$/.test(arg)))
        add('stops_the_machine', 'It stops or restarts the machine.', true);
      else if (operands.some((arg) => /^(?:stop|disable|mask|restart)$/.test(arg)))
        add('services', 'It stops or changes services of the machine.');
      break;
    case 'chmod':
    case 'chown':
    case 'chgrp':
      if (recursive && operands.some((arg) => EVERYTHING.test(arg)))
        add('rights_of_everything', `It changes the rights of the whole machine.`, true);
      else if (operands.some((arg) => OUTSIDE.test(arg))) add('outside_workspace', 'It changes rights outside of the workspace.');
      if (name === 'chmod' && operands.some((arg) => /^0?777$|^a\+.*w|^[ugo]*o[ugo]*\+.*w|[ug]\+.*s|^0?[4-7]\d{3}$/.test(arg)))
        add('wide_rights', 'It lets others write, or run with the rights of the owner.');
      break;
    case 'kill':
    case 'pkill':
    case 'killall':
      if (args.includes('-1') || name !== 'kill') add('ends_processes', 'It ends processes by name, or all of them.');
      break;
    case 'crontab':
    case 'at':
      add('runs_later', 'It sets up something that runs later, when nobody looks.');
      break;
    case 'history':
      if (flag('c', '--clear')) add('hides_traces', 'It deletes the history of commands.');
      break;
    case 'eval':
    case 'source':
    case '.':
      add('runs_text', 'It runs text as a command; what that is, only running shows.');
      break;
    case 'find':
      if (args.includes('-delete') || args.some((arg) => EXECUTES.test(arg)))
        add('runs_for_each_file', 'It deletes, or runs a command, for every file that it finds.');
      for (const [index, arg] of args.entries()) if (EXECUTES.test(arg) && depth < 5) again(args.slice(index + 1));
      break;
    case 'git':
      git(args, add);
      break;
    case 'npm':
    case 'yarn':
    case 'pnpm':
    case 'cargo':
    case 'twine':
    case 'gem':
      if (operands.some((arg) => /^(?:publish|unpublish|upload|push|yank)$/.test(arg)))
        add('publishes', 'It publishes a package, or takes one away.');
      break;
    case 'docker':
    case 'podman':
      if (args.some((arg) => arg === '--privileged' || /^(?:-v|--volume|--mount)/.test(arg)))
        add('container_with_the_machine', 'It opens the machine to a container.');
      break;
    case 'terraform':
    case 'kubectl':
    case 'helm':
      if (operands.some((arg) => /^(?:apply|destroy|delete|drain|uninstall)$/.test(arg)))
        add('infrastructure', 'It changes or destroys infrastructure.');
      break;
    default:
      if (/^mkfs(?:\.|$)/.test(name) || name === 'mkswap') add('formats_a_disk', 'It formats a disk.', true);
      if (/^(?:DROP|TRUNCATE)$/i.test(name)) add('destroys_data', 'It destroys data of a database.');
  }
  if (SENDERS.has(name)) add('network', `It reaches the network (${name}), and can carry data out.`);
  if (FETCHERS.has(name) && pipedInto !== null && SHELLS.has(bare(pipedInto)))
    add('runs_a_download', 'It runs what it has just fetched, unseen.');
  else if (pipedInto !== null && ['sh', 'bash', 'zsh', 'dash'].includes(bare(pipedInto)))
    add('runs_text', 'It runs text as a command; what that is, only running shows.');
  if (pipedInto !== null && SENDERS.has(bare(pipedInto))) add('network', 'It sends its output to the network.');
  if (
    /^(?:psql|mysql|sqlite3|mongo|mongosh|redis-cli)$/.test(name) &&
    args.some((arg) => /\b(?:drop|truncate|delete|flushall|flushdb)\b/i.test(arg))
  )
    add('destroys_data', 'It destroys data of a database.');
  if (args.some((arg) => SECRETS.test(arg.replace(/^@/, ''))))
    add('credentials', 'It reads or writes a place where passwords and keys are kept.');
  if (name === 'printenv' || (name === 'env' && args.length === 0)) add('credentials', 'It prints the environment.');
  if (args.some((arg) => /\/dev\/(?:tcp|udp)\//.test(arg))) add('network', 'It opens a connection through /dev/tcp.');

  if (depth >= 5) return;
  if (WRAPPERS.has(name)) for (const rest of readings(args)) again(rest);
  if (AFTER_A_WORD.has(name)) again(unwrap(args).slice(1));
  if (RUNS_TEXT.has(name) || (SHELLS.has(name) && options.some((option) => /^-[a-z]*c$/.test(option))))
    for (const text of args.filter((arg) => /\s/.test(arg)))
      for (const inner of simpleCommands(text.replace(/^-S/, ''))) look(inner, add, depth + 1);
}

function git(args: string[], add: Add): void {
  const forced = args.some(
    (arg) => /^(?:-f|--force|--force-with-lease(?:=.*)?|--mirror|--delete|-d)$/.test(arg) || /^\+\S/.test(arg),
  );
  if (args.includes('push')) {
    add('network', 'It pushes to a server.');
    if (forced || args.some((arg) => /^:\S/.test(arg))) add('rewrites_history', 'It overwrites or deletes branches on a server.');
  }
  if (
    args.some((arg) => /^(?:rebase|filter-branch|filter-repo)$/.test(arg)) ||
    (args.includes('commit') && args.includes('--amend'))
  )
    add('rewrites_history', 'It rewrites commits.');
  if (args.includes('reset') && args.includes('--hard'))
    add('discards_changes', 'It throws away changes that are not committed.');
  if (args.includes('clean') && args.some((arg) => /^-\w*f/.test(arg)))
    add('discards_changes', 'It deletes files that git does not know.');
  if (args.includes('reflog') && args.some((arg) => arg === 'expire' || arg === 'delete'))
    add('rewrites_history', 'It deletes what could bring commits back.');
  if (
    args.includes('config') &&
    args.some((arg) => /^(?:core\.(?:hookspath|sshcommand|pager|editor|fsmonitor)|alias\.|credential\.)/i.test(arg))
  )
    add('changes_how_programs_run', 'It changes what git runs.');
}

/** Commands that the machine's service manager runs, as the administrator unless told otherwise. */
function asksTheManager(name: string, args: string[]): boolean {
  if (name === 'systemd-run') return !args.includes('--user');
  return name === 'machinectl' && args.some((arg) => arg === 'shell' || arg === 'login');
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
function unwrap(args: string[]): string[] {
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

function bare(name: string): string {
  return name.split('/').at(-1)!;
}
