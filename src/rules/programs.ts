/**
 * Finds programs in a command that run files of the workspace: a person or tool that may write those files decides what the
 * command does. Pure, over the text of a command without shell syntax (`targets.ts`). The list of programs is never complete; an
 * unknown program counts as one that runs nothing.
 */

export interface RunsFiles {
  /** As the command names it. */
  program: string;
  /** Paths from the workspace root of the files that it runs, as far as the command shows. */
  files: string[];
  /** It runs only what `files` name, and file tools normally do not write these: git's hooks and configuration. */
  guarded: boolean;
  /** These files name more that is run: tests, packages, sources. */
  open: boolean;
}

/** Options that print something about the program and run nothing. */
const TELLS = /^(?:--version|--help|-[vVh])$/;
const MOST_WORDS = 64;
/** Folders of the system's programs: only directly in them, since a workspace may lie in `/usr/src` or `/opt`. */
const OF_THE_SYSTEM =
  /^\/(?:(?:usr\/(?:local\/)?)?s?bin|snap\/bin|opt\/(?:homebrew|local)\/s?bin|nix\/store\/[^/]+\/s?bin)\/+[^/]+$/;

/** Null: it runs no workspace file that this list knows of. */
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
  const leads = words.slice(0, Math.max(start, 0)).find((word) => EXECUTION_VARIABLES.test(word));
  if (leads !== undefined) return { ...ANYTHING, program: `${leads.slice(0, leads.indexOf('=') + 1)}… ${name}` };
  if (program.includes('/') && !program.startsWith('/')) return reads([fromRoot(program)], { program });
  if (RUNNERS.has(name)) return behindRunner(name, args);
  if (name === 'git') return reads(BY_MANIFEST.git!, { guarded: !words.some((word) => GIT_EXECUTION_WORDS.test(word)) });
  if (Object.hasOwn(BY_MANIFEST, name)) return reads(BY_MANIFEST[name]!, { open: true });
  if (name === 'sed' || name === 'gsed') return isHarmlessSed(args) ? null : { ...ANYTHING, program: name };
  const says = EXECUTION_OPTIONS.get(name);
  if (says) return fileFromOption(says, name, /tar$/.test(name) ? addDash(args) : args);
  if (INTERPRETERS.has(name.replace(/[\d.]+$/, '')) || INTERPRETERS.has(name)) {
    const file = args.find((arg) => !arg.startsWith('-'));
    if (file !== undefined) return reads([fromRoot(file)]);
    // With options only, it loads modules, looks for tests, or reads its standard input.
    return args.every((arg) => TELLS.test(arg)) ? null : { ...ANYTHING, program: name };
  }
  return program.startsWith('/') && !OF_THE_SYSTEM.test(program) ? reads([program], { program }) : null;
}

const ASSIGNS = /^\w+\+?=/;
const ANYTHING: RunsFiles = { program: '', files: ['/'], guarded: false, open: true };

/** The word after an option may be its value, or the command. */
function behindRunner(runner: string, words: string[]): RunsFiles | null {
  const anything = { ...ANYTHING, program: runner };
  if (words.length > MOST_WORDS) return anything;
  if (FROM_LISTS.has(runner) && words.some((word) => FROM_LIST.test(word))) return anything;
  let before = AFTER_A_WORD.has(runner) ? 1 : 0;
  for (const [index, word] of words.entries()) {
    if (runner === 'env' && SPLITS.test(word)) return anything;
    if (EXECUTION_VARIABLES.test(word)) return runs(words.slice(index));
    if (word.startsWith('-') || /^(?:\w+=.*|\d[\d.]*[smhd]?)$/.test(word)) continue;
    const result = runs(words.slice(index));
    const mayBeValue = words[index - 1]?.startsWith('-') || before-- > 0;
    if (result !== null || !mayBeValue || RUNNERS.has(word)) return result;
  }
  return null;
}

/** `xargs -a FILE`, `parallel :::: FILE`. */
const FROM_LIST = /^(?:-[A-Za-z0-9]*a|--arg|::::)/;
/** `env -S'sh x'` */
const SPLITS = /^(?:-[A-Za-z0-9]*S|--s)/;

/** The matching word itself may name the file, or the next word. */
function fileFromOption(says: RegExp, program: string, args: string[]): RunsFiles | null {
  const at = args.findIndex((arg) => says.test(arg));
  if (at === -1) return null;
  const value = args[at]!.includes('=') ? args[at]!.slice(args[at]!.indexOf('=') + 1) : args[at]!.replace(says, '');
  return { program, files: [fromRoot(value || (args[at + 1] ?? ''))], guarded: false, open: false };
}

