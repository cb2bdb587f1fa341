import type { NewBlock } from '../../../src/store/store';
import { hashJson } from '../../../src/shared/json/digests';
import { objectJson } from '../../../src/store/core/seal';
import { append, Draft } from '../../../src/store/core/transcript';
import { overEachKind } from './support/kinds';

const start: NewBlock = { parent: null, kind: 'start', at: '2026-01-31T09:59:59.123Z', bodies: [{ agent: 'payables' }, 'two'] };

function hashOf(object: Parameters<typeof objectJson>[0]): string {
  return hashJson(objectJson(object));
}

function nameOf(hash: string): string {
  return `objects/${hash}`;
}

overEachKind((fresh) => {
  test('what is stored is read back, also by a store that is opened later', async () => {
    const place = await fresh();
    const store = await place.open();
    const part = await store.putPart('run-1', { text: 'é', list: [1, null] });
    const head = await append(store, 'run-1', start);
    for (const reader of [store, await place.open()]) {
      expect(await reader.getPart(part)).toEqual({ text: 'é', list: [1, null] });
      expect(await reader.getBlock(head)).toMatchObject({ hash: head, block: { kind: 'start' }, bodies: start.bodies });
    }
  });

  test('parts and blocks are read with their salts: they have the hash that was asked for', async () => {
    const place = await fresh();
    const store = await place.open();
    const part = await store.putPart('run-1', { text: 'é' });
    const draft = new Draft(store, 'run-1', null);
    draft.add({ kind: 'start', bodies: start.bodies }, start.at);
    draft.add({ kind: 'message', bodies: ['one'] }, start.at); // in the same file
    await draft.store();
    for (const reader of [store, await place.open()]) {
      const alone = await reader.getSealedPart(part);
      expect(alone.body).toEqual({ text: 'é' });
      expect(hashOf(alone)).toBe(part);
      for (const { hash, parts: sealed } of draft.blocks) {
        const { block, parts } = await reader.getSealedBlock(hash);
        expect(hashOf(block)).toBe(hash);
        expect(parts.map(hashOf)).toEqual(block.parts);
        expect(parts.map((each) => each.body)).toEqual(sealed.map((each) => each.body));
      }
      await expect(reader.getSealedPart(draft.blocks[0]!.hash)).rejects.toMatchObject({ code: 'damaged' });
      await expect(reader.getSealedBlock(part)).rejects.toMatchObject({ code: 'damaged' });
    }
  });

  test('a reader cannot change what the next reader gets', async () => {
    const place = await fresh();
    const head = await append(await place.open(), 'run-1', start);
    const store = await place.open();
    const { bodies } = await store.getBlock(head);
    expect(() => bodies.push('three')).toThrow(TypeError);
    expect(() => ((bodies[0] as { agent: string }).agent = 'mallory')).toThrow(TypeError);
  });

  test('the same body in the same turn is one part, and in another turn another', async () => {
    const place = await fresh();
    const store = await place.open();
    const part = await store.putPart('run-1', { b: 1, a: 2 });
    expect(await (await place.open()).putPart('run-1', { a: 2, b: 1 })).toBe(part);
    expect(await store.putPart('run-2', { a: 2, b: 1 })).not.toBe(part);
    expect(await (await (await fresh()).open()).putPart('run-1', { a: 2, b: 1 })).not.toBe(part);
  });

  test('many stores at once all succeed, and all is there', async () => {
    const place = await fresh();
    const store = await place.open();
    const parts = await Promise.all(Array.from({ length: 300 }, (_, n) => store.putPart('run-1', { n })));
    const later = await place.open();
    expect(await Promise.all(parts.map((part) => later.getPart(part)))).toEqual(parts.map((_, n) => ({ n })));
  });

  test('a damaged byte of a block or of its parts is reported with the hash and where it is', async () => {
    const place = await fresh();
    const hash = await append(await place.open(), 'run-1', start);
    const store = await place.open(); // one that has not read it yet
    const kept = place.object(hash);
    const bytes = await kept.read();
    const damage = async (bad: Buffer) => {
      await kept.write(bad);
      const error: unknown = await store.getBlock(hash).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: 'StoreError', code: 'damaged' });
      await expect(store.getSealedBlock(hash)).rejects.toMatchObject({ code: 'damaged' });
      expect((error as Error).message).toContain(hash);
      expect((error as Error).message).toContain(nameOf(hash));
      expect((error as Error).message).not.toContain(new URL(place.url).pathname);
    };
    for (let at = 0; at < bytes.length; at++) {
      const bad = Buffer.from(bytes);
      bad[at] = (bad[at] ?? 0) ^ 1;
      await damage(bad);
    }
    await damage(bytes.subarray(0, 10));
    await damage(bytes.subarray(0, bytes.indexOf('\n')));
    await damage(Buffer.concat([bytes, Buffer.from('\n{}')]));
  });

  test('a damaged part is reported, and so is one with something behind it', async () => {
    const place = await fresh();
    const hash = await (await place.open()).putPart('run-1', { amount: 100 });
    const store = await place.open();
    const kept = place.object(hash);
    const bytes = await kept.read();
    for (const bad of [bytes.subarray(1), bytes.subarray(0, 10), Buffer.concat([bytes, Buffer.from('\n{}')])]) {
      await kept.write(bad);
      await expect(store.getPart(hash)).rejects.toMatchObject({ code: 'damaged' });
      await expect(store.getSealedPart(hash)).rejects.toMatchObject({ code: 'damaged' });
    }
  });

  test('storing the right bytes again repairs a damaged object', async () => {
    const place = await fresh();
    const hash = await append(await place.open(), 'run-1', start);
    await place.object(hash).write(Buffer.from('x'));
    await append(await place.open(), 'run-1', start);
    expect((await (await place.open()).getBlock(hash)).bodies).toEqual(start.bodies);
  });

  test('a missing object is reported with the hash and where it is', async () => {
    const store = await (await fresh()).open();
    const hash = 'e'.repeat(64);
    for (const read of ['getBlock', 'getSealedBlock', 'getSealedPart'] as const) {
      await expect(store[read](hash)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining(nameOf(hash)) as string,
      });
    }
  });

  test.each(['', '../../salt.key', `${'a'.repeat(62)}..`, 'A'.repeat(64), `${'a'.repeat(64)}\n`, 'a'.repeat(63)])(
    'the reference %j is refused before it becomes a path',
    async (ref) => {
      const store = await (await fresh()).open();
      await expect(store.getPart(ref)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('64') as string,
      });
      await expect(store.getBlock(ref)).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.getSealedPart(ref)).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.getSealedBlock(ref)).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  test('a part is not read as a block, nor a block as a part', async () => {
    const store = await (await fresh()).open();
    const part = await store.putPart('run-1', { v: 'holdfast.block/1' });
    await expect(store.getBlock(part)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining(part) as string,
    });
    await expect(store.getPart(await append(store, 'run-1', start))).rejects.toMatchObject({ code: 'damaged' });
  });

  test.each<[string, object]>([
    ['an unknown kind', { kind: 'gossip' }],
    ['a parent that is no hash', { parent: 'abc' }],
    ['a time that is none', { at: '2026-13-01T00:00:00Z' }],
  ])('a block with %s is not stored', async (_what, change) => {
    const place = await fresh();
    const store = await place.open();
    await expect(append(store, 'run-1', { ...start, ...change } as NewBlock)).rejects.toThrow(TypeError);
  });
});
