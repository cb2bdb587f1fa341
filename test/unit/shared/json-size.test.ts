import fc from 'fast-check';
import { jsonBytes, utf8Length } from '../../../src/shared/json/json';
import { anyJson } from './any-json';

const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
const mixed = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string(), units)).map((texts) => texts.join(''));

test('the length of any text is that of its UTF-8 bytes, also with lone surrogates', () => {
  fc.assert(fc.property(mixed, (text) => utf8Length(text) === Buffer.byteLength(text, 'utf8')));
});

test('the size of a value is that of its JSON', () => {
  fc.assert(fc.property(anyJson, (value) => jsonBytes(value) === Buffer.byteLength(JSON.stringify(value), 'utf8')));
  expect(jsonBytes(undefined)).toBe(0);
});
