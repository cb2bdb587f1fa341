"""Programs that run what lies in files: permissions.md, *Commands that run files*. For verify_rules.py."""
import re

def names(text): return set(text.split())

BY_MANIFEST = {program: files.split() for files, programs in {
    "/package.json": """npm npx pnpm pnpx yarn bun bunx corepack npm-run-all run-s run-p lerna nx turbo rush zx jest
        vitest mocha ava tap jasmine karma qunit tsc eslint prettier stylelint webpack vite rollup tsup babel next nuxt
        astro ng playwright cypress nodemon lint-staged commitlint prisma knex wrangler""",
    "/gulpfile.js": "gulp", "/Gruntfile.js": "grunt", "/Makefile": "make gmake", "/Cargo.toml /build.rs": "cargo",
    "/go.mod /main.go": "go", "/tasks.py": "invoke inv fab", "/conf.py": "sphinx-build", "/mkdocs.yml": "mkdocs",
    "/pyproject.toml /conftest.py /setup.py": "pytest tox nox pip pip3 poetry uv uvx pipx hatch mypy pylint flake8",
    "/SConstruct": "scons", "/Gemfile /Rakefile": "bundle rake rspec rails rubocop", "/pom.xml": "mvn mvnw",
    "/build.gradle /settings.gradle": "gradle gradlew", "/build.xml": "ant", "/build.sbt": "sbt",
    "/project.clj": "lein", "/mix.exs": "mix", "/package.yaml": "stack cabal",
    "/Directory.Build.props": "dotnet msbuild",
    "/composer.json": "composer phpunit phpstan pest", "/CMakeLists.txt": "cmake ctest", "/build.ninja": "ninja",
    "/meson.build": "meson", "/BUILD /WORKSPACE": "bazel bazelisk buck2", "/justfile": "just", "/Taskfile.yml": "task",
    "/.pre-commit-config.yaml": "pre-commit", "/.latexmkrc": "latexmk",
    "/default.nix /flake.nix": "nix nix-build nix-shell", "/Vagrantfile": "vagrant", "/deno.json": "deno",
    "/main.tf": "terraform tofu", "/playbook.yml": "ansible-playbook",
    "/docker-compose.yml /Dockerfile": "docker podman docker-compose", "/.hg/hgrc": "hg",
    "/.git/config /.git/hooks/pre-commit /.husky/pre-commit": "git"}.items() for program in programs.split()}
INTERPRETERS = names("""sh bash zsh dash ash ksh mksh csh tcsh fish elvish xonsh nu . source node nodejs tsx ts-node
    python pypy ipython perl raku ruby php lua luajit julia tclsh wish expect groovy scala kotlin jshell elixir escript
    ocaml runghc runhaskell ghci guile racket sbcl clojure bb Rscript octave gnuplot osascript pwsh java dart swift qjs
    gdb lldb vi vim nvim ex view ed emacs m4""")
RUNNERS = names("""env nohup nice ionice chrt taskset numactl time timeout command exec builtin eval trap coproc xargs
    parallel watch stdbuf unbuffer setsid setpriv setarch unshare nsenter chroot sudo doas su runuser gosu busybox flock
    script strace ltrace perf valgrind xvfb-run dbus-run-session systemd-run fakeroot tini dumb-init cross-env dotenv
    nyc c8 coverage concurrently if then elif else while until do !""")
AFTER_A_WORD = names("taskset setarch chroot su runuser gosu flock dotenv")
FROM_LISTS = names("xargs parallel")
SAYS_WHAT_RUNS = {program: re.compile(says) for programs, says in {
    "awk gawk mawk nawk": r"(?:-[A-Za-z]*[fEil]|--(?:f|exe|inc|l))", "psql": r"(?:-[A-Za-z]*f|--f)",
    "sqlite3": r"(?:-init|-cmd|\.(?:read|shell|system|load))", "enable": "-f", "find": "-(?:exec|ok)",
    "rg": r"--(?:pre|hostname-bin)(?:=|\Z)", "fd fdfind": "(?:-[A-Za-z]*[xX]|--exec)", "sort": "--co", "split": "--f",
    "tar gtar bsdtar": "(?:-[A-Za-z]*[IF]|--(?:to-c|use-c|checkpoint-|rsh|rmt|inf|new-v))",
    "rsync": "(?:-[A-Za-z]*e|--rs)", "ssh scp sftp": "-[A-Za-z0-9]*[oFSI]", "zip": "(?:-[A-Za-z]*T|--unz)",
    "man": "(?:-[A-Za-z]*[PHCX]|--(?:pa|ht|con|gx))",
    "cc c++ gcc g++ clang clang++ cpp": "(?:-fplugin|-fpass-plugin|-specs|-wrapper|-B|-X|@)"}.items()
    for program in programs.split()}
LEADS_ELSEWHERE = re.compile(r"""(?:\w*PATH|\w*PRELOAD|LD_\w+|DYLD_\w+|BASH_\w+|ENV|PS4|
    \w*(?:EDITOR|PAGER|BROWSER|SHELL|ASKPASS|STARTUP|HOME|OPTS|OPTIONS|RC|RCFILE)|\w*CONFIG\w*|
    (?:GIT|XDG|npm|NPM|YARN|RIPGREP|PYTHON|PERL5|RUBY|LESS|MAN)\w*)\+?=""", re.VERBOSE | re.ASCII)
