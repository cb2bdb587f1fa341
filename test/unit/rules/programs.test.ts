/** Words of a command by which it runs a file, and words that only look like that. Whole rules: test/unit/tools/admit/programs.test.ts. */
import { runsFiles } from '../../../src/rules';

const filesOf = (command: string) => runsFiles(command)?.files[0] ?? null;
const ANYTHING = '/';

/** Of each program: words that have it run a file, and words that do not. */
it.each<[program: string, runs: Record<string, string>, runsNone: string[]]>([
  ['awk', { '-f x.awk a': '/x.awk', '-nf x.awk a': '/x.awk', '--file=x.awk a': '/x.awk', '-E x.awk': '/x.awk' }, ['{print} a-f b', '-v a=1 b']],
  ['psql', { '-f x.sql': '/x.sql', '-qf x.sql': '/x.sql', '--file=x.sql': '/x.sql' }, ['a-f b', '-q b', 'a --dbname=f']],
  ['sqlite3', { '-init x.sql a.db': '/x.sql', 'a.db .read x.sql': '/x.sql' }, ['a.db x-init', 'a.db -csv']],
  ['find', { '. -exec ./x +': '/x', '. -ok ./x ;': '/x' }, ['. -name x-exec', '. -type f']],
  ['rg', { '--pre ./x a': '/x', '--pre=./x a': '/x', '--hostname-bin=./x a': '/x' }, ['x--pre a', '--pretty a', '--no-pre a']],
  ['fd', { '-x ./x': '/x', '-Hx ./x': '/x', '-X ./x': '/x', '--exec ./x': '/x' }, ['a-x b', '-H a']],
  ['tar', { '-I ./x -cf a b': '/x', '-xI ./x -f a': '/x', '--use-compress-program=./x': '/x', 'xF ./x': '/x' }, ['-xf a.tar b-I', 'xf a.tar']],
  ['sort', { '--compress-program=./x a': '/x' }, ['-k2 a', 'x--co']],
  ['rsync', { '-e ./x a b': '/x', '-ave ./x a b': '/x', '--rsh=./x a b': '/x' }, ['a b-e', '-av a b']],
  ['ssh', { '-F x.conf host': '/x.conf', '-4F x.conf host': '/x.conf' }, ['host a-F', '-4 host']],
  ['zip', { '-T ./x': '/x', '-rT ./x': '/x', '--unzip-command=./x': '/x' }, ['a-T b', '-r a b']],
  ['man', { '-P ./x a': '/x', '-kP ./x a': '/x', '--pager=./x a': '/x' }, ['a-P', '-k a']],
  ['gcc', { '-fplugin=./x.so a.c': '/x.so', '-wrapper ./x a.c': '/x', '@x.args': '/x.args' }, ['-O2 a.c', 'a-B b.c']],
  ['node', { 'x.js': '/x.js', '--versions': ANYTHING, '--x--version': ANYTHING, '-p': ANYTHING }, ['--version', '--help', '-v', '-h', '']],
  ['python3.11', { 'x.py': '/x.py', '-': ANYTHING }, ['-V', '--version --help']],
])('%s', (program, runs, runsNone) => {
  for (const [words, file] of Object.entries(runs)) expect([words, filesOf(`${program} ${words}`)]).toEqual([words, file]);
  for (const words of runsNone) expect([words, filesOf(`${program} ${words}`)]).toEqual([words, null]);
}); // oxfmt-ignore

it.each([
  ...['PATH', 'CLASSPATH', 'PRELOAD', 'MY_PRELOAD', 'LD_AUDIT', 'DYLD_LIBRARIES', 'BASH_ENV', 'ENV', 'PS4', 'EDITOR'],
  ...['GIT_EDITOR', 'PAGER', 'BROWSER', 'SHELL', 'SSH_ASKPASS', 'PYTHONSTARTUP', 'HOME', 'JAVA_OPTS', 'NODE_OPTIONS', 'BASHRC'],
  ...[
    'RCFILE',
    'CONFIG',
    'MY_CONFIG_FILE',
    'GIT_DIR',
    'XDG_DATA',
    'npm_x',
    'NPM_X',
    'YARN_X',
    'RIPGREP_X',
    'PYTHONX',
    'PERL5LIB',
  ],
  ...['RUBYLIB', 'LESSOPEN', 'MANX'],
])('the variable %s decides what is run', (name) => {
  expect(runsFiles(`${name}=x ls`)).toEqual({ program: `${name}=… ls`, files: ['/'], guarded: false, open: true });
  expect(runsFiles(`${name}+=x ls`)?.files).toEqual(['/']);
  expect(filesOf(`env ${name}=x ls`)).toBe('/');
});

