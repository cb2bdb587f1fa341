/** Each page that a comment of the source cites exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/named-tests';

/** `docs/tools.md`, `tools.md`; not a path that is put together, nor the name of a user's file in backticks. */
const PAGE = /(?<![\w`$/}.-])((?:docs\/)?[a-z][\w/-]*\.md)\b/g;

it('all of them exist', () => {
  const cited = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(PAGE)].map(([, page]) => `${file}: ${page!}`));
  const exists = (page: string) => existsSync(join(ROOT, page)) || existsSync(join(ROOT, 'docs', page));
  expect(cited.length).toBeGreaterThan(50);
  expect(cited.filter((one) => !exists(one.split(': ')[1]!))).toEqual([]);
});
