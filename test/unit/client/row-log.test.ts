/** The changes of the inbox, as readers get them who come, go and come back. */
import fc from 'fast-check';
import { RowLog, type RowChange } from '../../../src/client/approvals/row-log';
import type { PendingRow } from '../../../src/shapes/inbox';
import { examplePending } from '../../../src/gateway/schemas/examples';
import { runs } from '../../support/runs';

const row = (turn_id: string, state = 'awaiting_approval') => ({ ...examplePending, turn_id, state, calls: [] }) as PendingRow;

describe('the log of rows', () => {
  it('gives a new reader what waits, and a reader who comes back what changed since, once and as it is now', () => {
    const log = new RowLog();
    log.set('a', 'acme/rita', row('a'));
    log.set('b', 'acme/rita', row('b'));
    const first = log.since(0, 'all');
    expect(first.map(({ event, data }) => [event, data.turn_id])).toEqual([
      ['waiting_added', 'a'],
      ['waiting_added', 'b'],
    ]);
    const last = log.position(first.at(-1)!.id)!;
    expect(log.since(last, 'all')).toEqual([]);
    log.set('b', 'acme/rita', row('b', 'in_doubt'));
    log.set('b', 'acme/rita', row('b'));
    log.set('c', 'acme/rita', row('c'));
    log.set('a', 'acme/rita', null);
    expect(log.since(last, 'all').map(({ event, data }) => [event, data.turn_id])).toEqual([
      ['waiting_changed', 'b'],
      ['waiting_added', 'c'],
      ['waiting_removed', 'a'],
    ]);
    expect(log.since(0, 'all').map(({ data }) => data.turn_id)).toEqual(['b', 'c']);
  });

  it('notes no change where there is none', () => {
    const log = new RowLog();
    expect(log.set('a', 'rita', null)).toBe(false);
    expect(log.set('a', 'rita', row('a'))).toBe(true);
    expect(log.set('a', 'rita', row('a'))).toBe(false);
    expect(log.seq).toBe(1);
  });

  it('tells each reader only of the turns that it may see, also of their end', () => {
    const log = new RowLog();
    log.set('a', 'acme/rita', row('a'));
    log.set('b', 'globex/eve', row('b'));
    log.set('c', 'acme2/ned', row('c'));
    const { seq } = log;
    for (const [id, requester] of [
      ['a', 'acme/rita'],
      ['b', 'globex/eve'],
      ['c', 'acme2/ned'],
    ] as const) {
      const sight = { tenant: requester.split('/')[0]! };
      expect(log.since(0, sight).map(({ data }) => data.turn_id)).toEqual([id]);
    }
    log.set('b', 'globex/eve', null);
    expect(log.since(seq, { tenant: 'acme' })).toEqual([]);
    expect(log.since(seq, { requester: 'globex/eve' })).toHaveLength(1);
  });

  it('knows no event of another process, and none that is not there', () => {
    const [log, other] = [new RowLog(), new RowLog()];
    log.set('a', 'rita', row('a'));
    other.set('a', 'rita', row('a'));
    const [{ id }] = log.since(0, 'all') as [RowChange];
    expect(log.position(id)).toBe(1);
    for (const junk of [undefined, '', 'x', id.replace(/1$/, '2'), `${id}x`, id.replace(/1$/, '99999999999999999')])
      expect(log.position(junk)).toBeNull();
    expect(other.position(id)).toBeNull();
  });

  it('looks only at what has changed since, for a reader that has the rest', () => {
    const log = new RowLog();
    for (let n = 0; n < 5000; n++) log.set(`t${n}`, 'acme/rita', row(`t${n}`));
    const { seq } = log;
    for (let n = 0; n < 20; n++) log.set(`t${n}`, 'acme/rita', row(`t${n}`, 'in_doubt'));
    const looked = jest.fn(() => 'acme');
    const sight = Object.defineProperty({}, 'tenant', { get: looked, enumerable: true }) as { tenant: string };
    expect(log.since(seq, sight)).toHaveLength(20);
    expect(looked).toHaveBeenCalledTimes(20);
  });

  it('keeps no more former changes than rows', () => {
    const log = new RowLog();
    for (let n = 0; n < 50_000; n++) log.set('a', 'rita', row('a', String(n)));
    expect((log as unknown as { order: unknown[] }).order.length).toBeLessThan(1100);
    expect(log.since(1, 'all')).toHaveLength(1);
  });

  it('forgets removals that are long past: their readers begin anew', () => {
    const log = new RowLog();
    log.set('kept', 'rita', row('kept'));
    const [{ id }] = log.since(0, 'all') as [RowChange];
    for (let n = 0; n < 10_001; n++) {
      log.set(`t${n}`, 'rita', row(`t${n}`));
      log.set(`t${n}`, 'rita', null);
    }
    expect(log.position(id)).toBeNull();
    expect(log.since(0, 'all').map(({ data }) => data.turn_id)).toEqual(['kept']);
  });

  it('brings every reader to the same rows, whenever it reads and however often it loses the stream', () => {
    const change = fc.record({
      turn: fc.constantFrom('a', 'b', 'c', 'd'),
      state: fc.constantFrom('x', 'y', null),
      read: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const log = new RowLog();
        const now = new Map<string, string>();
        const shown = new Map<string, string>();
        let last: string | undefined;
        const read = () => {
          const position = log.position(last) ?? 0;
          if (position === 0) shown.clear();
          for (const { id, event, data } of log.since(position, 'all')) {
            if (event === 'waiting_removed') shown.delete(data.turn_id);
            else shown.set(data.turn_id, data.state);
            last = id;
          }
        };
        for (const { turn, state, read: isRead } of changes) {
          log.set(turn, 'rita', state === null ? null : row(turn, state));
          if (state === null) now.delete(turn);
          else now.set(turn, state);
          if (isRead) read();
        }
        read();
        expect(shown).toEqual(now);
      }),
      { numRuns: runs(100, 2000) },
    );
  });
});
