import fc from 'fast-check';
import { draftOf, emptyDraft, valueOf, type Draft } from '../../../packages/page/src/lib/form-value';
import { limitsInWords } from '../../../packages/page/src/lib/field-limits';
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

describe('the limits of a schema', () => {
  const limited = fieldOf({
    type: 'object',
    properties: {
      cents: { type: 'integer', exclusiveMinimum: 0, maximum: 500, minimum: Number.MIN_SAFE_INTEGER },
      share: { type: 'number', multipleOf: 0.1, exclusiveMaximum: 1 },
      due: { type: 'string', format: 'date' },
      reference: { type: 'string', minLength: 2, maxLength: 4 },
      lines: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
      address: { type: 'object', properties: { city: { type: 'string', minLength: 1 } }, required: ['city'] },
    },
    required: ['cents'],
  });
  const good = { cents: 5, share: 0.3, due: '2026-02-28', reference: '🙂🙂', lines: ['a'], address: { city: 'Bonn' } };
  const faults = (more: object) => {
    const read = valueOf(limited, draftOf(limited, { ...good, ...more } as Json));
    return read.ok ? [] : read.faults.map(({ path, message }) => `${path}: ${message}`);
  };

  it('let a value pass that keeps them, unchanged', () => {
    expect(valueOf(limited, draftOf(limited, good))).toEqual({ ok: true, value: good });
  });

  it.each<[object, string]>([
    [{ cents: 0 }, 'cents: More than 0.'],
    [{ cents: 501 }, 'cents: At most 500.'],
    [{ share: 0.25 }, 'share: A multiple of 0.1.'],
    [{ share: 1 }, 'share: Less than 1.'],
    [{ due: '2026-02-30' }, 'due: This must be a day, such as 2026-01-31.'],
    [{ due: '28.2.2026' }, 'due: This must be a day, such as 2026-01-31.'],
    [{ reference: '🙂' }, 'reference: At least 2 characters.'],
    [{ reference: 'abcde' }, 'reference: At most 4 characters.'],
    [{ lines: [] }, 'lines: At least 1 entry.'],
    [{ lines: ['a', 'b', 'c'] }, 'lines: At most 2 entries.'],
    [{ address: { city: '' } }, 'address.city: At least 1 character.'],
  ])('refuse %j before it is sent', (more, fault) => expect(faults(more)).toEqual([fault]));

  it('are said beside the field', () => {
    const of = (name: string, kind: 'character' | 'entry') => {
      const found = limited.is === 'group' ? limited.fields.find((one) => one.name === name) : undefined;
      return found && 'limits' in found ? limitsInWords(found.limits, kind) : null;
    };
    expect(of('cents', 'character')).toBe('More than 0, at most 500.');
    expect(of('reference', 'character')).toBe('At least 2 characters, at most 4 characters.');
    expect(of('lines', 'entry')).toBe('At most 2 entries.');
    expect(of('due', 'character')).toBeNull();
  });
});
