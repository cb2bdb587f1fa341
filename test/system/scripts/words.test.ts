/** Names are nouns and verbs (docs/glossary.md). */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

it('no declared name is a participle or a metaphor, unless it is excused with a reason', () => {
  const output = execFileSync(process.execPath, [join(__dirname, '../../../scripts/words.mjs')], { encoding: 'utf8' });
  expect(output).toMatch(/^\d{4,} names, 0 that are participles or metaphors\n$/);
});
