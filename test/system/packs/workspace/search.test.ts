import picomatch from 'picomatch';
import { globMatcher } from '../../../../packs/workspace/src/files/glob-pattern';
import { toolContext } from '../../../support/tool-context';
import { Place } from './support';

let place: Place;
beforeEach(() => (place = new Place()));
afterEach(() => place.remove());

/** All pages of a search, and how many there were. */
async function allPages(name: string, input: object, field: 'paths' | 'matches'): Promise<{ found: any[]; pages: number }> {
  const found: any[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await place.ok(name, { ...input, ...(cursor ? { cursor } : {}) });
    found.push(...page[field]);
    if (!page.has_more) return { found, pages };
    cursor = page.next_cursor;
  }
}

describe('glob', () => {
  beforeEach(() => {
    for (const path of [
      'a.ts',
      'b.js',
      'src/a.ts',
      'src/a/b.ts',
      'src/a-b.ts',
      '.hidden/x.ts',
      'node_modules/m/i.ts',
      '.git/config',
    ])
      place.put(path, '');
  });

  it('lists matching files sorted by path, without .git and node_modules', async () => {
    expect(await place.ok('glob', { pattern: '**/*.ts' })).toEqual({
      paths: ['/.hidden/x.ts', '/a.ts', '/src/a/b.ts', '/src/a-b.ts', '/src/a.ts'],
      has_more: false,
    });
    expect(await place.ok('glob', { pattern: '*.ts', path: '/src' })).toMatchObject({ paths: ['/src/a-b.ts', '/src/a.ts'] });
    expect((await place.ok('glob', { pattern: '**', ignored: true })).paths).toContain('/.git/config');
    expect(await place.ok('glob', { pattern: '*', directories: true })).toMatchObject({
      paths: ['/.hidden/', '/a.ts', '/b.js', '/src/'],
    });
    expect(await place.ok('glob', { pattern: 'nothing' })).toEqual({ paths: [], has_more: false });
  });

  it.each([1, 2, 3, 7])('gives every path once over pages of %i', async (limit) => {
    const whole = await place.ok('glob', { pattern: '**', directories: true, ignored: true, limit: 1000 });
    const { found } = await allPages('glob', { pattern: '**', directories: true, ignored: true, limit }, 'paths');
    expect(found).toEqual(whole.paths);
    expect(whole.paths).toHaveLength(14);
  });

  it('refuses a cursor of another search, and a made-up one', async () => {
    const { next_cursor } = await place.ok('glob', { pattern: '**', limit: 1 });
    expect(await place.call('glob', { pattern: '*', limit: 1, cursor: next_cursor })).toMatchObject({
      code: 'INVALID_PARAMS',
      reason: 'bad_cursor',
    });
    expect(await place.call('glob', { pattern: '**', cursor: `${next_cursor}A` })).toMatchObject({ reason: 'bad_cursor' });
  });

  it('refuses patterns that lead up or that it cannot run in linear time', async () => {
    for (const pattern of ['../*', 'src/../../*', '..', 'a\\*', '~/x', '!(a)', 'a\0', 'x'.repeat(301)]) {
      expect(await place.call('glob', { pattern })).toMatchObject({ ok: false, code: 'INVALID_PARAMS' });
    }
  });

  it('stops when it is cancelled', async () => {
    const stop = new AbortController();
    stop.abort(new Error('cancelled'));
    await expect(place.call('glob', { pattern: '**' }, { signal: stop.signal })).rejects.toThrow('cancelled');
  });
});

describe('glob patterns', () => {
  const patterns = [
    '**',
    '*',
    '**/*.ts',
    'src/**',
    'src/**/*.{ts,js}',
    'a/**/b',
    '**/b',
    '[ab].ts',
    '?.ts',
    '*.{ts,{js,mjs}}',
    '@(a|b).ts',
    '+(a|b)',
    '*(a).ts',
    '.*',
    '**/.*',
    '[!a].ts',
    'a*b*c',
    '{1..3}.txt',
    '(a|b)/*',
    'a/b/c',
    '**/a/**',
  ];
  const paths = [
    'a',
    'b',
    'a.ts',
    'b.ts',
    'c.ts',
    'src',
    'src/a.ts',
    'src/x/a.ts',
    'src/x/y.js',
    'a/b',
    'a/x/b',
    'a/x/y/b',
    '.env',
    'x/.env',
    '.a/b.ts',
    'axbxc',
    '1.txt',
    '4.txt',
    'ab',
    'abab',
    'a.mjs',
    'a/b/c',
    'b/a/c',
    'aaa.ts',
    'z\nz.ts',
  ];

  it('mean what picomatch says that they mean', () => {
    for (const pattern of patterns) {
      const expected = picomatch(pattern, { dot: true, nonegate: true, posix: true });
      const matches = globMatcher(pattern);
      for (const path of paths.filter((path) => !path.includes('\n')))
        expect([pattern, path, matches(path)]).toEqual([pattern, path, expected(path)]);
    }
  });

  it('take any name, a line break in it too', () => {
    expect(globMatcher('**/*.ts')('z\nz.ts')).toBe(true);
  });

  it('that keep a backtracking matcher busy for ever are answered', () => {
    const name = 'a'.repeat(250);
    expect(globMatcher('*a'.repeat(60) + 'b')(name)).toBe(false);
    expect(globMatcher('**/'.repeat(40) + 'b')(Array(60).fill('a').join('/'))).toBe(false);
    expect(globMatcher('+(a|aa|aaa)b')(name)).toBe(false);
  });
});

