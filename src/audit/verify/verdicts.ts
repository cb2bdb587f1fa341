/** Checks that the turn's result agrees with admission's verdicts on which calls people had to approve (rule D5). */
import type { Json, JsonObject } from '../../shared/json/json';
import { text } from '../../record/fields';

/** In these states the workflow need not have used admission's last verdict. */
const UNSETTLED_STATES = new Set<Json | undefined>(['cancelled', 'proposed', 'superseded']);

export class Verdicts {
  /** By call: the last verdict and all verdicts. `loose`: it is unknown which of them counts. */
  private readonly known = new Map<string, { last: Json | undefined; all: Set<Json | undefined>; loose: boolean }>();

  add(id: Json | undefined, verdict: Json | undefined, edited: boolean): void {
    const known = this.known.get(text(id)) ?? { last: undefined, all: new Set(), loose: false };
    this.known.set(text(id), known);
    known.all.add(verdict);
    // A person's edit need not have taken effect.
    if (edited) known.loose = true;
    else known.last = verdict;
  }

  /** Whether `required` follows from `asked` or the last verdict; from any verdict, if it is unknown which one counts. */
  require({ id, state }: JsonObject, required: Json | undefined, asked: boolean): boolean {
    const known = this.known.get(text(id));
    if (known === undefined || required === undefined) return true;
    const verdicts = known.loose || UNSETTLED_STATES.has(state) ? [...known.all] : [known.last];
    return verdicts.some((verdict) => required === (asked || verdict === 'ask'));
  }
}
