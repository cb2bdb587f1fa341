import fc from 'fast-check';
import { overEachKind } from './support/kinds';

overEachKind((fresh) => {
  const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

  it('bytes are named by their SHA-256, and come back as they were, in any process', async () => {
    const place = await fresh();
    const store = await place.open();
    const other = await place.open();
    expect(await store.putBytes(new Uint8Array())).toBe(EMPTY);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async (bytes) => {
        const hash = await store.putBytes(bytes);
        expect(await store.putBytes(bytes)).toBe(hash);
        expect(Buffer.compare(await other.getBytes(hash), Buffer.from(bytes))).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  it('bytes that were damaged are never served, until they are stored again', async () => {
    const place = await fresh();
    const store = await place.open();
    const hash = await store.putBytes(Buffer.from('genuine'));
    await place.bytes(hash).write(Buffer.from('forged'));
    await expect(store.getBytes(hash)).rejects.toMatchObject({ name: 'StoreError', code: 'damaged' });
    await store.putBytes(Buffer.from('genuine'));
    expect((await store.getBytes(hash)).toString()).toBe('genuine');
  });

  it('bytes that nobody stored are not found, under any name', async () => {
    const place = await fresh();
    const store = await place.open();
    for (const name of ['f'.repeat(64), '../salt.key', '', '.', `${EMPTY}/../${EMPTY}`, EMPTY.toUpperCase()])
      await expect(store.getBytes(name)).rejects.toMatchObject({ name: 'StoreError', code: 'not_found' });
  });
});
