import { permissionFaults, runsFiles, withDefaults } from '../../../../src/rules';
import { ruledTool } from '../../../../src/tools/admit/policy';
import { TOOLS, tool, verdict } from './support';

const HASH = 'a'.repeat(64);
const bash = (hashes: Record<string, string>) =>
  tool('bash', {
    class: 'destructive',
    ruleTarget: { kind: 'command', of: ({ command }: any) => command, hashOf: (path: string) => hashes[path] ?? null },
  });

describe('a program that runs files', () => {
  it.each<[string, string | null]>([
    ['npm test', '/package.json'],
    ['npx -y tool', '/package.json'],
    ['node x.js --flag', '/x.js'],
    ['node --import ./a.mjs x.js', '/a.mjs'],
    ['python3.11 -u tools/x.py', '/tools/x.py'],
    ['/usr/bin/python3 x.py', '/x.py'],
    ['make -j2 all', '/Makefile'],
    ['./x.sh', '/x.sh'],
    ['scripts/x', '/scripts/x'],
    ['A=1 B=2 sh x.sh', '/x.sh'],
    ['timeout 5 nice -n 5 env A=1 cargo test', '/Cargo.toml'],
    ['go run .', '/go.mod'],
    ['git commit', '/.git/config'],
    ['/usr/bin/env npm test', '/package.json'],
    ['timeout -s KILL 0.5 npm test', '/package.json'],
    ['env -u HOME npm test', '/package.json'],
    ['sudo -u ana -- nice -5 npm test', '/package.json'],
    ['flock lock sh x.sh', '/x.sh'],
    ['xvfb-run -a npm test', '/package.json'],
    ['node --test', '/'],
    ['node --import=./x.mjs', '/'],
    ['python3 -mpytest', '/'],
    ['/srv/workspace/x.sh', '/srv/workspace/x.sh'],
    ['awk -f x.awk data.csv', '/x.awk'],
    ['"npm" \\test', '/package.json'],
    ['npm\ttest', '/package.json'],
    [`${'env -i '.repeat(500)}npm test`, '/'],
    ['env -Ssh x.sh', '/'],
    ['builtin . x.sh', '/x.sh'],
    ['xargs -a x.txt env', '/'],
    ['parallel :::: x.txt', '/'],
    ['gdb -batch -x x.gdb', '/x.gdb'],
    ['hg status', '/.hg/hgrc'],
    ['PATH=bin ls', '/'],
    ['env LD_PRELOAD=./x.so ls', '/'],
    ['/usr/src/app/x.sh', '/usr/src/app/x.sh'],
    ['/usr/bin/../src/app/x.sh', '/usr/bin/../src/app/x.sh'],
    ['sed e x.txt', '/'],
    ['sed -ne 1e x.txt', '/'],
    ['sed -fx.sed y', '/'],
    ['sed s/a/b/e x.txt', '/'],
    ['tar xI ./x -f a.tar', '/x'],
    ['tar -xf a.tar --to-command=./x', '/x'],
    ['rg --pre ./x a', '/x'],
    ['find . -exec ./x +', '/x'],
    ['sort --compress-program=./x a', '/x'],
    ['gawk -i x.awk a', '/x.awk'],
    ['sqlite3 a.db .read x.sql', '/x.sql'],
    ['coverage run x.py', '/pyproject.toml'],
    ['perf stat -e cycles ./x.sh', '/x.sh'],
    ['perf record sh x.sh', '/x.sh'],
    ['dc x.dc', '/x.dc'],
    ['crontab x.txt', '/x.txt'],
    ['at -f x.txt now', '/x.txt'],
    ['R -f x.R', '/x.R'],
    ['sed -n 5,9p x.txt', null],
    ['sed -e 1d -e s/a/b/g x.txt', null],
    ['sed -n /warning/p x.txt', null],
    ['tar -cf FILES.tar src', null],
    ['tar xf a.tar', null],
    ['rg --hidden a src', null],
    ['sort -u a', null],
    ['NODE_ENV=test LANG=C ls', null],
    ['timeout 5 ls docs/a', null],
    ['nice -n 5 cat ./a', null],
    ['find . -type f', null],
    ['/usr/bin/wc -l package.json', null],
    ['sed -n 5p x.txt', null],
    ['ls src', null],
    ['wc -l package.json', null],
    ['cat Makefile', null],
    ['node --version', null],
    ['', null],
  ])('%s: %s', (command, file) => expect(runsFiles(command)?.files[0] ?? null).toBe(file));
});

