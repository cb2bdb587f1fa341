import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_PROC_FD } from '../../../../packs/workspace/src/files/directory';
import { replaceFile } from '../../../../packs/workspace/src/files/replace';
import { Workspace } from '../../../../packs/workspace/src/files/workspace';
import { Place, SECRET } from './support';

/** Exchanges a directory for a link to the outside, and a file for a link to the canary, as fast as it can; no longer than the test lives. */
const FLIPPER = `
  const { renameSync } = require('node:fs');
  const root = process.argv[1];
  const flip = (name) => {
    renameSync(root + '/' + name, root + '/' + name + '.real');
    renameSync(root + '/' + name + '.link', root + '/' + name);
    renameSync(root + '/' + name, root + '/' + name + '.link');
    renameSync(root + '/' + name + '.real', root + '/' + name);
  };
  process.stdout.write('ready');
  const parent = process.ppid;
  while (process.ppid === parent) { try { flip('folder'); } catch {} try { flip('file.txt'); } catch { try { renameSync(root + '/file.txt.real', root + '/file.txt'); } catch {} } }
`;

const ROUNDS = 300;

let flipper: ChildProcess | undefined;
/** Also after a test has run out of time, since its body goes on: it would take a whole processor from the tests after it. */
afterEach(() => void flipper?.kill('SIGKILL'));

(HAS_PROC_FD ? it : it.skip)(
  'a directory and a file that turn into links while thousands of calls run never lead to the canary (needs /proc)',
  async () => {
    const place = new Place();
    mkdirSync(join(place.root, 'folder'));
    writeFileSync(join(place.root, 'folder/canary.txt'), 'inside 0');
    writeFileSync(join(place.root, 'file.txt'), 'inside');
    symlinkSync('../outside', join(place.root, 'folder.link'));
    symlinkSync('../outside/canary.txt', join(place.root, 'file.txt.link'));
    const before = place.outsideState();
    const flips = spawn(process.execPath, ['-e', FLIPPER, place.root], { stdio: ['ignore', 'pipe', 'inherit'] });
    flipper = flips;
    const seen = { succeeded: 0, refused: 0 };
    try {
      await new Promise((resolve) => flips.stdout.once('data', resolve));
      for (let round = 0; round < ROUNDS && !flips.killed; round++) {
        const answers = await Promise.all([
          place.call('read_file', { path: '/folder/canary.txt' }),
          place.call('read_file', { path: '/file.txt' }),
          place.call('grep', { pattern: 'canary', path: '/' }),
          place.call('write_file', { path: `/folder/new-${round % 20}.txt`, content: `${round}` }),
          place.call('edit_file', { path: '/folder/canary.txt', old_text: `inside`, new_text: 'INSIDE' }),
          place.call('edit_file', { path: '/folder/canary.txt', old_text: `INSIDE`, new_text: 'inside' }),
          place.call('glob', { pattern: '**', path: '/folder' }),
          ...(round % 50 === 0 ? [place.call('bash', { command: 'cat canary.txt', cwd: '/folder' })] : []),
        ]);
        for (const answer of answers) {
          seen[answer.ok ? 'succeeded' : 'refused']++;
          expect(JSON.stringify(answer)).not.toContain(SECRET);
        }
      }
    } finally {
      flips.kill('SIGKILL');
    }
    expect(seen.succeeded).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(100);
    expect(place.outsideState()).toEqual(before);
    // Nothing half-written was left, wherever the directory was at that moment.
    for (const folder of ['folder', 'folder.real']) {
      const names = readdirSync(place.root).includes(folder) ? readdirSync(join(place.root, folder)) : [];
      expect(names.filter((name) => name.startsWith('.holdfast-'))).toEqual([]);
    }
    place.remove();
  },
  600_000,
);

it('a file in a directory that is moved between two steps is written where the directory is now, never where its name leads', async () => {
  const place = new Place();
  mkdirSync(join(place.root, 'a'));
  const workspace = new Workspace(place.root, false);
  const before = place.outsideState();
  await workspace.inDirectory(['a'], async (directory) => {
    renameSync(join(place.root, 'a'), join(place.root, 'b'));
    symlinkSync('../outside', join(place.root, 'a'));
    if (!HAS_PROC_FD) return expect(directory.create('x', 0o600)).rejects.toThrow();
    await (await directory.create('x', 0o600)).close();
    return expect(readdirSync(join(place.root, 'b'))).toEqual(['x']);
  });
  expect(place.outsideState()).toEqual(before);
  place.remove();
});

it.each([true, false])(
  'a write into a directory that is removed while it is open is refused, and leaves nothing (%s: anchored)',
  async (anchored) => {
    const place = new Place();
    mkdirSync(join(place.root, 'a'));
    const workspace = new Workspace(place.root, false, anchored && HAS_PROC_FD);
    const write = replaceFile(
      workspace,
      ['a', 'new.txt'],
      () => {
        rmdirSync(join(place.root, 'a'));
        return Buffer.from('content');
      },
      { create: true, signal: new AbortController().signal },
    );
    await expect(write).rejects.toMatchObject({ detail: { code: 'INVALID_PARAMS', reason: 'folder_removed' } });
    expect(readdirSync(place.root)).toEqual([]);
    place.remove();
  },
);