/** `tar xf` is `tar -xf`. */
function addDash([first = '', ...rest]: string[]): string[] {
  return [first.startsWith('-') ? first : `-${first}`, ...rest];
}

function isHarmlessSed(args: string[]): boolean {
  if (args.some((arg) => SED_FILE.test(arg))) return false;
  const optionScripts = args.flatMap((arg, at) => {
    const match = SED_SCRIPT.exec(arg);
    return match ? [match[1] || (args[at + 1] ?? '')] : [];
  });
  const script = args.find((arg) => !arg.startsWith('-'));
  const scripts = optionScripts.length > 0 || script === undefined ? optionScripts : [script];
  return scripts.every((one) => HARMLESS_SED_SCRIPTS.some((form) => form.test(one)));
}

const SED_FILE = /^(?:-[A-Za-z]*f|--f)/;
const SED_SCRIPT = /^(?:-[A-Za-z]*e|--e\w*=?)(.*)$/;

function fromRoot(path: string): string {
  return `/${path.replace(/^(?:\.?\/)+/, '')}`;
}

/** The known programs that run files. No such list is complete. */

const words = (text: string) => text.split(/\s+/);
const of = (files: string[], programs: string): Record<string, string[]> =>
  Object.fromEntries(words(programs).map((program) => [program, files]));

/** Program → files that it reads by itself to find out what to run. */
export const BY_MANIFEST: Record<string, string[]> = {
  ...of(['/package.json'], 'npm npx pnpm pnpx yarn bun bunx corepack npm-run-all run-s run-p lerna nx turbo rush zx'),
  ...of(
    ['/package.json'],
    'jest vitest mocha ava tap jasmine karma qunit tsc eslint prettier stylelint webpack vite rollup tsup',
  ),
  ...of(['/package.json'], 'babel next nuxt astro ng playwright cypress nodemon lint-staged commitlint prisma knex wrangler'),
  ...of(['/gulpfile.js'], 'gulp'),
  ...of(['/Gruntfile.js'], 'grunt'),
  ...of(['/Makefile'], 'make gmake'),
  ...of(['/Cargo.toml', '/build.rs'], 'cargo'),
  ...of(['/go.mod', '/main.go'], 'go'),
  ...of(['/pyproject.toml', '/conftest.py', '/setup.py'], 'pytest tox nox pip pip3 poetry uv uvx pipx hatch mypy pylint flake8'),
  ...of(['/pyproject.toml', '/setup.cfg'], 'coverage nose2 nosetests trial behave robot pdm'),
  ...of(['/tasks.py'], 'invoke inv fab'),
  ...of(['/conf.py'], 'sphinx-build'),
  ...of(['/mkdocs.yml'], 'mkdocs'),
  ...of(['/SConstruct'], 'scons'),
  ...of(['/Gemfile', '/Rakefile'], 'bundle rake rspec rails rubocop'),
  ...of(['/pom.xml'], 'mvn mvnw'),
  ...of(['/build.gradle', '/settings.gradle'], 'gradle gradlew'),
  ...of(['/build.xml'], 'ant'),
  ...of(['/build.sbt'], 'sbt'),
  ...of(['/project.clj'], 'lein'),
  ...of(['/mix.exs'], 'mix'),
  ...of(['/package.yaml'], 'stack cabal'),
  ...of(['/Directory.Build.props'], 'dotnet msbuild'),
  ...of(['/composer.json'], 'composer phpunit phpstan pest'),
  ...of(['/CMakeLists.txt'], 'cmake ctest'),
  ...of(['/build.ninja'], 'ninja'),
  ...of(['/meson.build'], 'meson'),
  ...of(['/BUILD', '/WORKSPACE'], 'bazel bazelisk buck2'),
  ...of(['/justfile'], 'just'),
  ...of(['/Taskfile.yml'], 'task'),
  ...of(['/.pre-commit-config.yaml'], 'pre-commit'),
  ...of(['/.latexmkrc'], 'latexmk'),
  ...of(['/default.nix', '/flake.nix'], 'nix nix-build nix-shell'),
  ...of(['/Vagrantfile'], 'vagrant'),
  ...of(['/deno.json'], 'deno'),
  ...of(['/main.tf'], 'terraform tofu'),
  ...of(['/docker-compose.yml', '/Dockerfile'], 'docker podman docker-compose'),
  ...of(['/playbook.yml'], 'ansible-playbook'),
  ...of(['/.hg/hgrc'], 'hg'),
  ...of(['/.git/config', '/.git/hooks/pre-commit', '/.husky/pre-commit'], 'git'),
};

