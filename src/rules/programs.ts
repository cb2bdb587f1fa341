/**
 * Programs that run what lies in files of the workspace: whoever may write those files decides what the command does. Pure, over
 * the text of a command that a shell has nothing to do with (`command-target.ts`). A list like this is never complete; what it
 * does not know is taken for a program that runs nothing.
 */

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

/** Program → what it reads by itself to learn what to run. */
const BY_MANIFEST: Record<string, string[]> = {
  ...of(['/package.json'], 'npm npx pnpm pnpx yarn bun bunx corepack'),
  ...of(['/package.json'], 'jest vitest mocha ava tsc eslint prettier webpack vite rollup next turbo nx playwright cypress'),
  ...of(['/Makefile'], 'make gmake'),
  ...of(['/Cargo.toml', '/build.rs'], 'cargo'),
  ...of(['/go.mod', '/main.go'], 'go'),
  ...of(['/pyproject.toml', '/conftest.py', '/setup.py'], 'pytest tox nox pip pip3 poetry uv uvx pipx hatch mypy pylint'),
  ...of(['/Gemfile', '/Rakefile'], 'bundle rake rspec rails'),
  ...of(['/pom.xml'], 'mvn mvnw'),
  ...of(['/build.gradle', '/settings.gradle'], 'gradle gradlew'),
  ...of(['/composer.json'], 'composer phpunit'),
  ...of(['/CMakeLists.txt'], 'cmake ctest'),
  ...of(['/build.ninja'], 'ninja'),
  ...of(['/justfile'], 'just'),
  ...of(['/deno.json'], 'deno'),
  ...of(['/main.tf'], 'terraform tofu'),
  ...of(['/docker-compose.yml', '/Dockerfile'], 'docker podman docker-compose'),
  ...of(['/playbook.yml'], 'ansible-playbook'),
  ...of(['/.git/config', '/.git/hooks/pre-commit', '/.husky/pre-commit'], 'git'),
};
const INTERPRETERS = new Set(
  'sh bash zsh dash ksh fish . source node nodejs tsx ts-node python python2 python3 pypy perl ruby php lua luajit julia tclsh groovy scala elixir escript Rscript osascript pwsh java dart swift'.split(
    ' ',
  ),
);
/** They say something of themselves, and run nothing. */
const TELLS = /^(?:--version|--help|-[vVh])$/;
/** Languages of their own: they run a file only where an option says so. */
const FILTERS = new Set('awk gawk mawk nawk sed gsed'.split(' '));
const FROM_FILE = /^(?:-[A-Za-z]*f|--file)(?:=?(.*))$/;
/** What runs another command, given somewhere behind it: which of its options take a value is not looked at. */
const RUNNERS = new Set(
  'env nohup nice ionice chrt taskset numactl time timeout command exec builtin eval xargs parallel watch stdbuf unbuffer setsid setpriv setarch unshare nsenter chroot sudo doas su runuser gosu busybox flock script strace ltrace perf gdb valgrind xvfb-run dbus-run-session systemd-run fakeroot tini dumb-init cross-env dotenv nyc c8 coverage concurrently'.split(
    ' ',
  ),
);
/** Of these, what has a word of its own before the command. */
const AFTER_A_WORD = new Set('taskset setarch chroot su runuser gosu flock dotenv'.split(' '));
const MOST_WORDS = 64;
/** Where a system has its programs. */
const OF_THE_SYSTEM = /^\/(?:usr|bin|sbin|opt|nix|snap)\//;
/** They have git run what its arguments say, or take a folder for a repository that file tools may have made. */
const TO_GIT =
  /^(?:-c|--git-dir|--exec-path|--config-env|--exec|--ext-diff|bisect|foreach|difftool|mergetool|filter-branch|GIT_\w+)(?:=|$)/;

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
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  const [program = '', ...args] = start === -1 ? [] : words.slice(start);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const reads = (files: string[], more: Partial<RunsFiles> = {}) => ({
    program: name,
    files,
    guarded: false,
    open: false,
    ...more,
  });
  if (program.includes('/') && !program.startsWith('/')) return reads([fromRoot(program)], { program });
  if (RUNNERS.has(name)) return behindRunner(name, args);
  if (name === 'git') return reads(BY_MANIFEST.git!, { guarded: !words.some((word) => TO_GIT.test(word)) });
  if (Object.hasOwn(BY_MANIFEST, name)) return reads(BY_MANIFEST[name]!, { open: true });
  if (FILTERS.has(name)) {
    const at = args.findIndex((arg) => FROM_FILE.test(arg));
    return at === -1 ? null : reads([fromRoot(FROM_FILE.exec(args[at]!)![1] || (args[at + 1] ?? ''))]);
  }
  if (INTERPRETERS.has(name.replace(/[\d.]+$/, '')) || INTERPRETERS.has(name)) {
    const file = args.find((arg) => !arg.startsWith('-'));
    if (file !== undefined) return reads([fromRoot(file)]);
    // Options alone load modules, look for tests, or read what comes in.
    return args.every((arg) => TELLS.test(arg)) ? null : reads(['/'], { open: true });
  }
  return program.startsWith('/') && !OF_THE_SYSTEM.test(program) ? reads([program], { program }) : null;
}

/** What stands behind an option may be its value, or the command. */
function behindRunner(runner: string, words: string[]): RunsFiles | null {
  if (words.length > MOST_WORDS) return { program: runner, files: ['/'], guarded: false, open: true };
  let before = AFTER_A_WORD.has(runner) ? 1 : 0;
  for (const [index, word] of words.entries()) {
    if (word.startsWith('-') || /^(?:\w+=.*|[\d.]+[smhd]?)$/.test(word)) continue;
    const found = runs(words.slice(index));
    const mayBeValue = words[index - 1]?.startsWith('-') || before-- > 0;
    if (found !== null || !mayBeValue || RUNNERS.has(word)) return found;
  }
  return null;
}

function fromRoot(path: string): string {
  return `/${path.replace(/^(?:\.?\/)+/, '')}`;
}

function of(files: string[], programs: string): Record<string, string[]> {
  return Object.fromEntries(programs.split(' ').map((program) => [program, files]));
}
