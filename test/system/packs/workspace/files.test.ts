import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { chmodSync, linkSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdit } from '../../../../packs/workspace/src/files/edit';
import { unifiedDiff } from '../../../../packs/workspace/src/files/diff';
import { isToolError } from '../../../../src/tools/define/errors';
import { pdf, png } from '../../../support/files/samples';
import { toolContext } from '../../../support/tool-context';
import { Place } from './support';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

let place: Place;
beforeEach(() => (place = new Place()));
afterEach(() => place.remove());

describe('read_file', () => {
  it('gives the exact lines, how many there are, and the hash of the whole file', async () => {
    const text = '\uFEFFone\r\ntwo\n\nfour';
    place.put('a.txt', text);
    expect(await place.ok('read_file', { path: 'a.txt' })).toEqual({
      path: '/a.txt',
      content: text,
      start_line: 1,
      end_line: 4,
      total_lines: 4,
      bytes: Buffer.byteLength(text),
      sha256: hash(text),
    });
    expect(await place.ok('read_file', { path: '/a.txt', offset: 2, limit: 1 })).toMatchObject({
      content: 'two\n',
      start_line: 2,
      end_line: 2,
      more: '2 more lines; go on with offset 3.',
    });
  });

  it('bounds its answer and says how to go on', async () => {
    place.put('long.txt', 'x\n'.repeat(5000));
    expect(await place.ok('read_file', { path: '/long.txt' })).toMatchObject({
      end_line: 2000,
      more: '3000 more lines; go on with offset 2001.',
    });
    place.put('wide.txt', `${'y'.repeat(150_000)}\n${'z'.repeat(150_000)}\n`);
    expect(await place.ok('read_file', { path: '/wide.txt' })).toMatchObject({
      end_line: 1,
      more: '1 more lines; go on with offset 2.',
    });
    place.put('one.txt', 'w'.repeat(300_000));
    const one = await place.ok('read_file', { path: '/one.txt' });
    expect([one.content.length, one.more]).toEqual([200_000, expect.stringContaining('was cut')]);
  });

  it('gives an empty file as no lines, and refuses a line behind the end', async () => {
    place.put('empty', '');
    expect(await place.ok('read_file', { path: '/empty' })).toMatchObject({ content: '', total_lines: 0, end_line: 0 });
    expect(await place.call('read_file', { path: '/empty', offset: 2 })).toMatchObject({ reason: 'past_the_end' });
  });

  it('shows an image or a PDF to the model in place of lines, and refuses one that is broken', async () => {
    place.put('a.png', png());
    place.put('b.pdf', pdf());
    place.put('broken.png', png().subarray(0, 40));
    const shown = async (path: string) =>
      (await place.tool('read_file').run({ path, offset: 1, limit: 2000 }, place.context())) as Record<string, unknown>;
    const noLines = { content: '', start_line: 0, end_line: 0, total_lines: 0 };
    const [image, document] = [await shown('/a.png'), await shown('/b.pdf')];
    expect(image).toMatchObject({ path: '/a.png', ...noLines, bytes: png().length });
    expect(image.file).toMatchObject({ filename: 'a.png', contentType: 'image/png', shown: true });
    expect(document.file).toMatchObject({ filename: 'b.pdf', contentType: 'application/pdf', shown: true });
    expect(await place.call('read_file', { path: '/broken.png' })).toMatchObject({
      reason: 'bad_file',
      message: 'A file of the result cannot be shown: it begins as PNG, and it is cut short.',
    });
  });

  it('refuses a file that is no text, is too large or does not exist', async () => {
    place.put('binary', Buffer.from([1, 0, 2]));
    place.put('latin1', Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    place.put('huge', Buffer.alloc(17 * 1024 * 1024, 97));
    expect(await place.call('read_file', { path: '/binary' })).toMatchObject({ code: 'INVALID_PARAMS', reason: 'not_text' });
    expect(await place.call('read_file', { path: '/latin1' })).toMatchObject({
      reason: 'not_text',
      message: '/latin1 is not UTF-8 text.',
    });
    expect(await place.call('read_file', { path: '/huge' })).toMatchObject({ reason: 'too_large' });
    expect(await place.call('read_file', { path: '/none/x' })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      reason: 'file_not_found',
    });
    place.put('file', 'x');
    expect(await place.call('read_file', { path: '/file/x' })).toMatchObject({ reason: 'not_a_directory' });
  });

  it('is never too large to go inline, since it bounds itself', () => {
    expect(place.tool('read_file').maxInlineBytes).toBe('unlimited');
  });
});

