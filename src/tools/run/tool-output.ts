/** Collects what a generator tool yields into its result, and parses the answer of a probe. */
import { isJsonObject, type Json } from '../../shared/json/json';
import type { ToolProgress, ToolYield, Outcome } from '../define/tool';
import { optional } from '../../shared/json/optional';

/** Collects the yielded pieces and facts, all but progress, into the tool's result. */
export class YieldCollector {
  private readonly pieces: unknown[] = [];
  private end: object | undefined;

  /** Takes a yielded value; returns it only if it is progress. */
  take(item: ToolYield): ToolProgress | null {
    if (typeof item !== 'object' || item === null) {
      this.pieces.push(item);
      return null;
    }
    if (item.type === 'content') {
      const { type: _, ...fields } = item;
      this.pieces.push('data' in item ? item.data : fields); // without `data`, the other fields are the piece
      return null;
    }
    if (item.type === 'done' || item.type === 'complete') {
      const { type: _, ...facts } = item;
      this.end = facts;
      return null;
    }
    if (typeof item.message === 'string') return item as ToolProgress;
    this.pieces.push(item);
    return null;
  }

  /** @param returnValue the generator's return value; where given, it replaces the facts of `done` */
  result(returnValue: unknown): unknown {
    const end = returnValue ?? (this.end && Object.keys(this.end).length > 0 ? this.end : undefined);
    if (this.pieces.length === 0) return end;
    const content = this.pieces.every((piece) => typeof piece === 'string')
      ? this.pieces.join('')
      : this.pieces.length === 1
        ? this.pieces[0]
        : this.pieces;
    if (end === undefined) return content;
    return typeof end === 'object' && end !== null && !Array.isArray(end) ? { content, ...end } : { content, result: end };
  }
}

// Parses a probe's answer defensively: probes run after a failure, and may fail themselves.

/** Longest evidence, characters; longer text is cut. */
const LONGEST_EVIDENCE = 4000;

export interface ProbeFinding {
  outcome: Outcome;
  evidence: string;
  data?: Json;
}

/** An invalid answer counts as `unknown`, with evidence that says so. */
export function readProbeAnswer(answer: Json): ProbeFinding {
  const { outcome, evidence, data } = isJsonObject(answer) ? answer : { outcome: answer };
  if (outcome !== 'applied' && outcome !== 'not_applied' && outcome !== 'unknown') {
    const excerpt = (JSON.stringify(outcome) ?? 'nothing').slice(0, 100).toWellFormed();
    return unknown(`The probe answered ${excerpt}; it must be "applied", "not_applied" or "unknown".`);
  }
  const text = typeof evidence === 'string' ? evidence : '';
  return { ...unknown(text), outcome, ...optional({ data }) };
}

export function unknown(evidence: string): ProbeFinding {
  return { outcome: 'unknown', evidence: evidence.slice(0, LONGEST_EVIDENCE).toWellFormed() };
}