export const INTERPRETERS: ReadonlySet<string> = new Set(
  words(
    `sh bash zsh dash ash ksh mksh csh tcsh fish elvish xonsh nu . source node nodejs tsx ts-node python pypy ipython perl raku ruby
    php lua luajit julia tclsh wish expect groovy scala kotlin jshell elixir escript ocaml runghc runhaskell ghci guile racket sbcl
    clojure bb Rscript octave gnuplot osascript pwsh java dart swift qjs gdb lldb vi vim nvim ex view vimdiff ed emacs m4
    R swipl mono dc crontab at batch`,
  ),
);

/** Programs that run another command, given somewhere behind them: which of their options take a value is not known. */
export const RUNNERS: ReadonlySet<string> = new Set(
  words(
    `env nohup nice ionice chrt taskset numactl time timeout command exec builtin eval trap coproc xargs parallel watch stdbuf
    unbuffer setsid setpriv setarch unshare nsenter chroot sudo doas su runuser gosu busybox flock script strace ltrace perf valgrind
    xvfb-run dbus-run-session systemd-run fakeroot tini dumb-init cross-env dotenv nyc c8 concurrently
    if then elif else while until do !`,
  ),
);
/** Of these, the ones that take a word of their own before the command. */
export const AFTER_A_WORD: ReadonlySet<string> = new Set(words('taskset setarch chroot su runuser gosu flock dotenv perf'));
/** They read words of the command, or whole commands, from a file. */
export const FROM_LISTS: ReadonlySet<string> = new Set(['xargs', 'parallel']);

/** Programs with a language of their own, or that start another program if a word matches the pattern. */
const BY_WORDS: [programs: string, says: RegExp][] = [
  ['awk gawk mawk nawk', /^(?:-[A-Za-z]*[fEil]|--(?:f|exe|inc|l))/],
  ['psql', /^(?:-[A-Za-z]*f|--f)/],
  ['sqlite3', /^(?:-init|-cmd|\.(?:read|shell|system|load))/],
  ['enable', /^-f/],
  ['find', /^-(?:exec|ok)/],
  ['rg', /^--(?:pre|hostname-bin)(?:=|$)/],
  ['fd fdfind', /^(?:-[A-Za-z]*[xX]|--exec)/],
  ['tar gtar bsdtar', /^(?:-[A-Za-z]*[IF]|--(?:to-c|use-c|checkpoint-|rsh|rmt|inf|new-v))/],
  ['sort', /^--co/],
  ['split', /^--f/],
  ['rsync', /^(?:-[A-Za-z]*e|--rs)/],
  ['ssh scp sftp', /^-[A-Za-z0-9]*[oFSI]/],
  ['zip', /^(?:-[A-Za-z]*T|--unz)/],
  ['man', /^(?:-[A-Za-z]*[PHCX]|--(?:pa|ht|con|gx))/],
  ['cc c++ gcc g++ clang clang++ cpp', /^(?:-fplugin|-fpass-plugin|-specs|-wrapper|-B|-X|@)/],
];
export const EXECUTION_OPTIONS: ReadonlyMap<string, RegExp> = new Map(
  BY_WORDS.flatMap(([programs, says]) => words(programs).map((program) => [program, says])),
);

/** Variables that determine what is run, or loaded before it. */
export const EXECUTION_VARIABLES =
  /^(?:\w*PATH|\w*PRELOAD|LD_\w+|DYLD_\w+|BASH_\w+|ENV|PS4|\w*(?:EDITOR|PAGER|BROWSER|SHELL|ASKPASS|STARTUP|HOME|OPTS|OPTIONS|RC|RCFILE)|\w*CONFIG\w*|(?:GIT|XDG|npm|NPM|YARN|RIPGREP|PYTHON|PERL5|RUBY|LESS|MAN)\w*)\+?=/;

/** Words that make git run what they name, change what it runs, or use a folder as a repository that file tools may have made. */
export const GIT_EXECUTION_WORDS =
  /^(?:-c|-x|-u|-O.*|--git-dir|--exec-path|--config-env|--exec|--ext-diff|--textconv|--open-files-in-pager|--upload-p.*|--receive-p.*|--template|--output|--extcmd|config|bisect|foreach|difftool|mergetool|filter-branch|GIT_\w+)(?:=|$)/;

/** Lines, a pattern's lines, or one replacement: scripts that run and write nothing. */
export const HARMLESS_SED_SCRIPTS = [
  /^(?:\d+|\$)?(?:[,~]\+?(?:\d+|\$))?[pdq=]$/,
  /^\/[^/]*\/[pd]$/,
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?s([/,:@%+_=])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiI\d]*$/,
];