describe('write_file', () => {
  it('goes on where a writer was killed right after it had linked a new file into place', async () => {
    place.put('new.txt', 'half of the work');
    linkSync(join(place.root, 'new.txt'), join(place.root, `.holdfast-${'a1'.repeat(12)}.tmp`));
    const expected_sha256 = hash('half of the work');
    expect(await place.ok('write_file', { path: '/new.txt', content: 'all of it', expected_sha256 })).toMatchObject({
      created: false,
    });
    expect([place.get('new.txt'), readdirSync(place.root)]).toEqual(['all of it', ['new.txt']]);
  });

  it('does not take another hard link of a file for such a leftover', async () => {
    place.put('new.txt', 'text');
    linkSync(join(place.root, 'new.txt'), join(place.outside, 'other.txt'));
    linkSync(join(place.root, 'new.txt'), join(place.root, `.holdfast-${'a1'.repeat(12)}.tmp`));
    const refused = await place.call('write_file', { path: '/new.txt', content: 'mine', expected_sha256: hash('text') });
    expect([refused, place.get('new.txt')]).toMatchObject([{ reason: 'hard_link' }, 'text']);
  });

  it('writes nothing if the deadline has passed when the disk is ready', async () => {
    const stopped = new AbortController();
    const { signal } = stopped;
    const context = {
      signal: new Proxy(signal, { get: (_, name) => (name === 'throwIfAborted' ? asksTwice : Reflect.get(signal, name)) }),
    };
    let asked = 0;
    const asksTwice = () => {
      if (++asked === 2) stopped.abort(new Error('too late'));
      signal.throwIfAborted();
    };
    await expect(place.call('write_file', { path: '/late.txt', content: 'x' }, context)).rejects.toThrow('too late');
    expect(readdirSync(place.root)).toEqual([]);
  });

  it('makes a file and the folders on the way, and leaves nothing else', async () => {
    expect(await place.ok('write_file', { path: '/x/y/z.txt', content: 'a\nb\n' })).toEqual({
      path: '/x/y/z.txt',
      created: true,
      already_applied: false,
      bytes: 4,
      lines: 2,
      sha256: hash('a\nb\n'),
    });
    expect(readdirSync(join(place.root, 'x/y'))).toEqual(['z.txt']);
  });

  it('replaces a file only against the hash that was read', async () => {
    place.put('a.txt', 'old');
    expect(await place.call('write_file', { path: '/a.txt', content: 'new' })).toMatchObject({
      reason: 'file_exists',
      message: expect.stringContaining(hash('old')),
    });
    expect(await place.call('write_file', { path: '/a.txt', content: 'new', expected_sha256: hash('older') })).toMatchObject({
      code: 'INVALID_PARAMS',
      reason: 'file_changed',
      message: expect.stringContaining(hash('old')),
    });
    expect(place.get('a.txt')).toBe('old');
    expect(await place.ok('write_file', { path: '/a.txt', content: 'new', expected_sha256: hash('old') })).toMatchObject({
      created: false,
      sha256: hash('new'),
    });
    expect(await place.call('write_file', { path: '/gone.txt', content: 'new', expected_sha256: hash('old') })).toMatchObject({
      reason: 'file_changed',
    });
    expect(readdirSync(place.root)).toEqual(['a.txt']);
  });

  it('knows a repetition by its content', async () => {
    const input = { path: '/a.txt', content: 'new' };
    await place.ok('write_file', input);
    const { ino, mtimeMs } = statSync(join(place.root, 'a.txt'));
    expect(await place.ok('write_file', input, { attempt: 2 })).toMatchObject({ already_applied: true });
    expect(statSync(join(place.root, 'a.txt'))).toMatchObject({ ino, mtimeMs });
  });

  it('keeps the mode of a file that it replaces', async () => {
    place.put('run.sh', 'a');
    chmodSync(join(place.root, 'run.sh'), 0o750);
    await place.ok('write_file', { path: '/run.sh', content: 'b', expected_sha256: hash('a') });
    expect(statSync(join(place.root, 'run.sh')).mode & 0o777).toBe(0o750);
  });

  it('lets one of two writers win that began with the same hash, in any mix', async () => {
    place.put('a.txt', '0');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        place.call('write_file', { path: '/a.txt', content: `by ${n}`, expected_sha256: hash('0') }),
      ),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => !answer.ok && answer.reason === 'file_changed')).toHaveLength(19);
  });

  it('is not begun once the call is cancelled', async () => {
    const stop = new AbortController();
    stop.abort(new Error('cancelled'));
    await expect(place.call('write_file', { path: '/a.txt', content: 'x' }, { signal: stop.signal })).rejects.toThrow(
      'cancelled',
    );
    expect(readdirSync(place.root)).toEqual([]);
  });

  it('shows the change to the person who is asked, and never fails to show it', async () => {
    place.put('a.txt', 'one\ntwo\nthree\n');
    const preview = place.tool('write_file').preview!;
    expect(await preview({ path: '/a.txt', content: 'one\n2\nthree\n' } as never, toolContext())).toBe(
      '--- /a.txt\n+++ /a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three',
    );
    expect(await preview({ path: '/new', content: 'x' } as never, toolContext())).toContain('--- /dev/null');
    expect(await preview({ path: '../a', content: 'x' } as never, toolContext())).toContain('It will be refused');
  });
});

