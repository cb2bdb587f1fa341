/**
 * Makes a unified diff of one hunk: the part between the common beginning and the common end. It is exact for one edit; for a
 * rewritten file it is longer than the shortest diff, and still correct.
 */
import { linesOf } from './text';

const CONTEXT = 3;
const LONGEST = 8000;

/** @param before null for a new file */
export function unifiedDiff(path: string, before: string | null, after: string): string {
  const old = linesOf(before ?? '');
  const fresh = linesOf(after);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  if (head === old.length && head === fresh.length) return `${path}: no change`;

  const from = Math.max(0, head - CONTEXT);
  const more = Math.min(CONTEXT, tail);
  const groups: [sign: string, lines: string[]][] = [
    [' ', old.slice(from, head)],
    ['-', old.slice(head, old.length - tail)],
    ['+', fresh.slice(head, fresh.length - tail)],
    [' ', old.slice(old.length - tail, old.length - tail + more)],
  ];
  // Lines beyond the number of shown characters are only counted: a file may have millions of lines.
  const hunk = groups.flatMap(([sign, lines]) => markLines(sign, lines.slice(0, LONGEST)));
  const oldRange = range(from, old.length - tail + more - from);
  const newRange = range(from, fresh.length - tail + more - from);
  const text = [`--- ${before === null ? '/dev/null' : path}`, `+++ ${path}`, `@@ -${oldRange} +${newRange} @@`, ...hunk].join(
    '\n',
  );
  if (text.length <= LONGEST) return text;
  const count = groups.reduce((sum, [, lines]) => sum + lines.length + (lines.at(-1)?.endsWith('\n') === false ? 1 : 0), 0);
  return `${text.slice(0, LONGEST).toWellFormed()}\n… (cut: the whole diff has ${count} lines)`;
}

function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`;
}

function markLines(sign: string, lines: string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  );
}
