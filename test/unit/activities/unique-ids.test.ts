/** Each call of a conversation goes back to the API under one legal id; the record keeps what the model wrote. */
import fc from 'fast-check';
import { withUniqueIds } from '../../../src/activities/step/model-content';
import type { ModelMessage, ModelResponse } from '../../../src/model/provider';
import type { JsonObject } from '../../../src/shared/json/json';

const answer = (...content: JsonObject[]) => ({ content, rawToolInputs: [] }) as unknown as ModelResponse;
const use = (id: unknown, type = 'tool_use') => ({ type, id, name: 'pay', input: {} }) as JsonObject;
const idsOf = (content: JsonObject[]) => content.map((block) => block.id ?? block.tool_use_id);

describe('the ids of an answer', () => {
  it('stay as they are if each is legal and used once', () => {
    const { response, askedIds } = withUniqueIds(answer(use('a'), use('b')), [], 1);
    expect(idsOf(response.content)).toEqual(['a', 'b']);
    expect([...askedIds]).toEqual([]);
  });

  it('are replaced if a call of the same answer, or an earlier one, has the same id', () => {
    const before: ModelMessage[] = [{ role: 'assistant', content: [use('b')] }];
    const { response, askedIds } = withUniqueIds(answer(use('a'), use('a'), use('b')), before, 2);
    expect(idsOf(response.content)).toEqual(['a', 'toolu_step2_2', 'toolu_step2_3']);
    expect([...askedIds]).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  it.each([[''], ['with space'], ['ä'], ['x'.repeat(201)], [7], [null], [undefined]])('are replaced if the id is %j', (id) => {
    const { response, askedIds } = withUniqueIds(answer(use(id)), [], 1);
    expect(idsOf(response.content)).toEqual(['toolu_step1_1']);
    expect(askedIds.get(0)).toBe(typeof id === 'string' ? id : null);
  });

  it('of the vendor’s own tools are replaced together with those of their results, in order', () => {
    const searched = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
    const of = (...content: JsonObject[]) => idsOf(withUniqueIds(answer(...content), [], 1).response.content);
    const search = use('srvtoolu_s', 'server_tool_use');
    expect(of(search, search, searched('srvtoolu_s'), searched('srvtoolu_s'))).toEqual([
      'srvtoolu_s',
      'srvtoolu_step1_2',
      'srvtoolu_s',
      'srvtoolu_step1_2',
    ]);
    expect(of(search, searched('srvtoolu_s'), search, searched('srvtoolu_s'))).toEqual([
      'srvtoolu_s',
      'srvtoolu_s',
      'srvtoolu_step1_3',
      'srvtoolu_step1_3',
    ]);
  });

  it('of MCP calls by the vendor are replaced together with those of their results too', () => {
    const call = use('mcptoolu_a', 'mcp_tool_use');
    const result = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_a', content: [] };
    expect(idsOf(withUniqueIds(answer(call, call, result, result), [], 1).response.content)).toEqual([
      ...['mcptoolu_a', 'mcptoolu_step1_2', 'mcptoolu_a', 'mcptoolu_step1_2'],
    ]);
  });

  it('are legal and different for any answer of a model', () => {
    const id = fc.oneof(fc.constantFrom('a', 'toolu_step3_1', 'toolu_step3_2', 'toolu_step3_2_2'), fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(id), fc.array(id), (earlier, ids) => {
        const before = withUniqueIds(answer(...earlier.map((one) => use(one))), [], 2).response.content;
        const now = withUniqueIds(answer(...ids.map((one) => use(one))), [{ role: 'assistant', content: before }], 3);
        const all = idsOf([...before, ...now.response.content]);
        expect(new Set(all).size).toBe(all.length);
        for (const one of all) expect(one).toMatch(/^[a-zA-Z0-9_-]{1,200}$/);
      }),
    );
  });
});