describe('grep', () => {
  beforeEach(() => {
    place.put('a.txt', 'alpha\r\nbeta\nalphabet\n');
    place.put('src/b.ts', 'const alpha = 1;\n// Alpha\n');
    place.put('bin', Buffer.from([0, 97, 108, 112, 104, 97]));
    place.put('node_modules/m.js', 'alpha');
  });

  it('finds lines with their numbers, and says which files it left out', async () => {
    place.put('big.txt', 'alpha\n'.repeat(800_000));
    expect(await place.ok('grep', { pattern: '^alpha' })).toEqual({
      matches: [
        { path: '/a.txt', line: 1, text: 'alpha' },
        { path: '/a.txt', line: 3, text: 'alphabet' },
      ],
      files_searched: 2,
      has_more: false,
      note: 'Left out: 1 binary files, 1 files over 4 MiB.',
    });
    expect((await place.ok('grep', { pattern: 'alpha$' })).matches).toEqual([{ path: '/a.txt', line: 1, text: 'alpha' }]);
    expect((await place.ok('grep', { pattern: 'alpha', ignore_case: true, glob: '**/*.ts' })).matches).toHaveLength(2);
    expect((await place.ok('grep', { pattern: '^$' })).matches).toEqual([]);
  });

  it('searches one file, or below one folder', async () => {
    expect((await place.ok('grep', { pattern: 'a', path: '/src/b.ts' })).matches.map((match: any) => match.path)).toEqual([
      '/src/b.ts',
      '/src/b.ts',
    ]);
    expect((await place.ok('grep', { pattern: 'alpha', path: 'src' })).matches).toHaveLength(1);
    expect(await place.call('grep', { pattern: 'a', path: '/none' })).toMatchObject({ reason: 'file_not_found' });
  });

  it.each([1, 2, 3, 5])('gives every match once over pages of %i', async (limit) => {
    place.put('many.txt', Array.from({ length: 11 }, (_, n) => (n % 3 === 0 ? 'no' : `alpha ${n}`)).join('\n'));
    const whole = await place.ok('grep', { pattern: 'alpha', limit: 200 });
    const { found, pages } = await allPages('grep', { pattern: 'alpha', limit }, 'matches');
    expect(found).toEqual(whole.matches);
    expect(pages).toBeGreaterThan(1);
    const one = await allPages('grep', { pattern: 'alpha', path: '/many.txt', limit }, 'matches');
    expect(one.found).toHaveLength(7);
  });

  it('shows only the beginning of a long line', async () => {
    place.put('long.txt', `needle${'x'.repeat(5000)}`);
    const [match] = (await place.ok('grep', { pattern: 'needle' })).matches;
    expect(match.text).toBe(`needle${'x'.repeat(294)}… (5006 characters)`);
  });

  it('answers expressions that keep a backtracking engine busy for ever, and refuses those that RE2 cannot run', async () => {
    place.put('aaa.txt', `${'a'.repeat(5000)}!\n`);
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(.*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect((await place.ok('grep', { pattern, path: '/aaa.txt' })).matches).toEqual([]);
    }
    for (const pattern of ['(?=a)', '(a)\\1', 'a{2000}', '((a{500}){500}){500}', '(', '[']) {
      expect(await place.call('grep', { pattern })).toMatchObject({
        code: 'INVALID_PARAMS',
        reason: 'bad_pattern',
        hint: expect.stringContaining('RE2'),
      });
    }
  });

  it('stops in the middle of a file when it is cancelled', async () => {
    place.put('lines.txt', 'b\n'.repeat(200_000));
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('cancelled')));
    await expect(
      place
        .tool('grep')
        .run(
          { pattern: 'a', path: '/', ignore_case: false, ignored: false, limit: 50 } as never,
          toolContext({ signal: stop.signal }),
        ),
    ).rejects.toThrow('cancelled');
  });
});
