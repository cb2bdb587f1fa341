/**
 * Plays the showcase: every tool of four packs in one turn. Like the analyst it goes through its stages from the beginning at every
 * step, and does the first thing whose results are not there yet.
 */
import { readOrder } from '../analyst/order';
import type { Conversation } from '../conversation';
import { Ledger, nextStage, type Play } from '../call-ledger';
import { closing } from './final-answer';
import { PACKS } from './packs';
import { lastStage, stages } from './plan';

/** Plays if tools of all four packs are offered. These include the analyst's, so this is checked before isAnalyst. */
export function isShowcase({ tools }: Conversation): boolean {
  const names = new Set(tools.map((tool) => tool.name));
  return Object.values(PACKS).every((pack) => pack.some((name) => names.has(name)));
}

export function playShowcase(conversation: Conversation): Play {
  const order = readOrder(conversation);
  const ledger = new Ledger(conversation);
  const next = nextStage(ledger, stages(order)) ?? lastStage(ledger, order);
  return next ?? { text: closing(ledger, order), calls: [] };
}
