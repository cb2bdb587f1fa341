/**
 * Chooses the filing's headings among the candidates. Each item has one heading, and the form fixes their order, so the headings
 * are the rising sequence of candidates with the most weight. A table of contents is a rising sequence too, but no text follows its
 * entries; a cross reference is out of order. The best sequence is found in one pass (weighted longest increasing subsequence over
 * the two dozen items of a form).
 */
import { FORM_ITEMS, type PeriodicForm } from './forms';
import { type Heading } from './headings';
import { type Line } from './lines';

/** Characters of following text; more text adds no weight. */
const ENOUGH = 2_000;

/** @returns the chosen headings, in the order of the document and of the form */
export function outline(lines: Line[], candidates: Heading[], form: PeriodicForm): Heading[] {
  const items = FORM_ITEMS[form];
  const following = charsFollowing(lines, candidates);
  /** For each item: the best sequence that ends with it. */
  const best: (Chain | undefined)[] = items.map(() => undefined);
  candidates.forEach((heading, i) => {
    const rank = items.indexOf(heading.item);
    let before: Chain | undefined;
    for (let lower = 0; lower < rank; lower++) if ((best[lower]?.weight ?? 0) > (before?.weight ?? 0)) before = best[lower];
    const weight = weigh(heading, following[i]!) + (before?.weight ?? 0);
    if (weight > (best[rank]?.weight ?? 0)) best[rank] = { weight, heading, before };
  });

  let chain: Chain | undefined;
  for (const one of best) if ((one?.weight ?? 0) > (chain?.weight ?? 0)) chain = one;
  const headings: Heading[] = [];
  for (; chain; chain = chain.before) headings.unshift(chain.heading);
  return headings;
}

interface Chain {
  weight: number;
  heading: Heading;
  before: Chain | undefined;
}

function weigh(heading: Heading, following: number): number {
  const looks = (heading.isContentsEntry ? 0.1 : 0.5) + (heading.hasFormTitle ? 0.5 : 0);
  return looks + (2 * Math.min(following, ENOUGH)) / ENOUGH;
}

/** Characters up to the next candidate of another item: the item's own running heads do not end the count. */
function charsFollowing(lines: Line[], candidates: Heading[]): number[] {
  const upTo = [0];
  for (const line of lines) upTo.push(upTo[upTo.length - 1]! + line.text.length);
  const following: number[] = [];
  let stop = lines.length;
  for (let i = candidates.length - 1; i >= 0; i--) {
    const next = candidates[i + 1];
    if (next && next.item !== candidates[i]!.item) stop = next.line;
    following[i] = Math.max(0, upTo[stop]! - upTo[Math.min(candidates[i]!.end, stop)]!) + candidates[i]!.runIn.length;
  }
  return following;
}
