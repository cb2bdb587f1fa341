/** Whoever makes a bundle asks of its lines what a verifier will: an incident needs its record, and the record says that it contradicts itself. */
import type { Contradiction } from '../format/lines';
import { Meaning, type MeantLine } from './meaning';

export class Contradictions {
  /** Without parts: one that is missing breaks the same rule (D7) as one that stands in another turn. */
  private readonly refs = { parts: new Set<string>(), objects: new Set<string>(), blocks: new Set<string>() };
  /** Without keys: signatures of people are for whoever has the trust file. */
  private readonly meaning = new Meaning([], this.refs);

  take(line: MeantLine): void {
    if (line.kind === 'object') this.refs.objects.add(line.body.ref);
    if (line.kind === 'block') this.refs.blocks.add(line.body.ref);
    this.meaning.take(line);
  }

  /** The first so far; null: there is none. */
  get first(): Contradiction | null {
    const { fault } = this.meaning;
    return fault && { line: fault.line, rule: fault.rule };
  }
}
