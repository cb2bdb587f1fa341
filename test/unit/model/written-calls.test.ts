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

  it('are found inside a thought or behind it', () => {
    const call = '<tool_call>{"name":"a","arguments":{}}</tool_call>';
    const tools = (text: string) => piecesOf(text, []).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.tool]));
    expect(tools(`<think>${call}</think> b <think>c</think> ${call}`)).toEqual(['a']);
    expect(tools(`<think>c</think>${call}<think>${call}</think>${call}`)).toEqual(['a', 'a']);
  });
});
