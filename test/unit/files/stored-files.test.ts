import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storedMessage } from '../../../src/files/message-input';
import { fileBytes, findFile, foreignFault, putFile } from '../../../src/files/stored-files';
import type { MessageInput } from '../../../src/shapes/message';
import { sha256Hex } from '../../../src/shared/json/sha256';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { pdf, png } from '../../support/files/samples';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-files-'));
let store: Store;
beforeAll(async () => void (store = await FileStore.open(dir)));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const base64 = (bytes: Buffer) => bytes.toString('base64');
const text = { type: 'text' as const, text: 'Pay this.' };

describe('a stored file', () => {
  it('is found by its reference, with its bytes as they came', async () => {
    const bytes = pdf();
    const file = await putFile(store, 'acme/rita', { bytes, name: '../invoice\u202e.pdf' });
    expect(file).toMatchObject({ type: 'document', name: '_invoice_.pdf', media_type: 'application/pdf', size: bytes.length });
    expect(file.sha256).toBe(sha256Hex(bytes));
    const body = (await findFile(store, file.file))!;
    expect(body.owner).toBe('acme/rita');
    expect((await fileBytes(store, body))!.equals(bytes)).toBe(true);
  });

  it('is the same reference for the same owner, and another one for each other owner', async () => {
    const put = (owner: string) => putFile(store, owner, { bytes: png(2), name: 'a.png' });
    const [first, again, other] = [await put('acme/rita'), await put('acme/rita'), await put('globex/zoe')];
    expect(again).toEqual(first);
    expect(other.file).not.toBe(first.file);
    expect(other.sha256).toBe(first.sha256);
  });

  it('is not found under the hash of its bytes, a block, or anything else', async () => {
    const { sha256 } = await putFile(store, 'acme/rita', { bytes: png(3) });
    const other = await store.putPart('run', { file: 'x' });
    for (const ref of [sha256, other, 'f'.repeat(64), '../../etc/passwd', '']) expect(await findFile(store, ref)).toBeNull();
  });
});

describe('a message with parts', () => {
  const message = (input: MessageInput, owner = 'acme/rita') => storedMessage(store, owner, input);

  it('carries references, and no bytes', async () => {
    const parts = await message([text, { type: 'image', data: base64(png()), name: 'a.png' }]);
    expect(parts).toEqual([
      text,
      {
        type: 'image',
        file: expect.stringMatching(/^[0-9a-f]{64}$/),
        name: 'a.png',
        media_type: 'image/png',
        size: png().length,
      },
    ]);
    expect(JSON.stringify(parts)).not.toContain(base64(png()));
  });

  it('is a text, if it is one part of text', async () => {
    expect(await message([text])).toBe('Pay this.');
    expect(await message('Pay this.')).toBe('Pay this.');
  });

  it('may name only files of its sender: one of another tenant is as one that does not exist', async () => {
    const theirs = await putFile(store, 'globex/zoe', { bytes: pdf() });
    const ask = (file: string) =>
      message([text, { type: 'document', file }]).then(String, (error: Error) => `${error.name}: ${error.message}`);
    const nothing = 'e'.repeat(64);
    expect(await ask(theirs.file)).toBe(`UnknownFile: There is no file ${theirs.file} of yours.`);
    expect(await ask(nothing)).toBe(`UnknownFile: There is no file ${nothing} of yours.`);
    expect(await ask(theirs.sha256)).toMatch(/^UnknownFile/);
    const { sha256: _, ...part } = theirs;
    expect(await foreignFault(store, 'acme/rita', part)).toMatch(/no file .* of yours/);
    expect(await foreignFault(store, 'globex/zoe', part)).toBeNull();
    expect(await foreignFault(store, 'globex/zoe', { ...part, name: 'other.pdf' })).toMatch(/something else/);
  });

  it('says of a file what it is', async () => {
    const file = await putFile(store, 'acme/rita', { bytes: pdf(), name: 'a.pdf' });
    await expect(message([{ type: 'image', file: file.file }])).rejects.toThrow('name it as "document", not as "image"');
    await expect(message([{ type: 'image', data: base64(Buffer.from('<svg/>')), media_type: 'image/png' }])).rejects.toThrow(
      'it is said to be image/png, and its content is text/plain',
    );
  });

  it('has limits: 1 MB within it, 32 MB and 20 files, 40 parts, 100,000 characters', async () => {
    const large = base64(Buffer.alloc(700_000, 'text '));
    await expect(
      message([
        { type: 'document', data: large },
        { type: 'document', data: large },
      ]),
    ).rejects.toThrow('POST /v1/files');
    const { file } = await putFile(store, 'acme/rita', { bytes: png() });
    const many = (count: number) => message(Array.from({ length: count }, () => ({ type: 'image' as const, file })));
    expect(await many(20)).toHaveLength(20);
    await expect(many(21)).rejects.toThrow('21 files; 20 are allowed');
    await expect(message(Array.from({ length: 10_000 }, () => text))).rejects.toThrow('must have 1 to 40 parts');
    await expect(
      message([
        { ...text, text: 'x'.repeat(60_000) },
        { ...text, text: 'x'.repeat(60_000) },
      ]),
    ).rejects.toThrow('120000 characters');
  });

  it('of other things than texts and files is refused', async () => {
    for (const part of [null, 7, 'x', {}, { type: 'text' }, { type: 'image' }, { type: 'video', file: 'f'.repeat(64) }, []])
      await expect(message([part as never])).rejects.toThrow('neither a text nor a file');
  });
});
