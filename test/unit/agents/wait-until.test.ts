import { checkInput } from '../../../src/tools/admit/admit';
import { prepareTool } from '../../../src/tools/catalogue/registry';
import { defineTool } from '../../../src/tools/define/define';
import { isTool } from '../../../src/tools/define/tool';
import { waitUntil } from '../../../src/agents/wait-until';
import type { JsonObject } from '../../../src/shared/json/json';

const DAY = 86_400_000;
const tool = waitUntil({ longestMs: 7 * DAY });
const refused = (input: JsonObject) => {
  const result = checkInput(prepareTool(tool), input);
  return result.ok ? null : `${result.error.reason}: ${result.error.message}`;
};

test('wait_until takes a time or a length of time, and a reason', () => {
  expect(refused({ after: '3 days', reason: 'It settles.' })).toBeNull();
  expect(refused({ at: '2026-12-03T09:00:00+01:00', reason: 'It settles.' })).toBeNull();
  expect(refused({ after: '3 days' })).toContain('schema_violation');
  expect(refused({ after: '3 days', reason: 'x'.repeat(301) })).toContain('schema_violation');
  expect(refused({ after: '3 days', reason: 'x', approved: true })).toContain('schema_violation');
  expect(refused({ after: 3, reason: 'x' })).toContain('schema_violation');
  expect(refused({ after: '9 days', reason: 'x' })).toBe('wait_too_long: after is 9 days; a wait lasts 7 days at most.');
  expect(refused({ reason: 'x' })).toContain('at_or_after');
});

test('the model is told how long it may wait', () => {
  expect(JSON.stringify(tool.description)).toContain('7 days at most');
});

test('waitUntil names each wrong option, and its name is reserved', () => {
  expect(isTool(tool)).toBe(true);
  expect(() => waitUntil({ longestMs: 1.5 })).toThrow('longestMs is 1.5');
  expect(() => waitUntil({ longestMs: 366 * DAY })).toThrow('it must be an integer from 1 to');
  expect(() => waitUntil({} as never)).toThrow('longestMs is undefined');
  expect(() => waitUntil({ longestMs: 1, most: 5 } as never)).toThrow('most');
  const own = { version: '1.0.0', class: 'read' as const, description: 'Waits.', input: { type: 'object' }, run: () => ({}) };
  expect(() => defineTool({ name: 'wait_until', ...own })).toThrow('a tool that holdfast brings along');
});
