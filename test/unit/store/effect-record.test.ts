/** The bytes of an effect record: the written form is read, and no other form. */
import { newRecord, type NewClaim } from '../../../src/record/effect';
import { canonical } from '../../../src/shared/json/canonical';
import type { Json } from '../../../src/shared/json/json';
import { decodeRecord, encodeRecord } from '../../../src/store/core/effects';
import { sha256Hex } from '../../../src/shared/json/sha256';
import { aClaim } from '../../support/store/store-dir';

const AT = '2026-01-01T00:00:00.000Z';
const HASH = 'f'.repeat(64);
const whole = () => newRecord(aClaim({ act: HASH, deadline: AT }), 'claimed', AT);

/** A file with these contents and the right checksum. */
function file(record: Json): Buffer {
  return Buffer.from(canonical({ record, sha256: sha256Hex(canonical(record)) }));
}

function damaged(why: string) {
  const message = `Effect record F is damaged: ${why}. Restore it from a backup; until then its call stays in doubt`;
  return expect.objectContaining({ code: 'damaged', message }) as object;
}

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return 'nothing was thrown';
}

it('is written as canonical JSON with its checksum, and read back', () => {
  expect(decodeRecord(encodeRecord(whole()), 'F')).toEqual(whole());
  expect(encodeRecord(whole())).toEqual(file({ ...whole() }));
});

it('may lack fields that older records lack, and have fields of later versions', () => {
  const { act, deadline, ...older } = whole();
  const some: Json[] = [
    older,
    { ...older, act },
    { ...older, deadline },
    { ...older, deadline: null, result_ref: HASH, result_head: HASH },
  ] as never;
  for (const record of some) expect(decodeRecord(file(record), 'F')).toEqual(record);
});

it.each(['claimed', 'applied', 'not_applied', 'refused', 'in_doubt'])('may be %s', (state) => {
  expect(decodeRecord(file({ ...whole(), state }), 'F')).toMatchObject({ state });
});

it.each<[string, () => string, string]>([
  ['a list', () => '[]', 'it holds no record'],
  ['a text', () => '"record"', 'it holds no record'],
  ['nothing', () => '{}', 'it holds no record'],
  ['no checksum', () => canonical({ record: { ...whole() } }), 'its checksum is wrong'],
  ['another checksum', () => canonical({ record: { ...whole() }, sha256: HASH }), 'its checksum is wrong'],
])('with %s is damaged', (_what, text, why) => {
  expect(thrown(() => decodeRecord(Buffer.from(text()), 'F'))).toEqual(damaged(why));
});

it('that is not JSON is damaged, and the error says where', () => {
  const error = thrown(() => decodeRecord(Buffer.from('{"record":'), 'F'));
  expect(error).toMatchObject({
    code: 'damaged',
    message: expect.stringMatching(/^Effect record F is damaged: (?!it holds no record).+\. Restore it/),
  });
});

const TEXTS = ['turn_id', 'tool', 'run_id', 'claimed_at', 'updated_at'];
const FAULTS: [string, Json, string][] = [
  ['v', 'holdfast.effect/2', 'v is not "holdfast.effect/1"'],
  ['idempotency_key', 'hf_1', 'idempotency_key is not hf_ and 40 lower-case hex characters'],
  ['idempotency_key', 7, 'idempotency_key is not hf_ and 40 lower-case hex characters'],
  ['idempotency_key', [aClaim().idempotency_key], 'idempotency_key is not hf_ and 40 lower-case hex characters'],
  ['idempotency_key', `x${aClaim().idempotency_key}`, 'idempotency_key is not hf_ and 40 lower-case hex characters'],
  ['idempotency_key', `${aClaim().idempotency_key}1`, 'idempotency_key is not hf_ and 40 lower-case hex characters'],
  ['digest', 'x', 'digest is not 64 lower-case hex characters'],
  ['head', null, 'head is not 64 lower-case hex characters'],
  ['act', 'x', 'act is not 64 lower-case hex characters'],
  ['act', null, 'act is not 64 lower-case hex characters'],
  ...TEXTS.flatMap((field): [string, Json, string][] => [
    [field, '', `${field} is not a text`],
    [field, 7, `${field} is not a text`],
  ]),
  ['deadline', 'soon', 'deadline is no time'],
  ['deadline', 1767225600000, 'deadline is no time'],
  ['deadline', [AT], 'deadline is no time'],
  ...['dispatch', 'attempt'].flatMap((field): [string, Json, string][] => [
    [field, 0, `${field} is not an integer from 1`],
    [field, 1.5, `${field} is not an integer from 1`],
    [field, '1', `${field} is not an integer from 1`],
  ]),
  ['result_ref', 'x', 'result_ref is neither null nor a hash'],
  ['result_head', 'x', 'result_head is neither null nor a hash'],
  ['state', 'done', 'state is unknown'],
  ['state', 'toString', 'state is unknown'],
];

it.each(FAULTS)('whose %s is %j is damaged: %s', (field, value, why) => {
  expect(thrown(() => decodeRecord(file({ ...whole(), [field]: value }), 'F'))).toEqual(damaged(why));
});

it('that is not an object is damaged', () => {
  expect(thrown(() => decodeRecord(file('text'), 'F'))).toEqual(damaged('v is not "holdfast.effect/1"'));
});

it.each<[Partial<NewClaim>, string]>([
  [{ dispatch: 0 }, 'Bad claim: dispatch is not an integer from 1'],
  [{ digest: 'x' }, 'Bad claim: digest is not 64 lower-case hex characters'],
  [{ deadline: 'soon' }, 'Bad claim: deadline is no time'],
])('cannot be made of the claim %j', (change, message) => {
  const error = thrown(() => newRecord(aClaim(change), 'claimed', AT));
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message });
});
