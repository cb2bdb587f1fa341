/** The claims of a decision or a start: exactly these fields, each in its form. */
import { decisionClaims, hasShape, principalName, roleList, startClaims } from '../../../src/attestation/claims';
import type { Json, JsonObject } from '../../../src/shared/json/json';

const HASH = 'a'.repeat(64);
const STORE = 'b'.repeat(32);
const aud = { namespace: 'default', workflow_id: 'turn/t1', first_execution_run_id: 'run-1' };
const issued = { iat: 1_767_225_600, exp: 1_767_225_660, nonce: 'n'.repeat(22), kid: 'c'.repeat(16) };
const decision = {
  v: 'holdfast.decision/3',
  aud,
  digest: HASH,
  decision: 'approve',
  note_hash: null,
  principal: 'ana',
  roles: ['treasurer'],
  head: null,
  ...issued,
};
const start = {
  v: 'holdfast.start/1',
  aud: { namespace: 'default', workflow_id: 'turn/t1' },
  requester: 'rita',
  agent: 'payables',
  message_hash: HASH,
  ...issued,
};

/** With a field changed; undefined: without it. */
function changed(claims: object, field: string, value: Json | undefined): Json {
  const { [field]: _, ...rest } = claims as JsonObject;
  return value === undefined ? rest : { ...rest, [field]: value };
}