it.each(['FOO=1 ls', 'A=PATH=x ls', 'XENV=1 ls', 'PS44=1 ls', 'PATHS=1 ls', 'env FOO=1 ls', 'FOO=', ''])(
  '%j runs no file', (command) => expect(filesOf(command)).toBeNull(),
); // oxfmt-ignore

describe('git', () => {
  const git = (words: string) => runsFiles(`git ${words}`)?.guarded;
  it.each(['commit -a', 'log -cx', 'log a-c', 'log a-Ox', 'show HEAD:config.ts', 'log --execute', 'commit --x--exec', 'configure'])(
    '%s runs its hooks and its configuration only', (words) => expect(git(words)).toBe(true),
  ); // oxfmt-ignore
  it.each([
    ...[
      '-c x=y log',
      'rebase -x ./x',
      'push -u a',
      'grep -O',
      'grep -Oless a',
      '--git-dir=x log',
      '--exec-path=x log',
      '--config-env=a=b log',
    ],
    ...['rebase --exec ./x', 'diff --ext-diff', 'log --textconv', 'grep --open-files-in-pager=x a', 'fetch --upload-pack=./x'],
    ...[
      'push --receive-pack=./x',
      'push --receive-pack ./x',
      'init --template=x',
      'log --output=x',
      'difftool --extcmd=x',
      'config a b',
    ],
    ...['bisect run ./x', 'submodule foreach ./x', 'difftool', 'mergetool', 'filter-branch', 'GIT_DIR=x'],
  ])('%s may run more', (words) => expect(git(words)).toBe(false));
});

describe('sed', () => {
  it.each([
    ...['p a', '10p a', '$p a', '1,10p a', '1~10p a', '1,+12d a', '2,$q a', '= a', '/abc/p a', '/abc/d a', 's/a/b/ a', 's//b/ a'],
    ...['s/abc/bcd/g a', 's/a/b/gpiI a', 's/a/b/12 a', '10s/a/b/ a', '10,20s/a/b/ a', '$s/a/b/ a', '1,$s:a:b: a', 's,a,, a'],
    ...['-n 10p a', '-e p a', '-ep a', '-nep a', '-n -e 10p -e 20p a', '--expression=p a', '--expression p a', '--ex=p a'],
    ...['p a-f', 'p a-e', 'p x--f', ''],
  ])('%s runs nothing', (words) => expect(filesOf(`sed ${words}`)).toBeNull());

  it.each([
    ...[
      'e a',
      '1e a',
      'xp a',
      'px a',
      'p; a',
      '10pe a',
      '1,2w a',
      '/a/e a',
      's/a/b/e a',
      's/a/b/w a',
      'xs/a/b/ a',
      '1xs/a/b/ a',
      's/a/b a',
    ],
    ...['s/a/b/c/ a', '-e 1e a', '-e1e a', '-ne 1e a', '-e p -e 1e a', '--expression=1e a', '--expression 1e a', 'a -e 1e', '-e'],
    ...['-f x.sed a', '-nf x.sed a', '--file=x.sed a'],
  ])('%s may run anything', (words) =>
    expect(runsFiles(`sed ${words}`)).toMatchObject({ program: 'sed', files: ['/'], open: true }),
  );
});

describe('behind another program', () => {
  it.each([
    ['timeout 10s ./x', '/x'],
    ['timeout 1.5m ./x', '/x'],
    ['timeout 0.5 ./x', '/x'],
    ['env FOO= ./x', '/x'],
    ['env FOO=bar=1 ./x', '/x'],
    ['env -i ./x', '/x'],
    ['env -iS./x', '/'],
    ['env --split-string=./x', '/'],
    ['xargs -0a x.txt echo', '/'],
    ['xargs --arg-file=x.txt echo', '/'],
    ['parallel -a x.txt echo', '/'],
    ['flock lock ./x', '/x'],
    [`nice ${'-n '.repeat(63)}./x`, '/x'],
    [`nice ${'-n '.repeat(64)}ls`, '/'],
  ])('%s', (command, file) => expect(filesOf(command)).toBe(file));

  it.each(['timeout 5x ./x', 'nice ls ./x', 'env FOO=1 ls a-S', 'env ls b--s', 'xargs echo b-a', 'nohup ls', `nice ${'-n '.repeat(63)}ls`])(
    '%s runs none', (command) => expect(filesOf(command)).toBeNull(),
  ); // oxfmt-ignore
});

