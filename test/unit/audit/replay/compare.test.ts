/** The sentence of a replay about a command that differs from the recorded one: it never claims a difference where there is none. */
import fc from 'fast-check';
import { KINDS, type ReplayedCommand, type Command, type RecordedCommand } from '../../../../src/audit/replay/command';
import { compare } from '../../../../src/audit/replay/compare';
import type { History } from '../../../../src/audit/replay/recorded-commands';
import type { Json } from '../../../../src/shared/json/json';

function comparison(was: Command, now: Command, taskTimes: number[] = []) {
  const recorded: RecordedCommand = { ...was, event: 7 };
  const asked: ReplayedCommand = { ...now, task: 1 };
  const history = { commands: [recorded], startAttributes: {}, isEnded: true, taskTimes } as unknown as History;
  return compare(history, { commands: [asked], failure: null });
}

function sentences(was: Command, now: Command): string[] {
  return comparison(was, now).differences.map((one) => one.sentence);
}

const activity = (id: string, type: string): Command => ({ kind: 'activity', id, fields: { type, input: [{ step: 1 }] } });

it('two commands of one name: the sentence says what differs', () => {
  expect(sentences(activity('a', 'takeStep'), activity('b', 'takeStep'))).toEqual([
    'event 7: the code would now take step 1 under the id b, and a was recorded',
  ]);
  // Kinds that have no words yet.
  const of = (kind: string) => ({ kind: kind as Command['kind'], id: 'a', fields: {} });
  expect(sentences(of('nexus'), of('nexus_cancel'))).toEqual([
    expect.stringContaining('as a command of kind nexus_cancel, and one of kind nexus was recorded'),
  ]);
});

it('two commands of different names: both are named', () => {
  expect(sentences(activity('a', 'takeStep'), { kind: 'complete', id: '', fields: {} })).toEqual([
    'event 7: the code would now end, where it was recorded to take step 1',
  ]);
});

it('no sentence has the same action on both sides, for any two commands', () => {
  const command = fc.record({
    kind: fc.constantFrom(...KINDS),
    id: fc.constantFrom('1', '2', 'x'.repeat(500), `${'x'.repeat(500)}y`),
    fields: fc.record({
      type: fc.constantFrom('takeStep', 'runCall', 'other'),
      input: fc.constantFrom<Json[]>([], [{ step: 1 }]),
    }),
  });
  fc.assert(
    fc.property(command, command, (was, now) => {
      for (const sentence of sentences(was, now)) {
        const [, would, recorded] =
          /the code would now (.*), where it was recorded to (.*?)(?:, in another order)?$/.exec(sentence) ?? [];
        if (would !== undefined) expect(would).not.toBe(recorded);
      }
    }),
  );
});

const TASK_BEFORE =
  'a time is that of the task before: a worker that had just begun answered a query from what no task had processed yet';

it('a time that is that of the task before is no difference: a worker may have answered a query before the task', () => {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  const inspection = (seconds: number, waits = 60): Command => ({
    kind: 'activity',
    id: 'a',
    fields: { type: 'inspectEffect', input: [{ at: at(seconds), expires_at: at(seconds + waits) }] },
  });
  const tasks = [2000, 5000, 9000];
  const found = comparison(inspection(5), inspection(9), tasks);
  expect(found.differences).toEqual([]);
  expect(found.harmless).toEqual({ [Object.keys(found.harmless)[0]!]: 2 });
  expect(Object.keys(found.harmless)).toEqual([expect.stringContaining('that of the task before')]);
  const differing = (was: Command, now: Command) => comparison(was, now, tasks).differences.length;
  expect(differing(inspection(2), inspection(9))).toBe(2); // of two tasks before
  expect(differing(inspection(9), inspection(5))).toBe(2); // later than now
  expect(differing(inspection(5), inspection(9, 61))).toBe(1);
  expect(comparison(inspection(5), inspection(9)).differences).toHaveLength(2);
  const handedOn = (until: number): Command => ({ kind: 'continue', id: '', fields: { input: [{ until }] } });
  expect(comparison(handedOn(65_000), handedOn(69_000), tasks).differences).toEqual([]);
  expect(comparison(handedOn(65_000), handedOn(67_000), tasks).differences).toHaveLength(1);
  expect(comparison(handedOn(1000), handedOn(5000), tasks).differences).toHaveLength(1); // before these tasks
});

it('nor is the duration of a timer until a time, counted from the task before', () => {
  const timer = (seconds: number): Command => ({ kind: 'timer', id: '1', fields: { duration_ms: seconds * 1000 } });
  const tasks = [2000, 5000, 9500];
  for (const [was, now] of [
    [60, 57],
    [60, 55.5],
    [57, 60],
  ] as const)
    // oxfmt-ignore
    expect(comparison(timer(was), timer(now), tasks)).toEqual({
      differences: [],
      harmless: { [TASK_BEFORE]: 1 },
    });
  for (const [was, now] of [
    [60, 56],
    [60, 52.5],
    [60, 1],
    [60, 61],
  ] as const)
    // oxfmt-ignore
    expect(comparison(timer(was), timer(now), tasks)).toMatchObject({ differences: [{ path: 'duration_ms' }], harmless: {} });
  expect(comparison(timer(60), timer(57)).differences).toHaveLength(1);
  // Other durations are no times.
  const timeout = (seconds: number): Command => ({ ...activity('a', 'takeStep'), fields: { start_to_close_ms: seconds * 1000 } });
  expect(comparison(timeout(60), timeout(57), tasks).differences).toHaveLength(1);
});
