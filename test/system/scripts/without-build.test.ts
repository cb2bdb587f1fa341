/** Unit tests need what `npm ci` installs, and no build. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newSourceCheckout } from './support/new-checkout';
import { program } from '../support/process';

it('unit tests whose tools run in threads pass in a checkout without a build', async () => {
  const checkout = newSourceCheckout('test', 'scripts', 'packages');
  try {
    const tests = program(join(checkout, '.home'), process.execPath, ['scripts/test-project.mjs', 'unit', 'tools/isolation/threads'], {}, checkout); // oxfmt-ignore
    expect([await tests.ended, tests.output()]).toEqual([0, expect.stringMatching(/Tests: +3 passed, 3 total/)]);
    expect(existsSync(join(checkout, 'dist'))).toBe(false);
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
});