describe('edit_file', () => {
  const edit = (input: object, more = {}) => place.call('edit_file', { path: '/a.txt', ...input } as never, more);

  it('replaces the one match and returns the line and the new hash', async () => {
    place.put('a.txt', 'one\ntwo\nthree\n');
    expect(await edit({ old_text: 'two', new_text: '2' })).toEqual({
      ok: true,
      data: { path: '/a.txt', already_applied: false, line: 2, sha256: hash('one\n2\nthree\n') },
    });
    expect(place.get('a.txt')).toBe('one\n2\nthree\n');
  });

  it('says how many matches there are, and at which lines', async () => {
    place.put('a.txt', 'x\ny\nx\nx\n');
    expect(await edit({ old_text: 'x\n', new_text: 'z\n' })).toMatchObject({
      reason: 'several_matches',
      message: 'old_text is 3 times in /a.txt, at the lines 1, 3, 4.',
    });
    expect(await edit({ old_text: 'q', new_text: 'z' })).toMatchObject({ reason: 'no_match' });
    place.put('a.txt', 'aaa');
    expect(await edit({ old_text: 'aa', new_text: 'b' })).toMatchObject({
      reason: 'several_matches',
      message: expect.stringContaining('2 times'),
    });
  });

  it('refuses an edit that changes nothing, and a file that is not there', async () => {
    expect(await edit({ old_text: 'a', new_text: 'a' })).toMatchObject({ reason: 'no_change' });
    expect(await edit({ old_text: 'a', new_text: 'b' })).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('does not touch a file that has changed since it was read', async () => {
    place.put('a.txt', 'one two');
    expect(await edit({ old_text: 'two', new_text: '2', expected_sha256: hash('other two') })).toMatchObject({
      reason: 'file_changed',
    });
    expect(place.get('a.txt')).toBe('one two');
  });

  it('asks for the hash where a repetition would edit twice', async () => {
    place.put('a.txt', 'import a\n');
    const input = { old_text: 'import a\n', new_text: 'import a\nimport b\n' };
    expect(await edit(input)).toMatchObject({ reason: 'needs_hash', hint: expect.stringContaining(hash('import a\n')) });
    const withHash = { ...input, expected_sha256: hash('import a\n') };
    expect(await edit(withHash)).toMatchObject({ ok: true, data: { already_applied: false } });
    expect(await edit(withHash, { attempt: 2 })).toMatchObject({
      ok: true,
      data: { already_applied: true, sha256: hash('import a\nimport b\n') },
    });
    expect(place.get('a.txt')).toBe('import a\nimport b\n');
  });

  it('knows a repeated deletion by undoing it', async () => {
    place.put('a.txt', 'keep\ndrop\nkeep\n');
    const input = { old_text: 'drop\n', new_text: '', expected_sha256: hash('keep\ndrop\nkeep\n') };
    expect(await edit(input)).toMatchObject({ ok: true, data: { already_applied: false } });
    expect(await edit(input)).toMatchObject({ ok: true, data: { already_applied: true } });
  });

  it('takes a dollar sign in the new text as it is', async () => {
    place.put('a.txt', 'price');
    await edit({ old_text: 'price', new_text: "$& $1 $' $$" });
    expect(place.get('a.txt')).toBe("$& $1 $' $$");
  });

  it('makes an edit that is applied twice only once, with any texts', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(text, part, text, fc.boolean(), (before, old_text, new_text, hashed) => {
        fc.pre(old_text !== new_text);
        const edit = { path: '/a', old_text, new_text, ...(hashed ? { expected_sha256: hash(before) } : {}) };
        const once = attempt(() => applyEdit(before, edit, false));
        if (!once || once.already_applied) return;
        const again = attempt(() => applyEdit(once.after, edit, true));
        expect(again === null || again.already_applied).toBe(true);
        if (hashed) expect(again).toEqual({ already_applied: true });
      }),
      { numRuns: 3000 },
    );
  });
});

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (isToolError(error)) return null;
    throw error;
  }
}

