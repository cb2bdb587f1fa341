import { unlistedServerTools } from '../../../src/activities/step/model-content';
import type { ModelResponse } from '../../../src/model/provider';

const used = (...names: string[]) =>
  ({ content: names.map((name) => ({ type: 'server_tool_use', name })) }) as unknown as ModelResponse;
const listed = (type: string, name: string) => [{ type, name }];

it.each([
  ['code_execution_20250522', 'code_execution'],
  ['web_search_20260209', 'web_search'],
  ['web_fetch_20260209', 'web_fetch'],
  ['web_search_20270101', 'web_search'],
])('%s may run code', (type, name) => {
  expect(unlistedServerTools(used(name, 'bash_code_execution', 'code_execution'), listed(type, name))).toEqual([]);
});

it.each([['web_search_20250305'], ['web_fetch_20250910']])('%s may not run code', (type) => {
  expect(unlistedServerTools(used('code_execution'), listed(type, 'web_search'))).toEqual(['code_execution']);
});

it('the error names a tool that is not listed', () => {
  expect(unlistedServerTools(used('web_search', 'web_fetch'), listed('web_search_20250305', 'web_search'))).toEqual([
    'web_fetch',
  ]);
});

it.each([
  ['web_search', 'web_search'],
  ['web_search_preview_2025_03_11', 'web_search'],
  ['mcp', 'mcp'],
  ['code_interpreter', 'code_interpreter'],
])('a definition without a name is found by its type: %s', (type, name) => {
  expect(unlistedServerTools(used(name, 'file_search', 'undefined'), [{ type }])).toEqual(['file_search', 'undefined']);
});