TO_GIT = re.compile(r"""(?:-c|-x|-u|-O.*|--git-dir|--exec-path|--config-env|--exec|--ext-diff|--textconv|
    --open-files-in-pager|--upload-p.*|--receive-p.*|--template|--output|--extcmd|config|bisect|foreach|difftool|
    mergetool|filter-branch|GIT_\w+)(?:=|\Z)""", re.VERBOSE | re.ASCII)
HARMLESS_SED = [re.compile(form) for form in (
    r"(?:[0-9]+|\$)?(?:[,~]\+?(?:[0-9]+|\$))?[pdq=]", r"/[^/]*/[pd]",
    r"(?:(?:[0-9]+|\$)(?:,(?:[0-9]+|\$))?)?s([/,:@%+_=])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiI0-9]*")]
OF_THE_SYSTEM = re.compile(
    r"/(?:(?:usr/(?:local/)?)?s?bin|snap/bin|opt/(?:homebrew|local)/s?bin|nix/store/[^/]+/s?bin)/+[^/]+")
ASSIGNS, BEFORE_IT = re.compile(r"\w+\+?=", re.ASCII), re.compile(r"(?:\w+=.*|[0-9][0-9.]*[smhd]?)", re.ASCII)
ANYTHING = (("/",), False, True)

def what_runs(command):
    """(files, guarded, open) of what a command runs; None: no file that the list knows of."""
    words = re.split(r"[ \t\n\v\f\r]+", re.sub(r"[\"'\\]", "", command))
    return of_words([word for word in words if word])

def of_words(words):
    start = next((at for at, word in enumerate(words) if not ASSIGNS.match(word)), None)
    program, *args = words[start:] if start is not None else [""]
    name = program.rpartition("/")[2]
    if any(LEADS_ELSEWHERE.match(word) for word in words[:start or 0]):
        return ANYTHING
    if "/" in program and not program.startswith("/"):
        return ((from_root(program),), False, False)
    if name in RUNNERS:
        return behind_runner(name, args)
    if name == "git":
        return (BY_MANIFEST["git"], not any(TO_GIT.match(word) for word in words), False)
    if name in BY_MANIFEST:
        return (BY_MANIFEST[name], False, True)
    if name in ("sed", "gsed"):
        return None if is_harmless_sed(args) else ANYTHING
    if name in SAYS_WHAT_RUNS:
        first = [word if word.startswith("-") else "-" + word for word in args[:1] or [""]]
        return said_by(SAYS_WHAT_RUNS[name], first + args[1:] if name.endswith("tar") else args)
    if re.sub(r"[0-9.]+\Z", "", name) in INTERPRETERS or name in INTERPRETERS:
        file = next((arg for arg in args if not arg.startswith("-")), None)
        if file is not None:
            return ((from_root(file),), False, False)
        return None if all(re.fullmatch("--version|--help|-[vVh]", arg) for arg in args) else ANYTHING
    return ((program,), False, False) if program.startswith("/") and not OF_THE_SYSTEM.fullmatch(program) else None

def behind_runner(runner, words):
    """What stands behind an option may be its value, or the command."""
    listed = runner in FROM_LISTS and any(re.match("-[A-Za-z0-9]*a|--arg|::::", word) for word in words)
    if len(words) > 64 or listed:
        return ANYTHING
    before = 1 if runner in AFTER_A_WORD else 0
    for index, word in enumerate(words):
        if runner == "env" and re.match("-[A-Za-z0-9]*S|--s", word):
            return ANYTHING
        if LEADS_ELSEWHERE.match(word):
            return of_words(words[index:])
        if word.startswith("-") or BEFORE_IT.fullmatch(word):
            continue
        found = of_words(words[index:])
        may_be_value = index > 0 and words[index - 1].startswith("-")
        if not may_be_value:
            may_be_value, before = before > 0, before - 1
        if found is not None or not may_be_value or word in RUNNERS:
            return found
    return None

def said_by(says, args):
    """The word itself may name the file, or the one behind it."""
    at = next((at for at, arg in enumerate(args) if says.match(arg)), None)
    if at is None:
        return None
    value = args[at].partition("=")[2] if "=" in args[at] else says.sub("", args[at], count=1)
    return ((from_root(value or "".join(args[at + 1:at + 2])),), False, False)

def is_harmless_sed(args):
    if any(re.match("-[A-Za-z]*f|--f", arg) for arg in args):
        return False
    asked = [re.fullmatch(r"(?:-[A-Za-z]*e|--e\w*=?)(.*)", arg, re.ASCII | re.DOTALL) for arg in args]
    said = [found[1] or "".join(args[at + 1:at + 2]) for at, found in enumerate(asked) if found]
    script = next((arg for arg in args if not arg.startswith("-")), None)
    return all(any(form.fullmatch(one) for form in HARMLESS_SED)
               for one in (said if said or script is None else [script]))

def from_root(path): return "/" + re.sub(r"\A(?:\.?/)+", "", path)
