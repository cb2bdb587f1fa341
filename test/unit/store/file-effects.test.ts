import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '../../../src/store/file-store';
import { aClaim, KEY, removeStoreDirs, storeDir } from '../../support/store/store-dir';

afterAll(removeStoreDirs);

test('a crash between index and claim leaves nothing that is found, and nothing in the way', async () => {
  const dir = storeDir();
  const { effects } = await FileStore.open(dir);
  await effects.claim(aClaim());
  rmSync(join(dir, 'effects', KEY), { recursive: true });
  expect(await effects.findByDigest('inv-7', 'd'.repeat(64))).toBeNull();
  expect(await effects.claim(aClaim())).toMatchObject({ claimed: true });
  expect(await effects.findByDigest('inv-7', 'd'.repeat(64))).toMatchObject({ state: 'claimed' });
});
