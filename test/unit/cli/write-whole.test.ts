import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustNotReplace } from '../../../src/cli/support/write-file';
import { writeWhole } from '../../../src/cli/support/write-whole';
import { sample } from '../../support/bundle-keys';

describe('a bundle is written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-write-'));
  const path = join(folder, 'a.jsonl');
  afterAll(() => rmSync(folder, { recursive: true }));

  async function* lines(text: string, breaks = false): AsyncGenerator<string> {
    for (const line of text.trimEnd().split('\n')) yield `${line}\n`;
    if (breaks) throw new Error('Temporal is gone');
  }

  it('completely, and returns the content of its last line', async () => {
    const text = await sample('plain');
    const written = await writeWhole(lines(text), path);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(written).toMatchObject({ lines: text.split('\n').length - 1, bytes: Buffer.byteLength(text), complete: true });
  });

  it('or not at all: the old file stays, and no other file is left', async () => {
    writeFileSync(path, 'the one before');
    await expect(writeWhole(lines(await sample('plain'), true), path)).rejects.toThrow('Temporal is gone');
    expect(readFileSync(path, 'utf8')).toBe('the one before');
    expect(readdirSync(folder)).toEqual(['a.jsonl']);
    await expect(writeWhole(lines('x'), join(folder, 'missing', 'a.jsonl'))).rejects.toThrow('cannot be written: ENOENT');
  });

  it('into another file than it is made of, by whatever path', async () => {
    const link = join(folder, 'link.jsonl');
    symlinkSync(path, link);
    for (const output of [path, `${folder}/./a.jsonl`, link])
      await expect(mustNotReplace(output, ['other', path])).rejects.toThrow('name another file with -o');
    await mustNotReplace(join(folder, 'new.jsonl'), [path]);
    rmSync(link);
  });
});
