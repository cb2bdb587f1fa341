import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { canonical } from '../../src/shared/canonical';
import {
  callDigest,
  hashJson,
  idempotencyKey,
  inputDigest,
  type CallIdentity,
  type EffectIdentity,
} from '../../src/shared/digests';
import { anyJson, shuffled } from './any-json';

const call: CallIdentity = {
  turn_id: 'inv-7',
  call_id: '2.1',
  revision: 1,
  tool: 'pay_invoice',
  version: '1.0.0',
  class: 'destructive',
  input_hash: 'a'.repeat(64),
  preview_ref: 'b'.repeat(64),
  policy_ref: 'c'.repeat(64),
  requester: 'ana',
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
  expect(callDigest(call)).toBe(
    sha256(
      `{"call_id":"2.1","class":"destructive","input_hash":"${a}","policy_ref":"${c}","preview_ref":"${b}","requester":"ana","revision":1,` +
        '"tool":"pay_invoice","turn_id":"inv-7","v":"holdfast.call/1","version":"1.0.0"}',
    ),
  );
  const text = `{"call_id":"2.1","digest":"${'d'.repeat(64)}","first_execution_run_id":"run-1","v":"holdfast.idem/1","workflow_id":"turn/inv-7"}`;
  expect(idempotencyKey(effect)).toBe(`hf_${sha256(text).slice(0, 40)}`);
});

test('a call without a preview has a digest of its own', () => {
  expect(callDigest({ ...call, preview_ref: null })).not.toBe(callDigest({ ...call, preview_ref: 'null' }));
});

test('changing any one field of a call changes its digest', () => {
  const field = fc.constantFrom(...(Object.keys(call) as (keyof CallIdentity)[]));
  fc.assert(
    fc.property(field, fc.string({ unit: 'grapheme' }), fc.integer({ min: 1 }), (name, text, number) => {
      const value = name === 'revision' ? number : text;
      fc.pre(value !== call[name]);
      expect(callDigest({ ...call, [name]: value } as CallIdentity)).not.toBe(callDigest(call));
    }),
  );
});

test('changing any one field of an effect changes its idempotency key', () => {
  for (const name of Object.keys(effect) as (keyof EffectIdentity)[]) {
    expect(idempotencyKey({ ...effect, [name]: `${effect[name]}x` })).not.toBe(idempotencyKey(effect));
  }
});

test('a field that does not belong there cannot slip into a digest', () => {
  expect(callDigest({ ...call, tool_use_id: 'toolu_1' } as CallIdentity)).toBe(callDigest(call));
});

test('two hashes are equal exactly when the canonical texts are', () => {
  fc.assert(fc.property(anyJson, anyJson, (a, b) => (hashJson(a) === hashJson(b)) === (canonical(a) === canonical(b))));
  fc.assert(fc.property(anyJson, fc.nat(), (a, seed) => hashJson(a) === hashJson(shuffled(a, seed))));
});
