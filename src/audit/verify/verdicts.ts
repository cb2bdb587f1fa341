/** Checks that the turn's result agrees with admission's verdicts on which calls people had to approve (rule D5). */
import type { Json, JsonObject } from '../../shared/json/json';
import { text } from '../../record/fields';

/** In these states the workflow need not have used admission's last verdict. */
const UNSETTLED_STATES = new Set<Json | undefined>(['cancelled', 'proposed', 'superseded']);

export class Verdicts {
  /** By call: the last verdict and all verdicts. `loose`: it is unknown which of them counts. */
  private readonly verdicts = new Map<string, { last: Json | undefined; all: Set<Json | undefined>; loose: boolean }>();

  add(id: Json | undefined, verdict: Json | undefined, isEdit: boolean): void {
    const entry = this.verdicts.get(text(id)) ?? { last: undefined, all: new Set(), loose: false };
    this.verdicts.set(text(id), entry);
    entry.all.add(verdict);
    // A person's edit need not have taken effect.
    if (isEdit) entry.loose = true;
    else entry.last = verdict;
  }

  /** Whether `isRequired` follows from `wasAsked` or the last verdict; from any verdict, if it is unknown which one counts. */
  require({ id, state }: JsonObject, isRequired: Json | undefined, wasAsked: boolean): boolean {
    const entry = this.verdicts.get(text(id));
    if (entry === undefined || isRequired === undefined) return true;
    const verdicts = entry.loose || UNSETTLED_STATES.has(state) ? [...entry.all] : [entry.last];
    return verdicts.some((verdict) => isRequired === (wasAsked || verdict === 'ask'));
  }
}
