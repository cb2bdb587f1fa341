/** Figures of open turns: exact, though as few histories are read as tell the oldest event. */
import fc from 'fast-check';
import { OpenTurns, STUCK_MS, type ListedRun, type OpenState, type OpenTurnSource } from '../../../src/client/turns/open-turns';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Turn {
  state: OpenState;
  /** Ago, ms. */
  started: number;
  lastEvent: number;
}

class Turns implements OpenTurnSource {
  turns = new Map<string, Turn>();
  reads: string[] = [];
  answers = true;

  put(id: string, state: OpenState, started: number, lastEvent = started): void {
    this.turns.set(id, { state, started: Date.now() - started, lastEvent: Date.now() - lastEvent });
  }

  async *list(state: OpenState): AsyncGenerator<ListedRun> {
    if (!this.answers) throw new Error('no answer');
    for (const [id, turn] of this.turns)
      if (turn.state === state) yield { workflowId: `turn/${id}`, runId: id, startedAt: turn.started };
  }

  async lastEventAt({ runId }: ListedRun): Promise<number | null> {
    this.reads.push(runId);
    return this.turns.get(runId)?.lastEvent ?? null;
  }
}

const seconds = (ms: number | null) => (ms === null ? null : Math.round(ms / 1000));

describe('the figures of open turns', () => {
  let source: Turns;
  let open: OpenTurns;
  beforeEach(() => {
    jest.useFakeTimers({ now: new Date('2026-11-29T06:00:00Z') });
    source = new Turns();
    open = new OpenTurns(source);
  });
  afterEach(() => void jest.useRealTimers());
  const figures = async () => (await open.figures())!;
  const later = (ms: number) => jest.setSystemTime(Date.now() + ms);

  it('are 0 without turns', async () => {
    const zero = { running: 0, sleeping: 0, awaiting_completion: 0, awaiting_approval: 0, awaiting_answer: 0, in_doubt: 0 };
    expect(await figures()).toEqual({ turns: zero, idleMs: zero, stuck: 0 });
  });

  it('count the turns by state, and find the one that is idle for longest, not the oldest', async () => {
    source.put('old', 'awaiting_approval', 3 * DAY, 5 * MINUTE);
    source.put('idle', 'awaiting_approval', 2 * DAY, 7 * MINUTE);
    source.put('new', 'awaiting_approval', 2 * MINUTE);
    source.put('doubt', 'in_doubt', DAY, 3 * MINUTE);
    source.put('asleep', 'sleeping', DAY, DAY);
    const { turns, idleMs, stuck } = await figures();
    expect(turns).toEqual({
      running: 0,
      sleeping: 1,
      awaiting_completion: 0,
      awaiting_approval: 3,
      awaiting_answer: 0,
      in_doubt: 1,
    });
    expect(seconds(idleMs.awaiting_approval)).toBe(7 * 60);
    expect(seconds(idleMs.in_doubt)).toBe(3 * 60);
    expect(stuck).toBe(0); // they wait for a person, or sleep
  });

  it('call a turn stuck that runs and has had no event for 15 minutes, and count each of them', async () => {
    source.put('long', 'running', DAY, STUCK_MS - 1000);
    source.put('first', 'running', DAY, STUCK_MS);
    source.put('second', 'running', DAY, 3 * STUCK_MS);
    const { idleMs, stuck } = await figures();
    expect(stuck).toBe(2);
    expect(seconds(idleMs.running)).toBe(45 * 60);
    source.turns.delete('first');
    source.turns.get('second')!.lastEvent = Date.now();
    later(20_000);
    expect((await figures()).stuck).toBe(1); // `long` is by now
  });

  it('read no history that cannot change them', async () => {
    source.put('idle', 'awaiting_approval', DAY);
    for (let n = 0; n < 1000; n++) source.put(`new-${n}`, 'awaiting_approval', MINUTE);
    await figures();
    expect(source.reads).toContain('idle');
    expect(source.reads.length).toBeLessThan(10);
  });

  it('are not read again within 15 seconds', async () => {
    source.put('one', 'running', MINUTE);
    await figures();
    later(14_000);
    await figures();
    expect(source.reads).toEqual(['one']);
    later(2000);
    await figures();
    expect(source.reads).toEqual(['one', 'one']);
  });

  it('do not guess while there are more histories than one reading reads, and get there by the next ones', async () => {
    for (let n = 0; n < 500; n++) source.put(`turn-${n}`, 'awaiting_approval', 9 * DAY, n * 1000);
    expect((await figures()).idleMs.awaiting_approval).toBeNull();
    expect((await figures()).turns.awaiting_approval).toBe(500);
    for (let reading = 0; reading < 2; reading++) {
      later(16_000);
      await figures();
    }
    expect(seconds((await figures()).idleMs.awaiting_approval)).toBe(499 + 32);
  });

  it('are shown for five minutes while Temporal does not answer, and are unknown from then on', async () => {
    source.put('one', 'running', MINUTE);
    const known = await figures();
    source.answers = false;
    later(4 * MINUTE);
    expect(await open.figures()).toEqual(known);
    later(2 * MINUTE);
    expect(await open.figures()).toBeNull();
    source.answers = true;
    expect((await figures()).turns.running).toBe(1);
  });

  it('leave out a turn that has ended since it was listed', async () => {
    source.put('ended', 'awaiting_answer', DAY);
    source.put('waits', 'awaiting_answer', MINUTE);
    const lastEventAt = source.lastEventAt.bind(source);
    source.lastEventAt = async (run) => (run.runId === 'ended' ? null : lastEventAt(run));
    expect(seconds((await figures()).idleMs.awaiting_answer)).toBe(60);
  });

  it('are those of a reading of all histories, after any changes', async () => {
    jest.useRealTimers();
    const turn = fc.record({ started: fc.nat(5000), lastEvent: fc.nat(5000) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(turn, { maxLength: 40 }), { minLength: 1, maxLength: 4 }), async (rounds) => {
        const now = Date.now();
        const turns = new Turns();
        const reader = new OpenTurns(turns);
        const clock = jest.spyOn(Date, 'now');
        for (const [round, changes] of rounds.entries()) {
          const at = now + round * 20_000;
          clock.mockReturnValue(at);
          for (const [id, { started, lastEvent }] of changes.entries()) {
            const earlier = turns.turns.get(String(id));
            const startedAt = earlier?.started ?? at - started * 1000;
            const event = Math.max(startedAt, earlier?.lastEvent ?? 0, at - lastEvent * 1000);
            turns.turns.set(String(id), { state: 'running', started: startedAt, lastEvent: event });
          }
          const events = [...turns.turns.values()].map((each) => at - each.lastEvent);
          const { idleMs, stuck } = (await reader.figures())!;
          expect(idleMs.running).toBe(Math.max(0, ...events));
          expect(stuck).toBe(events.filter((idle) => idle >= STUCK_MS).length);
        }
        clock.mockRestore();
      }),
      { numRuns: 60 },
    );
  });
});
