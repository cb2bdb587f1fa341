/** docs/promises.md: each promise names tests, all of them exist, and the table of threats is complete. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { missing, namedTests, pageOf, ROOT } from '../../support/named-tests';

const page = pageOf('promises.md');
const sections = new Map(page.split(/^## /m).map((text) => [text.split('\n', 1)[0]!, text]));
const KEPT = ['Approvals', 'Who decided (attested only)', 'People at the page', 'Effects', 'The record', 'Programs beside us'];

/** Cells of the rows of a table, without its head. */
function rowsOf(section: string): string[][] {
  const lines = (sections.get(section) ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('docs/promises.md', () => {
  it.each(KEPT)('shows each promise on %s by a test', (section) => {
    const rows = rowsOf(section);
    expect(rows.length).toBeGreaterThan(3);
    const bare = rows.filter(([, shown]) => namedTests(shown!).length === 0);
    expect(bare.map(([promise]) => promise)).toEqual([]);
  });

  it('names only tests that exist', () => {
    const tests = namedTests(page);
    expect(tests.length).toBeGreaterThan(50);
    expect(missing(tests)).toEqual([]);
  });

  it('names each test in the form that is looked up: a file, and titles', () => {
    const files = [...page.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, file]) => file!);
    const read = new Set(namedTests(page).map(({ file }) => file));
    expect(files.filter((file) => !read.has(file) && file !== 'test/unit/docs/promises.test.ts')).toEqual([]);
    const titles = [...page.matchAll(/› “([^”]+)”/g)].length;
    expect(namedTests(page)).toHaveLength(titles - 1); // one stands for all, in the first lines
  });

  it('names every attack that is tried', () => {
    const tried = ['unit', 'engine', 'system'].flatMap((level) => {
      const folder = `test/${level}/attack`;
      return readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
    });
    expect(tried.length).toBeGreaterThan(40);
    expect(tried.filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
  });

  it('says for each of eight attackers what he can do, what he cannot do, and what is left to operations', () => {
    const rows = rowsOf('Threats');
    expect(rows).toHaveLength(8);
    for (const cells of rows) {
      expect(cells).toHaveLength(4);
      for (const cell of cells) expect(cell.length).toBeGreaterThan(10);
      expect(namedTests(cells[2]!).length).toBeGreaterThan(0);
    }
  });
});
