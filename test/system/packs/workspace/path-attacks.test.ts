import { mkdirSync, rmSync } from 'node:fs';
import { workspaceTools } from '../../../../packs/workspace/src';
import { HAS_PROC_FD } from '../../../../packs/workspace/src/files/directory';
import { attacks } from './attacks';
import { Place, SECRET } from './support';

/** The same attack on every tool, through every field that takes a path or a pattern. Tools that only read run at once. */
async function attackAll(place: Place, path: string, folders: Set<string>): Promise<string> {
  const folder = path.replace(/[^/\\]*$/, '') || path;
  const answers = [
    await place.call('read_file', { path }),
    await place.call('edit_file', { path, old_text: SECRET, new_text: 'pwned' }),
    ...(await Promise.all([
      place.call('glob', { pattern: path, directories: true, ignored: true }),
      place.call('grep', { pattern: 'canary-', path, ignored: true }),
      place.call('grep', { pattern: 'canary-', glob: path, ignored: true }),
    ])),
    await place.call('write_file', { path, content: 'pwned' }),
  ];
  if (!folders.has(folder)) {
    folders.add(folder);
    answers.push(
      ...(await Promise.all([
        place.call('glob', { pattern: '**', path: folder, directories: true, ignored: true, limit: 1000 }),
        place.call('grep', { pattern: 'canary-', path: folder, ignored: true }),
      ])),
      await place.call('bash', { command: 'cat canary.txt; ls; echo pwned > canary.txt; rm canary.txt', cwd: folder }),
    );
  }
  return JSON.stringify(answers);
}

async function attackEverywhere(place: Place): Promise<Map<string, string>> {
  rmSync(place.root, { recursive: true, force: true });
  mkdirSync(place.root);
  place.plant({ hardLink: false });
  const said = new Map<string, string>();
  const folders = new Set<string>();
  for (const path of attacks(place)) said.set(path, await attackAll(place, path, folders));
  return said;
}

describe('a workspace', () => {
  const ways: [string, boolean][] = [
    ['through open directories', HAS_PROC_FD],
    ['by paths, as without /proc', false],
  ];
  const title = 'lets no path of more than 200 attacks, in no tool, read, change or betray a canary outside: reached %s';
  // Both at once: each has a folder of its own, and mostly waits for the disk.
  it.concurrent.each(ways)(
    title,
    async (_way, anchored) => {
      const place = new Place({ anchored });
      const before = place.outsideState();
      const there = await attackEverywhere(place);
      expect(there.size).toBeGreaterThanOrEqual(300);
      for (const [path, answers] of there) {
        if (answers.includes(SECRET)) throw new Error(`${JSON.stringify(path)} revealed the canary: ${answers}`);
      }
      expect(place.outsideState()).toEqual(before);

      rmSync(place.outside, { recursive: true });
      const gone = await attackEverywhere(place);
      for (const [path, answers] of there) expect([path, gone.get(path)]).toEqual([path, answers]);
      place.remove();
    },
    600_000,
  );
});

describe('a workspace, for a path that is no plain file of it,', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    place.plant();
  });
  afterEach(() => place.remove());

  it('names the real path of a link that stays inside, and does not follow it', async () => {
    for (const [tool, input] of [
      ['read_file', { path: '/alias/a.ts' }],
      ['write_file', { path: '/alias/a.ts', content: 'x' }],
      ['edit_file', { path: '/alias/a.ts', old_text: '1', new_text: '2' }],
      ['grep', { pattern: 'a', path: '/alias/a.ts' }],
    ] as const) {
      expect(await place.call(tool, input)).toMatchObject({
        ok: false,
        reason: 'symbolic_link',
        hint: 'Use the real path: /src/a.ts',
      });
    }
    expect(await place.call('glob', { pattern: '*', path: '/alias' })).toMatchObject({
      reason: 'symbolic_link',
      hint: 'Use the real path: /src',
    });
    expect(place.get('src/a.ts')).toBe('export const a = 1;\n');
  });

  it('refuses a hard link, unless it is set up to read them; a write never reaches its other name', async () => {
    const before = place.outsideState();
    expect(await place.call('read_file', { path: '/hard.txt' })).toMatchObject({ ok: false, reason: 'hard_link' });
    const found = await place.ok('grep', { pattern: 'canary' });
    expect(found).toMatchObject({ matches: [], note: expect.stringContaining('1 files that cannot be read') });
    place.setUp({ hardLinks: true });
    const { content, sha256 } = await place.ok('read_file', { path: '/hard.txt' });
    expect(content).toBe(SECRET);
    await place.ok('write_file', { path: '/hard.txt', content: 'mine', expected_sha256: sha256 });
    expect(place.get('hard.txt')).toBe('mine');
    expect(place.outsideState()).toEqual(before);
  });

  it('refuses FIFOs and directories without waiting for anybody', async () => {
    for (const path of ['/fifo', '/src']) {
      expect(await place.call('read_file', { path })).toMatchObject({ ok: false, reason: 'not_a_file' });
      expect(await place.call('write_file', { path, content: 'x' })).toMatchObject({ ok: false, reason: 'not_a_file' });
    }
    expect(await place.call('grep', { pattern: 'x', path: '/fifo' })).toMatchObject({ ok: false, reason: 'not_a_file' });
  });

  it('says of a path of the machine that paths begin at the workspace root', async () => {
    expect(await place.call('read_file', { path: '/etc/passwd' })).toMatchObject({ reason: 'outside_workspace' });
    expect(await place.call('write_file', { path: '/etc/cron.d/x', content: 'x' })).toMatchObject({
      reason: 'outside_workspace',
    });
    expect(await place.call('read_file', { path: `${place.root}/src/a.ts` })).toMatchObject({
      reason: 'outside_workspace',
      hint: 'Paths begin at the workspace root; use /src/a.ts',
    });
  });

  it('accepts one spelling of a name only, so that a rule for it cannot be evaded', async () => {
    const target = place.tool('read_file').ruleTarget!;
    for (const path of ['src/a.ts', '/src/a.ts', './src/./a.ts', '//src//a.ts'])
      expect(target.of({ path } as never)).toBe('/src/a.ts');
    expect(await place.call('read_file', { path: '/src/e\u0301.ts' })).toMatchObject({
      reason: 'bad_path',
      message: expect.stringContaining('NFC'),
    });
    expect(await place.call('read_file', { path: '/src/a.ts.' })).toMatchObject({ reason: 'bad_path' });
  });

  it('lets no tool write into the folder of git', async () => {
    for (const path of ['/.git/hooks/pre-commit', '/sub/.GIT/config']) {
      expect(await place.call('write_file', { path, content: '#!/bin/sh\n' })).toMatchObject({
        ok: false,
        reason: 'protected_path',
      });
      expect(await place.call('edit_file', { path, old_text: 'a', new_text: 'b' })).toMatchObject({
        ok: false,
        reason: 'protected_path',
      });
    }
  });
});

describe('a root', () => {
  it.each([
    ['relative', 'some/where', 'absolute path'],
    ['missing', '/nonexistent-holdfast', 'make it first'],
    ['the whole machine', '/', 'whole machine'],
  ])('that is %s is refused at once', (_name, root, message) => {
    expect(() => workspaceTools({ root })).toThrow(message);
  });
});
