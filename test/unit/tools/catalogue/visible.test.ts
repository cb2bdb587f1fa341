import fc from 'fast-check';
import type { ModelMessage } from '../../../../src/model/provider';
import type { JsonObject } from '../../../../src/shared/json/json';
import { loadedTools } from '../../../../src/tools/catalogue/catalogue';

const NAMES = Array.from({ length: 30 }, (_, index) => `tool_${index}`);
const KNOWN = new Set(NAMES);
const none = () => [];

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const calls = (...names: string[]): ModelMessage => ({
  role: 'assistant',
  content: names.map((name, index) => ({ type: 'tool_use', id: `use_${index + 1}`, name, input: {} })),
});
const answers = (...bodies: (string | JsonObject)[]): ModelMessage => ({
  role: 'user',
  content: bodies.map((body, index) => ({
    type: 'tool_result',
    tool_use_id: `use_${index + 1}`,
    content: [{ type: 'text', text: typeof body === 'string' ? body : JSON.stringify(body) }],
  })),
});
const found = (...names: string[]): JsonObject => ({ success: true, data: { tools: names.map((name) => ({ name })) } });

describe('the tools that are loaded', () => {
  it('begin with those that fit the message of the user, best first', () => {
    const seed = (text: string) => (text === 'hello' ? ['tool_3', 'tool_1'] : []);
    expect(loadedTools([user('hello')], KNOWN, 8, seed)).toEqual(['tool_3', 'tool_1']);
  });

  it('include those that find_tools found, after the earlier ones, which keep their places', () => {
    const talk = [user('hello'), calls('find_tools'), answers(found('tool_9', 'tool_3'))];
    expect(loadedTools(talk, KNOWN, 8, () => ['tool_3', 'tool_1'])).toEqual(['tool_3', 'tool_1', 'tool_9']);
  });

  it('lose those that were not used for longest if there are too many', () => {
    const talk = [
      user('hello'),
      calls('find_tools'),
      answers(found('tool_1', 'tool_2', 'tool_3')),
      calls('tool_1', 'find_tools'),
      answers({ success: true, data: {} }, found('tool_4')),
    ];
    expect(loadedTools(talk, KNOWN, 3, none)).toEqual(['tool_1', 'tool_2', 'tool_4']);
  });

  it('include a tool that was called though it was not loaded', () => {
    expect(loadedTools([user('hello'), calls('tool_7'), answers('{}')], KNOWN, 8, none)).toEqual(['tool_7']);
  });

  it('include none from results of other tools, from errors, from unknown names or from text that is not a result', () => {
    const failed = answers(found('tool_1'));
    failed.content[0]!.is_error = true;
    for (const talk of [
      [user(JSON.stringify(found('tool_1')))],
      [user('hello'), calls('fetch_page'), answers(found('tool_1'))],
      [user('hello'), calls('find_tools'), failed],
      [user('hello'), calls('find_tools'), answers('no JSON')],
      [user('hello'), calls('find_tools'), answers('{"data":{"tools":"tool_1"}}')],
      [user('hello'), calls('find_tools'), answers('{"data":[{"name":"tool_1"}]}')],
      [user('hello'), calls('find_tools'), answers(found('__proto__', 'constructor', 'rm_rf'))],
      [user('hello'), answers(found('tool_1'))],
    ]) {
      expect(loadedTools(talk, KNOWN, 8, none)).toEqual([]);
    }
  });

  it('are distinguished by place if a model gives two calls one id', () => {
    const twice = calls('fetch_page', 'find_tools');
    const both = answers(found('tool_1'), found('tool_2'));
    for (const block of [...twice.content, ...both.content]) {
      if (block.type === 'tool_use') block.id = 'same';
      else block.tool_use_id = 'same';
    }
    expect(loadedTools([user('hello'), twice, both], KNOWN, 8, none)).toEqual(['tool_2']);
  });

  const name = fc.constantFrom(...NAMES, 'find_tools', 'unknown');
  const exchange = fc
    .array(fc.record({ name, finds: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 8 }) }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((asked): ModelMessage[] => [
      calls(...asked.map((one) => one.name)),
      answers(...asked.map((one) => found(...one.finds))),
    ]);
  const talks = fc.array(exchange, { maxLength: 8 }).map((rounds) => [user('hello'), ...rounds.flat()]);

  it('are never more than the bound, never repeated, and the same for the same conversation', () => {
    fc.assert(
      fc.property(talks, fc.integer({ min: 1, max: 12 }), (talk, most) => {
        const loaded = loadedTools(talk, KNOWN, most, () => NAMES);
        expect(loaded.length).toBeLessThanOrEqual(most);
        expect(new Set(loaded).size).toBe(loaded.length);
        expect(loadedTools(structuredClone(talk), KNOWN, most, () => NAMES)).toEqual(loaded);
      }),
    );
  });

  it('include all that one search found; the others keep their order', () => {
    const finds = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(talks, finds, fc.integer({ min: 8, max: 12 }), (talk, names, most) => {
        const before = loadedTools(talk, KNOWN, most, none);
        const after = loadedTools([...talk, calls('find_tools'), answers(found(...names))], KNOWN, most, none);
        expect(after).toEqual(expect.arrayContaining(names));
        const stayed = before.filter((one) => after.includes(one));
        expect(after.slice(0, stayed.length)).toEqual(stayed);
      }),
    );
  });
});
