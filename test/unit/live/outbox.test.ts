import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent } from '../../../src/shapes/turn-event';
import { InProcessLive } from '../../../src/live/in-process';
import { Outbox, liveToParent, relayLive } from '../../../src/live/outbox';
import { eventsOf, packetsOf } from '../../../src/live/live-event-packets';

const at = '2026-11-21T00:00:00.000Z';
const delta = (offset: number, text: string, step = 1, attempt = 1): LiveEvent => ({
  at,
  type: 'text_delta',
  step,
  attempt,
  offset,
  text,
});
const progress = (message: string): LiveEvent => ({ at, type: 'tool_progress', call: '1.1', message, fraction: 0.5 });
const textOf = (events: LiveEvent[]) => events.map((event) => ('text' in event ? event.text : '')).join('');

describe('events that wait to be sent', () => {
  it('are sent as one parcel: pieces of one text are joined, others keep their order', async () => {
    const sent: Record<string, LiveEvent[]>[] = [];
    const outbox = new Outbox(async (parcel) => void sent.push(Object.fromEntries(parcel)));
    for (const [index, char] of [...'hello'].entries()) outbox.add('a', delta(index, char));
    outbox.add('a', progress('one'));
    outbox.add('a', progress('two'));
    outbox.add('a', delta(5, '!'));
    outbox.add('a', delta(0, 'again', 1, 2));
    outbox.add('b', delta(9, 'later'));
    await outbox.close();
    expect(sent).toEqual([
      {
        a: [delta(0, 'hello'), progress('one'), progress('two'), delta(5, '!'), delta(0, 'again', 1, 2)],
        b: [delta(9, 'later')],
      },
    ]);
  });

  it('are limited while a parcel is stuck: the excess is dropped and counted, and nobody waits', async () => {
    let release!: () => void;
    const stuck = new Promise<void>((resolve) => (release = resolve));
    const sent: LiveEvent[] = [];
    const outbox = new Outbox(async (parcel) => {
      await stuck;
      sent.push(...[...parcel.values()].flat());
    });
    outbox.add('a', delta(0, 'first'));
    await sleep(100); // under way
    for (let index = 0; index < 2000; index++) outbox.add('a', delta(index * 1000, 'x'.repeat(1000)));
    expect(outbox.droppedCount).toBeGreaterThan(1000);
    release();
    await sleep(100);
    await outbox.close();
    expect(textOf(sent).length).toBeGreaterThan(100_000);
    expect(textOf(sent).length).toBeLessThan(600_000);
  });

  it('are sent at once for somebody who waits for them, behind the parcel under way, and he does not wait for long', async () => {
    const gone: (() => void)[] = [];
    const sent: LiveEvent[] = [];
    const outbox = new Outbox(async (parcel) => {
      await new Promise<void>((resolve) => gone.push(resolve));
      sent.push(...[...parcel.values()].flat());
    });
    outbox.add('a', progress('half'));
    const first = outbox.drain();
    await sleep(0);
    outbox.add('a', progress('all'));
    const both = Promise.all([first, outbox.drain()]);
    gone[0]!();
    await sleep(0);
    gone[1]!();
    await both;
    expect(sent).toEqual([progress('half'), progress('all')]);
    outbox.add('a', progress('stuck'));
    await outbox.drain();
    expect(sent).toHaveLength(2);
    outbox.add('a', progress('last'));
    const closed = outbox.close();
    for (const index of [2, 3]) {
      gone[index]!();
      await sleep(0);
    }
    await closed;
    expect(sent.slice(2)).toEqual([progress('stuck'), progress('last')]);
  });

  it('are lost if they cannot be sent, and the next are sent all the same', async () => {
    let fails = true;
    const sent: LiveEvent[] = [];
    const outbox = new Outbox(async (parcel) => {
      if (fails) throw new Error('no way');
      sent.push(...[...parcel.values()].flat());
    });
    outbox.add('a', progress('lost'));
    await sleep(100);
    fails = false;
    outbox.add('a', progress('there'));
    await outbox.close();
    expect(sent).toEqual([progress('there')]);
    expect(outbox.droppedCount).toBe(1);
  });
});

describe('packets', () => {
  it('are never larger than allowed, for any text, and give all of it back in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 3000 }), fc.boolean()), { maxLength: 20 }),
        (texts) => {
          let offset = 0;
          const events = texts.map(([text, says]) => {
            const event = says ? progress(text.slice(0, 300)) : delta(offset, text);
            if (!says) offset += text.length;
            return event;
          });
          let serial = 0;
          const packets = packetsOf(events, 2500, () => String(serial++));
          for (const packet of packets) expect(Buffer.byteLength(packet)).toBeLessThanOrEqual(2500);
          const back = packets.flatMap(eventsOf);
          expect(textOf(back)).toBe(textOf(events));
          for (const event of back) if ('text' in event) expect(event.text.isWellFormed()).toBe(true);
          expect(back.filter(({ type }) => type === 'tool_progress')).toEqual(
            events.filter(({ type }) => type === 'tool_progress'),
          );
          const pieces = back.filter((event) => event.type === 'text_delta');
          let next = 0;
          for (const piece of pieces) {
            expect(piece.offset).toBe(next);
            next += piece.text.length;
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('from another sender are ignored', () => {
    const junk = ['', 'null', '[]', '{}', '{"n":"1"}', '{"n":"1","events":[{"type":"turn_completed"}]}', '{"n":1,"events":[]}'];
    const more = [
      { ...progress('m'), fraction: 7 },
      { ...delta(0, 't'), step: 0 },
      { ...delta(0, 't'), extra: 1 },
    ];
    for (const text of [...junk, ...more.map((event) => JSON.stringify({ n: '1', events: [event] }))])
      expect(eventsOf(text)).toEqual([]);
  });
});

describe('the way from a worker to the process that started it', () => {
  it('takes published events to their subscribers', async () => {
    const bus = new InProcessLive();
    const heard: LiveEvent[] = [];
    const end = bus.subscribe('t', (event) => heard.push(event));
    const send = (message: unknown, ...rest: unknown[]) => {
      relayLive(structuredClone(message), bus);
      (rest.at(-1) as (error: null) => void)(null);
      return true;
    };
    const worker = liveToParent({ connected: true, send } as never);
    worker.publish('t', delta(0, 'hello'));
    worker.publish('other', delta(0, 'nobody listens'));
    await worker.close();
    expect(heard).toEqual([delta(0, 'hello')]);
    for (const other of [null, 'text', { ready: true }, { holdfast_live: 7 }]) relayLive(other, bus);
    end();
    bus.publish('t', delta(5, 'too late'));
    expect(heard).toHaveLength(1);
  });

  it('does nothing once the channel is gone: nothing is thrown', async () => {
    const worker = liveToParent({ connected: false } as never);
    worker.publish('t', delta(0, 'hello'));
    await worker.close();
  });
});
