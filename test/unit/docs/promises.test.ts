/** docs/promises.md: each promise names tests, all of them exist, and the table of threats is complete. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { missing, namedTests, pageOf, ROOT } from '../../support/named-tests';

const page = pageOf('promises.md');
const sections = new Map(page.split(/^## /m).map((text) => [text.split('\n', 1)[0]!, text]));
const KEPT = [
  'Approvals',
  'Who decided (attested only)',
  'People at the page',
  'Effects',
  'The record',
  'Programs beside us',
  "The worker's thread",
];

/** Items of a list, each with the lines below it. What stands under a further heading does not belong to them. */
function itemsOf(text: string): { item: string; below: string }[] {
  const [, ...items] = `\n${text.split(/^### /m, 1)[0]!}`.split('\n- ');
  return items.map((text) => ({ item: text.split('\n', 1)[0]!, below: text }));
}

describe('docs/promises.md', () => {
  it.each(KEPT)('shows each promise on %s by a test', (section) => {
    const promises = itemsOf(sections.get(section) ?? '');
    expect(promises.length).toBeGreaterThan(3);
    const bare = promises.filter(({ below }) => namedTests(below).length === 0);
    expect(bare.map(({ item }) => item)).toEqual([]);
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
    const [, ...attackers] = sections.get('Threats')!.split(/^### /m);
    expect(attackers).toHaveLength(8);
    for (const attacker of attackers) {
      const items = itemsOf(attacker);
      expect(items.map(({ item }) => /^\*\*(\w+)\*\*/.exec(item)?.[1])).toEqual(['Can', 'Cannot', 'Operations']);
      for (const { below } of items) expect(below.length).toBeGreaterThan(20);
      expect(namedTests(items[1]!.below).length).toBeGreaterThan(0);
    }
  });
});
