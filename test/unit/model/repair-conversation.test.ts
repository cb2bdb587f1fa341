import fc from 'fast-check';
import { storableContent, toolUses, withUniqueIds } from '../../../src/activities/step/model-content';
import type { ModelMessage, ModelResponse, StopReason } from '../../../src/model/provider';
import { requestFault } from '../../../src/model/rehearsal/validate';
import { withCacheBreakpoints } from '../../../src/model/anthropic/provider';
import { toWire } from '../../../src/model/anthropic/wire';
import type { JsonObject } from '../../../src/shared/json/json';
import { runs } from '../../support/runs';
import { ANSWER, STOP } from './support/any-answer';
import { PAY, request } from '../../support/model/model';

const user = (...content: JsonObject[]): ModelMessage => ({ role: 'user', content });
const assistant = (...content: JsonObject[]): ModelMessage => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words });

/** The body that goes over the wire; thinking signatures of the rehearsal's own are another test's. */
function sent(messages: ModelMessage[], more: Partial<Parameters<typeof request>[0]> = {}) {
  return withCacheBreakpoints(toWire(request({ messages, tools: [PAY], ...more })));
}
function faultOf(messages: ModelMessage[], more: Partial<Parameters<typeof request>[0]> = {}): string | undefined {
  const fault = requestFault(JSON.parse(JSON.stringify(sent(messages, more))));
  return fault?.includes('came back changed') ? undefined : fault;
}

/** An answer in the form in which take-step keeps it. */
function kept(content: JsonObject[], stopReason: StopReason, before: ModelMessage[], step: number): JsonObject[] {
  const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 };
  const answer: ModelResponse = { id: 'm', requestId: null, model: 'm', stopReason, content, rawToolInputs: [], usage };
  return storableContent(withUniqueIds(answer, before, step).response);
}

test('after any answer of a model the next request fits the rules of the API: in the turn, in the next one, and summarized', () => {
  const step = fc.record({ content: ANSWER, stop: STOP, steer: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean(), (steps, container, thinks) => {
      const options = { ...(thinks ? { thinking: { type: 'enabled', budget_tokens: 1024 } } : {}) };
      const more = { options, ...(container ? { container: 'container_1' } : {}) };
      const messages: ModelMessage[] = [user(text('Hi'))];
      for (const [index, { content, stop, steer }] of steps.entries()) {
        const blocks = kept(content, stop, messages, index + 1);
        if (blocks.length > 0) messages.push(assistant(...blocks));
        const calls = blocks.filter(({ type }) => type === 'tool_use');
        if (calls.length > 0 && stop !== 'refusal')
          messages.push(
            user(...calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id ?? null, content: [text('ok')] }))),
          );
        else if (stop !== 'pause_turn') messages.push(user(text('And now?')));
        if (steer) messages.push(user(text('Faster.')));
        expect(faultOf(messages, more)).toBeUndefined();
        expect(faultOf([...messages, user(text('Summarize.'))], more)).toBeUndefined();
      }
    }),
    { numRuns: runs(300, 1500), ...(process.env.HOLDFAST_FC_SEED ? { seed: Number(process.env.HOLDFAST_FC_SEED) } : {}) },
  );
});

test('valid content goes back unchanged, byte for byte', () => {
  const content: JsonObject[] = [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'ZGF0YQ' },
    text(' Both: '),
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' }, caller: { type: 'direct' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', encrypted_content: 'e' }],
    },
    { type: 'tool_use', id: 'toolu_1', name: 'pay_invoice', input: { b: 1, a: 2 } },
  ];
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('ok')] };
  expect(toWire(request({ messages: [user(text('a')), assistant(...content), user(result)] })).messages).toEqual([
    { role: 'user', content: [text('a')] },
    { role: 'assistant', content },
    { role: 'user', content: [result] },
  ]);
});

const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
const found = (url: string) => ({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ url }] });

