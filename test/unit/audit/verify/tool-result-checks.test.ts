/** What the model was told about calls agrees with their outcomes (rule D8). */
import { ToolResultChecks } from '../../../../src/audit/verify/tool-result-checks';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import type { Fields } from '../../../support/audit/hand-events';

const ERROR = { code: 'TIMEOUT', reason: 'slow', message: 'It was slow.' };
const DATA = { paid: true };

interface Way {
  outcome?: Fields | null;
  result?: Fields | null;
  told?: Fields;
  says?: Json;
  role?: string;
}

/** Whether the model was told the outcome of a call that succeeded; the arguments change one thing each. */
function agrees({
  outcome = {},
  result = {},
  told = {},
  says = { success: true, data: DATA },
  role = 'user',
}: Way = {}): boolean {
  const all = new ToolResultChecks();
  const of = { tool_use_id: 'use', state: 'succeeded', result_ref: 'r', error: null };
  if (outcome !== null) all.outcome({ ...of, ...outcome } as JsonObject);
  if (result !== null) all.result('r', { envelope: { success: true, data: DATA }, inline: true, ...result } as JsonObject);
  const content = [{ type: 'text', text: typeof says === 'string' ? says : JSON.stringify(says) }];
  all.part('head', { role });
  all.part('one', { type: 'tool_result', tool_use_id: 'use', content, ...told } as JsonObject);
  all.message(['head', 'one']);
  return all.agrees();
}

describe('a result', () => {
  it('is told with its data', () => {
    expect(agrees()).toBe(true);
    expect(agrees({ says: { success: true, data: { paid: false } } })).toBe(false);
    expect(agrees({ says: { success: true } })).toBe(false);
    expect(agrees({ says: { success: true }, result: { envelope: { success: true } } })).toBe(true);
    expect(agrees({ says: { data: DATA } })).toBe(false);
    expect(agrees({ says: { success: 'yes', data: DATA } })).toBe(false);
    expect(agrees({ says: 'Paid.' })).toBe(false);
  });

  it('is told under the id of its call', () => {
    expect(agrees({ outcome: null })).toBe(false);
    expect(agrees({ told: { tool_use_id: 'other' } })).toBe(false);
    expect(agrees({ outcome: { tool_use_id: undefined }, told: { tool_use_id: undefined } })).toBe(true);
  });

  it('is told as a success or a failure', () => {
    expect(agrees({ told: { is_error: true } })).toBe(false);
    expect(agrees({ outcome: { state: 'failed' } })).toBe(false);
    expect(agrees({ outcome: { state: 'failed' }, told: { is_error: true } })).toBe(true);
    expect(agrees({ outcome: { state: 'failed' }, told: { is_error: 'true' } })).toBe(false);
  });

  it('is told in one text block', () => {
    const text = { type: 'text', text: JSON.stringify({ success: true, data: DATA }) };
    expect(agrees({ told: { content: [text] } })).toBe(true);
    for (const content of [[], [text, text], [{ ...text, type: 'image' }], text.text, undefined])
      expect(agrees({ told: { content } })).toBe(false);
  });

  it('that is missing, or was left out, may be told in any way', () => {
    expect(agrees({ result: null, says: 'anything' })).toBe(true);
    expect(agrees({ result: { envelope: {} }, says: 'anything' })).toBe(true);
    expect(agrees({ result: null, told: { is_error: true }, says: 'anything' })).toBe(false);
  });

  it('that is long is told with its address and its summary', () => {
    const large = { inline: false, summary: 'long' };
    const says = (data: Json) => agrees({ result: large, says: { success: true, data } });
    expect(says({ ref: 'r', summary: 'long' })).toBe(true);
    expect(says({ ref: 's', summary: 'long' })).toBe(false);
    expect(says({ ref: 'r', summary: 'other' })).toBe(false);
    expect(says(DATA)).toBe(false);
    expect(agrees({ result: { inline: false }, says: { success: true, data: { ref: 'r' } } })).toBe(true);
  });

  it('with a file is told without the file’s bytes', () => {
    const file = { filename: 'a', content_type: 'b' };
    const says = (data: Json) =>
      agrees({ result: { envelope: { success: true, data } }, says: { success: true, data: 'shown' } });
    expect([says(file), says([file]), says({ deep: [{ file }] })]).toEqual([true, true, true]);
    expect([says({ filename: 'a' }), says({ content_type: 'b' }), says({ ...file, filename: 7 }), says('a'), says([])]).toEqual([
      ...[false, false, false, false, false],
    ]);
    expect(says({ ...file, content_type: 7 })).toBe(false);
    // Of one whose form nobody has written down the data is not compared.
    expect(agrees({ result: { inline: undefined }, says: { success: true, data: 'shown' } })).toBe(true);
    expect(agrees({ result: { inline: undefined }, says: { success: false } })).toBe(false);
  });

  it('that is an error is told with its code, reason and message', () => {
    const envelope = { success: false, error: { ...ERROR, hint: 'not told' } };
    const says = (error: Json) => agrees({ result: { envelope }, says: { success: false, error } });
    expect(says(ERROR)).toBe(true);
    for (const field of ['code', 'reason', 'message']) expect(says({ ...ERROR, [field]: 'x' })).toBe(false);
    expect(agrees({ result: { envelope }, says: { success: true, data: DATA } })).toBe(false);
    expect(agrees({ says: { success: false, error: ERROR } })).toBe(false);
    expect(agrees({ result: { envelope: { success: false } }, says: { success: false } })).toBe(true);
  });
});

