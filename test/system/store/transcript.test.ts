import type { NewBlock, Store } from '../../../src/store/store';
import { append, Draft, walk } from '../../../src/store/core/transcript';
import { overEachKind } from './support/kinds';

const at = '2026-01-31T09:59:59.123Z';
const first: NewBlock = { parent: null, kind: 'start', at, bodies: [{ agent: 'payables' }] };

overEachKind((fresh) => {
  test('an append that is tried again gives the same block and writes nothing', async () => {
    const place = await fresh();
    const head = await append(await place.open(), 'run-1', first);
    const stored = await place.objectNames();
    expect(await append(await place.open(), 'run-1', first)).toBe(head);
    expect(await place.objectNames()).toEqual(stored);
  });

  test('a walk gives the blocks from the first to the head, with their parts in order', async () => {
    const store = await (await fresh()).open();
    const start = await append(store, 'run-1', first);
    const message = await append(store, 'run-1', { parent: start, kind: 'message', at, bodies: ['one', 'two', 'one'] });
    const end = await append(store, 'run-1', { parent: message, kind: 'end', at, bodies: [] });
    const blocks = await walk(store, end);
    expect(blocks.map(({ hash, block }) => [hash, block.kind])).toEqual([
      [start, 'start'],
      [message, 'message'],
      [end, 'end'],
    ]);
    expect(blocks[1]?.bodies).toEqual(['one', 'two', 'one']);
    expect(await walk(store, null)).toEqual([]);
  });

  test('a draft can be read before it is stored, and is the same blocks afterwards', async () => {
    const place = await fresh();
    const store = await place.open();
    const start = await append(store, 'run-1', first);
    const stored = await place.objectNames();
    const draft = new Draft(store, 'run-1', start);
    draft.add({ kind: 'message', bodies: ['one'] }, at);
    draft.add({ kind: 'end', bodies: [] }, at);
    const read = await draft.whole();
    expect(await place.objectNames()).toEqual(stored);
    const head = await draft.store();
    expect(head).toBe(draft.head);
    expect(await walk(await place.open(), head)).toEqual(read);
    expect(await append(store, 'run-1', { parent: start, kind: 'message', at, bodies: ['one'] })).toBe(read[1]!.hash);
  });

  test('a draft without blocks has the head that it follows', async () => {
    const store = await (await fresh()).open();
    const start = await append(store, 'run-1', first);
    expect(await new Draft(store, 'run-1', start).store()).toBe(start);
  });

  test('a fork shares what came before', async () => {
    const store = await (await fresh()).open();
    const start = await append(store, 'run-1', first);
    const [left, right] = await Promise.all(
      ['a', 'b'].map((body) => append(store, 'run-1', { parent: start, kind: 'message', at, bodies: [body] })),
    );
    expect((await walk(store, left ?? '')).map(({ hash }) => hash)).toEqual([start, left]);
    expect((await walk(store, right ?? '')).map(({ hash }) => hash)).toEqual([start, right]);
  });

  test('a walk over a missing block names it', async () => {
    const place = await fresh();
    const store = await place.open();
    const start = await append(store, 'run-1', first);
    const head = await append(store, 'run-1', { ...first, parent: start, kind: 'end' });
    await place.object(start).remove();
    await expect(walk(await place.open(), head)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(start) as string,
    });
  });
});

test('a store that answers in a circle ends the walk with an error', async () => {
  const hash = 'a'.repeat(64);
  const circular = {
    getBlock: () =>
      Promise.resolve({ hash, block: { v: 'holdfast.block/1', parent: hash, kind: 'message', at, parts: [] }, bodies: [] }),
  } as unknown as Store;
  await expect(walk(circular, hash)).rejects.toMatchObject({
    code: 'damaged',
    message: expect.stringContaining('loop') as string,
  });
});