it.each<[string, boolean]>([
  ['git status', true],
  ['git --git-dir=made status', false],
  ['git -c core.fsmonitor=./x status', false],
  ['GIT_DIR=made git status', false],
  ['git bisect run npm test', false],
  ['git grep -Osh x', false],
  ['git config include.path x', false],
  ['git fetch --upload-pack=./x origin', false],
  ['git log -n 5 --oneline', true],
  ['git diff --stat', true],
])('%s runs nothing that file tools may write: %s', (command, guarded) => expect(runsFiles(command)!.guarded).toBe(guarded));

describe('an allow rule with files', () => {
  const rule = { rule: 'bash(npm test)', files: { '/package.json': HASH } };
  const says = (allow: object | string, hashes: Record<string, string>, command = 'npm test') =>
    verdict({ allow: [allow as string] }, 'bash', { command }, {}, [bash(hashes)]);

  it('counts while the files have the hashes of the rule', () => {
    expect(says(rule, { '/package.json': HASH }).verdict).toBe('allow');
    expect(says(rule, { '/package.json': 'b'.repeat(64) })).toMatchObject({
      verdict: 'ask',
      considered: [{ because: `/package.json is another than the rule has: ${'b'.repeat(64)}` }],
    });
    expect(says(rule, {}).considered[0]!.because).toBe('there is no file /package.json');
  });

  it('is needed for a rule with a condition too, and for each command of a line', () => {
    const when = (text: string) => ({ rule: 'bash', when: `input.command == "${text}"` });
    expect(says(when('npm test'), {}).verdict).toBe('ask');
    expect(says(when('ls; npm test'), {}, 'ls; npm test').verdict).toBe('ask');
    expect(says(when('ls'), {}, 'ls').verdict).toBe('allow');
    expect(says({ ...when('npm test'), files: 'any' }, {}).verdict).toBe('allow');
    expect(says('bash', {}).verdict).toBe('allow'); // it allows whatever there is
  });

  it('does not count in another folder, or for another file', () => {
    const one = { rule: 'bash(sh *)', files: { '/x.sh': HASH } };
    const said = (command: string, entry: object = one) => says(entry, { '/x.sh': HASH }, command).verdict;
    expect(said('sh x.sh now')).toBe('allow');
    expect(said('sh y.sh x.sh')).toBe('ask');
    const when = { rule: 'bash', when: 'input.command.endsWith("sh x.sh")', files: { '/x.sh': HASH } };
    expect(said('sh x.sh', when)).toBe('allow');
    for (const before of ['cd y && ', 'cd y; ', ' pushd y && ', 'env -C y ', 'env --chdir=y '])
      expect([before, said(`${before}sh x.sh`, when)]).toEqual([before, 'ask']);
  });

  it.each<[object, string]>([
    [{ allow: [{ rule: 'bash(npm test)', files: {} }] }, 'give 1 to 50 of them, or any'],
    [{ allow: [{ rule: 'bash(npm test)', files: 'all' }] }, 'give 1 to 50 of them, or any'],
    [{ allow: [{ rule: 'bash(npm test)', files: { 'package.json': HASH } }] }, 'must be a path from the root'],
    [{ allow: [{ rule: 'bash(npm test)', files: { '/a/../b': HASH } }] }, 'must be a path from the root'],
    [{ allow: [{ rule: 'bash(npm test)', files: { '/package.json': 'abc' } }] }, 'a SHA-256 in 64 hex digits'],
    [{ allow: [{ rule: 'bash', files: 'any' }] }, 'they go with a pattern or a condition'],
    [{ deny: [{ rule: 'bash(npm test)', files: 'any' }] }, 'only an allow rule has them'],
    [{ allow: [{ rule: 'edit_file(/src/**)', files: 'any' }] }, 'has files, which are for tools that run commands'],
  ])('%j has a fault', (permissions, fault) => {
    expect(permissionFaults(withDefaults(permissions), TOOLS.map(ruledTool)).join()).toContain(fault);
  });
});
