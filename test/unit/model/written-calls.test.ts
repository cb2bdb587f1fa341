import { piecesOf } from '../../../src/model/prompted/written-calls';
import { growth, IN_PROPORTION } from '../../support/growth';

describe('calls in the text of a model', () => {
  it.each<[string, (length: number) => string]>([
    ['spaces in a tag', (n) => `<tool_call>x${' '.repeat(n)}y</tool_call>`],
    ['spaces in a fence', (n) => `<tool_call>\`\`\`${' '.repeat(n)}y\`\`\`</tool_call>`],
    ['spaces in the head of DeepSeek', (n) => `<|tool_call_begin|>${' '.repeat(n)}x<|tool_call_end|>`],
    ['thoughts', (n) => '<think>a</think>'.repeat(n / 16) + '<tool_call>{}</tool_call>'],
    ['calls in thoughts', (n) => '<think><tool_call>{}</tool_call></think>'.repeat(n / 40)],
    ['opened tags', (n) => '<tool_call>'.repeat(n / 11)],
    ['thoughts of which only the end is marked', (n) => '{"tool":"a"}\n'.repeat(n / 13) + '</think>'],
    ['lists', (n) => '[{"id":\n'.repeat(n / 8)],
    ['actions without an input', (n) => 'Action: a[\n'.repeat(n / 11)],
    ['braces', (n) => '{"tool":'.repeat(n / 8)],
  ])('are read in time that grows with the text: %s', (_name, text) => {
    expect(growth((length) => void piecesOf(text(length), []), 20_000)).toBeLessThan(IN_PROPORTION);
  });

  const properties = { path: { type: 'string' } };
  const remove = [{ name: 'remove', description: '', input_schema: { type: 'object', properties } }];
  /** The one call of a text: its tool, and its input; null: admission refuses it. */
  const callIn = (text: string, cut: boolean) => {
    const [call, ...others] = piecesOf(text, remove, cut).filter((piece) => typeof piece !== 'string');
    expect(others).toEqual([]);
    if (call === undefined || !call.json.startsWith('{')) return [call?.tool, null];
    expect(JSON.parse(call.json)).toEqual(call.input);
    return [call.tool, call.input];
  };

  it.each([
    '<function=remove><parameter=path>/data/old',
    '<function=remove><parameter=pa',
    '<function=remove><parameter=path>/data/old</function>',
    '<function=remove><parameter=path>/data</parameter><parameter=match>a</function>b</parameter></function>',
    '<function=remove><parameter name="path" string="true">/data</parameter></function>',
    '<invoke name="remove"><parameter name="path">/data/old',
    '<tool_call>\n<function=remove>\n<parameter=path>\n/data/old',
    '<tool_call>\n<function=remove>\n<parameter=path>\n/data/old\n</tool_call>',
  ])('have no input if a parameter has no end: %j', (text) => {
    for (const cut of [false, true]) expect(callIn(text, cut)).toEqual(['remove', null]);
  });

  const path = '/data/old';
  it.each<[string, object]>([
    ['<function=remove>', {}],
    ['<function=remove>\n```json\n', {}],
    ['<function=remove><parameter=path>/data/old</parameter>', { path }],
    ['<invoke name="remove"><parameter name="path">/data/old</parameter>\n', { path }],
    ['<tool_call>\n<function=remove>', {}],
    ['<tool_call>\n<function=remove>\n<parameter=path>\n/data/old\n</parameter>\n', { path }],
    ['<｜tool▁call▁begin｜>remove', {}],
    ['<｜tool▁call▁begin｜>function<｜tool▁sep｜>remove\n```json\n', {}],
    ['<function=remove>{"path":"/data/old"}', { path }],
    ['<tool_call>{"name":"remove","arguments":{}}', {}],
    ['<｜tool▁call▁begin｜>remove<｜tool▁sep｜>{"path":"/data/old"}', { path }],
    ['Action: remove\nAction Input:', {}],
    ['Action: remove\nAction Input:\n', {}],
  ])('that have no end are whole, unless the answer was cut off: %j', (text, input) => {
    expect(callIn(text, false)).toEqual(['remove', input]);
    expect(callIn(text, true)).toEqual(['remove', null]);
  });

  it.each<[string, object]>([
    ['<function=remove></function>', {}],
    ['<function=remove>{"path":"/data/old"}</function> And', { path }],
    ['<tool_call>\n<function=remove>\n</function>\n</tool_call>', {}],
    ['<tool_call>\n<function=remove>\n<parameter=path>/data/old</parameter>\n</function>', { path }],
    ['<｜tool▁call▁begin｜>remove<｜tool▁call▁end｜>', {}],
    ['Action: remove\nAction Input: {"path":"/data/old"}', { path }],
  ])('that have an end count also in an answer that was cut off behind them: %j', (text, input) => {
    for (const cut of [false, true]) expect(callIn(text, cut)).toEqual(['remove', input]);
  });

  it('are found inside a thought or behind it', () => {
    const call = '<tool_call>{"name":"a","arguments":{}}</tool_call>';
    const tools = (text: string) => piecesOf(text, []).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.tool]));
    expect(tools(`<think>${call}</think> b <think>c</think> ${call}`)).toEqual(['a']);
    expect(tools(`<think>c</think>${call}<think>${call}</think>${call}`)).toEqual(['a', 'a']);
  });
});
