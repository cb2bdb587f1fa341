import { pathToFileURL } from 'node:url';
import { openStore } from '../../src/store/open-store';
import { removeStoreDirs, storeDir } from './support/store-dir';

afterAll(removeStoreDirs);

test('file:PATH and a file URL open the same store', async () => {
  const dir = `${storeDir()}/with space`;
  const part = await (await openStore(`file:${dir}`)).putPart('run-1', 'body');
  expect(await (await openStore(pathToFileURL(dir).href)).getPart(part)).toBe('body');
});

test.each([
  ['postgres://ana:secret@db/x', 'not in this build yet'],
  ['postgresql://ana:secret@db/x', 'not in this build yet'],
  ['redis://ana:secret@db/x', 'allowed: file:PATH'],
  ['', 'allowed: file:PATH'],
  ['file:', 'no path'],
])('%j is refused in one line that says what is allowed and shows no password', async (url, text) => {
  const error = (await openStore(url).catch((caught: unknown) => caught)) as Error;
  expect(error.message).toContain(text);
  expect(error.message).toContain('HOLDFAST_STORE');
  expect(error.message).not.toMatch(/secret|\n/);
});
