/** Rule S3, of each kind of line: exactly its fields, each of its type (docs/bundle-format.md, *Lines*). */
import type { LineKind } from '../../../../src/audit/format/lines';
import { hasShape } from '../../../../src/audit/verify/shapes';
import type { Json, JsonObject } from '../../../../src/shared/json/json';

const V1 = 'holdfast.bundle/1';
const V2 = 'holdfast.bundle/2';
const V3 = 'holdfast.bundle/3';
const HASH = 'a1'.repeat(32);

/** Values of every type; the ones that a field accepts are listed below. */
const PROBES = {
  null: null,
  flag: true,
  whole: 3,
  zero: 0,
  negative: -1,
  fraction: 1.5,
  huge: 2 ** 53,
  text: 'text',
  empty: '',
  hash: HASH,
  shortHash: HASH.slice(1),
  longHash: `${HASH}a`,
  upperHash: HASH.toUpperCase(),
  object: {},
  list: [],
  listOfHashes: [HASH],
  listOfTexts: ['text'],
} satisfies Record<string, Json>;
type Probe = keyof typeof PROBES;

const TEXT: Probe[] = ['text', 'empty', 'hash', 'shortHash', 'longHash', 'upperHash'];
const TAKES: Record<string, Probe[]> = {
  text: TEXT,
  'text|null': [...TEXT, 'null'],
  hash: ['hash'],
  'hash|null': ['hash', 'null'],
  flag: ['flag'],
  whole: ['whole', 'zero'],
  object: ['object'],
  hashes: ['list', 'listOfHashes'],
  any: Object.keys(PROBES) as Probe[],
  only: [], // one of a few texts, tried by themselves
  'only|null': ['null'],
};

interface Field {
  value: Json;
  takes: keyof typeof TAKES;
}
/** An object by its fields, each right; `inner`: the objects in it that have fields of their own. */
type Fields = Record<string, Field & { inner?: Fields }>;

const text = (value = 'text'): Field => ({ value, takes: 'text' });
const hash: Field = { value: HASH, takes: 'hash' };
const whole: Field = { value: 3, takes: 'whole' };
const flag: Field = { value: true, takes: 'flag' };
const only = (value: string): Field => ({ value, takes: 'only' });
const inner = (fields: Fields, takes: 'only' | 'only|null' = 'only') => ({ value: valueOf(fields), takes, inner: fields });

function valueOf(fields: Fields): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([key, { value }]) => [key, value]));
}

const SUBJECT = { kind: only('turn'), id: text() };
const BUNDLE: Fields = {
  subject: inner(SUBJECT),
  ...{ namespace: text(), agent: text(), made_at: text(), made_by: { value: {}, takes: 'object' } },
};
const CHAINED: Fields = { ...BUNDLE, tenant: { value: null, takes: 'text|null' }, chained: flag };
const OF: Fields = { root: hash, kid: text(), signature: text() };
const redaction = (of: Fields) => inner({ of: inner(of), parts: whole, payloads: whole, reason: text() }, 'only|null');
const PREVIOUS: Fields = { root: hash, subject: text() };
const END: Fields = {
  ...{ root: hash, lines: whole, complete: flag, kid: text(), public: text(), signature: text() },
  previous: inner(PREVIOUS, 'only|null'),
  redaction: redaction(OF),
};
const JUDGED: Fields = { ...END, contradiction: inner({ line: whole, rule: text() }, 'only|null') };
const OF_NOW: Fields = {
  ...OF,
  public: text(),
  redaction: redaction({ ...OF, public: text(), redaction: { value: null, takes: 'only|null' } }),
};
const event: Field = { value: {}, takes: 'object' };

