/**
 * Each ref of a fact that is recorded twice, in the place of each other ref of its kind in the same bundle, signed by the stolen key. A
 * ref that is there names something real, of another call, step or turn: a check that it exists finds nothing.
 */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { sample, SAMPLES } from '../bundle-keys';
import { isSampled } from '../runs';
import { recordIn, SOURCES } from './repeated-facts';
import { forged, opened, type OpenLine } from './forge';

const REF = /^[0-9a-f]{64}$/;
const NAMES = readdirSync(SAMPLES).filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl')); // oxfmt-ignore
/** Kinds of lines that have a ref. */
const KINDS = ['part', 'object', 'block'] as const;

/** What a verifier cannot tell, and why. `source: field` */
export const NOT_TOLD: Readonly<Record<string, string>> = {
  "how a sub-agent's turn was found: head":
    'how a turn stood before it had ended nothing else says, but that it is one of its blocks',
};

export interface Swap {
  /** `sample: source: field: the other` */
  name: string;
  /** `source: field` */
  fact: string;
  bytes: Buffer;
}

/** By field: the hashes that stand under it anywhere, such as digests. */
function hashesIn(value: unknown, found: Map<string, Set<string>>): Map<string, Set<string>> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [field, held] of Object.entries(value)) {
    if (typeof held !== 'string' || !REF.test(held)) hashesIn(held, found);
    else found.set(field, (found.get(field) ?? new Set()).add(held));
  }
  return found;
}

/** Refs of the lines of its kind; of what names no line, what stands under the same name. */
function ofItsKind(field: string, ref: string, lines: readonly OpenLine[], hashes: Map<string, Set<string>>): string[] {
  for (const kind of KINDS) {
    const refs = lines.filter((line) => line.kind === kind).map(({ body }) => body.ref as string);
    if (refs.includes(ref)) return refs;
  }
  return [...(hashes.get(field) ?? [])];
}

/** The bundle; null: no such can be made, since a hash would have to be in what it is of. */
function withOther(whole: string, record: (lines: OpenLine[]) => any, field: string, other: string): Buffer | null {
  try {
    return Buffer.from(forged(whole, (lines) => (record(lines)[field] = other)).text);
  } catch (error) {
    if (String(error).includes('do not settle down')) return null;
    throw error;
  }
}

/** Whether the record is of the turn whose history it is in, and not of a turn before. */
function isOfItsTurn(held: any, lines: readonly OpenLine[]): boolean {
  const { first_execution_run_id: run } = held;
  return run === undefined || lines.some(({ kind, body }) => kind === 'turn' && body.first_execution_run_id === run);
}

/**
 * Of each fact one, and of what cannot be told all; of the others every nth, and others on the next day.
 * @param most samples of each fact, in which it is tried
 */
export async function* swaps(most: number, nth: number): AsyncGenerator<Swap> {
  const tried = new Map<string, number>();
  let more = 0;
  for (const name of NAMES) {
    const whole = await sample(name);
    const lines = opened(whole);
    const hashes = hashesIn(
      lines.map(({ body }) => body),
      new Map(),
    );
    for (const [source, { record, table, of, only }] of Object.entries(SOURCES)) {
      const held = only === true && of !== name ? {} : recordIn({ record }, lines);
      for (const field of Object.keys(table)) {
        const fact = `${source}: ${field}`;
        const ref: unknown = held[field];
        if (typeof ref !== 'string' || !REF.test(ref) || !isOfItsTurn(held, lines)) continue;
        const others = ofItsKind(field, ref, lines, hashes).filter((other) => other !== ref);
        if (others.length === 0 || (tried.get(fact) ?? 0) >= most) continue;
        tried.set(fact, (tried.get(fact) ?? 0) + 1);
        let isFirst = true;
        for (const other of others) {
          if (!isFirst && !(fact in NOT_TOLD) && !isSampled(more++, nth)) continue;
          const bytes = withOther(whole, record, field, other);
          if (bytes === null) continue;
          isFirst = false;
          yield { name: `${name}: ${fact}: ${other.slice(0, 12)}`, fact, bytes };
        }
      }
    }
  }
}
