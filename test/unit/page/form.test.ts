import fc from 'fast-check';
import { draftOf, emptyDraft, valueOf, type Draft } from '../../../packages/page/src/lib/form-value';
import { fieldOf, type Field } from '../../../packages/page/src/lib/schema-fields';
import { isJsonObject, type Json } from '../../../src/shared/json/json';

const schema = {
  type: 'object',
  properties: {
    payee: { type: 'string', description: 'Who gets it.' },
    cents: { type: 'integer', minimum: 1, maximum: 500 },
    currency: { enum: ['EUR', 'USD'] },
    urgent: { type: 'boolean' },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['payee', 'cents'],
  $defs: { line: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
};
const field = fieldOf(schema);

function group(draft: Draft): Record<string, Draft> {
  if (draft.is !== 'group') throw new Error('The draft is no group.');
  return draft.drafts;
}

it('makes a field of each property', () => {
  expect(field.is === 'group' && field.fields.map(({ name, is, required, nullable }) => [name, is, required, nullable])).toEqual([
    ['payee', 'text', true, false],
    ['cents', 'number', true, false],
    ['currency', 'choice', false, false],
    ['urgent', 'flag', false, false],
    ['lines', 'list', false, false],
    ['note', 'text', false, true],
  ]);
});

it('gives back unchanged whatever stands in the form unchanged, whatever the schema says', () => {
  const value = fc.jsonValue({ noUnicodeString: false }).map((one) => JSON.parse(JSON.stringify(one)) as Json);
  const typed = fc.record(
    {
      payee: fc.oneof(fc.string(), value),
      cents: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.constant('12')),
      currency: fc.constantFrom('EUR', 'USD', 'XXX'),
      urgent: fc.oneof(fc.boolean(), value),
      lines: fc.oneof(fc.array(fc.record({ text: fc.string() })), value),
      note: fc.oneof(fc.string(), fc.constant(null)),
      more: value,
    },
    { requiredKeys: ['payee', 'cents'] },
  );
  const exact = (one: Json): boolean =>
    JSON.stringify(one, numbersOnly) === JSON.stringify(one) && !/e[+-]/.test(JSON.stringify(one));
  fc.assert(
    fc.property(typed, (input) => {
      const json = JSON.parse(JSON.stringify(input)) as Json;
      fc.pre(exact(json));
      const read = valueOf(field, draftOf(field, json));
      // A needed field that the value lacks is asked for, never made up.
      if (read.ok) expect(read).toEqual({ ok: true, value: json });
      else expect(new Set(read.faults.map(({ message }) => message))).toEqual(new Set(['This is needed.']));
    }),
  );
});

/** Numbers that JSON text keeps exactly. */
function numbersOnly(_key: string, value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? null : value;
}

it('keeps the fields that the schema does not name, in their order', () => {
  const input = { zebra: 1, cents: 5, payee: 'Acme', alpha: 2 };
  const read = valueOf(field, draftOf(field, input));
  expect(read.ok && JSON.stringify(read.value)).toBe(JSON.stringify(input));
});

it('says where something does not fit', () => {
  const draft = draftOf(field, { payee: 'Acme', cents: 5, lines: [{ text: 'a' }] });
  const drafts = { ...group(draft), cents: { is: 'text', text: '5.5' } as const, currency: { is: 'choice', index: -1 } as const };
  const read = valueOf(field, { ...draft, drafts } as Draft);
  expect(read).toEqual({
    ok: false,
    faults: [
      { path: 'cents', message: 'This must be a whole number.' },
      { path: 'currency', message: 'Choose one.' },
    ],
  });
  const number = (text: string) => valueOf(fieldOf({ type: 'number' }), { is: 'text', text });
  for (const text of ['', ' ', 'abc', '0x10', 'NaN', 'Infinity', '1e999', '9007199254740993', '1,5'])
    expect(number(text).ok).toBe(false);
});

it('refuses JSON that two readers could read differently', () => {
  const raw: Field = { is: 'json', name: '', title: '', description: null, required: true, nullable: false };
  for (const text of ['{"a":1,"a":2}', '{', '9007199254740993', '']) expect(valueOf(raw, { is: 'json', text }).ok).toBe(false);
  expect(valueOf(raw, { is: 'json', text: '{"__proto__": 1}' })).toMatchObject({ ok: true });
});

it('makes a form of any schema, and never throws', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (anySchema, value) => {
      const any = fieldOf(JSON.parse(JSON.stringify(anySchema)) as Json);
      valueOf(any, draftOf(any, JSON.parse(JSON.stringify(value)) as Json));
      valueOf(any, emptyDraft(any));
    }),
  );
  const endless = fieldOf({ type: 'object', properties: { next: { $ref: '#' } } });
  expect(depthOf(endless)).toBeLessThan(12);
});

function depthOf(of: Field): number {
  const inner = of.is === 'group' ? of.fields : of.is === 'list' ? [of.item] : [];
  return 1 + Math.max(0, ...inner.map(depthOf));
}

it('treats a property named __proto__ as any other', () => {
  const odd = fieldOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as Json);
  const value = JSON.parse('{"__proto__":"x"}') as Json;
  const read = valueOf(odd, draftOf(odd, value));
  expect(read.ok && isJsonObject(read.value) && JSON.stringify(read.value)).toBe('{"__proto__":"x"}');
});
