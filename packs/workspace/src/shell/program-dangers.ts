/** What is dangerous in the arguments of one program, program by program. */

export type AddDanger = (rule: string, why: string, isRefused?: boolean) => void;

export const DISK = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper\/|dm-|md)/;
/** The whole machine, a system folder, or a user's whole home: `/`, `/*`, `~`, `$HOME`. */
const EVERYTHING =
  /^(?:\/+(?:\.\/*)*\*?|\/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|sys|usr|var|Users)\/*\*?|~\/*\*?|\$\{?HOME\}?\/*\*?|--no-preserve-root)$/;
export const OUTSIDE = /^(?:\/(?!dev\/(?:null|stdout|stderr|tty|fd\/)|tmp(?:\/|$))|~|\$\{?HOME\}?|(?:.*\/)?\.\.(?:\/|$))/;
const EXECUTES = /^-(?:exec|execdir|ok|okdir)$/;

/** @param again looks at a command that the program runs */
export function programDangers(name: string, args: string[], add: AddDanger, again: (command: string[]) => void): void {
  const options = args.filter((arg) => arg.startsWith('-'));
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const flag = (letter: string, long: string) =>
    options.some((option) => option === long || (/^-[^-]/.test(option) && option.includes(letter)));
  const recursive = flag('r', '--recursive') || flag('R', '--recursive');
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
      for (const command of commandsOfFind(args)) again(command);
      break;
    case 'git':
      gitDangers(args, add);
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
}

/**
 * Each command up to its end, as `find` reads it. An `-exec` within it may begin a command too, since the one before may be the
 * value of an option; so what stands between two is looked at as well.
 */
function commandsOfFind(args: string[]): string[][] {
  const commands: string[][] = [];
  let whole: string[] | null = null;
  let part: string[] | null = null;
  for (const [index, arg] of args.entries()) {
    if (arg === ';' || (arg === '+' && args[index - 1] === '{}')) whole = part = null;
    else if (!EXECUTES.test(arg)) {
      whole?.push(arg);
      part?.push(arg);
    } else if (whole === null) commands.push((whole = []));
    else {
      whole.push(arg);
      commands.push((part = []));
    }
  }
  return commands;
}

function gitDangers(args: string[], add: AddDanger): void {
  const isForced = args.some(
    (arg) => /^(?:-f|--force|--force-with-lease(?:=.*)?|--mirror|--delete|-d)$/.test(arg) || /^\+\S/.test(arg),
  );
  if (args.includes('push')) {
    add('network', 'It pushes to a server.');
    if (isForced || args.some((arg) => /^:\S/.test(arg)))
      add('rewrites_history', 'It overwrites or deletes branches on a server.');
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
