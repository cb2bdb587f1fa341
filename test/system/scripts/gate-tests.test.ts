import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, withModule } from './support/run-module';

it.each(['engine', 'system'] as const)('each part of test/%s has tests in the gate, which are there', (project) => {
  const { [project]: files } = withModule('gate-tests.mjs', 'return lib.GATE_TESTS', {}) as Record<string, string[]>;
  expect(files!.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const folders = readdirSync(join(ROOT, 'test', project), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const parts = folders.map(({ name }) => name).filter((name) => name !== 'support');
  expect(parts.filter((part) => !files!.some((file) => file.startsWith(`test/${project}/${part}/`)))).toEqual([]);
});
