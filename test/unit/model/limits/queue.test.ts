/** The queue that is fair between sessions, as a rule over all sequences of arrivals and services. */
import * as fc from 'fast-check';
import { presentQueue, serve, servingOrder, withoutTicket, withTicket, type FairQueue } from '../../../../src/model/limits/queue';

const T0 = 1_700_000_000_000;
const ticket = (id: string) => ({ id, seen_until: T0 + 1000, lost_at: T0 + 10_000 });
const ids = (queue: FairQueue) => servingOrder(queue).map(({ id }) => id);
const join = (queue: FairQueue, ...names: string[]) =>
  names.reduce((before, name) => withTicket(before, name[0]!, ticket(name)), queue);

describe('the queue of a model', () => {
  it('serves sessions in turn, and within a session who came first', () => {
    const queue = join([], 'a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    expect(ids(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('puts a session that was served behind all others, and a new session behind those', () => {
    const queue = join(serve(join([], 'a1', 'a2', 'b1', 'c1'), 'a1'), 'd1');
    expect(ids(queue)).toEqual(['b1', 'c1', 'a2', 'd1']);
  });

  it('keeps the place of a request that asks again', () => {
    const queue = join([], 'a1', 'b1', 'a2');
    expect(ids(join(queue, 'b1', 'a1'))).toEqual(ids(queue));
  });

  it('forgets who does not come back, and moves nobody else', () => {
    const queue = join([], 'a1', 'b1', 'c1');
    const absent = withTicket(queue, 'a', { ...ticket('a1'), lost_at: T0 });
    expect(ids(presentQueue(absent, T0))).toEqual(['b1', 'c1']);
    expect(ids(withoutTicket(queue, 'b1'))).toEqual(['a1', 'c1']);
  });

  const events = fc.array(
    fc.oneof(fc.record({ session: fc.nat({ max: 5 }) }), fc.constant('serve' as const), fc.constant('serve' as const)),
    { maxLength: 150 },
  );

  it('never serves another session more often than a request has requests of its own session before it, and once more', () => {
    fc.assert(
      fc.property(events, (script) => {
        let queue: FairQueue = [];
        let count = 0;
        const waiting = new Map<string, { ownBefore: number; served: Map<string, number> }>();
        for (const event of script) {
          if (event !== 'serve') {
            const of = `s${event.session}`;
            const id = `${of} ${count++}`;
            waiting.set(id, { ownBefore: queue.find((line) => line.of === of)?.tickets.length ?? 0, served: new Map() });
            queue = withTicket(queue, of, ticket(id));
            continue;
          }
          const first = servingOrder(queue)[0];
          if (first === undefined) continue;
          queue = serve(queue, first.id);
          waiting.delete(first.id);
          const session = first.id.split(' ')[0]!;
          for (const [id, { ownBefore, served }] of waiting) {
            if (id.startsWith(`${session} `)) continue;
            served.set(session, (served.get(session) ?? 0) + 1);
            expect(served.get(session)).toBeLessThanOrEqual(ownBefore + 1);
          }
        }
      }),
    );
  });

  it('serves everybody once, in the order that it said, if nobody comes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 60 }), (sessions) => {
        let queue = sessions.reduce<FairQueue>((before, session, n) => withTicket(before, `s${session}`, ticket(`${n}`)), []);
        const said = ids(queue);
        const served: string[] = [];
        while (queue.length > 0) {
          const [first] = ids(queue);
          served.push(first!);
          queue = serve(queue, first!);
        }
        expect(served).toEqual(said);
        expect(new Set(served).size).toBe(sessions.length);
      }),
    );
  });
});
