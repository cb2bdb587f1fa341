import {
  messagesForModel,
  conversationTokens,
  entriesOf,
  mayCut,
  planOf,
  shortenEntries,
} from '../../../src/activities/step/compaction';
import type { SummaryBody } from '../../../src/record/blocks';
import type { Json, JsonObject } from '../../../src/shared/json/json';
import type { BlockKind } from '../../../src/shared/turn/transcript';
import type { StoredBlock } from '../../../src/store/core/seal';

let count = 0;
function block(kind: BlockKind, bodies: Json[]): StoredBlock {
  const hash = (++count).toString(16).padStart(64, '0');
  return { hash, block: { v: 'holdfast.block/1', parent: null, kind, at: '2026-01-31T09:59:59.123Z', parts: [] }, bodies };
}
const user = (text: string) => block('message', [{ role: 'user' }, { type: 'text', text }]);
const said = (text: string) => block('message', [{ role: 'assistant' }, { type: 'text', text }]);
const thought = { type: 'thinking', thinking: 'hm', signature: 'sig' };
const asked = (id: string) =>
  block('message', [{ role: 'assistant' }, thought, { type: 'tool_use', id, name: 'look', input: {} }]);
const result = (id: string, length = 4000) =>
  block('message', [
    { role: 'user' },
    { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: 'r'.repeat(length) }] },
  ]);
const summary = (body: Partial<SummaryBody>) =>
  block('summary', [{ v: 'holdfast.summary/1', cleared_to: null, summarized_to: null, text: null, context_tokens: 1, ...body }]);
const words = (blocks: StoredBlock[]) =>
  messagesForModel(blocks).map(({ content }) => content.map((one: JsonObject) => String(one.text ?? one.type)).join(' '));
const looks = (times: number) => Array.from({ length: times }, (_, n) => [asked(`u${n}`), result(`u${n}`)]).flat();

describe('a compacted conversation', () => {
  it('has a note that names the block instead of each long result that was left out, and keeps its calls with their thinking', () => {
    const before = [user('go'), asked('a'), result('a'), asked('b'), result('b', 20), asked('c'), result('c')];
    const messages = messagesForModel([...before, summary({ cleared_to: before[4]!.hash })]);
    expect(JSON.stringify(messages[2])).toContain(`kept in block ${before[2]!.hash}`);
    expect(messages[2]!.content[0]).toMatchObject({ type: 'tool_result', tool_use_id: 'a' });
    expect(messages[1]!.content[0]).toEqual(thought);
    expect(messages[4]).toEqual(messagesForModel(before)[4]); // short
    expect(messages[6]).toEqual(messagesForModel(before)[6]); // later
  });

  it('has the summary first, then what came after its last block; a later summary replaces the earlier one too', () => {
    const [a, b, c, d, e] = [user('1'), said('one'), user('2'), said('two'), user('3')];
    const first = summary({ summarized_to: b!.hash, text: 'S1' });
    expect(words([a!, b!, c!, first, d!, e!])).toEqual([expect.stringMatching(/\n\nS1$/), '2', 'two', '3']);
    const second = summary({ summarized_to: d!.hash, text: 'S2' });
    expect(words([a!, b!, c!, first, d!, second, e!])).toEqual([expect.stringMatching(/\n\nS2$/), '3']);
  });

  it('is whole if the summary block names no block of it, or is malformed', () => {
    const blocks = [user('1'), said('one')];
    expect(words([...blocks, summary({ summarized_to: 'f'.repeat(64), text: 'S' })])).toEqual(['1', 'one']);
    expect(words([...blocks, block('summary', []), block('summary', ['x'])])).toEqual(['1', 'one']);
  });
});

