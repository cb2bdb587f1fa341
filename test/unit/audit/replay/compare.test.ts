/** The sentence of a replay about a command that differs from the recorded one: it never claims a difference where there is none. */
import fc from 'fast-check';
import { KINDS, type ReplayedCommand, type Command, type RecordedCommand } from '../../../../src/audit/replay/command';
import { compare } from '../../../../src/audit/replay/compare';
import type { History } from '../../../../src/audit/replay/recorded-commands';
import type { Json } from '../../../../src/shared/json/json';

function sentences(was: Command, now: Command): string[] {
  const recorded: RecordedCommand = { ...was, event: 7 };
  const asked: ReplayedCommand = { ...now, task: 1 };
  const history = { commands: [recorded], startAttributes: {}, isEnded: true } as unknown as History;
  return compare(history, { commands: [asked], failure: null }).differences.map((one) => one.sentence);
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
