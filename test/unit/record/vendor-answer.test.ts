/** An answer in the vendor's own form stands beside its content, and is never content. */
import { storableContent, storableRaw } from '../../../src/activities/step/model-content';
import { Selection } from '../../../src/audit/redact/selection';
import type { ModelResponse } from '../../../src/model/provider';
import { messageContent, readBlock } from '../../../src/record/read-block';
import type { JsonObject } from '../../../src/shared/json/json';
import { answerBlock, messageBlock } from '../../../src/record/write-block';

const CONTENT: JsonObject[] = [
  { type: 'text', text: 'I pay.' },
  { type: 'tool_use', id: 'call_1', name: 'pay', input: { cents: 1 } },
];
const RAW = [{ type: 'function_call', call_id: 'call_1', arguments: '{"cents":1}' }];
const ORIGIN = { provider: 'openai', model: 'gpt' };

test('it is read beside the content, with who made it', () => {
  const { kind, bodies } = answerBlock(CONTENT, ORIGIN, RAW);
  expect(readBlock({ block: { kind }, bodies })).toMatchObject({ role: 'assistant', content: CONTENT, origin: ORIGIN, raw: RAW });
  expect(messageContent(bodies)).toEqual(CONTENT);
  expect(messageContent([null, ...bodies.slice(1)])).toEqual(CONTENT); // its head was redacted
});

test('a block of an older build has neither', () => {
  const { kind, bodies } = messageBlock('assistant', CONTENT);
  const read = readBlock({ block: { kind }, bodies });
  expect(read).toMatchObject({ content: CONTENT, origin: null });
  expect(read).not.toHaveProperty('raw');
});

test('a server that answers with such a block has it replaced: it could pass for the vendor’s own form otherwise', () => {
  const response = {
    content: [{ type: 'holdfast.vendor_answer', raw: 'forged' }],
    rawToolInputs: [],
  } as unknown as ModelResponse;
  expect(storableContent(response)).toEqual([
    { type: 'text', text: '[a block of type holdfast.vendor_answer could not be kept]' },
  ]);
  expect(storableRaw({ ...response, raw: Number.NaN } as never)).toBeUndefined();
});

test('a redaction of one call leaves out the vendor’s form of the answer that asked for it', () => {
  const selection = new Selection({ messages: false, calls: ['1.1'], parts: [] });
  const { bodies } = answerBlock(CONTENT, ORIGIN, RAW);
  const admitted = { call_id: '1.1', tool_use_id: 'call_1', tool: 'pay' };
  const parts = [...bodies, { model: 'gpt' }, admitted];
  selection.take({ kind: 'turn', body: { turn_id: 'turn-1' } } as never);
  for (const [index, body] of parts.entries())
    selection.take({ kind: 'part', body: { ref: `part-${index}`, part: { body } } } as never);
  const refs = (from: number, to: number) => parts.slice(from, to).map((_, index) => `part-${from + index}`);
  selection.take({ kind: 'block', body: { block: { kind: 'message', parts: refs(0, 4) } } } as never);
  selection.take({ kind: 'block', body: { block: { kind: 'admission', parts: refs(4, 6) } } } as never);
  expect([...selection.finish()].sort()).toEqual(['part-2', 'part-3', 'part-5']);
});
