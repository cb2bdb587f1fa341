/** docs/commands.md is what the commands themselves say. */
import { readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage } from '../../../src/cli/support/commands-page';
import { ROOT } from '../../support/named-tests';

it('docs/commands.md is made of the commands: `npx tsx src/cli/support/commands-page.ts > docs/commands.md`', async () => {
  const page = await commandsPage();
  expect(readFileSync(join(ROOT, 'docs/commands.md'), 'utf8')).toBe(page);
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, name]) => name!);
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((name) => !existsSync(join(ROOT, 'docs', name)))).toEqual([]);
});
