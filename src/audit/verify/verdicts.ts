/** Verdicts of admission on the calls of a turn, and what the turn's result says of them again: whether people had to approve (rule D5). */
import type { Json, JsonObject } from '../../shared/json/json';
import { text } from '../../record/fields';

/** In these a call need not have been looked at as admission has last answered. */
const UNSETTLED_STATES = new Set<Json | undefined>(['cancelled', 'proposed', 'superseded']);

export class Verdicts {
  /** By call: the last verdict, and all that there were; loose: nobody can tell which counts. */
  private readonly known = new Map<string, { last: Json | undefined; all: Set<Json | undefined>; loose: boolean }>();

  add(id: Json | undefined, verdict: Json | undefined, edited: boolean): void {
    const known = this.known.get(text(id)) ?? { last: undefined, all: new Set(), loose: false };
    this.known.set(text(id), known);
    known.all.add(verdict);
    // What a person wanted instead need not have come to count.
    if (edited) known.loose = true;
    else known.last = verdict;
  }

  /** Whether that follows from the verdict, or from that people were asked; what was stopped need not have been looked at. */
  require({ id, state }: JsonObject, required: Json | undefined, asked: boolean): boolean {
    const known = this.known.get(text(id));
    if (known === undefined || required === undefined) return true;
    const verdicts = known.loose || UNSETTLED_STATES.has(state) ? [...known.all] : [known.last];
    return verdicts.some((verdict) => required === (asked || verdict === 'ask'));
  }
}
