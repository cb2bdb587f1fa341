/**
 * Removes page furniture: lines that repeat at the edges of pages and belong to no section. It removes only clear cases: a line
 * with a number that counts on with the pages, a line at the edge of at least half of the pages, a link back to the contents.
 */
import { type Line } from './lines';

/** Lines at each end of a page that can be its header or footer. */
const EDGE = 3;
const MAX_LENGTH = 160;
const BACK_LINK = /^(?:back to )?(?:the )?(?:table of contents|index|toc)$/i;

/** A line with one of its numbers: `Apple Inc. | 2024 Form 10-K | #`, page 23 of the document, number 21. */
interface NumberedLine {
  page: number;
  line: Line;
  number: number;
}

/** @returns the lines without page furniture */
export function withoutFurniture(lines: Line[]): Line[] {
  const edges = edgeLines(lines);
  const drop = new Set([...counters(edges), ...runningHeads(edges, lines)]);
  for (const line of lines) if (line.isLinked && BACK_LINK.test(line.text)) drop.add(line);
  return lines.filter((line) => !drop.has(line));
}

function edgeLines(lines: Line[]): Line[] {
  const edges: Line[] = [];
  for (let start = 0; start < lines.length;) {
    let end = start + 1;
    while (end < lines.length && lines[end]!.page === lines[start]!.page) end++;
    const head = Math.min(start + EDGE, end);
    edges.push(...lines.slice(start, head), ...lines.slice(Math.max(head, end - EDGE), end));
    start = end;
  }
  return edges.filter((line) => line.text.length <= MAX_LENGTH);
}

/** Page numbers, alone or in a footer: the same words are on other pages, with a number that grows as the pages do. */
function counters(edges: Line[]): Line[] {
  const byWords = new Map<string, NumberedLine[]>();
  for (const line of edges) {
    const numbers = line.text.match(/\d+/g);
    if (!numbers) continue;
    for (const [place, number] of [...new Set([0, numbers.length - 1])].map((at) => [at, numbers[at]!] as const)) {
      let at = -1;
      const words = `${place} ${line.text.replace(/\d+/g, (digits) => (++at === place ? '#' : digits))}`;
      const entries = byWords.get(words) ?? [];
      entries.push({ page: line.page, line, number: Number(number) });
      byWords.set(words, entries);
    }
  }
  return [...byWords.values()].flatMap((entries) =>
    entries
      .filter((one, i) => continuesNumbering(one, entries[i - 1]) || continuesNumbering(one, entries[i + 1]))
      .map(({ line }) => line),
  );
}

/** Facing pages have different footers, so the page with the same footer may be two pages away. */
function continuesNumbering(one: NumberedLine, other: NumberedLine | undefined): boolean {
  if (!other) return false;
  const pages = other.page - one.page;
  return pages !== 0 && Math.abs(pages) <= 4 && other.number - one.number === pages;
}

/** The same words at the edge of at least half of the pages. */
function runningHeads(edges: Line[], lines: Line[]): Line[] {
  const pages = (lines.at(-1)?.page ?? 0) + 1;
  if (pages < 5) return [];
  const byText = new Map<string, Line[]>();
  for (const line of edges) {
    const same = byText.get(line.text);
    if (same) same.push(line);
    else byText.set(line.text, [line]);
  }
  return [...byText.values()].filter((same) => new Set(same.map((line) => line.page)).size * 2 >= pages).flat();
}