describe('a program by its path', () => {
  it.each([
    ...[
      '/bin/ls',
      '/sbin/ls',
      '/usr/bin/ls',
      '/usr/sbin/ls',
      '/usr/local/bin/ls',
      '/usr/local/sbin/ls',
      '/usr/bin//ls',
      '/snap/bin/ls',
    ],
    ...['/opt/homebrew/bin/ls', '/opt/local/sbin/ls', '/opt/local/bin/ls', '/nix/store/a-1/bin/ls', '/nix/store/a-1/sbin/ls'],
  ])('%s is a program of the system', (path) => expect(filesOf(path)).toBeNull());

  it.each([
    ...[
      '/x/usr/bin/ls',
      '/usr/bin/x/ls',
      '/opt/homebrew/lib/ls',
      '/opt/other/bin/ls',
      '/nix/store/bin/ls',
      '/nix/store/a/b/bin/ls',
    ],
    ...['/srv/x', '/usr/local/x', '/usr/lib/bin/ls'],
  ])('%s may be a program of the workspace', (path) =>
    expect(runsFiles(path)).toMatchObject({ program: path, files: [path], open: false }),
  );

  it('in the folder of the workspace is one of its files', () => {
    expect(runsFiles('./x.sh a')).toEqual({ program: './x.sh', files: ['/x.sh'], guarded: false, open: false });
    expect(filesOf('.//x/../y')).toBe('/x/../y');
  });
});

describe('a program that chooses by itself which files it runs', () => {
  it.each<[string, string[]]>([
    ['npm', ['/package.json']],
    ['jest', ['/package.json']],
    ['playwright', ['/package.json']],
    ['gulp', ['/gulpfile.js']],
    ['grunt', ['/Gruntfile.js']],
    ['make', ['/Makefile']],
    ['cargo', ['/Cargo.toml', '/build.rs']],
    ['go', ['/go.mod', '/main.go']],
    ['pytest', ['/pyproject.toml', '/conftest.py', '/setup.py']],
    ['coverage', ['/pyproject.toml', '/setup.cfg']],
    ['invoke', ['/tasks.py']],
    ['sphinx-build', ['/conf.py']],
    ['mkdocs', ['/mkdocs.yml']],
    ['scons', ['/SConstruct']],
    ['rake', ['/Gemfile', '/Rakefile']],
    ['mvn', ['/pom.xml']],
    ['gradle', ['/build.gradle', '/settings.gradle']],
    ['ant', ['/build.xml']],
    ['sbt', ['/build.sbt']],
    ['lein', ['/project.clj']],
    ['mix', ['/mix.exs']],
    ['cabal', ['/package.yaml']],
    ['dotnet', ['/Directory.Build.props']],
    ['composer', ['/composer.json']],
    ['cmake', ['/CMakeLists.txt']],
    ['ninja', ['/build.ninja']],
    ['meson', ['/meson.build']],
    ['bazel', ['/BUILD', '/WORKSPACE']],
    ['just', ['/justfile']],
    ['task', ['/Taskfile.yml']],
    ['pre-commit', ['/.pre-commit-config.yaml']],
    ['latexmk', ['/.latexmkrc']],
    ['nix', ['/default.nix', '/flake.nix']],
    ['vagrant', ['/Vagrantfile']],
    ['deno', ['/deno.json']],
    ['terraform', ['/main.tf']],
    ['docker', ['/docker-compose.yml', '/Dockerfile']],
    ['ansible-playbook', ['/playbook.yml']],
    ['hg', ['/.hg/hgrc']],
  ])('%s: %j', (program, files) => {
    expect(runsFiles(`${program} a`)).toEqual({ program, files, guarded: false, open: true });
  });

  it('git', () => {
    const files = ['/.git/config', '/.git/hooks/pre-commit', '/.husky/pre-commit'];
    expect(runsFiles('/usr/bin/git log')).toEqual({ program: 'git', files, guarded: true, open: false });
  });
});