const SHAPES: [kind: LineKind, version: string, fields: Fields][] = [
  ['bundle', V1, { v: text(V1), ...BUNDLE }],
  ['bundle', V2, { v: text(V2), ...CHAINED }],
  ['bundle', V3, { v: text(V3), ...CHAINED }],
  ['object', V3, { ref: hash, value: { value: 7, takes: 'any' } }],
  [
    'turn',
    V3,
    {
      ...{ turn_id: text(), workflow_id: text(), first_execution_run_id: { value: 'r', takes: 'text|null' } },
      parent: inner({ turn_id: text(), call_id: text() }, 'only|null'),
    },
  ],
  ['run', V3, { run_id: text(), began: only('start') }],
  ['event', V3, { event }],
  ['session', V3, { run_id: text(), event }],
  ['part', V3, { ref: hash, part: inner({ v: only('holdfast.part/1'), salt: text(), body: { value: {}, takes: 'any' } }, 'only|null') }],
  [
    'block',
    V3,
    {
      ref: hash,
      block: inner({
        ...{ v: only('holdfast.block/1'), parent: { value: null, takes: 'hash|null' }, kind: text(), at: text() },
        parts: { value: [HASH], takes: 'hashes' },
      }),
    },
  ],
  ['effect', V3, { record: event }],
  ['turn_end', V3, { turn_id: text(), head: { value: HASH, takes: 'hash|null' }, complete: flag, why: { value: null, takes: 'text|null' } }],
  ['end', V1, END],
  ['end', V2, JUDGED],
  ['end', V3, { ...JUDGED, redaction: redaction(OF_NOW) }],
]; // oxfmt-ignore

/** Every object in it that has its own fields, and the whole with another object in that place. */
function* objectsIn(fields: Fields, whole: (value: Json) => Json): Generator<{ fields: Fields; whole: (value: Json) => Json }> {
  yield { fields, whole };
  const value = valueOf(fields);
  for (const [key, field] of Object.entries(fields))
    if (field.inner) yield* objectsIn(field.inner, (other) => whole({ ...value, [key]: other }));
}

describe.each(SHAPES)('a line of kind %s (%s)', (kind, version, shape) => {
  const fits = (body: Json) => hasShape(kind, body as JsonObject, version);

  it('has its fields', () => expect(fits(valueOf(shape))).toBe(true));

  it('has none of another type, lacks none, and has no more', () => {
    for (const { fields, whole } of objectsIn(shape, (value) => value)) {
      const value = valueOf(fields);
      expect([fits(whole({ ...value, more: 1 })), 'one more']).toEqual([false, 'one more']);
      for (const [key, { takes }] of Object.entries(fields)) {
        const { [key]: _, ...without } = value;
        expect([key, fits(whole(without)), fits(whole({ ...without, other: 1 }))]).toEqual([key, false, false]);
        const taken = Object.entries(PROBES).filter(([, probe]) => fits(whole({ ...value, [key]: probe })));
        expect([key, taken.map(([name]) => name).sort()]).toEqual([key, [...TAKES[takes]!].sort()]);
      }
    }
  });
});

it.each([
  [
    'bundle',
    'subject',
    (kind: string) => ({ v: V3, ...valueOf(CHAINED), subject: { kind, id: 't' } }),
    ['turn', 'call', 'session'],
  ],
  ['run', 'began', (began: string) => ({ run_id: 'r', began }), ['start', 'continued', 'reset']],
] as const)('a line of kind %s has one of a few words in %s', (kind, _field, body, words) => {
  for (const word of words) expect(hasShape(kind, body(word), V3)).toBe(true);
  expect(hasShape(kind, body('other'), V3)).toBe(false);
});

it('lines of a session exist only from version 3 on, and the first line has a known version', () => {
  const session = { run_id: 'r', event: {} };
  expect([V1, V2, V3].map((version) => hasShape('session', session, version))).toEqual([false, false, true]);
  const other = (v: Json | undefined) => hasShape('bundle', { ...valueOf(CHAINED), v } as JsonObject, v);
  for (const v of ['holdfast.bundle/4', 'toString', '', 3, null, undefined, [V3]]) expect(other(v)).toBe(false);
});
