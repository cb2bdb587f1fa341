import type { CheckForkInput, CheckForkOutput } from '../shared/activity-io';
import { isJsonObject } from '../shared/json';
import { StoreError, type StoredBlock } from '../store/store';
import { turnOfBlock } from '../store/turn-of-block';
import { walk } from '../store/transcript';
import { mayCut } from './compacted';
import { messageOf } from './conversation';
import type { Dependencies } from './dependencies';

const HASH = /^[0-9a-f]{64}$/;

/** May a new session go on after this block? It must be of whom it is said to be, and no call before it may lack its result. */
export async function checkFork({ store }: Pick<Dependencies, 'store'>, { block, of }: CheckForkInput): Promise<CheckForkOutput> {
  const unknown = { ok: false, reason: `There is no block ${JSON.stringify(block.slice(0, 64))} of yours.`, near: null } as const;
  if (!HASH.test(block)) return unknown;
  const blocks = await walk(store, block).catch((error: unknown) => {
    if (error instanceof StoreError) return [];
    throw error;
  });
  const turn = turnOfBlock(blocks);
  if (turn === null || (of !== null && of !== turn.requester)) return unknown;
  if (endsWhole(blocks)) return { ok: true, agent: turn.agent, turn_id: turn.turn_id };
  const near = blocks.findLastIndex((_, index) => endsWhole(blocks.slice(0, index + 1)));
  return {
    ok: false,
    reason: `A conversation cannot be cut at block ${block}: it stands between a call and its result, or before a turn's message.`,
    near: near < 0 ? null : blocks[near]!.hash,
  };
}

/** A start alone is no conversation yet. */
function endsWhole(blocks: StoredBlock[]): boolean {
  const last = blocks.findLast(({ block, bodies }) => block.kind === 'message' && isJsonObject(bodies[0] ?? null));
  const message = last ? messageOf(last) : null;
  return message !== null && blocks.at(-1)!.block.kind !== 'start' && mayCut([{ message }], 1);
}