describe('a turn that the model declined to answer', () => {
  const start = () => block('start', []);
  const answered = (stop_reason: string) => block('admission', [{ stop_reason }]);
  const paid = block('message', [{ role: 'assistant' }, { type: 'tool_use', id: 'p', name: 'pay', input: { to: 'secret' } }]);
  const failed = block('message', [
    { role: 'user' },
    { type: 'tool_result', tool_use_id: 'p', is_error: true, content: [{ type: 'text', text: 'in doubt' }] },
  ]);
  const before = [start(), user('1'), said('one'), answered('end_turn')];
  const partial = block('message', [{ role: 'assistant' }, { type: 'tool_use', id: 'q', name: 'never_ran', input: {} }]);
  const declined = [start(), user('bad'), asked('a'), answered('tool_use'), result('a', 20), paid, answered('tool_use'), failed]; // oxfmt-ignore
  const refused = [...declined, partial, answered('refusal'), block('end', [])];

  it('is not sent again: a note replaces it and names the block and the calls that ran', () => {
    const messages = words([...before, ...refused, start(), user('2')]);
    expect(messages).toEqual(['1', 'one', expect.stringContaining(partial.hash), '2']);
    expect(messages[2]).toMatch(/"look" \(with a result\), "pay" \(with an error\)/);
    expect(messages[2]).not.toMatch(/bad|secret|never_ran/);
  });

  it('stays out if it was summarized in its middle, and if it is the first turn', () => {
    const middle = [
      ...declined,
      summary({ summarized_to: declined[4]!.hash, text: 'S' }),
      user('steered'),
      partial,
      answered('refusal'),
    ];
    expect(words([...before, ...middle, start(), user('2')])).toEqual([
      expect.stringMatching(/\n\nS$/),
      expect.stringContaining(partial.hash),
      '2',
    ]);
    const nothing = [start(), user('bad'), block('message', [{ role: 'assistant' }]), answered('refusal')];
    expect(words([...nothing, start(), user('2')])).toEqual([expect.stringMatching(/declined[^:]*$/), '2']);
  });
});

describe('what a compaction takes out', () => {
  const room = (used: number) => ({ window: 10_000, used });

  it('is old results, as long as that is enough: all but the last three', () => {
    const blocks = [user('go'), ...looks(6)];
    const plan = planOf(entriesOf(blocks), room(8000));
    expect(plan).toEqual({ how: 'clear', upTo: 6 }); // the third result
  });

  it('is all but a tail, where results are not enough, and the cut is never between a call and its result', () => {
    const blocks = [user('go'), said('x'.repeat(30_000)), user('on'), ...looks(2), said('done')];
    const entries = entriesOf(blocks);
    const plan = planOf(entries, room(9500)) as { how: string; upTo: number };
    expect(plan.how).toBe('summarize');
    expect(mayCut(entries, plan.upTo + 1)).toBe(true);
    expect(plan.upTo).toBeGreaterThanOrEqual(1);
  });

  it('is never a result that the model has not read', () => {
    const blocks = [user('go'), said('x'.repeat(30_000)), user('on'), asked('a'), result('a', 30_000)];
    expect(planOf(entriesOf(blocks), room(20_000))).toEqual({ how: 'summarize', upTo: 2 });
  });

  it('is an earlier message that is too long by itself, and never the one that waits for an answer', () => {
    const start = block('start', [{}]);
    const [huge, more] = [user('x'.repeat(60_000)), user('on')];
    expect(planOf(entriesOf([start, huge, start, more]), room(20_000))).toEqual({ how: 'summarize', upTo: 0 });
    expect(planOf(entriesOf([start, more, said('yes'), start, huge]), room(20_000))).toEqual({ how: 'summarize', upTo: 1 });
    expect(planOf(entriesOf([start, huge]), room(20_000))).toEqual({ how: 'nothing' });
  });

  it('is shortened in the middle of long texts that would not fit the request for a summary', () => {
    const entries = entriesOf([user(`begin ${'x'.repeat(60_000)} end`), said('short')]);
    const [long, short] = shortenEntries(entries, room(20_000));
    const [{ text }] = long!.message.content as [{ text: string }];
    expect(text).toMatch(/^begin x+\n\[\d+ characters were left out here .* block [0-9a-f]{64}\.\]\nx+ end$/);
    expect(conversationTokens([long!.message])).toBeLessThan(6000);
    expect(short).toEqual(entries[1]);
    expect(shortenEntries(entries.slice(1), room(20_000))).toEqual(entries.slice(1));
  });

  it('is nothing if there is nothing to take out', () => {
    expect(planOf(entriesOf([user('x'.repeat(60_000))]), room(20_000))).toEqual({ how: 'nothing' });
    expect(planOf(entriesOf([user('go'), asked('a'), result('a', 60_000)]), room(20_000))).toEqual({ how: 'nothing' });
  });
});
