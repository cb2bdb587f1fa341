/** What a model thinks stands between tags. Tags in backticks are quoted, and begin and end nothing. */

const NAMES = 'think(?:ing)?|thought|reasoning';
const quotable = (tag: string) => `(?<!\`)(?:${tag})|(?:${tag})(?!\`)`;

export const THOUGHT_BEGINS = new RegExp(quotable(`<(?:${NAMES})\\s{0,8}>|\\[THINK\\]`), 'i');
export const THOUGHT_ENDS = new RegExp(quotable(`<\\/(?:${NAMES})\\s{0,8}>|\\[\\/THINK\\]`), 'i');

/** The tag that ends the thought which an answer begins with, where the model's template has written the tag that begins it. */
export function firstEnd(answer: string): { from: number; to: number } | null {
  const end = THOUGHT_ENDS.exec(answer);
  const begin = THOUGHT_BEGINS.exec(answer);
  if (end === null || (begin !== null && begin.index < end.index)) return null;
  return { from: end.index, to: end.index + end[0].length };
}
