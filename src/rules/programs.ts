/**
 * Programs that run what lies in files of the workspace: whoever may write those files decides what the command does. Pure, over
 * the text of a command that a shell has nothing to do with (`command-target.ts`). A list like this is never complete; what it
 * does not know is taken for a program that runs nothing.
 */

import {
  AFTER_A_WORD,
  BY_MANIFEST,
  FROM_LISTS,
  HARMLESS_SED,
  INTERPRETERS,
  LEADS_ELSEWHERE,
  RUNNERS,
  SAYS_WHAT_RUNS,
  TO_GIT,
} from './program-lists';

export interface RunsFiles {
  /** As the command has it. */
  program: string;
  /** Paths from the workspace root of what it runs, as far as the command tells. */
  files: string[];
  /** It runs nothing but what `files` name and file tools do not write as a rule: git's hooks and configuration. */
  guarded: boolean;
  /** It goes on to run what those name: tests, packages, sources. */
  open: boolean;
}

/** They say something of themselves, and run nothing. */
const TELLS = /^(?:--version|--help|-[vVh])$/;
const MOST_WORDS = 64;
/** Where a system has its programs: in these folders themselves, since a workspace may lie in `/usr/src` or `/opt`. */
const OF_THE_SYSTEM =
  /^\/(?:(?:usr\/(?:local\/)?)?s?bin|snap\/bin|opt\/(?:homebrew|local)\/s?bin|nix\/store\/[^/]+\/s?bin)\/+[^/]+$/;

/** Null: it runs no file of the workspace that this list knows of. */
export function runsFiles(command: string): RunsFiles | null {
  return runs(
    command
      .replace(/["'\\]/g, '')
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
}

function runs(words: string[]): RunsFiles | null {
  const start = words.findIndex((word) => !ASSIGNS.test(word));
  const [program = '', ...args] = start === -1 ? [] : words.slice(start);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const reads = (files: string[], more: Partial<RunsFiles> = {}) => ({
    program: name,
    files,
    guarded: false,
    open: false,
    ...more,
  });
  const leads = words.slice(0, Math.max(start, 0)).find((word) => LEADS_ELSEWHERE.test(word));
  if (leads !== undefined) return { ...ANYTHING, program: `${leads.slice(0, leads.indexOf('=') + 1)}… ${name}` };
  if (program.includes('/') && !program.startsWith('/')) return reads([fromRoot(program)], { program });
  if (RUNNERS.has(name)) return behindRunner(name, args);
  if (name === 'git') return reads(BY_MANIFEST.git!, { guarded: !words.some((word) => TO_GIT.test(word)) });
  if (Object.hasOwn(BY_MANIFEST, name)) return reads(BY_MANIFEST[name]!, { open: true });
  if (name === 'sed' || name === 'gsed') return isHarmlessSed(args) ? null : { ...ANYTHING, program: name };
  const says = SAYS_WHAT_RUNS.get(name);
  if (says) return saidBy(says, name, /tar$/.test(name) ? dashed(args) : args);
  if (INTERPRETERS.has(name.replace(/[\d.]+$/, '')) || INTERPRETERS.has(name)) {
    const file = args.find((arg) => !arg.startsWith('-'));
    if (file !== undefined) return reads([fromRoot(file)]);
    // Options alone load modules, look for tests, or read what comes in.
    return args.every((arg) => TELLS.test(arg)) ? null : { ...ANYTHING, program: name };
  }
  return program.startsWith('/') && !OF_THE_SYSTEM.test(program) ? reads([program], { program }) : null;
}

const ASSIGNS = /^\w+\+?=/;
const ANYTHING: RunsFiles = { program: '', files: ['/'], guarded: false, open: true };

/** What stands behind an option may be its value, or the command. */
function behindRunner(runner: string, words: string[]): RunsFiles | null {
  const anything = { ...ANYTHING, program: runner };
  if (words.length > MOST_WORDS) return anything;
  if (FROM_LISTS.has(runner) && words.some((word) => FROM_LIST.test(word))) return anything;
  let before = AFTER_A_WORD.has(runner) ? 1 : 0;
  for (const [index, word] of words.entries()) {
    if (runner === 'env' && SPLITS.test(word)) return anything;
    if (LEADS_ELSEWHERE.test(word)) return runs(words.slice(index));
    if (word.startsWith('-') || /^(?:\w+=.*|\d[\d.]*[smhd]?)$/.test(word)) continue;
    const found = runs(words.slice(index));
    const mayBeValue = words[index - 1]?.startsWith('-') || before-- > 0;
    if (found !== null || !mayBeValue || RUNNERS.has(word)) return found;
  }
  return null;
}

/** `xargs -a FILE`, `parallel :::: FILE`. */
const FROM_LIST = /^(?:-[A-Za-z0-9]*a|--arg|::::)/;
/** `env -S'sh x'` */
const SPLITS = /^(?:-[A-Za-z0-9]*S|--s)/;

/** The word itself may name the file, or the one behind it. */
function saidBy(says: RegExp, program: string, args: string[]): RunsFiles | null {
  const at = args.findIndex((arg) => says.test(arg));
  if (at === -1) return null;
  const value = args[at]!.includes('=') ? args[at]!.slice(args[at]!.indexOf('=') + 1) : args[at]!.replace(says, '');
  return { program, files: [fromRoot(value || (args[at + 1] ?? ''))], guarded: false, open: false };
}

/** `tar xf` is `tar -xf`. */
function dashed([first = '', ...rest]: string[]): string[] {
  return [first.startsWith('-') ? first : `-${first}`, ...rest];
}

function isHarmlessSed(args: string[]): boolean {
  if (args.some((arg) => SED_FILE.test(arg))) return false;
  const said = args.flatMap((arg, at) => {
    const found = SED_SCRIPT.exec(arg);
    return found ? [found[1] || (args[at + 1] ?? '')] : [];
  });
  const script = args.find((arg) => !arg.startsWith('-'));
  const scripts = said.length > 0 || script === undefined ? said : [script];
  return scripts.every((one) => HARMLESS_SED.some((form) => form.test(one)));
}

const SED_FILE = /^(?:-[A-Za-z]*f|--f)/;
const SED_SCRIPT = /^(?:-[A-Za-z]*e|--e\w*=?)(.*)$/;

function fromRoot(path: string): string {
  return `/${path.replace(/^(?:\.?\/)+/, '')}`;
}
