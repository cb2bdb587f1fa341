import { normalise } from '../../../../src/rules/targets';
import { verdict } from './support';

/** Attempts to run more than `bash(git status*)`, `bash(cat docs/*)` and `bash(*)` allow. */
const SUFFIXES = [
  '; rm -rf x', '&& rm x', '|| rm x', '| sh', '& rm x', '\nrm x', '\r\nrm x', '\rrm x', '`rm x`', '$(rm x)', '${IFS}rm', '$IFS', '$HOME',
  '> /etc/passwd', '>> x', '< /etc/shadow', '<<< x', '<(rm x)', '>(rm x)', '2>&1', '&>x', '# x', "'", '"', '\\', '\\\nrm', '*', '?', '[a]',
  '{a,b}', '~', '~root', '!', '!!', '^a^b', '(rm x)', ')', '{ rm x; }', '\trm x', '\u0000rm', '\u000brm', '\u0085rm', '\u2028rm', '\u2029rm',
  '\u00a0rm', '；rm x', '｜sh', '＆ rm', '＄(rm)', '｀rm｀', '\u200brm', '\u202erm', '$((1))', '$[1]', '$\'\\x3b\'', "$'rm'", '"$(rm)"', '; : > x',
  ' ;rm', '%0arm\n', '\u001b[2K; rm', '&\u0026', '|&', ';;', '\u037e rm;', 'é', 'ls\0', '=(rm)', '--x="$(rm)"', "-c 'rm'", '\ud800',
]; // oxfmt-ignore

describe('an allow rule on commands', () => {
  it('is tried against 60 attempts and more', () => expect(new Set(SUFFIXES).size).toBeGreaterThanOrEqual(60));

  it.each(SUFFIXES)('does not match git status and %j', (suffix) => {
    for (const command of [`git status${suffix}`, `git status ${suffix}`, `${suffix} git status`, `git status ${suffix} x`]) {
      expect(verdict({ allow: ['bash(git status*)'] }, 'bash', { command }).verdict).toBe('ask');
      expect(verdict({ allow: ['bash(*)'] }, 'bash', { command }).verdict).toBe('ask');
      expect(verdict({ mode: 'locked', allow: ['bash(git status*)', 'bash(*status*)'] }, 'bash', { command }).verdict).toBe(
        'deny',
      );
    }
  });

  it.each([
    'GIT status', 'git  status', ' git status', 'git push', 'gitstatus', 'git stat', '', 'agit status', './git status', 'X=1 git status',
    'git -c core.pager=x status', 'git',
  ])('bash(git status*) does not match %j', (command) => {
    expect(verdict({ allow: ['bash(git status*)'] }, 'bash', { command }).verdict).toBe('ask');
  }); // oxfmt-ignore

  it.each(['cat docs/../../etc/passwd', 'cat docs/..', 'cat docs/a ../x', 'cat docs/a --x=../y', 'cat docs/a a:../y'])(
    'does not let * climb out of a folder: %j',
    (command) => {
      expect(verdict({ allow: ['bash(cat docs/*)'] }, 'bash', { command }).verdict).toBe('ask');
    },
  );

  it.each(['git status', 'git status --short', 'git status -- src/a.ts', 'git status src/a-b_c.ts +x 50% a@b,c'])(
    'matches %j',
    (command) => {
      expect(verdict({ allow: ['bash(git status*)'] }, 'bash', { command }).verdict).toBe('allow');
    },
  );

  it('matches no command that is far too long; a deny rule does', () => {
    const command = `git status ${'a'.repeat(5000)}`;
    expect(verdict({ allow: ['bash(git status*)'] }, 'bash', { command }).verdict).toBe('ask');
    expect(verdict({ deny: ['bash(rm *)'] }, 'bash', { command }).verdict).toBe('deny');
  });
});