test.each<[string, JsonObject[], JsonObject[]]>([
  ['an unsigned thought', [{ type: 'thinking', thinking: 'cut' }, text('x')], [text('x')]],
  ['a thought at the end', [text('x'), { type: 'thinking', thinking: 'a', signature: 's' }], [text('x')]],
  ['white space', [text('  \n'), text('x')], [text('x')]],
  ['a kind of block that no API names', [{ type: 'hologram', depth: 3 }, text('x')], [text('x')]],
  ['a field that a newer delta left', [{ ...text('x'), estimated: 3 }], [text('x')]],
  [
    'a search that was cut off',
    [text('x'), { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }],
    [text('x')],
  ],
  ['a second result of one search', [SEARCH, found('a'), found('b'), text('x')], [SEARCH, found('a'), text('x')]],
  ['a result of nothing', [text('x'), { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_9', content: [] }], [text('x')]],
])('%s is not sent again', (_, content, left) => {
  const { messages } = toWire(request({ messages: [user(text('a')), assistant(...content), user(text('b'))] }));
  expect(messages[1]).toEqual({ role: 'assistant', content: left });
});

test.each([
  ['two words', 'two_words'],
  ['functions.pay', 'functions_pay'],
  ['', 'unnamed'],
  ['n'.repeat(300), 'n'.repeat(64)],
])('the call of a tool named %j goes back under a legal name, with its result', (name, legal) => {
  const call = { type: 'tool_use', id: 'toolu_1', name, input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: [text('no such tool')] };
  const { messages } = toWire(request({ messages: [user(text('a')), assistant(call), user(result)] }));
  expect(messages[1]).toEqual({ role: 'assistant', content: [{ ...call, name: legal }] });
  expect(messages[2]).toEqual({ role: 'user', content: [result] });
});

test('a call without a result gets one that says so, and results come first', () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'pay', input: {} });
  const result = { type: 'tool_result', tool_use_id: 'toolu_2', content: [text('ok')] };
  const messages = [user(text('a')), assistant(call('toolu_1'), call('toolu_2')), user(text('b'), result)];
  const [, , last] = toWire(request({ messages })).messages as { content: JsonObject[] }[];
  expect(last!.content).toEqual([expect.objectContaining({ tool_use_id: 'toolu_1', is_error: true }), result, text('b')]);
});

test('a call with two results under its id is answered once', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'pay', input: {} };
  const result = (words: string) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content: [text(words)] });
  const messages = [user(text('a')), assistant(call), user(result('one'), result('two'))];
  expect(toWire(request({ messages })).messages[2]!.content).toHaveLength(1);
  expect(faultOf(messages)).toBeUndefined();
});

describe('code that waits in a container', () => {
  const code = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'x' } };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'pay_invoice', input: {}, caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' } }; // oxfmt-ignore
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('ok')] };
  const waiting = [user(text('a')), assistant(code, call), user(result)];

  it('continues in it', () => {
    const body = toWire(request({ messages: waiting, container: 'container_1' }));
    expect(body.container).toBe('container_1');
    expect(body.messages[1]!.content).toEqual([code, call]);
    expect(faultOf(waiting, { container: 'container_1' })).toBeUndefined();
  });

  it('keeps the skills that the options name', () => {
    const options = { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } };
    expect(toWire(request({ options, container: 'container_1' })).container).toEqual({ ...options.container, id: 'container_1' });
  });

  it('is given up if the container is gone: its calls become the model’s own', () => {
    const body = toWire(request({ messages: waiting }));
    const { caller: _, ...plain } = call;
    expect(body.messages[1]!.content).toEqual([plain]);
    expect(faultOf(waiting)).toBeUndefined();
  });

  it('may have ended in a later answer', () => {
    const ended = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: {} };
    const body = toWire(request({ messages: [...waiting, assistant(ended, text('done')), user(text('b'))] }));
    expect(body.messages[1]!.content).toEqual([code, call]);
    expect(body.messages[3]!.content).toEqual([ended, text('done')]);
  });
});

test('thinking is not requested if the last answer called tools without a thought that can go back', () => {
  const options = { thinking: { type: 'enabled', budget_tokens: 1024 } };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'pay', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [text('ok')] };
  const loop = (...thought: JsonObject[]) => [user(text('a')), assistant(...thought, call), user(result)];
  expect(toWire(request({ options, messages: loop() })).thinking).toEqual({ type: 'disabled' });
  expect(toWire(request({ options, messages: loop({ type: 'thinking', thinking: 'x', signature: 's' }) })).thinking).toEqual(options.thinking); // oxfmt-ignore
});

test('a choice of tools is sent with tools only', () => {
  const options = { tool_choice: { type: 'any' } };
  expect(toWire(request({ options, tools: [PAY] })).tool_choice).toEqual({ type: 'any' });
  expect(toWire(request({ options }))).not.toHaveProperty('tool_choice');
});

test('calls are admitted under the names that the model wrote', () => {
  const content = kept([{ type: 'tool_use', id: 'toolu_1', name: 'two words', input: {} }], 'tool_use', [], 1);
  const response = { content, rawToolInputs: [] } as unknown as ModelResponse;
  expect(toolUses(response).map(({ name }) => name)).toEqual(['two words']);
});
