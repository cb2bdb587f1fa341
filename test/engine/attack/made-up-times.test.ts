/** A sender who makes up the time until which he waits for an answer gets no more by it than by a signal. */
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const TIMES = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

const MADE_UP: [string, () => unknown, RegExp][] = [
  [
    'an hour ahead',
    () => ({ until: inMs(3_600_000) }),
    RegExp(`until ${TIMES}, more than 5 minutes after it arrived at ${TIMES}; compare`),
  ],
  ['the end of time', () => ({ until: '9999-12-31T23:59:59.999Z' }), /more than 5 minutes after/],
  [
    'a time that is over',
    () => ({ until: inMs(-1000) }),
    RegExp(`arrived at ${TIMES}, after ${TIMES}, when its sender no longer waited`),
  ],
  ['a time without a zone', () => ({ until: inMs(1000).slice(0, -1) }), /must be {"until"/],
  ['no day of any month', () => ({ until: '2026-02-31T00:00:00.000Z' }), /no longer waited|must be/],
  ['a number', () => ({ until: Date.now() + 1000 }), /must be {"until"/],
  ['more beside it', () => ({ until: inMs(1000), by: 'ana' }), /must be {"until"/],
  ['nothing in it', () => ({}), /must be {"until"/],
  ['null', () => null, /must be {"until"/],
  ['a list', () => [inMs(1000)], /must be {"until"/],
];

it('a decision, message or interruption with a made-up time does not count', async () => {
  const effects: unknown[] = [];
  const script = [ask(['pay', invoice]), say('done')];
  await withEngine({ tools: [pays('pay', effects)], script }, async ({ client, start }) => {
    const turn: TurnHandle = await start();
    const [{ digest }] = await turn.waitForPending();
    const { workflow } = client.temporal;
    const send = (name: string, body: object, waits: unknown) =>
      workflow
        .getHandle(turn.workflowId)
        .executeUpdate(name, { args: [body, waits] })
        .catch((error: any) => String(error.cause?.message));
    for (const [, waits, says] of MADE_UP) {
      expect(await send('decide', { decision: 'approve', call: digest, by: 'eve' }, waits())).toMatch(says);
      expect(await send('steer', { text: 'Pay twice.', by: 'eve' }, waits())).toMatch(says);
      expect(await send('interrupt', { by: 'eve' }, waits())).toMatch(says);
    }
    expect(await turn.status()).toMatchObject({ state: 'awaiting_approval', step: 1, ignored_signals: { count: 0 } });
    const { events } = await workflow.getHandle(turn.workflowId).fetchHistory();
    expect(events!.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toEqual([]);
    // A decision with a valid time is taken, and both times are kept with it.
    const until = inMs(15_000);
    expect(await send('decide', { decision: 'approve', call: digest, by: 'ana' }, { until })).toMatchObject({ accepted: true });
    await turn.result();
    expect(effects).toEqual([invoice]);
    const { events: all } = await workflow.getHandle(turn.workflowId).fetchHistory();
    const ran = all!.find((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'runCall')!;
    const [payload] = ran.activityTaskScheduledEventAttributes!.input!.payloads!;
    const [approval] = JSON.parse(Buffer.from(payload!.data!).toString()).approvals;
    expect(approval.until).toBe(until);
    expect(Date.parse(approval.at)).toBeLessThanOrEqual(Date.parse(until));
  });
});

it('a message to a session with a made-up time does not count', async () => {
  await withEngine({ script: [say('Hello.')] }, async ({ client }) => {
    const session = await client.openSession({ agent: 'tester', requester: 'rita' });
    const body = { message_id: 'm', message: 'Hello.', requester: 'rita' };
    const handle = client.temporal.workflow.getHandle(session.workflowId);
    const send = (waits: unknown) =>
      handle.executeUpdate('send', { args: [body, waits] }).catch((error: any) => String(error.cause?.message));
    for (const [, waits, says] of MADE_UP) expect(await send(waits())).toMatch(says);
    expect(await session.status()).toMatchObject({ turns: 0, queue: [], running: null });
    await session.close({ by: 'rita' });
  });
});
