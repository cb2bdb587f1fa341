/** Room for answers to questions of the model: each question reserves it for the longest one. */
import type { CallArguments } from '../../../src/shared/io/activities';
import { jsonBytes, type Json } from '../../../src/shared/json/json';
import { hasRoom, hasRoomToAsk, missingAnswers, notAsked } from '../../../src/workflows/approvals/room-for-decisions';
import { newTurn, type Progress, type TurnData } from '../../../src/workflows/turn/state';
import { approval, personQuestion } from './support/questions';

const args = (id: string) => ({ id }) as CallArguments;

function turnWith(questions: number): TurnData {
  const data = newTurn({ parent_head: null } as never, '2026-01-01T00:00:00.000Z');
  const progress = Array.from({ length: questions }, (_, index): [string, Progress] => {
    const id = `1.${index + 1}`;
    return [id, { at: 'question', args: args(id), question: personQuestion({ call_id: id }) }];
  });
  return { ...data, open: { calls: [], outcomes: {}, progress: Object.fromEntries(progress) } };
}

it('is there for eighteen at once, and then for no other', () => {
  const places = missingAnswers(personQuestion());
  const room = (questions: number) => hasRoomToAsk(turnWith(questions), args('1.99'), places);
  expect([room(0), room(17), room(18)]).toEqual([true, true, false]);
  expect(notAsked(personQuestion()).message).toContain('a person who answers it');
  expect(notAsked(approval({ policy: { quorum: 2 } })).message).toContain('2 people who approve it');
});

it('is enough for the longest answer to each, with the longest name and signature', () => {
  const data = turnWith(18);
  const value: Json = 'x'.repeat(16_382);
  const longest = { by: 'b'.repeat(200), note: null, identity: 'i'.repeat(200), attestation: 'A'.repeat(4096), value };
  expect(jsonBytes(value)).toBe(16_384);
  for (const [id, entry] of Object.entries(data.open!.progress)) {
    expect(hasRoom(data, [longest], missingAnswers((entry as Progress & { at: 'question' }).question))).toBe(true);
    data.open!.progress[id] = { at: 'ready', args: args(id), approvals: [longest as never] };
  }
});
