import fc from 'fast-check';
import { InOrder } from '../../../src/client/events/turn-log';
import { eventually, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import type { TurnEvent } from '../../../src/shapes/turn-event';

const at = '2026-11-21T00:00:00.000Z';
const step = (...calls: [id: string, verdict: string][]): TurnEvent => ({
  at,
  type: 'step_completed',
  step: 1,
  text: '',
  calls: calls.map(([id, verdict]) => ({ id, tool: 't', verdict })),
});
const started = (call: string): TurnEvent => ({ at, type: 'tool_started', call, tool: 't' });
const result = (call: string): TurnEvent => ({ at, type: 'tool_result', call, tool: 't', summary: '', effect: null });
const error = (call: string, effect: string | null = null): TurnEvent => ({
  at,
  type: 'tool_error',
  call,
  tool: 't',
  error: null,
  effect,
});
const progress = (call: string): TurnEvent => ({ at, type: 'tool_progress', call, message: 'm', fraction: null });
const next: TurnEvent = { at, type: 'step_started', step: 2 };
const told = (events: TurnEvent[]) => {
  const order = new InOrder();
  return events.flatMap((event) => order.push(event));
};
const isResult = (event: TurnEvent) => event.type === 'tool_result' || event.type === 'tool_error';

describe('results', () => {
  it('are shown in the order of their calls, each as soon as that order allows, whichever call ends first', () => {
    const count = fc.integer({ min: 1, max: 12 });
    const order = count.chain((n) =>
      fc.shuffledSubarray(
        Array.from({ length: n }, (_none, i) => i),
        { minLength: n, maxLength: n },
      ),
    );
    fc.assert(
      fc.property(order, fc.array(fc.boolean()), (ends, fails) => {
        const ids = ends.map((_none, index) => `1.${index + 1}`);
        const inOrder = new InOrder();
        [step(...ids.map((id): [string, string] => [id, 'allow'])), ...ids.map(started)].forEach((event) => inOrder.push(event));
        const shown: string[] = [];
        const ended = new Set<number>();
        for (const index of ends) {
          const id = ids[index]!;
          expect(inOrder.push(progress(id))).toEqual([progress(id)]); // never held
          for (const event of inOrder.push(fails[index] ? error(id) : result(id))) shown.push((event as { call: string }).call);
          ended.add(index);
          const first = ids.findIndex((_id, i) => !ended.has(i));
          expect(shown).toEqual(ids.slice(0, first < 0 ? ids.length : first)); // exactly what the order allows
        }
        expect(inOrder.push(next)).toEqual([next]); // no result was left out
      }),
    );
  });

  it('that are still held back when the step ends are shown before the next step', () => {
    const events = [step(['1.1', 'allow'], ['1.2', 'allow']), started('1.2'), result('1.2'), next];
    expect(told(events)).toEqual([events[0], events[1], result('1.2'), next]);
  });

  it('of a call after one that a person declined do not wait for the step to end', () => {
    const events = [step(['1.1', 'ask'], ['1.2', 'allow']), started('1.2'), result('1.2')];
    expect(told(events)).toEqual(events);
  });

  it('of a call in doubt and of its settlement are both shown', () => {
    const events = [step(['1.1', 'ask']), started('1.1'), error('1.1', 'in_doubt'), result('1.1'), next];
    expect(told(events)).toEqual(events);
  });

  it('of a refused call are shown once, although the next step reports it again', () => {
    const events = [step(['1.1', 'rejected'], ['1.2', 'allow']), error('1.1'), started('1.2'), result('1.2'), error('1.1'), next];
    expect(told(events)).toEqual([...events.slice(0, 4), next]);
  });
});

describe('a turn that is watched', () => {
  it('shows the result of call 1 before that of call 2, which came first, live and afterwards', async () => {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const tools = [reads('slow', async () => (await gate, 'slow')), reads('quick', () => 'quick'), pays('pay', [])];
    const script = [ask(['slow', {}], ['nobody', {}], ['quick', {}], ['slow', {}]), say('Done.')];
    await withEngine({ tools, script }, async ({ start, client }) => {
      const turn = await start();
      const watch = async () => {
        const seen: TurnEvent[] = [];
        for await (const event of turn.watch()) seen.push(event);
        return seen;
      };
      const live = watch();
      await eventually('the quick one has ended', async () => {
        const { calls } = await turn.status();
        return calls[2]?.state === 'succeeded';
      });
      open();
      await turn.result();
      const results = (await live).filter(isResult).map((event) => `${(event as { call: string }).call} ${event.type}`);
      expect(results).toEqual(['1.1 tool_result', '1.2 tool_error', '1.3 tool_result', '1.4 tool_result']);
      expect((await watch()).filter(isResult).map((event) => (event as { call: string }).call)).toEqual([
        '1.1',
        '1.2',
        '1.3',
        '1.4',
      ]);
      // The quick call did end first: otherwise there was no result to hold back.
      const history = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      const completed = (history.events ?? []).flatMap((event) => {
        const done = event.activityTaskCompletedEventAttributes;
        const scheduled = done && history.events!.find(({ eventId }) => String(eventId) === String(done.scheduledEventId));
        const id = scheduled?.activityTaskScheduledEventAttributes?.activityId ?? '';
        return /^\d+\.\d+:/.test(id) ? [id.split(':')[0]!] : [];
      });
      expect(completed[0]).toBe('1.3');
    });
  });
});