const ISSUED: [string, (Json | undefined)[], (Json | undefined)[]][] = [
  ['iat', [0, 1], [undefined, -1, 1.5, '1', null, 2 ** 53]],
  ['exp', [0, 1], [undefined, -1, 1.5, '1', null, 2 ** 53]],
  [
    'nonce',
    ['n'.repeat(16), 'N-_9'.repeat(16)],
    [undefined, 'n'.repeat(15), 'n'.repeat(65), `${'n'.repeat(16)}.`, `.${'n'.repeat(16)}`, ['n'.repeat(16)], 7],
  ],
  ['kid', ['0123456789abcdef'], [undefined, 'c'.repeat(15), 'c'.repeat(17), 'C'.repeat(16), ['c'.repeat(16)], 7]],
];
const HASHES: (Json | undefined)[] = ['a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), '', [HASH], 7];
const names = (longest: number) => ({
  good: ['x', ' x', 'x'.repeat(longest)],
  bad: [undefined, '', ' ', '\t\n', 'x'.repeat(longest + 1), ['x'], 7, null] as (Json | undefined)[],
});

describe('the claims of a decision', () => {
  const roles16 = Array.from({ length: 16 }, (_, n) => `r${n}`);
  const FIELDS: [string, (Json | undefined)[], (Json | undefined)[]][] = [
    ['v', [], [undefined, '', 'holdfast.decision/4', 'holdfast.start/1', ['holdfast.decision/3']]],
    ['digest', ['0123456789abcdef'.repeat(4)], [undefined, null, ...HASHES]],
    ['decision', ['deny', 'steer'], [undefined, '', 'settle', 'edit', 'expired', null]],
    ['note_hash', [HASH], [undefined, ...HASHES]],
    ['head', [HASH], [undefined, ...HASHES]],
    ['principal', names(200).good, names(200).bad],
    [
      'roles',
      [[], roles16, ['aZ0._:-'], ['r'.repeat(64)]],
      [
        undefined,
        null,
        'treasurer',
        [...roles16, 'r16'],
        ['a', 'a'],
        [''],
        ['a b'],
        ['r'.repeat(65)],
        [7],
        [['a']],
        { length: 0 },
      ],
    ],
    ['aud', [{ ...aud, store_id: STORE }], [undefined, null, [], {}, 'x', { ...aud, more: 1 }]],
    ['outcome', [], ['applied', 'not_applied', 'refused', null]],
    ['input_hash', [], [HASH, null]],
    ['more', [], [1, null]],
    ['__proto__x', [], [1]],
    ...ISSUED,
  ];

  it('may have all the fields', () => {
    expect(decisionClaims(decision)).toBe(decision);
  });

  it.each(FIELDS.flatMap(([field, good]) => good.map((value) => [field, value] as const)))(
    'may have the %s %j',
    (field, value) => {
      expect(decisionClaims(changed(decision, field, value))).not.toBeNull();
    },
  );

  it.each(FIELDS.flatMap(([field, , bad]) => bad.map((value) => [field, value] as const)))(
    'may not have the %s %j',
    (field, value) => {
      expect(decisionClaims(changed(decision, field, value))).toBeNull();
    },
  );

  const AUD: [string, number][] = [
    ['namespace', 255],
    ['workflow_id', 255],
    ['first_execution_run_id', 100],
  ];
  it.each(AUD)('have a %s of 1 to %i characters', (field, longest) => {
    const { good, bad } = names(longest);
    for (const value of good) expect(decisionClaims({ ...decision, aud: changed(aud, field, value) })).not.toBeNull();
    for (const value of bad) expect(decisionClaims({ ...decision, aud: changed(aud, field, value) })).toBeNull();
  });

  it('have a store id of 32 hex characters', () => {
    const over = (store_id: Json) => decisionClaims({ ...decision, aud: { ...aud, store_id } });
    expect(over('0123456789abcdef'.repeat(2))).not.toBeNull();
    for (const bad of ['b'.repeat(31), 'b'.repeat(33), `x${STORE}`, 'B'.repeat(32), '', null, [STORE]])
      expect(over(bad)).toBeNull();
  });

  it('have an outcome for a settlement, an input for an edit, and neither otherwise', () => {
    for (const outcome of ['applied', 'not_applied'])
      expect(decisionClaims({ ...decision, decision: 'settle', outcome })).not.toBeNull();
    expect(decisionClaims({ ...decision, decision: 'settle', outcome: 'refused' })).toBeNull();
    expect(decisionClaims({ ...decision, decision: 'settle', outcome: 'applied', input_hash: HASH })).toBeNull();
    expect(decisionClaims({ ...decision, decision: 'edit', input_hash: HASH })).not.toBeNull();
    for (const bad of HASHES) expect(decisionClaims({ ...decision, decision: 'edit', input_hash: bad! })).toBeNull();
  });

  it('have no store and no note in version 1, and a store and no note in version 2', () => {
    const { note_hash, ...older } = decision;
    const [one, two] = [
      { ...older, v: 'holdfast.decision/1' },
      { ...older, v: 'holdfast.decision/2' },
    ];
    const stored = { aud: { ...aud, store_id: STORE } };
    expect(decisionClaims(one)).not.toBeNull();
    expect(decisionClaims({ ...one, ...stored })).toBeNull();
    expect(decisionClaims({ ...two, ...stored })).not.toBeNull();
    expect(decisionClaims(two)).toBeNull();
    for (const claims of [one, { ...two, ...stored }])
      for (const note of [note_hash, HASH]) expect(decisionClaims({ ...claims, note_hash: note })).toBeNull();
  });

  it.each([null, [], 'x', 7, true])('cannot be %j', (value) => {
    expect(decisionClaims(value)).toBeNull();
    expect(startClaims(value)).toBeNull();
  });
});

describe('the claims of a start', () => {
  const FIELDS: [string, (Json | undefined)[], (Json | undefined)[]][] = [
    ['v', [], [undefined, 'holdfast.start/2', 'holdfast.decision/3']],
    ['requester', names(200).good, names(200).bad],
    ['agent', ['', 'x'.repeat(255)], [undefined, null, 7, ['x'], 'x'.repeat(256)]],
    ['message_hash', ['b'.repeat(64)], [undefined, null, ...HASHES]],
    ['aud', [], [undefined, null, {}, aud, 'x']],
    ['roles', [], [[]]],
    ...ISSUED,
  ];

  it('may have all the fields', () => {
    expect(startClaims(start)).toBe(start);
    expect(decisionClaims(start)).toBeNull();
  });

  it.each(FIELDS.flatMap(([field, good]) => good.map((value) => [field, value] as const)))(
    'may have the %s %j',
    (field, value) => {
      expect(startClaims(changed(start, field, value))).not.toBeNull();
    },
  );

  it.each(FIELDS.flatMap(([field, , bad]) => bad.map((value) => [field, value] as const)))(
    'may not have the %s %j',
    (field, value) => {
      expect(startClaims(changed(start, field, value))).toBeNull();
    },
  );

  it.each(['namespace', 'workflow_id'])('have a %s of 1 to 255 characters', (field) => {
    const { good, bad } = names(255);
    for (const value of good) expect(startClaims({ ...start, aud: changed(start.aud, field, value) })).not.toBeNull();
    for (const value of bad) expect(startClaims({ ...start, aud: changed(start.aud, field, value) })).toBeNull();
  });
});

it('an inherited field does not count', () => {
  const shape = { a: (value: Json | undefined) => value === 1, toString: (value: Json | undefined) => value === undefined };
  expect(hasShape({ a: 1 }, shape)).toBe(true);
  expect(hasShape({ a: 1, valueOf: 1 }, shape)).toBe(false);
});

it('names and lists of roles are checked in files of keys too', () => {
  expect([principalName('ana'), principalName('  '), principalName(undefined)]).toEqual([true, false, false]);
  expect([roleList([]), roleList(['a']), roleList(['a', 'a']), roleList(undefined)]).toEqual([true, true, false, false]);
});
