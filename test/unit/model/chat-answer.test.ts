/** The calls of a streamed chat completion, as servers of that protocol send them. */
import { ChatAccumulator } from '../../../src/model/openai/chat-answer';
import type { Json, JsonObject } from '../../../src/shared/json/json';

/** What becomes of the calls of these chunks: id, name and text of the input. */
function callsOf(...chunks: JsonObject[][]): Json[][] {
  const answer = new ChatAccumulator();
  for (const tool_calls of chunks) answer.push({ choices: [{ index: 0, delta: { tool_calls } }] });
  answer.push({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
  const { content, rawToolInputs } = answer.finish(null, 'm', 1);
  return content.map(({ id, name }, index) => [id!, name!, rawToolInputs[index]!.json]);
}

const whole = (index: number, id: string, name: string, json: Json): JsonObject => ({
  index,
  id,
  function: { name, arguments: json },
});
const piece = (index: number, json: string, more: JsonObject = {}): JsonObject => ({
  index,
  ...more,
  function: { arguments: json },
});

const LOOK = ['call_a', 'look', '{"at":1}'];
const PAY = ['call_b', 'pay', '{"cents":2}'];
const MAIL = ['call_c', 'mail', '{"to":3}'];

describe('several calls that all have the index 0 stay apart', () => {
  it.each<[string, Json, Json]>([
    ['a text', LOOK[2]!, PAY[2]!],
    ['an object', { at: 1 }, { cents: 2 }],
  ])('with %s as arguments', (_what, look, pay) => {
    const calls = [whole(0, 'call_a', 'look', look), whole(0, 'call_b', 'pay', pay)];
    expect(callsOf(calls)).toEqual([LOOK, PAY]);
    expect(callsOf(...calls.map((call) => [call]))).toEqual([LOOK, PAY]);
  });

  it('in pieces: one without an id is of the call that began last', () => {
    const look = [whole(0, 'call_a', 'look', ''), piece(0, '{"at"'), piece(0, ':1}')];
    const pay = [whole(0, 'call_b', 'pay', '{"ce'), piece(0, 'nts":2}')];
    expect(callsOf(look, pay)).toEqual([LOOK, PAY]);
  });

  it('and so does one that comes later under the index that the second has got', () => {
    const third = [whole(1, 'call_c', 'mail', '{"to"'), piece(1, ':3}')];
    expect(callsOf([whole(0, 'call_a', 'look', LOOK[2]!), whole(0, 'call_b', 'pay', PAY[2]!)], third)).toEqual([LOOK, PAY, MAIL]);
  });
});

it('pieces of calls with their own indexes may come in any order', () => {
  const begun = [whole(1, 'call_b', 'pay', '{"ce'), whole(0, 'call_a', 'look', '{"a')];
  expect(callsOf(begun, [piece(0, 't":1}'), piece(1, 'nts":2}')])).toEqual([LOOK, PAY]);
});

it('a piece that repeats its call’s id, or has an id of its own and no name, continues the call', () => {
  expect(callsOf([whole(0, 'call_a', 'look', '{"at"'), whole(0, 'call_a', 'look', ':1}')])).toEqual([LOOK]);
  expect(callsOf([whole(0, 'call_x', 'look', '{"at"'), piece(0, ':1}', { id: 'call_a' })])).toEqual([LOOK]);
});

it('calls without an index are told apart by their ids, also after one whose index is 1', () => {
  const { index: _, ...pay } = whole(0, 'call_b', 'pay', PAY[2]!);
  expect(callsOf([whole(1, 'call_a', 'look', LOOK[2]!)], [pay])).toEqual([LOOK, PAY]);
});
