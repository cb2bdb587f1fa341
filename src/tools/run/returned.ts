/** What a generator tool yields: progress, pieces of its result, and how it ended. */
import { isJsonObject, type Json } from '../../shared/json/json';
import type { ToolProgress, ToolYield, Outcome } from '../define/tool';

/** Gathers what was yielded, besides progress, into the tool's result. */
export class YieldCollector {
  private readonly pieces: unknown[] = [];
  private end: object | undefined;

  /** Progress is given back, for whoever watches. */
  take(given: ToolYield): ToolProgress | null {
    if (typeof given !== 'object' || given === null) {
      this.pieces.push(given);
      return null;
    }
    if (given.type === 'content') {
      const { type: _, ...fields } = given;
      this.pieces.push('data' in given ? given.data : fields); // under another name it is no less a piece
      return null;
    }
    if (given.type === 'done' || given.type === 'complete') {
      const { type: _, ...facts } = given;
      this.end = facts;
      return null;
    }
    if (typeof given.message === 'string') return given as ToolProgress;
    this.pieces.push(given);
    return null;
  }

  /** @param returned by the function itself: what stands for the end where it is given */
  result(returned: unknown): unknown {
    const end = returned ?? (this.end && Object.keys(this.end).length > 0 ? this.end : undefined);
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

// What a probe answered, read as what it may be: it is asked when something went wrong, and may go wrong itself.

/** Characters; what is longer is cut. */
const LONGEST_EVIDENCE = 4000;

export interface ProbeFinding {
  outcome: Outcome;
  evidence: string;
  data?: Json;
}

/** Whatever is no answer knows nothing, and says so. */
export function readProbeAnswer(answer: Json): ProbeFinding {
  const { outcome, evidence, data } = isJsonObject(answer) ? answer : { outcome: answer };
  if (outcome !== 'applied' && outcome !== 'not_applied' && outcome !== 'unknown') {
    const said = (JSON.stringify(outcome) ?? 'nothing').slice(0, 100).toWellFormed();
    return unknown(`The probe answered ${said}; it must be "applied", "not_applied" or "unknown".`);
  }
  const text = typeof evidence === 'string' ? evidence : '';
  return { ...unknown(text), outcome, ...(data === undefined ? {} : { data }) };
}

export function unknown(evidence: string): ProbeFinding {
  return { outcome: 'unknown', evidence: evidence.slice(0, LONGEST_EVIDENCE).toWellFormed() };
}
