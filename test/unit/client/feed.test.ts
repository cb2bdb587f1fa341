import { Feed, type WatchedEvent } from '../../../src/client/events/feed';
import { isAfter, positionText, readPosition } from '../../../src/client/events/position';
import type { EventRecord } from '../../../src/client/events/turn-log';
import type { LiveListener } from '../../../src/live/bus';
import type { TurnEvent } from '../../../src/shapes/turn-event';

const at = '2026-11-21T00:00:00.000Z';
const step = (n: number): TurnEvent => ({ at, type: 'step_started', step: n });
const recorded = (seq: number, event: TurnEvent = step(seq)): EventRecord => ({
  position: { run: 1, event: seq * 3, n: 0 },
  seq,
  event,
});

/** A turn whose history the test writes. */
class Turn {
  readonly history: EventRecord[] = [];
  reads = 0;
  say: LiveListener = () => undefined;
  private wake: () => void = () => undefined;
  private over = false;

  add(...events: EventRecord[]): void {
    this.history.push(...events);
    this.wake();
  }

  end(): void {
    this.over = true;
    this.wake();
  }

  readonly source = {
    read: ({ follow, stop }: { follow: boolean; stop: AbortSignal }) => this.read(follow, stop),
    listen: (listener: LiveListener) => {
      this.say = listener;
      return () => (this.say = () => undefined);
    },
  };

  private async *read(follow: boolean, stop: AbortSignal): AsyncGenerator<EventRecord> {
    this.reads += 1;
    // Temporal gives the history as it was when the reading began.
    const length = follow ? Infinity : this.history.length;
    for (let index = 0; !stop.aborted;) {
      if (index < Math.min(length, this.history.length)) yield this.history[index++]!;
      else if (!follow || this.over) return;
      else await new Promise<void>((resolve) => {
        this.wake = resolve;
        stop.addEventListener('abort', () => resolve(), { once: true });
      }); // oxfmt-ignore
    }
  }
}

