/** Messages that wait behind an unsuccessful turn are held, unless a message came after the end of the turn. */
import { nextInQueue, newSession, take, recordTurnEnd } from '../../../src/workflows/session/session-state';
import type { SessionInput } from '../../../src/shared/turn/session';

const input = { session_id: 's', requester: 'ana', agent: 'tester', title: null } as SessionInput;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_creation_tokens: 0, cost_usd: 0 };
const failed = (ended_at?: string) => ({
  ...{ state: 'failed' as const, reason: 'no', head: null, usage, context_full: false },
  ...(ended_at === undefined ? {} : { ended_at }),
});

/** A session whose first turn runs, and to which messages came at these seconds. */
function talked(...seconds: number[]) {
  const data = newSession(input, at(0), false);
  const say = (second: number) => take(data, 's', { message_id: `m-${second}`, message: 'Go.', requester: 'ana' }, at(second));
  say(0);
  const [first] = data.queue;
  data.queue = [];
  data.running = { turn_id: first!.turn_id, since: at(0) };
  seconds.forEach(say);
  return { data, turn: first!.turn_id };
}

test('a message from before the end waits until another message comes', () => {
  const { data, turn } = talked(4);
  recordTurnEnd(data, turn, failed(at(5)));
  expect(data.held).toMatchObject({ turn_id: turn, state: 'failed' });
  expect(nextInQueue(data)).toBeNull();
});

test.each([5, 6])(
  'a message of second %i, after the end, is run, though the session learns of the end later; earlier messages are run first',
  (second) => {
    const { data, turn } = talked(4, second);
    recordTurnEnd(data, turn, failed(at(5)));
    expect(data.held).toBeNull();
    expect(nextInQueue(data)).toMatchObject({ turn_id: 's.2' });
    expect(data.queue.map(({ turn_id }) => turn_id)).toEqual(['s.2', 's.3']);
  },
);

test('if the end time of the turn is unknown, waiting messages are held', () => {
  for (const ended of [failed(), { state: 'lost' as const, reason: 'gone' }]) {
    const { data, turn } = talked(9);
    recordTurnEnd(data, turn, ended);
    expect(data.held).not.toBeNull();
  }
});
