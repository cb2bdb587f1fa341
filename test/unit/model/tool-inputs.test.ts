import type { JsonObject } from '../../../src/shared/json/json';
import type { Fault } from '../../../src/model/rehearsal';
import { closeAll, failureOf, PAY, stage } from '../../support/model/model';

afterEach(closeAll);

async function withFault(fault: Fault) {
  const { ask } = await stage({ faults: [fault] });
  const response = await ask({ tools: [PAY] });
  const calls = response.content.filter((block) => block.type === 'tool_use') as (JsonObject & {
    name: string;
    id: string;
    input: JsonObject;
  })[];
  return { response, calls, raw: response.rawToolInputs };
}

test('the text of each tool input is kept beside its value', async () => {
  const { response, calls, raw } = await withFault({ kind: 'ok' });
  expect(calls[0]).toMatchObject({ name: 'pay_invoice', input: { invoice: 'INV-7', cents: 7 } });
  expect(raw).toEqual([{ block: response.content.indexOf(calls[0]!), json: '{"invoice":"INV-7","cents":7}' }]);
});

test('malformed JSON gives an empty input and the text as it came', async () => {
  const { calls, raw } = await withFault({ kind: 'malformed-json' });
  expect(calls[0]!.input).toEqual({});
  expect(() => JSON.parse(raw[0]!.json)).toThrow();
  expect(raw[0]!.json).toContain('INV-7');
});

test('JSON that was cut off stops with max_tokens and gives an empty input', async () => {
  const { response, calls, raw } = await withFault({ kind: 'cut-json' });
  expect(response.stopReason).toBe('max_tokens');
  expect(calls[0]!.input).toEqual({});
  expect('{"invoice":"INV-7","cents":7}'.startsWith(raw[0]!.json)).toBe(true);
});

test('duplicate keys stay visible in the text', async () => {
  const { calls, raw } = await withFault({ kind: 'duplicate-keys' });
  expect(calls[0]!.input.invoice).toBe('INV-7');
  expect(raw[0]!.json).toBe('{"invoice":"FIRST","invoice":"INV-7","cents":7}');
});

test('a call of __proto__ changes no prototype', async () => {
  const { calls, raw } = await withFault({ kind: 'proto-tool' });
  expect(calls[0]!.name).toBe('__proto__');
  expect(Object.getPrototypeOf(calls[0]!.input)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(raw[0]!.json).toContain('"__proto__"');
});

test('an unknown tool, a made-up confirmation and an empty input come through for admission to refuse', async () => {
  expect((await withFault({ kind: 'unknown-tool' })).calls[0]!.name).toBe('no_such_tool');
  expect((await withFault({ kind: 'confirmed' })).calls[0]).toMatchObject({ name: 'pay_invoice', input: { confirmed: true } });
  expect((await withFault({ kind: 'bad-input' })).raw[0]!.json).toBe('{}');
});

test('many parallel calls each have their own id', async () => {
  const { response, calls, raw } = await withFault({ kind: 'parallel', n: 30 });
  expect(calls).toHaveLength(30);
  expect(new Set(calls.map((call) => call.id)).size).toBe(30);
  expect(raw.map(({ block }) => response.content[block])).toEqual(calls);
});

test('a call without inputs has the text {}, unless the answer was cut off there', async () => {
  const content = [{ type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }];
  const { ask } = await stage({ script: [{ content }, { content, stop_reason: 'max_tokens' }] });
  expect((await ask()).rawToolInputs).toEqual([{ block: 0, json: '{}' }]);
  expect((await ask()).rawToolInputs).toEqual([{ block: 0, json: '' }]);
});

test('an input that is JSON but no object counts as empty', async () => {
  const { ask } = await stage({ script: [{ content: [{ type: 'tool_use', name: 'a', raw: '[1]' }] }] });
  const response = await ask();
  expect(response.content[0]).toMatchObject({ input: {} });
  expect(response.rawToolInputs[0]!.json).toBe('[1]');
});

test('a refusal, a pause, a server tool and an unknown block come through as they are', async () => {
  const refusal = (await withFault({ kind: 'refusal' })).response;
  expect(refusal).toMatchObject({ stopReason: 'refusal', content: [], stopDetails: { type: 'refusal' } });
  expect((await withFault({ kind: 'pause-turn' })).response.stopReason).toBe('pause_turn');
  const server = (await withFault({ kind: 'server-tool' })).response;
  expect(server.content[0]).toEqual({
    type: 'server_tool_use',
    id: 'srvtoolu_rehearsal01',
    name: 'web_search',
    input: { query: 'never offered' },
  });
  expect(server.rawToolInputs).toHaveLength(1); // client tools only
  const unknown = (await withFault({ kind: 'unknown-block' })).response;
  expect(unknown.content[0]).toEqual({ type: 'hologram', depth: 3, text: 'kept as it is' });
});

test('thinking blocks go back unchanged, and the rehearsal refuses them changed or left out', async () => {
  const { ask } = await stage({ faults: [{ kind: 'thinking' }] });
  const { content } = await ask({ tools: [PAY] });
  expect(content.map((block) => block.type)).toEqual(['thinking', 'redacted_thinking', 'text', 'tool_use']);
  const result = { type: 'tool_result', tool_use_id: String(content[3]!.id), content: '{"success":true,"data":{"paid":true}}' };
  const again = (assistant: JsonObject[]) =>
    ask({
      tools: [PAY],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Pay INV-7' }] },
        { role: 'assistant', content: assistant },
        { role: 'user', content: [result] },
      ],
    });
  expect((await again(content)).stopReason).toBe('end_turn');
  const changed = await failureOf(again([{ ...content[0]!, thinking: 'other' }, ...content.slice(1)]));
  expect(changed.facts).toMatchObject({ status: 400, retryable: false });
  expect(changed.message).toContain('came back changed');
  expect((await failureOf(again(content.slice(2)))).message).toContain('missing');
});
