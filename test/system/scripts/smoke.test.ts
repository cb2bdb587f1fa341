import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, withModule } from './support/run-module';

it('each part of the system tests has a smoke test, which is there', () => {
  const smoke = withModule('smoke.mjs', 'return lib.SMOKE', {}) as string[];
  expect(smoke.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const parts = readdirSync(join(ROOT, 'test/system')).filter((part) => part !== 'support');
  expect(parts.filter((part) => !smoke.some((file) => file.startsWith(`test/system/${part}/`)))).toEqual([]);
});
