import type Anthropic from '@anthropic-ai/sdk';
import {
  CallToolRequestParamsSchema,
  CallToolResultSchema,
  ProgressNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import type OpenAI from 'openai';
import * as convert from '../../../../src/tools/convert';
import { type Envelope, callError } from '../../../../src/shared/wire/errors';
import { isJsonObject } from '../../../../src/shared/json/json';
import { anyJson } from '../../shared/any-json';

const call = { id: 'call_1', name: 'get_quote', input: { ticker: 'AAPL', 'odd "key"': [1, null, 'é'] } };

describe('calls in each shape', () => {
  it('are converted to it and back', () => {
    const use: Anthropic.ToolUseBlockParam = convert.callToAnthropic(call);
    const chat: OpenAI.ChatCompletionMessageFunctionToolCall = convert.callToOpenAiChat(call);
    const flat: OpenAI.Responses.ResponseFunctionToolCall = convert.callToOpenAiResponses(call);
    const params = CallToolRequestParamsSchema.parse(convert.callToMcp(call));
    expect(convert.callFromAnthropic(use)).toEqual(call);
    expect(convert.callFromOpenAi(chat)).toEqual(call);
    expect(convert.callFromOpenAi(flat)).toEqual(call);
    expect(convert.callFromMcp(params)).toEqual({ ...call, id: '' });
  });

  it('keep any input through all conversions', () => {
    fc.assert(
      fc.property(anyJson.filter(isJsonObject), (input) => {
        const asked = { id: 'i', name: 'n', input };
        const around = convert.callFromOpenAi(
          convert.callToOpenAiChat(convert.callFromAnthropic(convert.callToAnthropic(asked))),
        );
        expect(JSON.stringify(around)).toBe(JSON.stringify(asked)); // JSON has no -0
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['{"a": 1, "a": 2}', /duplicate key "a"/],
    ['{"a": ', /cannot be read/],
    ['[1]', /must be an object/],
    ['{"n": 90071992547409930}', /send it as a string/],
  ])('arguments %s are refused', (text, why) => {
    expect(() => convert.callFromOpenAi({ type: 'function_call', call_id: 'c', name: 'n', arguments: text })).toThrow(why);
  });

  it('no arguments are an empty input; a null of strict mode is left out', () => {
    expect(convert.callFromOpenAi({ type: 'function_call', call_id: 'c', name: 'n', arguments: '' }).input).toEqual({});
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(
      convert.callFromOpenAi({ id: 'c', type: 'function', function: { name: 'n', arguments: '{"a":null}' } }, schema).input,
    ).toEqual({});
  });

  it.each([
    [{ type: 'server_tool_use', id: '1', name: 'web_search', input: {} }],
    [{ type: 'tool_use', id: 1, name: 'x' }],
    [null],
    ['text'],
  ])('a block that is not a call is refused: %j', (block) => {
    expect(() => convert.callFromAnthropic(block)).toThrow(convert.ConversionError);
  });
});

const metadata = {
  tool_name: 'get_quote',
  tool_version: '1.0.0',
  execution_time_ms: 1,
  timestamp: '2026-01-01T00:00:00Z',
  trace_id: 'trace_20260101_000000000000',
  performance: { validation_ms: 0, network_ms: 0, processing_ms: 1 },
  cache: { hit: false },
};
const good: Envelope = { success: true, status: 'success', data: { price: 1.5, name: '</x>' }, metadata };
const failed: Envelope = {
  success: false,
  status: 'error',
  error: callError('RESOURCE_NOT_FOUND', 'ticker_not_found', 'No company has ticker "ZZZZ".', { hint: 'Try AAPL.' }),
  metadata,
};

describe('results in each shape', () => {
  it.each([
    ['a success', good],
    ['a failure', failed],
    ['plain text', { ...good, data: 'done' } as Envelope],
    ['a list', { ...good, data: [1, 2] } as Envelope],
  ])('%s is converted, and comes back', (_what, envelope) => {
    const result = convert.resultOf('call_1', envelope);
    const block: Anthropic.ToolResultBlockParam = convert.resultToAnthropic(result);
    const message: OpenAI.ChatCompletionToolMessageParam = convert.resultToOpenAiChat(result).value;
    const output: OpenAI.Responses.ResponseInputItem.FunctionCallOutput = convert.resultToOpenAiResponses(result).value;
    const mcp = CallToolResultSchema.parse(convert.resultToMcp(result));
    expect(convert.resultFromAnthropic(block)).toEqual({ value: result, losses: [] });
    expect(convert.resultFromOpenAi(message)).toEqual({ value: result, losses: [] });
    expect(convert.resultFromOpenAi(output)).toEqual({ value: result, losses: [] });
    expect(convert.resultFromMcp(mcp, 'call_1')).toEqual({ value: result, losses: [] });
  });

  it('a failure keeps kind, reason and hint for the model, and has isError in MCP', () => {
    const result = convert.resultOf('c', failed);
    expect(JSON.parse(convert.resultToMcp(result).content[0]!.text).error).toMatchObject({
      kind: 'USER_INPUT_ERROR',
      reason: 'ticker_not_found',
      hint: 'Try AAPL.',
    });
    expect(convert.resultToMcp(result)).toMatchObject({ isError: true });
    expect(convert.resultToOpenAiChat(result).losses).toHaveLength(1);
  });

  it('blocks that are not text are named, and listed among the losses', () => {
    const mcp = CallToolResultSchema.parse({
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    });
    const { value, losses } = convert.resultFromMcp(mcp);
    expect(value.text).toBe('a\n[image]');
    expect(losses).toEqual([{ path: '/content/1', what: 'a block of type "image", which is not text' }]);
  });

  it.each([[{ content: 7 }], [{ content: [7] }], [null], [{ content: [{ type: 'text', text: 'x'.repeat(9_000_000) }] }]])(
    'hostile results end in a clear error (%#)',
    (result) => {
      expect(() => convert.resultFromMcp(result)).toThrow(convert.ConversionError);
    },
  );
});

describe('tool choice and parallel calls', () => {
  const choices: convert.ToolChoice[] = [
    { mode: 'auto', parallel: true },
    { mode: 'auto', parallel: false },
    { mode: 'required', parallel: true },
    { mode: 'required', parallel: false },
    { mode: 'tool', name: 'pay', parallel: true },
    { mode: 'tool', name: 'pay', parallel: false },
    { mode: 'none', parallel: true },
  ];
  it.each(choices)('%j is converted to every vendor and back', (choice) => {
    const anthropic: Anthropic.ToolChoice = convert.choiceToAnthropic(choice);
    const chat: Pick<OpenAI.ChatCompletionCreateParams, 'tool_choice' | 'parallel_tool_calls'> = convert.choiceToOpenAi(
      choice,
      'chat',
    ) as { tool_choice: OpenAI.ChatCompletionToolChoiceOption; parallel_tool_calls: boolean };
    expect(convert.choiceFromAnthropic(anthropic)).toEqual(choice);
    expect(convert.choiceFromOpenAi(chat)).toEqual({ value: choice, losses: [] });
    expect(convert.choiceFromOpenAi(convert.choiceToOpenAi(choice, 'responses'))).toEqual({ value: choice, losses: [] });
  });

  it("absent fields mean the vendor's defaults; allowed_tools is a loss; others are refused", () => {
    expect(convert.choiceFromOpenAi({}).value).toEqual({ mode: 'auto', parallel: true });
    const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ type: 'function' }] } };
    expect(convert.choiceFromOpenAi({ tool_choice: allowed })).toMatchObject({
      value: { mode: 'required' },
      losses: [{ path: '/tool_choice' }],
    });
    expect(() => convert.choiceFromOpenAi({ tool_choice: { type: 'file_search' } })).toThrow('file_search');
    expect(() => convert.choiceFromOpenAi({ tool_choice: 'always' })).toThrow('must be an object');
    expect(() => convert.choiceFromAnthropic({ type: 'tool' })).toThrow('names no tool');
    expect(() => convert.choiceFromAnthropic({ type: 'some' })).toThrow('it must be auto, any, tool or none');
  });
});

describe("MCP's progress notifications", () => {
  it('always grow, for any progress of the tool', () => {
    const said = fc.array(fc.tuple(fc.string(), fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(said, (reports) => {
        const notify = convert.mcpProgress('token');
        let last = -1;
        for (const [message, fraction] of reports) {
          const { params } = ProgressNotificationSchema.parse(notify(message, fraction));
          expect(params).toMatchObject({ progressToken: 'token', message });
          expect(params.progress).toBeGreaterThan(last);
          last = params.progress;
        }
      }),
    );
  });

  it('fractions are percent; without them steps are counted', () => {
    const percent = convert.mcpProgress(1);
    expect(percent('half', 0.45).params).toEqual({ progressToken: 1, progress: 45, total: 100, message: 'half' });
    const steps = convert.mcpProgress(1);
    expect([steps('a'), steps('b')].map(({ params }) => params.progress)).toEqual([1, 2]);
  });
});
