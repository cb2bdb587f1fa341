import fc from 'fast-check';
import { MAX_BREAKPOINTS, withCacheBreakpoints } from '../../../src/model/anthropic/provider';
import { toWire, type WireBody } from '../../../src/model/anthropic/wire';
import { PAY, request } from '../../support/model/model';

const MARK = { type: 'ephemeral' };
const count = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1;

test('the last tool, the system prompt and the last block of the last message are cached', () => {
  const body = withCacheBreakpoints(toWire(request({ tools: [{ ...PAY, name: 'a' }, PAY] })));
  expect(body.tools).toEqual([{ ...PAY, name: 'a' }, { ...PAY, cache_control: MARK }]); // oxfmt-ignore
  expect(body.system).toEqual([{ type: 'text', text: 'You help.', cache_control: MARK }]);
  expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Pay INV-7', cache_control: MARK }] }]);
});

test('a thinking block never carries a breakpoint; the block before it does', () => {
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
  const messages = [{ role: 'assistant' as const, content: [{ type: 'text', text: 'x' }, thinking] }];
  const [message] = withCacheBreakpoints({ ...toWire(request()), messages }).messages;
  expect(message!.content).toEqual([{ type: 'text', text: 'x', cache_control: MARK }, thinking]);
});

test('breakpoints that came in are taken off, also inside tool results', () => {
  const inner = { type: 'text', text: 'r', cache_control: MARK };
  const call = { type: 'tool_use', id: 't', name: 'a', input: {} };
  const messages = [
    { role: 'assistant' as const, content: [call] },
    { role: 'user' as const, content: [{ type: 'tool_result', tool_use_id: 't', content: [inner], cache_control: MARK }] },
    { role: 'user' as const, content: [{ type: 'text', text: 'go on' }] },
  ];
  const body = withCacheBreakpoints(toWire(request({ messages, system: '' })));
  expect(count(body)).toBe(1);
  // What one side says in a row is one message.
  const result = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'r' }] };
  expect(body.messages[1]!.content).toEqual([result, { type: 'text', text: 'go on', cache_control: MARK }]);
});

test('for any request there are at most four breakpoints, and the input is not changed', () => {
  const block = fc.record({
    type: fc.constantFrom('text', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'),
    text: fc.string(),
    content: fc.array(fc.record({ type: fc.constant('text'), text: fc.string(), cache_control: fc.constant(MARK) })),
    cache_control: fc.constant(MARK),
  });
  const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.array(block, { maxLength: 4 }) });
  const bodies = fc.record({
    system: fc.string(),
    tools: fc.array(block, { maxLength: 4 }),
    messages: fc.array(message, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(bodies, (body) => {
      const copy = structuredClone(body);
      expect(count(withCacheBreakpoints(body as unknown as WireBody))).toBeLessThanOrEqual(MAX_BREAKPOINTS);
      expect(body).toEqual(copy);
    }),
    { numRuns: 200 },
  );
});