describe('calls beside each other', () => {
  it('are ordered by their files: different files together, one file in order, searches after writes', () => {
    const safe = (name: string, input: object) => place.tool(name).concurrencySafe!(input as never);
    expect(safe('write_file', { path: '/A.txt' })).toEqual({ reads: [], writes: ['/a.txt'] });
    expect(safe('edit_file', { path: 'b//c.txt' })).toEqual({ reads: [], writes: ['/b/c.txt'] });
    expect(safe('read_file', { path: '/a.txt' })).toEqual({ reads: ['/a.txt'], writes: [] });
    expect(safe('glob', {})).toEqual({ reads: ['*'], writes: [] });
    expect(safe('grep', {})).toEqual({ reads: ['*'], writes: [] });
  });
});

describe('a unified diff', () => {
  it('turns the old text into the new one', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const [before, after] = [a.join('\n'), b.join('\n')];
        const diff = unifiedDiff('/f', before, after);
        if (before === after) expect(diff).toBe('/f: no change');
        else expect(patched(before, diff)).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });
});

/** A small reader of what the tool writes: one hunk. */
function patched(before: string, diff: string): string {
  const [, , head, ...body] = diff.split('\n');
  const [, from, count] = /^@@ -(\d+),(\d+) /.exec(head!)!;
  const start = Number(count) === 0 ? Number(from) : Number(from) - 1;
  const [gone, fresh]: [string[], string[]] = [[], []];
  let last: string[][] = [];
  for (const line of body) {
    if (line.startsWith('\\')) for (const list of last) list.push(list.pop()!.slice(0, -1));
    else {
      last = line[0] === '-' ? [gone] : line[0] === '+' ? [fresh] : [gone, fresh];
      for (const list of last) list.push(`${line.slice(1)}\n`);
    }
  }
  const old = before === '' ? [] : before.split(/(?<=\n)/);
  expect(old.slice(start, start + Number(count))).toEqual(gone);
  return [...old.slice(0, start), ...fresh, ...old.slice(start + Number(count))].join('');
}
