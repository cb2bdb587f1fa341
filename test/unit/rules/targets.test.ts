/** Patterns over paths, texts and commands: the targets that an allow rule matches, and those that ask and deny rules match. */
import {
  allowsCommand,
  forbidsCommand,
  simpleCommands,
  allowsPath,
  forbidsPath,
  normalise,
  pathPatternFault,
} from '../../../src/rules/targets';
import { allowsText, forbidsText, matchesWildcard } from '../../../src/rules/text-pattern';

describe('a wildcard', () => {
  it.each([
    ['', ''],
    ['*', ''],
    ['*', 'abc'],
    ['a*', 'a'],
    ['a*c', 'abc'],
    ['a*c', 'abcbc'],
    ['*b*', 'abc'],
    ['a*b*c', 'aXbYbZc'],
    ['**a', 'xa'],
    ['a**', 'a'],
    ['*aab', 'aaab'],
    ['a.c', 'a.c'],
  ])('%j takes %j', (pattern, text) => expect(matchesWildcard(pattern, text)).toBe(true));

  it.each([
    ['', 'a'],
    ['a', ''],
    ['a', 'ab'],
    ['ab', 'a'],
    ['a*c', 'abd'],
    ['a*c', 'xabc'],
    ['a*b*c', 'acb'],
    ['*a', 'ab'],
    ['a.c', 'abc'],
    ['a*bb', 'ab'],
  ])('%j does not take %j', (pattern, text) => expect(matchesWildcard(pattern, text)).toBe(false));
});

describe('a text', () => {
  it('matches an allow rule only as written, without invisible characters, up to 4,096 characters', () => {
    expect(allowsText('*@b.example')('ana@b.example')).toBe(true);
    for (const other of ['ANA@B.EXAMPLE', ' a@b.example ', 'a\u200b@b.example', 'a\n@b.example', 'ana@c.example'])
      expect(allowsText('*@b.example')(other)).toBe(false);
    expect(allowsText('*')('x'.repeat(4096))).toBe(true);
    expect(allowsText('*')('x'.repeat(4097))).toBe(false);
  });

  it('matches a deny rule in any spelling, and if it is too long', () => {
    for (const text of ['x@evil.example', ' X@EVIL.Example\n', 'x@ｅｖｉｌ.example', 'x@evil.example\u200b'])
      expect(forbidsText('*@evil.example')(text)).toBe(true);
    expect(forbidsText('*@EVIL.example')('x@EVIL.example')).toBe(true);
    expect(forbidsText('a b')('a\u0001b')).toBe(true);
    expect(forbidsText('*@evil.example')('x@good.example')).toBe(false);
    expect(forbidsText('x')('y'.repeat(4096))).toBe(false);
    expect(forbidsText('x')('y'.repeat(4097))).toBe(true);
    expect(forbidsText(' é')(' é')).toBe(true);
  });
});

describe('a path', () => {
  it.each([
    ['/a/b', '/a/b'],
    ['a//b/./c', '/a/b/c'],
    ['/a/../b', '/b'],
    ['', '/'],
    ['/a/b/..', '/a'],
    ['cafe\u0301', '/café'],
    ['/..', null],
    ['/a/../..', null],
    ['/a\0b', null],
  ])('%j is %j', (path, normal) => expect(normalise(path)).toBe(normal));

  it('matches an allow rule from the root, exactly as written', () => {
    expect(allowsPath('src/*.ts')('/src/a.ts')).toBe(true);
    expect(allowsPath('/src/**')('/src/a/b')).toBe(true);
    expect(allowsPath('/src/**')('src//a/./b')).toBe(true);
    expect(allowsPath('/src/caf\u0065\u0301')('/src/café')).toBe(true);
    expect(allowsPath('/src/[a-c].ts')('/src/b.ts')).toBe(true);
    expect(allowsPath('/src/{a,b}.ts')('/src/b.ts')).toBe(true);
    expect(allowsPath('/src/?.ts')('/src/b.ts')).toBe(true);
  });

  it.each([
    '',
    '/other/a',
    '/srcs',
    '/SRC/a',
    '/src/.git',
    '/src/.git/config',
    '/src/../other',
    '/../src/a',
    '/src/a\u200b',
    '/src/a\u00a0b',
    '/src/a\u2215b',
    '/src/a\\b',
    '/src/%2e%2e',
    '/src/%41',
    '/src/ａ',
    '~/src/a',
    '/~/src/a',
    'C:/src/a',
    '/c:/src/a',
    '/src/a.',
    '/src/a ',
    '/src/a./b',
    `/src/${'x'.repeat(256)}`,
    '/src/\ud800',
    '/src/a\0',
  ])('%j does not match the allow rule /src/**', (path) => {
    expect(allowsPath('/src/**')(path)).toBe(false);
  });

  it('may be as long as a file system permits', () => {
    expect(allowsPath('/src/**')(`/src/${'x'.repeat(255)}`)).toBe(true);
    expect(allowsPath('/src/**')(`/src${'/xxxxxxxxx'.repeat(102)}`.slice(0, 1024))).toBe(true);
    expect(allowsPath('/src/**')(`/src${'/xxxxxxxxx'.repeat(103)}`.slice(0, 1025))).toBe(false);
    expect(allowsPath('/src/**')('/src/a b')).toBe(true);
    expect(allowsPath('/src/**')('/src/./a')).toBe(true);
    expect(allowsPath('/src/**')('/src/b/../a')).toBe(true);
    expect(allowsPath('/src/**')('/src/a%4')).toBe(true);
  });

  it.each([
    '/secret',
    '/secret/a',
    '/SECRET/.a',
    'secret/a',
    '/x/../secret/a',
    '\\secret\\a',
    '/secret./a',
    '/secret /a',
    '/%73ecret/a',
    '/%2573ecret/a',
    '/%252573ecret/a',
    '/%2fsecret',
    '/ｓｅｃｒｅｔ/a',
    '/sec\u200bret/a',
    '\u2215secret\u29f8a',
    '/..',
    '/x/%2e%2e/%2e%2e',
    '/a\0',
    `/${'x'.repeat(1024)}`,
  ])('%j matches the deny rule /secret/**', (path) => {
    expect(forbidsPath('/secret/**')(path)).toBe(true);
  });

  it.each(['', '/', '/secrets', '/a/secret', '/x', `/${'x'.repeat(1023)}`, '/secret.d/a'])(
    '%j does not match the deny rule /secret/**',
    (path) => {
      expect(forbidsPath('/secret/**')(path)).toBe(false);
    },
  );

  it('matches a deny rule in up to three decodings, and by names of dots only', () => {
    expect(forbidsPath('/secret')('/%25252573ecret')).toBe(false);
    expect(forbidsPath('/secret/**')('/secret/.../a')).toBe(true);
    expect(forbidsPath('/.../a')('/.../a')).toBe(true);
    expect(forbidsPath('/a/b')('/a./b. .')).toBe(true);
  });

  const KINDS = 'a path pattern has *, **, ?, [a-z] and {a,b}; ( ) | ! and \\ are not among them';
  it.each<[string, string | null]>([
    ['/src/**/*.ts', null],
    ['/a*b*c*d', null],
    ['/**/a/**/b/**', null],
    ['/{a,b}/{c,d}/{e,f}', null],
    ['/**a*b*c*', null],
    ['/(a)', KINDS],
    ['/a)', KINDS],
    ['/a|b', KINDS],
    ['!/a', KINDS],
    ['/a\\b', KINDS],
    ['/**/**/**/**', 'more than 3 ** in one pattern'],
    ['/a*b*c*d*e', 'more than 3 * between two slashes'],
    ['/{a}{b}{c}{d}', 'more than 3 {} in one pattern'],
    ['/../a', 'it leaves the root'],
  ])('pattern %s: %j', (pattern, fault) => expect(pathPatternFault(pattern)).toBe(fault));
});

