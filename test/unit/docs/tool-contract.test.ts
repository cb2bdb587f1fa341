/** docs/tool-contract.md answers every demand of the product's requirements, and the files and tests that it names exist. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missing, namedTests, pageOf, ROOT } from '../../support/named-tests';

const page = pageOf('tool-contract.md');

const IDS = [...numbered('F', 24), ...numbered('I', 31), ...numbered('W', 8), ...numbered('C', 8), ...numbered('M', 5)];

interface Row {
  id: string;
  where: string;
  shown: string;
}

/** `| F1 | demand | where | shown by |` */
const rows: Row[] = page
  .split('\n')
  .map((line) => /^\| ([FIWCM]\d+) \|[^|]*\|([^|]*)\|(.*)\|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, id, where, shown]) => ({ id: id!, where: where!.trim(), shown: shown!.trim() }));

describe('docs/tool-contract.md', () => {
  it('answers every id once, in order', () => {
    expect(rows.map((row) => row.id)).toEqual(IDS);
  });

  it.each(IDS)('%s names files that exist', (id) => {
    const files = paths(rowOf(id).where);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it.each(IDS)('%s names a test that exists, or says why there is none', (id) => {
    const { shown } = rowOf(id);
    const tests = namedTests(shown);
    if (tests.length === 0) return expect(shown).toMatch(/^Otherwise: .{40,}/);
    expect(missing(tests)).toEqual([]);
  });
});

function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}

function rowOf(id: string): Row {
  const row = rows.find((candidate) => candidate.id === id);
  if (!row) throw new Error(`docs/tool-contract.md has no row ${id}`);
  return row;
}

/** What stands in backticks and looks like a path of the project. */
function paths(text: string): string[] {
  return [...text.matchAll(/`((?:src|packs|packages|docs|bench|data|docker|scripts)\/[^`]*)`/g)].map((match) => match[1]!);
}
