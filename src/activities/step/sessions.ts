/** Checks a session that begins: is it the first of its id, and may it continue from a block of another conversation? */
import type { Dependencies } from '../ports';
import { Context } from '@temporalio/activity';
import { StoreError } from '../../store/store';
import { hashJson } from '../../shared/json/digests';
import { mayCut } from './compaction';
import { messageOf } from './conversation';
import { readBlock } from '../../record/read-block';
import { turnOfBlock, walk } from '../../store/core/transcript';
import type { BeginSessionInput, BeginSessionOutput, CheckForkInput, CheckForkOutput } from '../../shared/io/activities';
import type { Json } from '../../shared/json/json';
import type { StoredBlock } from '../../store/core/seal';
import { isHash } from '../../shared/json/sha256';

/**
 * Whether this is the first session of its id. Temporal accepts an id again after a session was terminated or forgotten, while
 * turns of the earlier session may still exist, run, and be in the store. So the store keeps which session was the first.
 */
export async function beginSession(
  { store, turnEnds }: Pick<Dependencies, 'store' | 'turnEnds'>,
  { session_id, session_run }: BeginSessionInput,
): Promise<BeginSessionOutput> {
  const { namespace } = Context.current().info;
  const hash = hashJson({ v: 'holdfast.session/1', namespace, session_id });
  // Builds until November 2026 recorded it under this name; such an entry is deleted after a month.
  const { value: older } = await store.registers.read(`session/${hash}`);
  const first = await store.registers.update<Json>(`kept/session/${hash}`, (value) => {
    const entry = value ?? older;
    return entry === null ? { value: session_run, answer: session_run } : { answer: entry };
  });
  // Sessions of older builds have no entry.
  return { first: first === session_run && !(await turnEnds.hasTurns(session_id)) };
}

/** Whether a new session may continue after this block. The block must belong to `of`, and all calls before it have results. */
export async function checkFork({ store }: Pick<Dependencies, 'store'>, { block, of }: CheckForkInput): Promise<CheckForkOutput> {
  const unknown = { ok: false, reason: `There is no block ${JSON.stringify(block.slice(0, 64))} of yours.`, near: null } as const;
  if (!isHash(block)) return unknown;
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

/** Whether a conversation may end here: after a message, and with a result for each call. A start alone is no conversation. */
function endsWhole(blocks: StoredBlock[]): boolean {
  const last = blocks.findLast((storedBlock) => readBlock(storedBlock)?.kind === 'message');
  const message = last ? messageOf(last) : null;
  return message !== null && blocks.at(-1)!.block.kind !== 'start' && mayCut([{ message }], 1);
}
