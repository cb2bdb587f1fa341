/** What of a conversation's files a request to a model holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messagesWithFiles, storedMessageFault } from '../../../src/files/conversation-files';
import { putFile } from '../../../src/files/stored-files';
import type { FilePart, Message } from '../../../src/shared/turn/message';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { pdf, png } from '../../support/files/samples';
import { silent } from '../../support/silent';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-model-files-'));
let store: Store;
beforeAll(async () => void (store = await FileStore.open(dir)));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const put = async (bytes: Buffer, name: string): Promise<FilePart> => {
  const { sha256: _, ...part } = await putFile(store, 'rita', { bytes, name });
  return part;
};
const user = (...content: object[]) => ({ role: 'user' as const, content: content as never });
const read = async (...messages: ReturnType<typeof user>[]) =>
  (await messagesWithFiles({ store, log: silent }, messages)).map(({ content }) => content as any[]);

describe('the files of a request', () => {
  it('are in the neutral form: images and PDFs as base64, a text as text', async () => {
    const [image, document, note] = [
      await put(png(), 'a.png'),
      await put(pdf(), 'b.pdf'),
      await put(Buffer.from('Größe'), 'c.txt'),
    ];
    expect(await read(user(image, document, note))).toEqual([
      [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png().toString('base64') } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: pdf().toString('base64') },
          title: 'b.pdf',
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Größe' }, title: 'c.txt' },
      ],
    ]);
  });

  it('are the newest hundred: each older one is named in its place', async () => {
    const image = await put(png(), 'a.png');
    const messages = Array.from({ length: 101 }, () => user({ ...image }));
    const content = await read(...messages);
    expect(content[0]).toEqual([
      { type: 'text', text: expect.stringMatching(/^\[image a\.png, image\/png, \d+ bytes\] was left out to make room/) },
    ]);
    expect(content.slice(1).every(([block]) => block.type === 'image')).toBe(true);
  });

  it('are named if the store does not have them any more', async () => {
    const image = { ...(await put(png(), 'a.png')), file: 'e'.repeat(64) };
    expect(await read(user(image))).toEqual([[{ type: 'text', text: expect.stringContaining('is no longer in the store') }]]);
  });

  it('are not those that a model names in its answer, and not those of another form', async () => {
    const image = await put(png(), 'a.png');
    const answer = { role: 'assistant' as const, content: [image] as never };
    expect(await messagesWithFiles({ store, log: silent }, [answer])).toEqual([answer]);
    const other = { ...image, more: 1 };
    expect(await read(user(other))).toEqual([[other]]);
  });
});

describe('the message of a turn, checked by the worker', () => {
  it('is a text, or names files of the requester with what the store says of them', async () => {
    const image = await put(png(), 'a.png');
    const fault = (requester: string, message: unknown) => storedMessageFault(store, requester, message as Message);
    expect(await fault('rita', 'Pay.')).toBeNull();
    expect(await fault('rita', [image])).toBeNull();
    expect(await fault('zoe', [image])).toBe(`There is no file ${image.file} of yours.`);
    expect(await fault('rita', [{ ...image, size: image.size + 1 }])).toContain('says something else of file');
    expect(await fault('rita', [])).toBe('it must have 1 to 40 parts');
    expect(await fault('rita', [{ ...image, type: 'document' }])).toContain('neither a text nor a file');
  });
});
