/** What was left out and stands nowhere in what is kept. */
import type { Json } from '../../shared/json/json';
import { gramsOf } from './grams';

/** Of more than so many groups of words no list is kept: then everything counts as secret. */
const MOST_GRAMS = 1_000_000;

export class Secrets {
  private readonly grams = new Set<string>();
  private full = false;

  /** A body that is left out. */
  add(body: Json): void {
    for (const gram of gramsOf(body)) {
      if (this.full) return;
      this.grams.add(gram);
      this.full = this.grams.size > MOST_GRAMS;
    }
  }

  /**
   * A body that is kept: what it says is no secret.
   * @returns true where it repeats what was left out: three words in a row, or a long one
   */
  forgive(body: Json): boolean {
    let repeats = false;
    for (const gram of gramsOf(body)) if (this.grams.delete(gram)) repeats ||= isTelling(gram);
    return repeats;
  }

  /** True where the value says something that only what was left out says. */
  heldBy(value: Json): boolean {
    if (this.full) return true;
    for (const gram of gramsOf(value)) if (this.grams.has(gram)) return true;
    return false;
  }
}

const LONG = 16;

function isTelling(gram: string): boolean {
  const words = gram.split(' ');
  return words.length === 3 || (words.length === 1 && gram.length >= LONG);
}