describe('a call without a result', () => {
  const failed = { result_ref: null, state: 'failed', error: ERROR };
  it('is told with its error', () => {
    const says = (error: Json) => agrees({ outcome: failed, told: { is_error: true }, says: { success: false, error } });
    expect([says(ERROR), says({ ...ERROR, code: 'OTHER' })]).toEqual([true, false]);
  });

  it('may be told with an earlier or later outcome of the same id', () => {
    const all = new ToolResultChecks();
    const text = JSON.stringify({ success: false, error: ERROR });
    for (const error of [{ code: 'OTHER' }, ERROR]) all.outcome({ ...failed, tool_use_id: 'use', error });
    all.part('head', { role: 'user' });
    all.part('one', { type: 'tool_result', tool_use_id: 'use', is_error: true, content: [{ type: 'text', text }] });
    all.message(['head', 'one']);
    expect(all.agrees()).toBe(true);
  });
});

describe('a note beside a result', () => {
  const hooks = (...notes: Json[]) => ({ metadata: { hooks: notes.map((note) => ({ note })) }, success: true, data: DATA });
  const says = (note: Json | undefined) => ({ success: true, data: DATA, ...(note === undefined ? {} : { note }) });

  it('is the note of the call, with the notes of hooks', () => {
    expect(agrees({ outcome: { note: 'a' }, says: says('a') })).toBe(true);
    expect(agrees({ outcome: { note: 'a' }, says: says(undefined) })).toBe(false);
    expect(agrees({ says: says('a') })).toBe(false);
    expect(agrees({ result: { envelope: hooks('b', 'c') }, says: says('b c') })).toBe(true);
    expect(agrees({ outcome: { note: 'a' }, result: { envelope: hooks('b', 7) }, says: says('a b') })).toBe(true);
    expect(agrees({ result: { envelope: { ...hooks(), metadata: { hooks: [{}, 'x'] } } }, says: says(undefined) })).toBe(true);
    expect(agrees({ outcome: { note: 7 }, says: says(undefined) })).toBe(true);
  });

  it('is told beside an error too', () => {
    const failed = { result_ref: null, state: 'failed', error: ERROR, note: 'a' };
    const told = (note: Json) =>
      agrees({ outcome: failed, told: { is_error: true }, says: { success: false, error: ERROR, note } });
    expect([told('a'), told('b')]).toEqual([true, false]);
  });
});

describe('the check of what the model was told', () => {
  it('looks at tool results in messages of the user', () => {
    const wrong = { says: 'anything' };
    expect(agrees(wrong)).toBe(false);
    expect(agrees({ ...wrong, role: 'assistant' })).toBe(true);
    expect(agrees({ ...wrong, told: { type: 'text' } })).toBe(true);
    const all = new ToolResultChecks();
    all.message([]);
    all.message(['nowhere', 'one']);
    all.part('head', { role: 'user' });
    all.message(['head', 'nowhere']);
    expect(all.agrees()).toBe(true);
  });

  it('looks at each message', () => {
    const all = new ToolResultChecks();
    all.part('head', { role: 'user' });
    const text = (success: boolean) => [{ type: 'text', text: JSON.stringify({ success, error: null }) }];
    all.outcome({ tool_use_id: 'a', state: 'failed', result_ref: null, error: null });
    for (const [ref, use] of [
      ['one', 'a'],
      ['two', 'b'],
    ] as const)
      // oxfmt-ignore
      all.part(ref, { type: 'tool_result', tool_use_id: use, is_error: true, content: text(false) });
    all.message(['head', 'one']);
    expect(all.agrees()).toBe(true);
    all.message(['head', 'one', 'two']);
    expect(all.agrees()).toBe(false);
  });
});
