/** The questions for people, as a watch reports them from one look at all turns to the next. */
import type { PendingTurn } from '../../../src/shapes/turn-view';
import { watchPending, type NewQuestion } from '../../../src/client/approvals/watch-pending';

function turn(turn_id: string, calls: string[], unreachable: string | null = null): PendingTurn {
  const questions = calls.map((id) => ({ id, digest: id.repeat(20), state: 'waiting', card: `card of ${id}` }));
  return { turn_id, calls: questions, unreachable, tools: [] } as unknown as PendingTurn;
}

/** Watches until all looks are over. */
async function watched(looks: (PendingTurn[] | Error)[]) {
  const stop = new AbortController();
  const told: NewQuestion[] = [];
  const faults: string[] = [];
  const left = [...looks];
  const pending = () => {
    const look = left.shift() ?? [];
    if (left.length === 0) stop.abort();
    return look instanceof Error ? Promise.reject(look) : Promise.resolve(look);
  };
  const onFault = (fault: unknown) => faults.push((fault as Error).message);
  for await (const one of watchPending({ pending }, { signal: stop.signal, everyMs: 1, onFault })) told.push(one);
  return { told: told.map(({ turn: { turn_id }, call, card, waited }) => [turn_id, call.id, card, waited]), faults };
}

describe('a watch', () => {
  it('reports each question once: those that wait, then new ones, also after a look that failed', async () => {
    const { told, faults } = await watched([
      [turn('a', ['1.1']), turn('b', ['1.1'])],
      new Error('the server was away'),
      [turn('a', ['1.1', '1.2']), turn('b', [])],
      [turn('a', ['1.2']), turn('b', ['2.1'])],
    ]);
    expect(told).toEqual([
      ['a', '1.1', 'card of 1.1', true],
      ['b', '1.1', 'card of 1.1', true],
      ['a', '1.2', 'card of 1.2', false],
      ['b', '2.1', 'card of 2.1', false],
    ]);
    expect(faults).toEqual(['the server was away']);
  });

  it('reports a turn that cannot be asked once for each reason, and does not repeat earlier questions', async () => {
    const { told, faults } = await watched([
      [turn('a', ['1.1'])],
      [turn('a', [], 'no worker')],
      [turn('a', [], 'no worker')],
      [turn('a', [], 'no store')],
      [turn('a', ['1.1'])],
    ]);
    expect(told).toEqual([['a', '1.1', 'card of 1.1', true]]);
    expect(faults).toEqual([
      'Turn a waits for a person, and nobody can be asked now: no worker',
      'Turn a waits for a person, and nobody can be asked now: no store',
    ]);
  });
});
