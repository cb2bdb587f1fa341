/** Inputs that somebody requested, and the digests of calls that steps admit. */
import { digestFault, type Step } from '../../../../src/audit/verify/admitted-digest';
import { contains, jsonOf } from '../../../../src/audit/verify/wanted-input';
import type { Json } from '../../../../src/shared/json/json';
import { callOf, TURN_CONTEXT } from '../../../support/audit/hand-events';

describe('what a caller wrote', () => {
  it('is its JSON; nothing is an empty object', () => {
    expect(jsonOf('{"a":1}')).toEqual({ a: 1 });
    expect(jsonOf('')).toEqual({});
    expect(jsonOf(' \n')).toEqual({});
  });

  it.each([undefined, null, 7, '{', '{"a":1,"a":2}', '9007199254740993'])('%j does not have exactly one meaning', (asked) =>
    expect(jsonOf(asked)).toBeUndefined(),
  );
});

test.each<[string, Json | undefined, Json]>([
  ['the same', { a: 1 }, { a: 1 }],
  ['a field more', { a: 1, b: 2 }, { a: 1 }],
  ['a field more, at any depth', { a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }],
  ['a list of the same', [1, 2], [1, 2]],
  ['nothing wanted', { a: 1 }, {}],
  ['null', null, null],
])('%s fits the requested input', (_what, value, wanted) => expect(contains(value, wanted)).toBe(true));

test.each<[string, Json | undefined, Json]>([
  ['another value', { a: 1 }, { a: 2 }],
  ['a field less', { a: 1 }, { a: 1, b: 2 }],
  ['an item more', [1, 2], [1]],
  ['an item less', [1], [1, 2]],
  ['another order', [2, 1], [1, 2]],
  ['another item', [1, 3], [1, 2]],
  ['an object for a list', { 0: 1, length: 1 }, [1]],
  ['a list for an object', [], {}],
  ['text for a list', 'a', ['a']],
  ['nothing', undefined, {}],
  ['nothing for null', undefined, null],
  ['an object for a value', {}, 7],
])('%s does not fit the requested input', (_what, value, wanted) => expect(contains(value, wanted)).toBe(false));

describe('a call that needs no further admission', () => {
  const step: Step = { turn: TURN_CONTEXT, addedFields: {}, policy_ref: null };
  const ready = { verdict: 'allow', needs_admit: false };
  const [missing, wrong] = [
    'is said to need no further admission, and has no digest; or has one, and is said to need it',
    'has a digest that is not its own',
  ];
  const own = callOf(ready);

  it('has its own digest', () => {
    expect(digestFault(own, step)).toBeNull();
    expect(digestFault({ ...own, tool: 'send' }, step)).toBe(wrong);
    expect(digestFault({ ...own, digest: 7 }, step)).toBe(wrong);
    expect(digestFault({ ...own, digest: null }, step)).toBe(missing);
  });

  it('has a digest; a call that still needs admission has none', () => {
    expect(digestFault({ ...own, needs_admit: true }, step)).toBe(missing);
    expect(digestFault({ ...own, verdict: 'rejected' }, step)).toBe(missing);
    expect(digestFault({ ...own, needs_admit: true, digest: null }, step)).toBeNull();
    expect(digestFault({ ...own, verdict: 'rejected', digest: null }, step)).toBeNull();
  });

  it('of an older build, which does not record that, has its own digest or none', () => {
    const { digest, needs_admit: _, ...older } = own;
    expect(digestFault(older, step)).toBeNull();
    expect(digestFault({ ...older, digest: null }, step)).toBeNull();
    expect(digestFault({ ...older, digest }, step)).toBeNull();
    expect(digestFault({ ...older, digest, tool: 'send' }, step)).toBe(wrong);
  });

  it('has the digest of its first revision, without a preview, under the rules of its step', () => {
    expect(digestFault({ ...own, revision: 2, preview_ref: 'p' }, step)).toBeNull();
    const { policy_ref: _, ...older } = callOf({ ...ready, policy_ref: 'p' });
    expect(digestFault(older, { ...step, policy_ref: 'p' })).toBeNull();
    expect(digestFault(older, { ...step, policy_ref: 'q' })).toBe(wrong);
  });

  it('has the digest of a turn as its result binds it', () => {
    const addedFields = { store_id: 's'.repeat(32), definition_ref: undefined, agent: 'other' };
    const about = { ...ready, definition_ref: 'd', target_hash: null };
    const call = callOf(about, { ...TURN_CONTEXT, store_id: addedFields.store_id, agent: 'other' });
    expect(digestFault(call, { ...step, addedFields })).toBeNull();
    expect(digestFault(call, step)).toBe(wrong);
  });

  it('is not judged if nothing is known of its turn', () => {
    expect(digestFault({ ...own, tool: 'send' }, { ...step, turn: {} })).toBeNull();
  });
});
