/** Collects the content that was removed and that nothing kept contains. */
import type { Json } from '../../shared/json/json';
import { gramsOf, isId } from './grams';

/** Maximum number of word groups in memory. With more, every value counts as secret. */
const MOST_GRAMS = 1_000_000;

export class Secrets {
  private readonly grams = new Set<string>();
  private full = false;

  /** Adds the body of a removed part. */
  add(body: Json): void {
    for (const gram of gramsOf(body)) {
      if (this.full) return;
      this.grams.add(gram);
      this.full = this.grams.size > MOST_GRAMS;
    }
  }

  /**
   * Takes the content of a kept body out of the secrets.
   * @returns true if the body repeats removed content: three words in a row, or a long word
   */
  forgive(body: Json): boolean {
    let repeats = false;
    for (const gram of gramsOf(body)) if (this.grams.delete(gram)) repeats ||= isTelling(gram);
    return repeats;
  }

  /** Takes the ids, hashes and times of a line that stays out of the secrets; its words may stand in other places all the same. */
  forgiveIds(body: Json): void {
    for (const gram of gramsOf(body)) if (isId(gram)) this.grams.delete(gram);
  }

  /** True if the value contains something that only removed parts contain. */
  heldBy(value: Json): boolean {
    if (this.full) return true;
    for (const gram of gramsOf(value)) if (this.grams.has(gram)) return true;
    return false;
  }
}

const LONG = 16;

function isTelling(gram: string): boolean {
  if (isId(gram)) return false;
  const words = gram.split(' ');
  return words.length === 3 || (words.length === 1 && gram.length >= LONG);
}
