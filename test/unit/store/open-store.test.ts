import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { openStore } from '../../../src/store/open-store';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

afterAll(removeStoreDirs);

test('file:PATH and a file URL open the same store', async () => {
  const dir = `${storeDir()}/with space`;
  const part = await (await openStore(`file:${dir}`)).putPart('run-1', 'body');
  expect(await (await openStore(pathToFileURL(dir).href)).getPart(part)).toBe('body');
});

test.each([
  ['postgres://ana:secret@127.0.0.1:1/x', 'ECONNREFUSED'],
  ['postgresql://ana:secret@127.0.0.1:1/x', 'Is PostgreSQL running there?'],
  ['postgres://ana:secret@127.0.0.1:1', 'names no database'],
  ['postgres://ana:12/secret@db/x', 'percent-encoded'],
  ['postgres://ana:12#secret@db/x', 'percent-encoded'],
  ['postgres://ana:12?secret@db/x', 'names no database'],
  ['postgres://ana:se/cret-secret@db/x', 'percent-encoded'],
  ['postgres://ana:sec%ret-secret@db/x', 'percent-encoded'],
  ['postgres://ana:secret@127.0.0.1:1/x?pool_max=0', 'pool_max is "0"'],
  ['postgres://ana:secret@127.0.0.1:1/x?sslrootcert=missing.pem', 'missing.pem'],
  ['redis://ana:secret@db/x', 'allowed: file:PATH'],
  ['', 'allowed: file:PATH'],
  ['file:', 'no path'],
])('%j is refused in one line that says what is allowed and shows no password', async (url, text) => {
  const error = (await openStore(url).catch((caught: unknown) => caught)) as Error;
  expect(error.message).toContain(text);
  expect(error.message).toContain('HOLDFAST_STORE');
  expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${inspect(error)}`).not.toMatch(/secret/);
  expect(error.message).not.toContain('\n');
});
