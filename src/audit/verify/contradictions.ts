/** Finds contradictions while a bundle is made: an incident needs its bundle all the same, and the trailer names the first one. */
import type { Contradiction } from '../format/lines';
import { ContentChecks, type CheckedLine } from './content-checks';

export class Contradictions {
  /** `parts` stays empty: a missing part breaks the same rule (D7) as a part in another turn. */
  private readonly refs = { parts: new Set<string>(), objects: new Set<string>(), blocks: new Set<string>() };
  /** Without keys: people's signatures are checked by an auditor with a trust file. */
  private readonly meaning = new ContentChecks([], this.refs);

  take(line: CheckedLine): void {
    if (line.kind === 'object') this.refs.objects.add(line.body.ref);
    if (line.kind === 'block') this.refs.blocks.add(line.body.ref);
    this.meaning.take(line);
  }

  /** The first contradiction so far; null: none. */
  get first(): Contradiction | null {
    const { fault } = this.meaning;
    return fault && { line: fault.line, rule: fault.rule };
  }
}
