/**
 * Command patterns such as `git status*`. An allow rule takes a command only if a shell has nothing to do
 * with it but to split it at spaces. Ask and deny rules look at each command of a line, however it is dressed;
 * they are a help, not the defence: whoever wants to hide a command from them can. See docs/permissions.md.
 */
import { matchesWildcard } from './text-pattern';

const LONGEST = 4096;
/** No quote, glob, variable, redirection, separator, comment or line break. */
const PLAIN = /^[A-Za-z0-9 _./:=@,+%-]+$/;

export function allowsCommand(pattern: string): (command: string) => boolean {
  return (command) =>
    command.length <= LONGEST &&
    PLAIN.test(command) &&
    matchesWildcard(pattern, command) &&
    (!climbs(command) || !pattern.includes('*')); // what * takes must not leave the folder that stands before it
}

function climbs(command: string): boolean {
  return command.split(/[ /=:,]/).includes('..');
}

export function forbidsCommand(pattern: string): (command: string) => boolean {
  const loose = pattern.replace(/\s+/g, ' ').trim().toLowerCase();
  return (command) => command.length > LONGEST || readings(command).some((reading) => matchesWildcard(loose, reading));
}

/** Roughly: where a shell begins another command, whatever quotes say. */
export function simpleCommands(command: string): string[] {
  return command.split(/[;&|\r\n(){}`<>]|\$\(/);
}

/** The whole line, and each command in it: as it stands, and without what runs it. */
function readings(command: string): string[] {
  const plain = command.normalize('NFKC').replace(/\$\{?IFS\}?|\\\r?\n/g, ' ');
  return [plain, ...simpleCommands(plain)].flatMap((part) => {
    const words = undressed(part).split(' ');
    const starts = runsAnother(words[0]!) ? Math.min(words.length, MOST_STARTS) : 1;
    return Array.from({ length: starts }, (_, start) => words.slice(start)).flatMap(([name = '', ...rest]) => [
      [name, ...rest].join(' '),
      [baseName(name), ...rest].join(' '),
    ]);
  });
}

/** `"r"m`, `r\m`, `$'rm'` and `RM` are all read as `rm`. */
function undressed(part: string): string {
  return part
    .replace(/["'\\$]/g, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** Behind `sudo -u root -- env A=1`, the command may begin at any of so many words. */
const MOST_STARTS = 16;
const RUNNERS = new Set(
  'sudo doas env nohup nice ionice time timeout command exec eval builtin xargs stdbuf setsid busybox sh bash then do else if while !'.split(
    ' ',
  ),
);

function runsAnother(word: string): boolean {
  return RUNNERS.has(baseName(word)) || /^[a-z_][a-z0-9_]*=/.test(word);
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
