/** Any answer of a model, for fast-check: legal blocks, illegal ones, and blocks that were cut off. */
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/shared/json/json';

const ID = fc.constantFrom('toolu_1', 'toolu_2', 'srvtoolu_1', 'srvtoolu_2', 'srvtoolu_3', 'a b', '', 'x'.repeat(300), 'übel');
const NAME = fc.oneof(
  fc.constantFrom('pay', 'look', 'no.dots', 'two words', '', 'n'.repeat(500), '__proto__', 'übel', 'functions.pay'),
  fc.string(),
);
const TEXT = fc.oneof(fc.constantFrom('', ' ', '\n\t', 'word', 'word  \n', '  word', '\ud800'), fc.string());
const CALLER = fc.constantFrom(
  { type: 'direct' },
  { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' },
  { type: 'code_execution_20260120', tool_id: 'srvtoolu_2' },
);
const SERVER = fc.constantFrom('web_search', 'web_fetch', 'code_execution', 'bash_code_execution', 'tool_search_tool_regex');
const RESULT = fc.constantFrom(
  ...['web_search_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result'],
  ...['bash_code_execution_tool_result', 'tool_search_tool_result'],
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const CONTENT = fc.constantFrom([], { type: 'x_error', error_code: 'unavailable' }, 'text', null);

const BLOCK: fc.Arbitrary<object> = fc.oneof(
  fc.record({ type: fc.constant('text'), text: TEXT, citations: maybe(fc.constantFrom(null, [], 'none')) }),
  fc.record({ type: fc.constant('thinking'), thinking: maybe(TEXT), signature: maybe(fc.constantFrom('', ' ', 'c2ln')) }),
  fc.record({ type: fc.constant('redacted_thinking'), data: maybe(fc.constantFrom('', 'ZGF0YQ')) }),
  fc.record({
    type: fc.constant('tool_use'),
    id: maybe(ID),
    name: maybe(NAME),
    input: fc.constantFrom({}, { a: 1 }),
    caller: maybe(CALLER),
  }),
  fc.record({ type: fc.constant('server_tool_use'), id: maybe(ID), name: SERVER, input: maybe(fc.constantFrom({}, { q: 'x' })), caller: maybe(CALLER) }), // oxfmt-ignore
  fc.record({ type: RESULT, tool_use_id: maybe(ID), content: maybe(CONTENT) }),
  fc.record({ type: fc.constantFrom('hologram', '', 'tool_result', 'image', 'document', 'constructor'), text: TEXT, odd: TEXT }),
);

/** Content of one answer. */
export const ANSWER = fc.array(
  BLOCK.map((block) => JSON.parse(JSON.stringify(block)) as JsonObject),
  { maxLength: 8 },
);

/** Through the wire an unsigned surrogate becomes a question mark. */
export const STOP = fc.constantFrom('end_turn' as const, 'tool_use' as const, 'max_tokens' as const, 'pause_turn' as const, 'refusal' as const); // oxfmt-ignore