describe('a command', () => {
  it('matches an allow rule if a shell only has to split it', () => {
    const takes = allowsCommand('git status*');
    for (const command of ['git status', 'git status --short -b', 'git status a/b.c:d=@e,f+g%h_I'])
      expect(takes(command)).toBe(true);
    for (const special of '"\'$`;&|<>(){}[]*?!#~\\\n\t^') expect(takes(`git status ${special}x`)).toBe(false);
    expect(takes('git push')).toBe(false);
    expect(takes('')).toBe(false);
    expect(takes(`git status ${'x'.repeat(4085)}`)).toBe(true);
    expect(takes(`git status ${'x'.repeat(4086)}`)).toBe(false);
  });

  it('does not leave the folder at the star of a pattern', () => {
    for (const up of ['../x', 'a/../b', '--file=../x', 'a:../b', 'a,../b', '..'])
      expect(allowsCommand('cat *')(`cat ${up}`)).toBe(false);
    expect(allowsCommand('cat *')('cat a..b')).toBe(true);
    expect(allowsCommand('cat ../x')('cat ../x')).toBe(true);
  });

  it.each([
    'rm -rf x',
    'RM x',
    ' rm  x',
    'ls && rm x',
    'ls; rm x',
    'ls | rm x',
    'ls\nrm x',
    'ls\rrm x',
    '(rm x)',
    '{rm x}',
    'echo `rm x`',
    'echo $(rm x)',
    'cat <(rm x)',
    '"rm" x',
    "r'm' x",
    'r\\m x',
    '$rm x',
    '/bin/rm x',
    'sudo rm x',
    'sudo -u root -- env A=1 rm x',
    'A=1 rm x',
    'a_1=2 rm x',
    '/usr/bin/env rm x',
    'rm${IFS}x',
    'rm$IFS x',
    'r\\\nm x'.replace('r\\\nm', 'rm \\\n'),
    'rm\\\r\nx',
    'ｒｍ x',
    'rm\u200b x',
    'x'.repeat(4097),
  ])('%j matches the deny rule rm *', (command) => {
    expect(forbidsCommand('rm *')(command)).toBe(true);
  });

  it.each(['ls', 'rmdir x', 'echo rm x', 'git commit -m "no rm here"', 'x'.repeat(4096), 'A-1=2 rm x', '1=2 rm x', '=2 rm x'])(
    '%j does not match the deny rule rm *',
    (command) => {
      expect(forbidsCommand('rm *')(command)).toBe(false);
    },
  );

  it.each(
    'sudo doas env nohup nice ionice time timeout command exec eval builtin xargs stdbuf setsid busybox sh bash then do else if while !'.split(
      ' ',
    ),
  )('a command is found behind %s', (runner) => expect(forbidsCommand('rm *')(`${runner} rm x`)).toBe(true));

  it('is searched in the first sixteen words', () => {
    const behind = (words: number) => forbidsCommand('rm *')(`sudo ${'x '.repeat(words)}rm y`);
    expect([behind(14), behind(15)]).toEqual([true, false]);
    expect(forbidsCommand('  RM   x ')('rm x')).toBe(true);
    expect(forbidsCommand('sudo rm*')('sudo rm x')).toBe(true);
    expect(forbidsCommand('/bin/rm *')('/bin/rm x')).toBe(true);
  });

  it('is split at each command that a shell begins', () => {
    expect(simpleCommands('a;b&c|d\re\nf(g)h{i}j`k<l>m')).toEqual([...'abcdefghijklm']);
    expect(simpleCommands('a$(b)')).toEqual(['a', 'b', '']);
  });
});
