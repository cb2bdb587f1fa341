/** What a client of MCP gets of a turn that has ended. */
import { endedResult } from '../../../../src/protocols/mcp/results';
import type { TurnView } from '../../../../src/shared/turn/turn-view';

const view = (more: Partial<TurnView>) =>
  ({ turn_id: 't', state: 'completed', text: 'Done.', reason: null, trace_id: 'trace', ui_url: null, ...more }) as TurnView;

it('has the data of an agent that gives some, beside its words', () => {
  const result = { cents: 700 };
  expect(endedResult(view({ result }))).toMatchObject({
    content: [{ type: 'text', text: 'Done.' }],
    structuredContent: { turn_id: 't', state: 'completed', text: 'Done.', result },
  });
  // A client that shows text only would have nothing to show.
  expect(endedResult(view({ text: '', result })).content).toEqual([{ type: 'text', text: '{"cents":700}' }]);
});

it('has no such field where the agent gives none, and is an error where the turn did not complete', () => {
  expect(endedResult(view({})).structuredContent).toEqual({ turn_id: 't', state: 'completed', text: 'Done.' });
  expect(endedResult(view({ state: 'failed', reason: 'RESULT_INVALID', text: '' }))).toMatchObject({
    isError: true,
    content: [{ text: 'The turn ended failed. RESULT_INVALID' }],
  });
});
