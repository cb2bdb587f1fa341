/**
 * Finds what is dangerous in a command, for the person who decides about it. Pure, from the text alone. It is not the defence: a
 * command can be dangerous in ways that no list knows, and every command needs approval anyway unless a rule allows it. A few
 * commands that cannot be meant are refused before a person is asked.
 */
import { visible } from 'holdfast/tools';
import { DISK, OUTSIDE, programDangers, type AddDanger } from './program-dangers';
import { simpleCommands, type SimpleCommand } from './words';
import { asksTheManager, commandTexts, OTHER_USER, SHELLS, unwrap, wrappedCommands } from './wrappers';

export interface Danger {
  /** The rule's name, snake_case. */
  rule: string;
  /** For the person: what the command would do. */
  why: string;
  /** Refused without asking a person, because the command can't be meant. */
  isRefused: boolean;
}

const SECRETS =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.docker\/config\.json|id_(?:rsa|dsa|ecdsa|ed25519)|shadow|sudoers|credentials|\.env(?:\.[\w-]+)?)(?:$|\/)|^\/proc\/(?:\d+|self)\/environ$/;
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
/** Commands within commands that are still looked at. */
const DEEPEST = 5;
/** How much of them is looked at, in characters and words. A command may be read in several ways, and each of these again. */
const MOST_INSIDE = 500_000;

interface Findings {
  add: AddDanger;
  /** What of MOST_INSIDE is left. */
  left: number;
}

/** Each rule that the command meets, once. */
export function dangers(command: string): Danger[] {
  const byRule = new Map<string, Danger>();
  const add = (rule: string, why: string, isRefused = false) => {
    if (!byRule.get(rule)?.isRefused) byRule.set(rule, { rule, why, isRefused });
  };
  if (visible(command) !== command)
    add('invisible_characters', 'It holds characters that cannot be seen or that change the order of what is read.');
  if (isForkBomb(command.slice(0, 20_000)))
    add('fork_bomb', 'It starts itself again and again until the machine stands still.', true);
  const findings = { add, left: MOST_INSIDE };
  for (const simple of simpleCommands(command)) look(simple, findings, 0);
  return [...byRule.values()];
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

function look(simple: SimpleCommand, findings: Findings, depth: number): void {
  const { words, writesTo, assignments, pipedInto } = simple;
  const { add } = findings;
  if (depth > 0) findings.left -= words.reduce((sum, word) => sum + word.length + 1, 0);
  if (findings.left < 0) {
    // Refused even if a rule allows bash: what was not looked at may take the rights of another user.
    add('too_nested', 'It has so many commands within commands that not all of them were looked at.', true);
    return;
  }
  for (const target of writesTo) {
    if (DISK.test(target)) add('raw_disk', `It writes straight to a disk, ${target}.`, true);
    else if (OUTSIDE.test(target)) add('outside_workspace', `It writes outside of the workspace: ${target}.`);
  }
  if (assignments.some((text) => /^(?:LD_PRELOAD|LD_LIBRARY_PATH|BASH_ENV|ENV|PATH|IFS|PROMPT_COMMAND)\+?=/.test(text)))
    add('changes_how_programs_run', `It sets ${assignments.join(' ').slice(0, 100)}.`);
  if (words.length === 0) return;

  const name = bare(words[0]!);
  const args = words.slice(1);

  // Refused even if a rule allows bash: the rule's author has not looked at what such a command may do.
  if (OTHER_USER.has(name) || asksTheManager(name, args))
    add('other_user', 'It takes the rights of another user, as a rule the administrator.', true);
  const again = (command: string[]) => {
    if (depth < DEEPEST) look({ words: command, assignments: [], writesTo: [], pipedInto }, findings, depth + 1);
  };
  if (args[0] === '{') again(args.slice(1)); // function name { …
  if (words[0]!.startsWith('-')) again(unwrap(words)); // time -p …
  programDangers(name, args, add, again);
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

  if (depth >= DEEPEST) return;
  for (const command of wrappedCommands(name, args)) again(command);
  for (const text of commandTexts(name, args)) for (const inner of simpleCommands(text)) look(inner, findings, depth + 1);
}

function bare(name: string): string {
  return name.split('/').at(-1)!;
}