const never = () => new AbortController().signal;
const all = async (events: AsyncIterable<WatchedEvent>) => {
  const told: WatchedEvent[] = [];
  for await (const one of events) told.push(one);
  return told;
};
const seqs = (told: WatchedEvent[]) => told.flatMap(({ seq }) => seq ?? []);
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a feed', () => {
  it('is read once for all watchers, and gives each of them everything from his position on', async () => {
    const turn = new Turn();
    const feed = new Feed(turn.source);
    const watchers = [all(feed.watch(null, never())), all(feed.watch({ run: 1, event: 6, n: 0 }, never()))];
    turn.add(recorded(1), recorded(2), recorded(3));
    await tick();
    const late = all(feed.watch({ run: 1, event: 3, n: 0 }, never()));
    turn.add(recorded(4));
    turn.end();
    expect((await Promise.all([...watchers, late])).map(seqs)).toEqual([[1, 2, 3, 4], [3, 4], [2, 3, 4]]); // oxfmt-ignore
    expect(turn.reads).toBe(1);
  });

  it('reads again what memory has dropped while a slow watcher read the history', async () => {
    const turn = new Turn();
    const feed = new Feed(turn.source, { bounds: { characters: 1e6, events: 10 } });
    turn.add(...Array.from({ length: 20 }, (_, index) => recorded(index + 1)));
    await tick();
    const slow = feed.watch(null, never());
    const first = await slow.next();
    turn.add(...Array.from({ length: 30 }, (_, index) => recorded(index + 21)));
    turn.end();
    await tick();
    expect([first.value.seq, ...seqs(await all(slow))]).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('reads again what it no longer has in memory, for late and for slow watchers; nothing is lost or doubled', async () => {
    const turn = new Turn();
    const feed = new Feed(turn.source, { bounds: { characters: 1e6, events: 10 } });
    const slow = feed.watch(null, never());
    turn.add(recorded(1));
    const told = [(await slow.next()).value as WatchedEvent];
    for (let seq = 2; seq <= 60; seq++) turn.add(recorded(seq));
    await tick();
    const late = all(feed.watch({ run: 1, event: 15, n: 0 }, never()));
    turn.end();
    told.push(...(await all(slow)));
    expect(seqs(told)).toEqual(Array.from({ length: 60 }, (_none, index) => index + 1));
    expect(seqs(await late)).toEqual(Array.from({ length: 55 }, (_none, index) => index + 6));
  });

  it('drops live events once their outcome is recorded; a watcher who comes back does not get them again', async () => {
    const turn = new Turn();
    const feed = new Feed(turn.source);
    const delta = (attempt: number, text: string) => ({ at, type: 'text_delta' as const, step: 1, attempt, offset: 0, text });
    const progress = { at, type: 'tool_progress' as const, call: '1.1', message: 'half', fraction: 0.5 };
    turn.add(recorded(1));
    await tick();
    const stop = new AbortController();
    const first = all(feed.watch(null, stop.signal));
    await tick();
    turn.say(delta(1, 'Hel'));
    await tick(); // before the next attempt makes it void
    turn.say(delta(2, 'Hello'));
    turn.say(delta(1, 'late'));
    await tick();
    const fresh = all(feed.watch(null, never()));
    const back = all(feed.watch({ run: 1, event: 3, n: 0 }, never()));
    await tick();
    turn.say(progress);
    turn.add(recorded(2, { at, type: 'step_completed', step: 1, text: 'Hello', calls: [] }));
    await tick();
    turn.say(delta(2, 'too late'));
    turn.add(recorded(3, { at, type: 'tool_result', call: '1.1', tool: 't', summary: '', effect: null }));
    await tick();
    turn.say(progress);
    stop.abort();
    turn.end();
    const live = (told: WatchedEvent[]) => told.flatMap(({ event }) => ('text' in event && event.type === 'text_delta' ? event.text : [])); // oxfmt-ignore
    expect(live(await first)).toEqual(['Hel', 'Hello']);
    expect(live(await fresh)).toEqual(['Hello']);
    const again = await back;
    expect(live(again)).toEqual([]);
    expect(again.filter(({ event }) => event.type === 'tool_progress')).toHaveLength(1);
  });

  it('keeps the last progress of a call for a watcher who reads it only after the result', async () => {
    const turn = new Turn();
    const feed = new Feed(turn.source);
    const progress = (message: string) => ({ at, type: 'tool_progress' as const, call: '1.1', message, fraction: null });
    turn.add(recorded(1));
    await tick();
    const slow = feed.watch(null, never());
    await slow.next();
    turn.say(progress('half'));
    turn.say(progress('all of it'));
    turn.add(recorded(2, { at, type: 'tool_result', call: '1.1', tool: 't', summary: '', effect: null }));
    await tick();
    turn.end();
    const told = (await all(slow)).map(({ event }) => ('message' in event ? event.message : event.type));
    expect(told).toEqual(['all of it', 'tool_result']);
  });

  it('stops reading some time after its last watcher has gone', async () => {
    const turn = new Turn();
    let over = false;
    const feed = new Feed(turn.source, { lingerMs: 10, onOver: () => (over = true) });
    const stop = new AbortController();
    const watching = all(feed.watch(null, stop.signal));
    await tick();
    expect(over).toBe(false);
    stop.abort();
    await watching;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(over).toBe(true);
  });

  it('tells its watchers that a history cannot be read', async () => {
    const source = {
      read: async function* (): AsyncGenerator<EventRecord> {
        await tick();
        throw new Error('the server is gone');
      },
      listen: () => () => undefined,
    };
    await expect(all(new Feed(source).watch(null, never()))).rejects.toThrow('the server is gone');
  });
});

test('positions are read in the form in which they are written, and in no other', () => {
  for (const text of ['1-1-0', '12-345678-9']) expect(positionText(readPosition(text)!)).toBe(text);
  for (const text of [
    '',
    '1',
    '1-1',
    '0-1-0',
    '1-0-0',
    '01-1-0',
    '1-1-00',
    '1-1-1 ',
    '1-1-1\n',
    '1e3-1-1',
    `1-${'9'.repeat(12)}-0`,
  ])
    expect(readPosition(text)).toBeNull();
  const order = ['1-2-0', '1-2-1', '1-10-0', '2-1-0'].map((text) => readPosition(text)!);
  order.forEach((a, i) => order.forEach((b, j) => expect(isAfter(a, b)).toBe(i > j)));
  expect(isAfter(order[0]!, null)).toBe(true);
});
