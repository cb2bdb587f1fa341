/** Collects the facts that sources state about each subject, and finds a source that contradicts an earlier one. */
import { canonical } from '../../shared/json/canonical';
import type { Json, JsonObject } from '../../shared/json/json';
import { sha256Hex } from '../../shared/json/sha256';
import { capital, quote } from './fault';
import type { Subject, Table } from './fact-tables';
import { attempt } from './values';

/** Names by subject. Facts of a subject without a name are skipped. */
export type Names = Partial<Record<Subject, Json | undefined>>;

/** A disagreement of two sources. */
export interface Disagreement {
  subject: Subject;
  reason: string;
}

/** Characters. Longer values are kept as hashes. */
const LONGEST = 100;
/**
 * Empty values of these are skipped: a direct call may have no agent, a continued run has no message, and a call that nobody is
 * asked about has no card.
 */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['turn.agent', 'turn.message', 'card.text', 'call.key']);

export class Facts {
  private readonly entries = new Map<string, { value: string; source: string }>();
  private readonly incomparable = new Set<string>();

  /** Adds all facts of `record`, by the places in `table`. */
  addRecord(table: Table, record: JsonObject, names: Names, source: string): Disagreement | null {
    let first: Disagreement | null = null;
    for (const [field, place] of Object.entries(table)) {
      const [subject, fact] = place.split('.') as [Subject, string];
      const name = names[subject];
      if (name !== undefined) first ??= this.addFacts(subject, name, { [fact]: record[field] }, source);
    }
    return first;
  }

  /** Adds facts; undefined ones are skipped. @returns the first one that contradicts an earlier source */
  addFacts(
    subject: Subject,
    name: Json | undefined,
    facts: Record<string, Json | undefined>,
    source: string,
  ): Disagreement | null {
    if (typeof name !== 'string') return null;
    let first: Disagreement | null = null;
    for (const [fact, value] of Object.entries(facts)) {
      const key = `${subject} ${fact} ${name}`;
      if (value === undefined || this.incomparable.has(`${subject} ${fact}`) || this.incomparable.has(key)) continue;
      if ((value === null || value === '') && MAY_BE_EMPTY.has(`${subject}.${fact}`)) continue;
      const before = this.entries.get(key);
      const now = short(value);
      if (before === undefined) this.entries.set(key, { value: now, source });
      else if (before.value !== now) {
        const reason = `${source} says that ${fact} of ${SUBJECT[subject]} is ${quote(value)}, and ${before.source} says otherwise`;
        first ??= { subject, reason: capital(reason) };
      }
    }
    return first;
  }

  /** Forgets a fact that may change. */
  forget(subject: Subject, name: string, fact: string): void {
    this.entries.delete(`${subject} ${fact} ${name}`);
  }

  /** From now on this fact is not compared. @param name absent: of all */
  skip(subject: Subject, fact: string, name?: string): void {
    this.incomparable.add(name === undefined ? `${subject} ${fact}` : `${subject} ${fact} ${name}`);
  }

  /** Whether an earlier source has stated another value. */
  knowsOther(subject: Subject, name: Json | undefined, fact: string, value: Json | undefined): boolean {
    const before = typeof name === 'string' ? this.entries.get(`${subject} ${fact} ${name}`) : undefined;
    return before !== undefined && value !== undefined && before.value !== short(value);
  }

  knows(subject: Subject, name: Json | undefined, fact: string): boolean {
    return typeof name === 'string' && this.entries.has(`${subject} ${fact} ${name}`);
  }
}

const SUBJECT: Record<Subject, string> = {
  turn: 'the turn',
  run: 'the run',
  asked: 'what the model asked for',
  use: 'what the model asked for',
  step: 'the step',
  card: 'the card',
  call: 'the call',
  dispatch: 'the dispatch',
  result: 'the result',
  block: 'the block',
  effect: 'the effect',
  said: 'what people have said',
};

function short(value: Json): string {
  const text = attempt(() => canonical(value)) ?? '';
  return text.length > LONGEST ? sha256Hex(text) : text;
}
