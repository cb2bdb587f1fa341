/** Statements that no page makes any more, and the form of tables. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/named-tests';
import { PAGES } from '../../support/pages';

/** Words by which a page says that something does not exist, or only later. */
const DENIALS = [
  /\bnot in this build\b|\bcomes? with (?:the gateway|the streams|sessions|issue)\b|\bwill be (?:another way|added)\b/i,
  /\b(?:no|not|none|nothing|nobody|never|without|isn't|aren't|doesn't)\b[^.|]*\byet\b|\bnot (?:implemented|supported|available)\b|\bplanned for\b/i,
];
/** True statements that do not deny a feature. An entry that is on no page any more is an error too. */
const TRUE = [
  'was taken, has no answer yet', // of a decision
  'was taken and has no answer yet',
  'that is not in the bundle yet', // of a block
  'that no workflow task has taken yet', // of a signal
  'that none of ours has taken yet', // of a denial
  'because its turn has no number yet', // of a message
  'no chain yet: the tools say so', // of an example
  'Windows is not supported',
];
const denials = (line: string) => {
  const rest = TRUE.reduce((text, known) => text.replaceAll(known, ''), line);
  return DENIALS.some((words) => words.test(rest));
};

/** Cells of tables with more than one sentence, or with a line break. */
function longCells(text: string): string[] {
  const rows = text
    .replace(/^ *```[^]*?^ *```/gm, '')
    .split('\n')
    .filter((line) => /^\s*\|/.test(line));
  const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  return cells.filter((cell) => {
    const words = cell.replace(/`[^`]*`/g, '`').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    return words.includes('<br') || /[.!?]["”)*]*\s+["“(*`]*[\p{Lu}`]/u.test(words);
  });
}

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  it('does not deny a feature that exists', () => {
    expect(text.split('\n').filter(denials)).toEqual([]);
  });

  it('has no cell of a table with more than a sentence', () => {
    expect(longCells(text)).toEqual([]);
  });

  it('lists each setting once', () => {
    const names = text.split('\n').flatMap((line) => {
      const [, cell] = /^\| ((?:`[^`|]+`[,; ]*)+)\|/.exec(line) ?? [];
      return cell ? [...cell.matchAll(/`(HOLDFAST_[A-Z_]+)`/g)].map(([, name]) => name!) : [];
    });
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

it.each([
  'Sessions are not in this build yet.',
  'MCP: not yet.',
  'There is no streaming yet.',
  'Redaction is not implemented.',
  'It comes with the gateway.',
])('a page that says %j denies it', (line) => {
  expect(denials(line)).toBe(true);
});

it.each([
  'One sentence. Another one.',
  'asks a person. `send` asks two',
  'is refused (400). (Not in version 1.)',
  'one line<br>another line',
])('a cell that says %j has more than a sentence', (cell) => {
  expect(longCells(`| a | b |\n|---|---|\n| x | ${cell} |`)).toEqual([cell]);
});

it.each(['One sentence: with a colon, e.g. this one; and `a. B`.', 'letters, digits, . _ and -'])(
  'a cell that says %j has one',
  (cell) => expect(longCells(`| ${cell} |`)).toEqual([]),
);

it.each(TRUE)('a page still says %j', (known) => {
  expect(PAGES.some((page) => readFileSync(join(ROOT, page), 'utf8').includes(known))).toBe(true);
});
