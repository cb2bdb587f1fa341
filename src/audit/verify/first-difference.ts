/** Compares the facts of two records. */
import type { Json } from '../../shared/json/json';
import { hashOf } from './values';

/** The name of the first fact that both records have, with different values; null: there is none. */
export function firstDifference(one: Record<string, Json | undefined>, other: Record<string, Json | undefined>): string | null {
  const same = (name: string) =>
    one[name] === undefined || other[name] === undefined || hashOf(one[name]) === hashOf(other[name]);
  return Object.keys(one).find((name) => !same(name)) ?? null;
}
