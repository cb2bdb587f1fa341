import { callRecord, hashJson, type CallRecord } from '../../../src/shared/json/digests';
import { overEachKind } from './support/kinds';

const input = { invoice: 'INV-7', cents: 700 };
const target = { account: 'DE-1' };

function record(id: string, more: Partial<{ input: object; target: object | null }> = {}): CallRecord {
  const { input: given = input, target: aimed = target } = more;
  return callRecord(
    {
      turn_id: 't',
      workflow_id: 'turn/t',
      first_execution_run_id: 'run-1',
      agent: 'payables',
      requester: 'ana',
      store_id: '0'.repeat(32),
    },
    {
      id,
      revision: 1,
      tool: 'pay',
      version: '1.0.0',
      class: 'destructive',
      input_hash: hashJson(given as never),
      preview_ref: null,
      policy_ref: 'a'.repeat(64),
      definition_ref: 'b'.repeat(64),
      target_hash: aimed === null ? null : hashJson(aimed as never),
    },
  );
}

overEachKind((fresh) => {
  test('calls of one step are read back by their digests, also by a store that is opened later', async () => {
    const place = await fresh();
    const store = await place.open();
    const calls = [
      { record: record('1.1'), input, target },
      { record: record('1.2', { input: {}, target: null }), input: {}, target: null },
    ];
    const digests = await store.putCalls(calls);
    expect(digests).toEqual(calls.map((call) => hashJson({ ...call.record })));
    for (const reader of [store, await place.open()])
      for (const [index, digest] of digests.entries()) expect(await reader.getCall(digest)).toEqual(calls[index]);
    expect(await store.putCalls(calls)).toEqual(digests);
  });

  test('a reader may change the call that he has read: the next reader gets it as it was', async () => {
    const store = await (await fresh()).open();
    const [digest] = await store.putCalls([{ record: record('1.1'), input, target }]);
    const first = await store.getCall(digest!);
    first.input.cents = 70_000;
    expect((await store.getCall(digest!)).input).toEqual(input);
  });

  test('a call whose input or target is not its own, or that was never stored, cannot be read', async () => {
    const place = await fresh();
    const store = await place.open();
    const other = await store.putCalls([{ record: record('1.1'), input: { ...input, cents: 70_000 }, target }]);
    const aimed = await store.putCalls([{ record: record('1.2'), input, target: { account: 'DE-2' } }]);
    for (const reader of [store, await place.open()]) {
      await expect(reader.getCall(other[0]!)).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringContaining('input'),
      });
      await expect(reader.getCall(aimed[0]!)).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringContaining('target'),
      });
      await expect(reader.getCall('c'.repeat(64))).rejects.toMatchObject({ code: 'not_found' });
      await expect(reader.getCall('../etc/passwd')).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('a store has one id, no matter who opens it first and how often', async () => {
    const [place, another] = [await fresh(), await fresh()];
    const opened = await Promise.all([place.open(), place.open(), place.open()]);
    const ids = new Set([...opened, await place.open()].map(({ identity }) => JSON.stringify(identity)));
    expect(ids.size).toBe(1);
    const { id, made_at } = opened[0]!.identity;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(Date.now() - Date.parse(made_at)).toBeLessThan(600_000);
    expect((await another.open()).identity.id).not.toBe(id);
  });
});