/** Paths that are not, or may not be, TypeScript files under /src; the aim of the attacks is `/secret`. */
const OUTSIDE = [
  '/secret/a.ts', 'secret/a.ts', '/src/../secret/a.ts', 'src/../secret/a.ts', '/src/./../secret/a.ts', '/src//../secret/a.ts', '/src/a/../../secret/a.ts',
  '/../src/a.ts', '../src/a.ts', '../../src/a.ts', '/src/../../src/a.ts', '..', '/..', '/src/..', '/src/../..', '/../../../../etc/passwd.ts',
  '/src\\..\\secret\\a.ts', 'src\\..\\..\\secret\\a.ts', '\\secret\\a.ts', '/src/..\\..\\secret/a.ts', '/src/..\\secret/a.ts', '\\\\host\\share\\a.ts',
  '/src/%2e%2e/secret/a.ts', '/src/%2E%2E/secret/a.ts', '/src/%2e%2e%2fsecret%2fa.ts', '/src/..%2fsecret/a.ts', '/src/%252e%252e/secret/a.ts',
  '/src/%25252e%25252e/secret/a.ts', '/src/..%5csecret/a.ts', '/src/%c0%ae%c0%ae/secret/a.ts', '/src/a.ts%00', '/src/%00/a.ts',
  '/src/a.ts\0', '/src/\0/a.ts', '/src/a\n.ts', '/src/a\r.ts', '/src/\u001b.ts', '/src/\u007f.ts', '/src/\u0085.ts',
  '/src/．．/secret/a.ts', '/src／..／secret／a.ts', '/src/‥/secret/a.ts', '/src/․․/secret/a.ts', '/src/..∕secret∕a.ts', '/src/..⁄secret/a.ts',
  '/src/..＼secret/a.ts', '/src/..⧸secret/a.ts', '/src/..﹨secret/a.ts', '/ｓｒｃ/a.ts', '/src/\u200b../secret/a.ts', '/src/.\u200b./secret/a.ts',
  '/src/\u202e/a.ts', '/src/\ufeffa.ts', '/src/a.ts\u2028', '/src/\u00a0.ts', '/\u200bsrc/a.ts', '/src/\ud800.ts', '/src/\u{e0001}.ts',
  '/SRC/a.ts', '/Src/a.ts', '/src/a.TS', '/src/a.ts.', '/src/a.ts ', '/src /a.ts', '/src./a.ts', '/src/.../a.ts', '/src/.. /secret/a.ts',
  '~/src/a.ts', '~root/src/a.ts', 'C:/src/a.ts', 'C:\\src\\a.ts', 'c:src/a.ts', '//?/C:/src/a.ts', 'file:///src/a.ts', '/src/.env.ts', '/src/.git/a.ts',
  '/src', '/src/', '/srcs/a.ts', '/src/a.tsx', '/src/a.ts/b', '', '/', '.', './', '/x/src/a.ts',
]; // oxfmt-ignore

describe('an allow rule on paths', () => {
  it('is tried against 60 attempts and more', () => expect(new Set(OUTSIDE).size).toBeGreaterThanOrEqual(60));

  it.each(OUTSIDE)('edit_file(/src/**/*.ts) does not match %j', (path) => {
    expect(verdict({ mode: 'locked', allow: ['edit_file(/src/**/*.ts)'] }, 'edit_file', { path }).verdict).toBe('deny');
    expect(verdict({ mode: 'locked', allow: ['edit_*(src/**/*.ts)'] }, 'edit_file', { path }).verdict).toBe('deny');
  });

  it.each(['/src/a.ts', 'src/a.ts', './src/a.ts', '/src//a.ts', '/src/./b/a.ts', '/src/b/../a.ts', '/src/b/c/d.ts', '/src/é.ts', '/src/e\u0301.ts', '/src/a b.ts', '/src/100%.ts'])(
    'matches %j',
    (path) => {
      expect(verdict({ mode: 'locked', allow: ['edit_file(/src/**/*.ts)'] }, 'edit_file', { path }).verdict).toBe('allow');
    },
  ); // oxfmt-ignore
});

it('a path that no file system accepts matches no allow rule, and every deny rule', () => {
  for (const path of [`/src/${'a'.repeat(300)}.ts`, `/src/${'a/'.repeat(600)}b.ts`])
    expect(verdict({ mode: 'locked', allow: ['edit_file(/src/**/*.ts)'] }, 'edit_file', { path }).verdict).toBe('deny');
  expect(verdict({ deny: ['edit_file(/x)'] }, 'edit_file', { path: 'a'.repeat(2000) }).verdict).toBe('deny');
});

describe('a deny rule on paths', () => {
  it.each([
    '/secret/key', 'secret/key', '/SECRET/Key', '/secret//key', '/a/../secret/key', '/./secret/key', '\\secret\\key', '/a\\..\\secret\\key',
    '/%73ecret/key', '/secret%2fkey', '/%2573ecret/key', '/ｓｅｃｒｅｔ/key', '/secret／key', '/sec\u200bret/key', '/secret./key', '/secret/key ',
    '/secret/.hidden', '/secret', '/secret/', '/../x', '../../x', '/a/../../x', '/a\0b', '/%2e%2e/x', '/‥/x',
  ])('edit_file(/secret/**) matches %j', (path) => {
    expect(verdict({ deny: ['edit_file(/secret/**)'] }, 'edit_file', { path }).verdict).toBe('deny');
    expect(verdict({ ask: ['edit_file(/secret/**)'], allow: ['*'] }, 'edit_file', { path }).verdict).toBe('ask');
  }); // oxfmt-ignore

  it.each(['/src/a', '/secrets/key', '/a/secret/key', '/.secret/key'])('edit_file(/secret/**) does not match %j', (path) => {
    expect(verdict({ deny: ['edit_file(/secret/**)'] }, 'edit_file', { path }).verdict).toBe('allow');
  });
});

it.each([
  ['a/b', '/a/b'],
  ['//a//b/', '/a/b'],
  ['/a/./b/..', '/a'],
  ['', '/'],
  ['a/../..', null],
  ['a\0', null],
])('the path %j is %j', (path, expected) => expect(normalise(path)).toBe(expected));
