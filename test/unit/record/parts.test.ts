/** A part is read as the wanted kind, or not at all. */
import {
  readApprovalEvidence,
  readCardPart,
  readInput,
  readResult,
  readResultOrData,
  readSaidPart,
  UnexpectedPart,
} from '../../../src/record/parts';
import type { Json, JsonObject } from '../../../src/shared/json/json';

const owner = { turn_id: 't1', session_id: null, call_id: '1.1' };
const metadata: JsonObject = {
  tool_name: 'pay',
  cache: { hit: false },
  hooks: [{ hook: 'audit', note: 'Seen.' }, { hook: 'mask' }],
};
const success = { success: true, status: 'success', data: 1, metadata };
const error: JsonObject = { code: 'INVALID_PARAMS', kind: 'input', reason: 'bad', message: 'Bad.', retryable: false };
const failure = { success: false, status: 'error', error, metadata };
const result = { ...owner, envelope: success, summary: 'One.', inline: true };
const kept = { ...owner, kept: null };
const card = { call_id: '1.1', digest: 'd', card: 'Pay?' };
const input = { call_id: '1.1', input: { cents: 1 } };
const said = { said: { texts: [], value: [] } };

test('each reader gives its own part', () => {
  expect(readResult(result)).toBe(result);
  for (const other of [
    { ...result, envelope: failure },
    { ...result, inline: false, inline_bytes: 10 },
  ])
    expect(readResult(other)).toBe(other);
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

test.each<Json>([null, [], {}, result, kept, card, input])('%j holds no decisions of people', (body) => {
  expect(() => readSaidPart(body)).toThrow(UnexpectedPart);
});

test.each<Json>([null, 'text', []])('%j is no evidence, nor a result', (body) => {
  expect(() => readApprovalEvidence(body)).toThrow(UnexpectedPart);
  expect(readResultOrData(body)).toBeNull();
});

describe('a made-up part: a field that is read later has the wrong type, or is missing', () => {
  const without = (name: string, of: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));

  test.each<JsonObject>([
    ...['turn_id', 'session_id', 'call_id', 'envelope', 'summary', 'inline'].map((name) => without(name, result)),
    { ...result, session_id: 1 },
    { ...result, inline: 'yes' },
    { ...result, inline_bytes: '10' },
  ])('%j is no result of a call', (body) => {
    expect(() => readResult(body)).toThrow(UnexpectedPart);
    expect(readResultOrData(body)).toBeNull();
  });

  test.each<JsonObject>([
    ...['success', 'data', 'metadata'].map((name) => without(name, success)),
    ...['code', 'kind', 'reason', 'message', 'retryable'].map((name) => ({ ...failure, error: without(name, error) })),
    { ...success, success: 'yes' },
    { ...success, metadata: { ...metadata, cache: null } },
    { ...success, metadata: { ...metadata, hooks: [null] } },
    { ...success, metadata: { ...metadata, hooks: [{ note: { text: 'Pay it.' } }] } },
    { ...success, metadata: { ...metadata, deprecation: null } },
    { ...failure, error: { ...error, hint: 1 } },
    { ...failure, error: { ...error, details: 'all' } },
  ])('%j is no envelope', (envelope) => {
    expect(() => readResult({ ...result, envelope })).toThrow(UnexpectedPart);
  });

  test.each<JsonObject>(['turn_id', 'session_id', 'call_id', 'kept'].map((name) => without(name, kept)))(
    '%j is no data of a tool',
    (body) => {
      expect(readResultOrData(body)).toBeNull();
    },
  );

  const held = { kind: 'budget', id: 'daily', text: 'Above the budget.' };
  test.each<JsonObject>([
    { held: null },
    { held: held },
    { held: [null] },
    { held: [without('text', held)] },
    { held: [{ ...held, id: 1 }] },
    { held: [{ ...held, kind: 'anything' }] },
    { makers: 'ana' },
    { makers: [null] },
    { target: 'DE-1' },
    { target: [] },
  ])('%j is no evidence', (more) => {
    const evidence = { preview: 'Pay 1.', held: [held], makers: ['ana'], target: { account: 'DE-1' } };
    expect(readApprovalEvidence(evidence)).toEqual(evidence);
    expect(() => readApprovalEvidence({ ...evidence, ...more })).toThrow(UnexpectedPart);
  });

  test.each<JsonObject>([{ card: 'Pay?' }, { call_id: 1, card: 'Pay?' }])('%j is no card', (body) => {
    expect(() => readCardPart(body)).toThrow(UnexpectedPart);
  });

  test.each<JsonObject>([{ texts: [1], value: [] }, { texts: [] }])('%j holds no decisions of people', (body) => {
    expect(() => readSaidPart({ said: body })).toThrow(UnexpectedPart);
  });
});
