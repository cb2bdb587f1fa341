/**
 * A conversation that is longer than the model's context window. The vendor says so before it answers, or stops in the
 * middle of an answer; either way the step is written down as what it was, room is made, and the turn goes on.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { ModelMessage } from '../../model/provider';
import { lastOf, type ReadAdmission } from '../../record/read-block';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { conversationTokens, totalTokens, type Room } from './compaction';
import type { StoredBlock } from '../../store/core/seal';

/** Stands as the stop reason of a step whose request was refused: there is no answer. */
export const TOO_LONG = 'prompt_too_long';
const CUT = 'model_context_window_exceeded';

/** Whether it was the vendor who said that there is no room. */
export function saysFull(stopReason: unknown): boolean {
  return stopReason === TOO_LONG || stopReason === CUT;
}

export interface TooLong {
  /** What was sent, and what the window holds, in tokens; absent where the vendor has not said. */
  sent?: number;
  window?: number;
}

/** @throws whatever else it is */
export function asTooLong(error: unknown): TooLong {
  if (!(error instanceof ApplicationFailure) || error.type !== 'model.too_large') throw error;
  const [, sent, window] = /(\d{1,12}) tokens > (\d{1,12})/.exec(error.message) ?? [];
  return sent === undefined ? {} : { sent: Number(sent), window: Number(window) };
}

/** What the model is told after an answer for which there was no room; null: the last one was whole. */
export function goOnText(blocks: StoredBlock[], last: ModelMessage | undefined): string | null {
  if (last?.role !== 'assistant' || lastOf('admission', blocks)?.stop_reason !== CUT) return null;
  return 'Your answer was cut off, because the context window was full. There is room again: give the whole answer once more.';
}

/** How much room there is, as far as the last request tells. */
export function roomOf(blocks: StoredBlock[], messages: readonly ModelMessage[], { agent }: PreparedAgent): Room {
  const admission = lastOf('admission', blocks);
  const used = contextTokens(admission);
  if (!saysFull(admission?.stop_reason)) return { window: agent.contextWindow, used };
  const told = admission?.context_window ?? agent.contextWindow;
  const most = Math.max(used, conversationTokens(messages));
  // It is full, whatever the figures say.
  return { window: Math.min(agent.contextWindow, told, most), used: most };
}

/** What the last request and its answer took of the window; 0 before the first. */
function contextTokens(admission: ReadAdmission | null): number {
  return admission?.usage ? totalTokens(admission.usage) : 0;
}
