/** Where the outcome of a dispatch is written: the blocks of the turn tell, each is read once for a place, and none of earlier turns. */
import { placeOf } from '../../../src/activities/effects/effect-outcome';
import type { EffectRecord } from '../../../src/record/effect';
import type { Store } from '../../../src/store/store';

/** Name, kind and parent of each block. `reset` is a head on another branch than `dispatched`. */
const BLOCKS: Record<string, [kind: string, parent: string | null]> = {
  earlier: ['start', null],
  ended: ['end', 'earlier'],
  start: ['start', 'ended'],
  asked: ['message', 'start'],
  dispatched: ['decision', 'asked'],
  undecided: ['message', 'asked'],
  reset: ['message', 'asked'],
};

async function place(head: string, dispatchedAt: string, approvals: unknown[]) {
  const reads: string[] = [];
  const store = {
    getBlock: async (hash: string) => {
      reads.push(hash);
      const [kind, parent] = BLOCKS[hash]!;
      return { hash, block: { kind, parent }, bodies: [{ call_id: '1.1', digest: 'digest', decision: 'approve' }] };
    },
    effects: { latest: async () => null },
  };
  const turn = { turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'run' };
  const request = { turn, call: { id: '1.1', digest: 'digest' }, at: '', head, approvals };
  const found = await placeOf(store as unknown as Store, request as never, { head: dispatchedAt } as EffectRecord);
  return { found, reads };
}

it.each([
  ['the turn goes on from its blocks', 'asked', 'dispatched', ['an approval'], 'dispatched'],
  ['the decisions are not there', 'asked', 'undecided', ['an approval'], 'asked'],
  ['a reset has led to another branch', 'reset', 'dispatched', ['an approval'], 'reset'],
  ['the present head is of an earlier turn', 'ended', 'dispatched', ['an approval'], 'ended'],
])('%s', async (_what, head, dispatchedAt, approvals, expected) => {
  const { found, reads } = await place(head, dispatchedAt, approvals);
  expect(found).toBe(expected);
  expect(reads).toEqual([dispatchedAt, 'asked', 'start']);
});

it('where nobody had to decide, no block before the present head is read', async () => {
  expect(await place('asked', 'undecided', [])).toEqual({ found: 'undecided', reads: ['undecided', 'asked'] });
});
