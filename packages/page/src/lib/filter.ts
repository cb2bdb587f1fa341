/** Filters and order of the inbox. */
import type { Card } from '../../../../src/shapes/card';
import { headline, payeeIn } from './format';

/** What a filter looks at. */
export interface Filterable {
  turn_id: string;
  agent: string;
  requester: string;
  card: Pick<Card, 'kind' | 'tool' | 'agent' | 'digest' | 'will_happen' | 'input' | 'expires_at' | 'asked_at'>;
}

export interface Filter {
  agent: string | null;
  tool: string | null;
  kind: string | null;
  /** Every word must occur somewhere. */
  text: string;
}

export const NO_FILTER: Filter = { agent: null, tool: null, kind: null, text: '' };

export function isFiltering(filter: Filter): boolean {
  return filter.agent !== null || filter.tool !== null || filter.kind !== null || filter.text.trim() !== '';
}

export function matches(filter: Filter, item: Filterable): boolean {
  const { card } = item;
  if (filter.agent !== null && card.agent !== filter.agent) return false;
  if (filter.tool !== null && card.tool !== filter.tool) return false;
  if (filter.kind !== null && card.kind !== filter.kind) return false;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = textOf(item);
  return words.every((word) => text.includes(word));
}

function textOf({ card, turn_id, requester }: Filterable): string {
  const input = card.input === undefined ? '' : JSON.stringify(card.input);
  const parts = [headline(card), payeeIn(card.input), card.tool, card.agent, requester, turn_id, card.digest, input];
  return parts.join('\n').toLowerCase();
}

/** What expires first stands first; then what has waited longest. */
export function byUrgency(a: Filterable, b: Filterable): number {
  return time(a.card.expires_at) - time(b.card.expires_at) || time(a.card.asked_at) - time(b.card.asked_at) || tie(a, b);
}

function time(iso: string | null | undefined): number {
  const at = Date.parse(iso ?? '');
  return Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : at;
}

function tie(a: Filterable, b: Filterable): number {
  if (a.turn_id !== b.turn_id) return a.turn_id < b.turn_id ? -1 : 1;
  return a.card.digest < b.card.digest ? -1 : Number(a.card.digest > b.card.digest);
}

/** The values to choose from, with how often each occurs. */
export function choices(items: readonly Filterable[], of: 'agent' | 'tool' | 'kind'): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { card } of items) counts.set(card[of], (counts.get(card[of]) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => (a.value < b.value ? -1 : 1));
}
