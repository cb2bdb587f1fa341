import { temporal } from '@temporalio/proto';
import { sentOf } from '../../../src/client/turns/missing-answer';
import { withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const { HistoryEvent } = temporal.api.history.v1;
/** The event as a server sends it: through the wire format. */
const sent = (fields: temporal.api.history.v1.IHistoryEvent) =>
  sentOf({ runId: 'r', event: HistoryEvent.decode(HistoryEvent.encode(HistoryEvent.create(fields)).finish()) });

describe('the senders of events', () => {
  it('distinguish the principal that the server has computed from the one that the client claims', () => {
    const signal = { signalName: 'approve', identity: 'boss@bank' };
    const principal = { type: 'jwt', name: 'mallory' };
    const eventTime = { seconds: 1_700_000_000 as never, nanos: 5_000_000 };
    expect(sent({ eventId: 7 as never, eventTime, workflowExecutionSignaledEventAttributes: signal, principal })).toEqual({
      run_id: 'r',
      event_id: '7',
      at: '2023-11-14T22:13:20.005Z',
      kind: 'signal',
      name: 'approve',
      identity: 'boss@bank',
      principal: 'jwt/mallory',
    });
  });

  it('do not include events that nobody sent, or the start of a run that continues another', () => {
    expect(sent({ timerFiredEventAttributes: { timerId: '1' } })).toBeNull();
    expect(sent({ workflowExecutionStartedEventAttributes: { identity: 'a', continuedExecutionRunId: 'r0' } })).toBeNull();
    expect(sent({ workflowExecutionStartedEventAttributes: { identity: 'a' } })).toMatchObject({
      kind: 'start',
      principal: null,
    });
    const terminated = { workflowExecutionTerminatedEventAttributes: { identity: 'op' } };
    expect(sent(terminated)).toMatchObject({ kind: 'terminate', identity: 'op' });
  });

  it('include a turn’s start, signals, updates and cancellation request, with the identity of each client', async () => {
    const tools = [pays('pay', [])];
    await withEngine(
      { tools, script: [ask(['pay', { invoice: 'INV-7', cents: 1 }]), say('Not paid.')] },
      async ({ start, client }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: 'nothing', by: 'ana' });
        await turn.deny(call.digest, { by: 'ana' });
        await turn.result();
        const seen = await turn.senders();
        expect(seen.map(({ kind, name }) => `${kind} ${name}`.trim())).toEqual(['start', 'signal approve', 'update decide']);
        const { identity } = client.temporal.options;
        expect(new Set(seen.map((one) => one.identity))).toEqual(new Set([identity]));
        expect(seen.every(({ principal }) => principal === null)).toBe(true);
      },
    );
  });
});
