/** A part is read as what is wanted, or not at all. */
import {
  readApprovalEvidence,
  readCardPart,
  readInput,
  readResult,
  readResultOrData,
  readSaidPart,
  UnexpectedPart,
} from '../../../src/record/parts';
import type { Json } from '../../../src/shared/json/json';

const owner = { turn_id: 't1', session_id: null, call_id: '1.1' };
const result = { ...owner, envelope: { success: true, status: 'success', data: 1 }, summary: 'One.', inline: true };
const kept = { ...owner, kept: null };
const card = { call_id: '1.1', digest: 'd', card: 'Pay?' };
const input = { call_id: '1.1', input: { cents: 1 } };
const said = { said: { texts: [], value: [] } };

test('each reader gives its own part', () => {
  expect(readResult(result)).toBe(result);
  expect(readResultOrData(kept)).toBe(kept);
  expect(readCardPart(card)).toEqual(card);
  expect(readCardPart({ card: 'Pay?', call_id: '1.1' })).toEqual({ call_id: '1.1', card: 'Pay?' });
  expect(readInput(input)).toBe(input.input);
  expect(readSaidPart(said)).toBe(said.said);
  const none = { preview: null, held: [], makers: [], target: null };
  expect(readApprovalEvidence({ call_id: '1.1', preview: 'Pay 1.' })).toEqual({ ...none, preview: 'Pay 1.' });
});

test.each<Json>([null, 'text', [], {}, kept, card, input, said])('%j is no result of a call', (body) => {
  expect(() => readResult(body)).toThrow(UnexpectedPart);
});

test.each<Json>([null, [], {}, result, kept, input, said])('%j is no card', (body) => {
  expect(() => readCardPart(body)).toThrow(UnexpectedPart);
});

test.each<Json>([null, [], {}, result, kept, card, said])('%j has no input', (body) => {
  expect(() => readInput(body)).toThrow(UnexpectedPart);
});

test.each<Json>([null, [], {}, result, kept, card, input])('%j holds nothing that people have said', (body) => {
  expect(() => readSaidPart(body)).toThrow(UnexpectedPart);
});

test.each<Json>([null, 'text', []])('%j is no evidence, nor a result', (body) => {
  expect(() => readApprovalEvidence(body)).toThrow(UnexpectedPart);
  expect(readResultOrData(body)).toBeNull();
});
