import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { canonical } from '../../../src/shared/json/canonical';
import {
  callDigest,
  hashJson,
  idempotencyKey,
  inputDigest,
  type CallFields,
  type CallTurn,
  type EffectIdentity,
} from '../../../src/shared/json/digests';
import { anyJson, shuffled } from './any-json';

const turn: CallTurn = {
  turn_id: 'inv-7',
  workflow_id: 'turn/inv-7',
  first_execution_run_id: 'run-1',
  agent: 'payables',
  requester: 'ana',
};
const call: CallFields = {
  id: '2.1',
  revision: 1,
  tool: 'pay_invoice',
  version: '1.0.0',
  class: 'destructive',
  input_hash: 'a'.repeat(64),
  preview_ref: 'b'.repeat(64),
  policy_ref: 'c'.repeat(64),
};
const bound = {
  turn: { ...turn, store_id: '0'.repeat(32) },
  call: { ...call, definition_ref: 'd'.repeat(64), target_hash: 'e'.repeat(64) },
};
const effect: EffectIdentity = {
  workflow_id: 'turn/inv-7',
  first_execution_run_id: 'run-1',
  call_id: '2.1',
  digest: 'd'.repeat(64),
};

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

test('the digests are the hashes of exactly the texts that the contract gives', () => {
  expect(inputDigest({ tool: 't', version: '1.0.0', input: { b: 1, a: 'é' } })).toBe(
    sha256('{"input":{"a":"é","b":1},"tool":"t","v":"holdfast.input/1","version":"1.0.0"}'),
  );
  const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
  expect(callDigest(turn, call)).toBe(
    sha256(
      `{"call_id":"2.1","class":"destructive","input_hash":"${a}","policy_ref":"${c}","preview_ref":"${b}","requester":"ana","revision":1,` +
        '"tool":"pay_invoice","turn_id":"inv-7","v":"holdfast.call/1","version":"1.0.0"}',
    ),
  );
  expect(callDigest(bound.turn, bound.call)).toBe(
    sha256(
      `{"agent":"payables","call_id":"2.1","class":"destructive","definition_ref":"${'d'.repeat(64)}","first_execution_run_id":"run-1",` +
        `"input_hash":"${a}","policy_ref":"${c}","preview_ref":"${b}","requester":"ana","revision":1,"store_id":"${'0'.repeat(32)}",` +
        `"target_hash":"${'e'.repeat(64)}","tool":"pay_invoice","turn_id":"inv-7","v":"holdfast.call/2","version":"1.0.0","workflow_id":"turn/inv-7"}`,
    ),
  );
  const text = `{"call_id":"2.1","digest":"${'d'.repeat(64)}","first_execution_run_id":"run-1","v":"holdfast.idem/1","workflow_id":"turn/inv-7"}`;
  expect(idempotencyKey(effect)).toBe(`hf_${sha256(text).slice(0, 40)}`);
});

test('a call without a preview, or without a target, has a digest of its own', () => {
  const digest = (more: Partial<CallFields>) => callDigest(bound.turn, { ...bound.call, ...more });
  expect(digest({ preview_ref: null })).not.toBe(digest({ preview_ref: 'null' }));
  expect(digest({ target_hash: null })).not.toBe(digest({ target_hash: 'null' }));
});

test('changing any one field of a call or its turn changes its digest', () => {
  const fields = [
    ...Object.keys(bound.turn).map((name) => ['turn', name] as const),
    ...Object.keys(bound.call).map((name) => ['call', name] as const),
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...fields),
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 1 }),
      ([of, name], text, number) => {
        const value = name === 'revision' ? number : text;
        fc.pre(value !== (bound[of] as unknown as Record<string, unknown>)[name]);
        const other = { ...bound, [of]: { ...bound[of], [name]: value } };
        expect(callDigest(other.turn, other.call)).not.toBe(callDigest(bound.turn, bound.call));
      },
    ),
  );
});

test('a call that is to be bound to a store gets no digest without a definition or a target', () => {
  const { definition_ref: _, ...undefined_ } = bound.call;
  const { target_hash: __, ...aimless } = bound.call;
  for (const lacking of [undefined_, aimless]) expect(() => callDigest(bound.turn, lacking)).toThrow('version 2');
});

test('changing any one field of an effect changes its idempotency key', () => {
  for (const name of Object.keys(effect) as (keyof EffectIdentity)[]) {
    expect(idempotencyKey({ ...effect, [name]: `${effect[name]}x` })).not.toBe(idempotencyKey(effect));
  }
});

test('an unknown field cannot get into a digest', () => {
  const more = { ...bound.call, tool_use_id: 'toolu_1' } as CallFields;
  expect(callDigest({ ...bound.turn, session_id: 's' } as CallTurn, more)).toBe(callDigest(bound.turn, bound.call));
});

test('two hashes are equal exactly when the canonical texts are', () => {
  fc.assert(fc.property(anyJson, anyJson, (a, b) => (hashJson(a) === hashJson(b)) === (canonical(a) === canonical(b))));
  fc.assert(fc.property(anyJson, fc.nat(), (a, seed) => hashJson(a) === hashJson(shuffled(a, seed))));
});
