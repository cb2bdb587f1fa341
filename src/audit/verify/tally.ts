/** Running totals of a turn: number of steps, last text, and the tokens and cost of its steps and of sub-agents' turns. */
import type { Json, JsonObject } from '../../shared/json/json';

const SUMS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'cost_usd',
  'unpriced_tokens',
] as const;
export type Sums = Record<(typeof SUMS)[number], number>;

/** Tolerance for sums of US dollars added in another order. */
const PRECISION = 1e-9;

export interface Tally {
  steps: number;
  /** The last text that is not empty. */
  text: string;
  sums: Sums;
  /** Sub-agents' turns by workflow, as `lookAtSubTurn` last found them. */
  below: Map<string, { sums: Sums; isEnded: boolean }>;
  /** The totals are incomplete: the preceding run is missing, or something was left out. */
  unknown: boolean;
}

export function none(): Tally {
  return { steps: 0, text: '', sums: emptySums(), below: new Map(), unknown: false };
}

export function emptySums(): Sums {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_creation_tokens: 0,
    cost_usd: 0,
    unpriced_tokens: 0,
  };
}

export function copyOf(tally: Tally): Tally {
  return { ...tally, sums: { ...tally.sums }, below: new Map(tally.below) };
}

/** Changes `sums`. Fields that are not numbers are skipped. */
export function add(sums: Sums, usage: JsonObject): void {
  for (const field of SUMS) if (typeof usage[field] === 'number') sums[field] += usage[field];
}

/** The first sum that differs from `usage`; null: none differs, or a sub-agent's turn had not ended when it was last looked at. */
export function wrongSum({ sums, below }: Tally, usage: JsonObject): { field: string; value: Json; sum: number } | null {
  const turns = [...below.values()];
  if (turns.some(({ isEnded }) => !isEnded)) return null;
  for (const field of SUMS) {
    const value = usage[field];
    const sum = turns.reduce((all, turn) => all + turn.sums[field], sums[field]);
    const most = field === 'cost_usd' ? PRECISION * Math.max(1, sum) : 0;
    if (value !== undefined && !(typeof value === 'number' && Math.abs(value - sum) <= most)) return { field, value, sum };
  }
  return null;
}
