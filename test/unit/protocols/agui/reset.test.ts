/** A turn that is reset while a front end follows it: its calls may have the same ids as before, and other results. */
import { CallDetails } from '../../../../src/protocols/turns/call-details';
import { RunEvents } from '../../../../src/protocols/agui/run-events';

const resultOf = (price: number) => ({
  ...{ turn_id: 't', session_id: null, call_id: '1.0', summary: '', inline: true },
  envelope: { success: true, data: { price }, metadata: { tool_name: 'quote', cache: { hit: false } } },
});

it('a result that comes after the reset is the new one', async () => {
  const parts: Record<string, object> = { before: resultOf(7), after: resultOf(8) };
  let result_ref = 'before';
  const turn = { status: async () => ({ head: null, calls: [{ id: '1.0', result_ref }] }) };
  const details = new CallDetails({ getPart: async (ref: string) => parts[ref] } as never, turn as never, {
    turn_id: 't',
    requester: 'ana',
  });
  const run = { threadId: 's', runId: 'r', turnId: 't', messages: [], after: null };
  const events = new RunEvents(run, details);
  const of = (event: object) => events.of({ event, position: null } as never);
  const result = { at: '', type: 'tool_result', call: '1.0', summary: '' };
  expect(await of(result)).toMatchObject([{ content: expect.stringContaining('"price":7') }]);
  await of({ at: '', type: 'turn_reset', reason: null });
  result_ref = 'after';
  expect(await of(result)).toMatchObject([{ content: expect.stringContaining('"price":8') }]);
});
